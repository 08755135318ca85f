"""Where vehicles drive, how fast and how close: shares of lanes and of time by class of road.

    python benchmarks/traffic_flow.py EXTRACT... [--minutes 5] [--vehicles 200] [--people 0]

Vehicles and signals alone, without a robot and without physics, as in each step of a simulation.
For each class of road the table has its share of the lane length, its share of the time that all
vehicles spend, and the mean speed there. Below it are the time headways of followers, the number
of vehicles that was asked for and that drove, and what kept them below the speed limit.

A follower is a vehicle on a lane, not within a junction and not held by one, that drives near its
free speed, whose acceleration is that behind its leader, and which is within 3 s of it at about its
speed. So neither queues that start at a signal nor those behind a bicycle count, of which counts on
streets have few: what they keep is the gap of slow vehicles.
"""

import argparse
import sys
from collections.abc import Sequence

import numpy as np
from hour_of_traffic import traffic_in

from autosim.arrays import Floats
from autosim.jit import compiled_without_refcounts
from autosim.traffic.vehicles.driving.car_following import (
    following_acceleration,
    free_acceleration,
)
from autosim.traffic.vehicles.driving.driver_decisions import desired_speed
from autosim.traffic.vehicles.driving.leaders import find_leader
from autosim.traffic.vehicles.junctions.junction_priority import MAY_GO
from autosim.traffic.vehicles.traffic_context import ARRIVALS, DEADLOCKS, TrafficContext
from autosim.traffic.vehicles.vehicle_pool import lane_on_path
from autosim.traffic.world_traffic import Traffic
from autosim.world.lanes.roads import RoadNetwork

FOLLOWING_SECONDS, FOLLOWING_CLOSING, FOLLOWING_SPEED = 3.0, 2.0, 0.7
"""Time headway [s] up to which a vehicle counts as following (Highway Capacity Manual, 2010,
chapter 15), with the difference of speeds [m/s] up to which it does, and the least speed as a share
of its free one."""

CAUSES = ("signals", "others at junctions", "no room behind", "bends", "vehicles ahead", "the rest")
"""Causes of a speed below the limit, each vehicle counted once, in the order of their priority."""

LANE, OWN_SPEED, FREE, WANTED, GAP, AHEAD, HOLD, BINDS = range(8)
"""Columns of a sample: lane; speed [m/s], that by the limit and the driver, and that which bends
allow; distance [m] from front to front of the vehicle ahead, and its speed [m/s]; `HELD`; and
whether the gap ahead keeps the driver from the acceleration of a free street."""


@compiled_without_refcounts
def sample(town: TrafficContext, found: Floats) -> int:
    """Writes a row of `found` for each vehicle on its way; returns the number of rows."""
    count = 0
    for i in range(len(town.rows)):
        row = town.rows[i]
        if not row.active:
            continue
        lane = lane_on_path(row, row.front)
        gap, ahead, who = find_leader(town, i, 150.0)
        found[count, LANE], found[count, OWN_SPEED] = lane, row.speed
        found[count, FREE] = min(
            row.speed_factor * town.lanes.limits[lane], town.sizes[i].top_speed
        )
        found[count, WANTED] = desired_speed(town, i)
        found[count, GAP] = gap + (town.register.lengths[who] if who >= 0 else 0.0)
        found[count, AHEAD], found[count, HOLD] = ahead, row.held
        free = free_acceleration(row, row.speed, found[count, WANTED])
        binds = who >= 0 and free > following_acceleration(
            row, row.speed, found[count, WANTED], gap, ahead
        )
        found[count, BINDS] = 1.0 if binds else 0.0
        count += 1
    return count


def headways_of(roads: RoadNetwork, rows: Floats) -> Floats:
    """Time headways [s], front to front, of those of samples (n, 8) that are of followers."""
    speeds = rows[:, OWN_SPEED]
    headways = rows[:, GAP] / np.maximum(speeds, 1e-6)
    follows = (rows[:, BINDS] == 1.0) & (rows[:, HOLD] == MAY_GO)
    follows &= ~roads.connectors[rows[:, LANE].astype(np.int64)]
    follows &= speeds > FOLLOWING_SPEED * rows[:, FREE]
    follows &= np.abs(speeds - rows[:, AHEAD]) < FOLLOWING_CLOSING
    return np.asarray(headways[follows & (headways < FOLLOWING_SECONDS)])


def losses(rows: Floats) -> Floats:
    """The share of the free speed that is lost to each of `CAUSES`, in all samples (n, 8)."""
    lost = np.maximum(rows[:, FREE] - rows[:, OWN_SPEED], 0.0)
    hold, free = rows[:, HOLD], rows[:, FREE]
    near = rows[:, GAP] < 3.0 * rows[:, OWN_SPEED] + 15.0
    causes = np.select(
        [hold == 2.0, hold == 1.0, hold == 3.0, rows[:, WANTED] < 0.9 * free, near],
        list(range(len(CAUSES) - 1)),
        len(CAUSES) - 1,
    )
    by_cause = np.bincount(causes, weights=lost, minlength=len(CAUSES))
    return np.asarray(by_cause / max(free.sum(), 1e-9))


def print_classes(roads: RoadNetwork, rows: Floats) -> None:
    """Prints a line for each class of road."""
    names, lengths = roads.highway_names, roads.lengths()
    classes = roads.highways[rows[:, LANE].astype(np.int64)]
    by_length = np.bincount(roads.highways, weights=lengths, minlength=len(names))
    times = np.bincount(classes, minlength=len(names))
    ways = np.bincount(classes, weights=rows[:, OWN_SPEED], minlength=len(names))
    print(f"  {'class':<16} {'length':>7} {'time':>7} {'mean speed':>12}")
    for k in np.argsort(-by_length).tolist():
        speed = f"{ways[k] / times[k]:.1f} m/s" if times[k] else "—"
        share = times[k] / max(times.sum(), 1)
        print(f"  {names[k]:<16} {by_length[k] / lengths.sum():7.1%} {share:7.1%} {speed:>12}")


def samples_of(extract: str, asked: argparse.Namespace) -> tuple[Traffic, list[Floats], Floats]:
    """Lets time pass in a town.

    Returns:
        The traffic after it, the samples (n, 8) of each second, and the counters of traffic.
    """
    hertz = asked.hertz
    traffic, signals, arrays = traffic_in(
        *(extract, asked.vehicles, asked.people, None), hertz=hertz, seed=asked.seed
    )
    found, samples = np.zeros((asked.vehicles, 8)), []
    for step in range(round(asked.minutes * 60.0 * hertz)):
        signals.advance(step + 1)
        traffic.advance(step)
        if step % round(hertz) == 0 and step >= asked.settle * hertz:
            samples.append(found[: sample(traffic.vehicles.town, found)].copy())
    return traffic, samples, arrays.counters


def measure(extract: str, asked: argparse.Namespace) -> None:
    """Prints where and how vehicles drive in a town."""
    traffic, samples, counters = samples_of(extract, asked)
    vehicles, active = traffic.vehicles, [len(each) for each in samples]
    rows = np.concatenate(samples)
    print(f"{extract}: {asked.vehicles} vehicles asked for, {np.mean(active):.0f} on their way")
    print_classes(vehicles.roads, rows)
    headways = headways_of(vehicles.roads, rows)
    if len(headways):
        print(
            f"  {len(headways) / len(rows):.1%} follow another: median headway "
            f"{np.median(headways):.2f} s, {(headways < 1.0).mean():.1%} under 1 s"
        )
    parts = (f"{cause} {share:.1%}" for cause, share in zip(CAUSES, losses(rows), strict=True))
    print(
        f"  mean speed {rows[:, OWN_SPEED].mean():.1f} m/s of {rows[:, FREE].mean():.1f}; lost to "
        + ", ".join(parts)
    )
    roads = vehicles.roads
    kilometres = roads.lengths()[~roads.connectors].sum() / 1000.0
    density, speed = np.mean(active) / kilometres, rows[:, OWN_SPEED].mean() * 3.6
    print(
        f"  {density:.2f} vehicles a kilometre of lane ({kilometres:.1f} km), "
        f"{density * speed:.0f} vehicles an hour"
    )
    counts = vehicles.counts
    print(
        f"  {counts[ARRIVALS]:.0f} arrived, {counts[DEADLOCKS]:.0f} jams, {counters[0]} collisions",
        flush=True,
    )


def arguments_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("extracts", nargs="+")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--settle", type=float, default=60.0, help="seconds before the samples")
    parser.add_argument("--vehicles", type=int, default=200)
    parser.add_argument("--people", type=int, default=0)
    parser.add_argument("--hertz", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=0)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    asked = arguments_parser().parse_args(arguments)
    for each in asked.extracts:
        measure(each, asked)
    return 0


if __name__ == "__main__":
    sys.exit(main())
