"""An hour of traffic in whole towns: who touches whom, and who waits for each other without end.

    python benchmarks/hour_of_traffic.py EXTRACT... [--minutes 60] [--vehicles 200] [--people 100]
        [--bicycles SHARE] [--seeds 1]

Vehicles, people and signals alone, without a robot and without physics, as in each step of a
simulation. The goal is no collision at all. Each collision and each jam is told with its place.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from autosim.applications.common.open_worlds import open_named_world
from autosim.config.world_settings import TrafficDescription
from autosim.kinds.director import build_tree
from autosim.model.state import State
from autosim.traffic.cyclists.cyclist_traffic import CyclistCollisions
from autosim.traffic.road_users import B
from autosim.traffic.signals.running_signals import signals_of
from autosim.traffic.traffic_node import traffic_arrays_of
from autosim.traffic.vehicle_kinds import FLEET, KIND_NAMES, VehicleClass
from autosim.traffic.vehicles.box_overlap import do_overlap
from autosim.traffic.vehicles.vehicle_pool import (
    lane_on_path,
)
from autosim.traffic.world_traffic import Traffic
from autosim.world.pipeline.cache import compile_world


def shares_with(bicycles: float | None) -> tuple[tuple[str, float], ...]:
    """The usual shares of vehicles, but for that of bicycles; () for the usual of these, too."""
    if bicycles is None:
        return ()
    others = [each for each in FLEET if each.vehicle_class is not VehicleClass.BICYCLE]
    left = (1.0 - bicycles) / sum(each.share for each in others)
    kept = [(each.name, each.share * left) for each in others]
    return (*kept, *((each.name, bicycles) for each in FLEET if each not in others))


def traffic_in(
    extract: str,
    vehicles: int,
    people: int,
    bicycles: float | None,
    *,
    hertz: float,
    seed: int,
    engine: Literal["autosim", "sumo"] = "autosim",
):
    """Traffic, its signals and its counters."""
    wanted = TrafficDescription(
        vehicles=vehicles, people=people, shares=shares_with(bicycles), engine=engine
    )
    world = replace(open_named_world(extract), robots=(), objects=(), traffic=wanted)
    compiled = compile_world(world.terrain)
    state, seconds = State(build_tree(world)), 1.0 / hertz
    signals = signals_of(wanted, compiled, state, step_seconds=seconds, seed=seed)
    arrays = traffic_arrays_of(state)
    assert signals is not None
    assert arrays is not None
    traffic = Traffic(
        *(wanted, compiled, arrays, signals),
        sky=world.graphics.sky,
        step_seconds=seconds,
        seed=seed,
        robots=(),
    )
    traffic.begin()
    return traffic, signals, arrays


def about(vehicles, number: int) -> str:
    """A vehicle in words."""
    row, box = vehicles.rows[number], vehicles.boxes[number]
    lane = lane_on_path(row, row.front)
    return (
        f"{KIND_NAMES[vehicles.kinds[number]]} {number} on lane {lane} at {row.station:.1f} m, "
        f"({box[B.x]:.1f}, {box[B.y]:.1f}), {row.speed:.1f} m/s, waited {row.waited:.0f} s"
    )


def touching(vehicles) -> Iterator[str]:
    """Those that touch each other now."""
    rows = np.flatnonzero(vehicles.rows["touches"]).tolist()
    for i in rows:
        for k in rows:
            if i < k and do_overlap(vehicles.boxes[i], vehicles.boxes[k]):
                yield f"{about(vehicles, i)} — {about(vehicles, k)}"


def touching_cyclists(cyclists) -> Iterator[str]:
    """The cyclists off the carriageways who touch somebody now."""
    for number, row in enumerate(cyclists.rows):
        kinds = [
            name
            for bit, name in enumerate(CyclistCollisions._fields)
            if int(row.touches) >> bit & 1
        ]
        if kinds:
            yield (
                f"cyclist {number} with {' and '.join(kinds)}, on way {row.way} at "
                f"({row.x:.1f}, {row.y:.1f}), {row.speed:.1f} m/s, "
                f"held up for {row.stuck:.0f} s"
            )


def drive(extract: str, seed: int, arguments: argparse.Namespace) -> int:
    """Lets the time pass in a town; how many collisions there were."""
    hertz = arguments.hertz
    traffic, signals, arrays = traffic_in(
        *(extract, arguments.vehicles, arguments.people, arguments.bicycles),
        hertz=hertz,
        seed=seed,
    )
    vehicles = traffic.vehicles
    print(
        f"{extract}, seed {seed}: room for {vehicles.capacity}, {vehicles.active()} at first",
        flush=True,
    )
    before, begin, speeds = arrays.counters.copy(), time.process_time(), []
    for step in range(round(arguments.minutes * 60.0 * hertz)):
        signals.advance(step + 1)
        traffic.advance(step)
        if arrays.counters[0] != before[0]:
            told = [*touching(vehicles), *touching_cyclists(traffic.cyclists)]
            for each in told or ["a person"]:
                print(f"  {step / hertz:8.2f} s collision: {each}", flush=True)
        if arrays.counters[2] != before[2]:
            leave = vehicles.rows["leaves"] & vehicles.rows["active"]
            for each in np.flatnonzero(leave).tolist():
                print(f"  {step / hertz:8.2f} s jam: {about(vehicles, each)}", flush=True)
        before = arrays.counters.copy()
        if step % round(hertz) == 0:
            speeds.append(vehicles.rows["speed"][vehicles.rows["active"]].mean())
    spent = time.process_time() - begin
    collisions, _, jams, arrived, ran_red, now, people = arrays.counters.tolist()
    touched = traffic.cyclists.touches
    print(
        f"{extract}, seed {seed}: {collisions} collisions, "
        f"{traffic.people.fallen[0]} of them with people, "
        f"{touched.riders} among {len(traffic.cyclists.rows)} cyclists off the carriageways, "
        f"{touched.people} of these with people, {touched.vehicles} of these with vehicles, "
        f"{jams} jams, {ran_red} red lights run, {arrived} arrived, "
        f"{now} vehicles and {people} people now, "
        f"mean speed {np.mean(speeds):.1f} m/s, {arguments.minutes * 60.0 / spent:.1f} × real time",
        flush=True,
    )
    return int(collisions)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("extracts", nargs="+")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--vehicles", type=int, default=200)
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--bicycles", type=float, help="their share of the vehicles, 0 to 1")
    parser.add_argument("--hertz", type=float, default=240.0)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--seeds", type=int, default=1, help="number of runs of each town")
    asked = parser.parse_args(arguments)
    seeds = range(asked.seed, asked.seed + asked.seeds)
    return min(sum(drive(each, seed, asked) for each in asked.extracts for seed in seeds), 1)


if __name__ == "__main__":
    sys.exit(main())
