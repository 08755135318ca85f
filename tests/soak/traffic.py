"""Traffic of whole towns for simulated hours: collisions, jams that never end, agents lost.

`python -m tests.soak.traffic EXTRACT… --hours 8`

Vehicles, people and signals alone, without a robot, as in each step of a simulation. A line follows
each ten minutes of simulated time. The end status is 1 if anything was counted that must not be:
collisions, vehicles that have stood for 15 minutes, red lights run, and vehicles and people lost.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from autosim.arrays import Booleans, Integers
from autosim.traffic.road_users import B
from autosim.traffic.vehicles.traffic_context import ARRIVALS
from autosim.traffic.world_traffic import Traffic
from benchmarks.hour_of_traffic import traffic_in

HERTZ = 20.0
"""Steps a second: as often as drivers decide."""

PIECE = 600.0
"""Simulated time [s] from one line to the next."""

ENDLESS = 900.0
"""Waiting time [s] after which a jam has no end: after 300 s one of its vehicles has to leave."""


MARGIN = 500.0
"""Distance [m] from the streets from which on a vehicle or a person is lost."""


@dataclass(frozen=True)
class Count:
    """Counts since the beginning.

    Attributes:
        seconds: simulated time [s].
        collisions: of vehicles and cyclists with anything, and of people with vehicles.
        endless: vehicles that have stood for longer than `ENDLESS`.
        ran_red: red lights run.
        lost: vehicles that ended neither by arriving nor by leaving a jam, and vehicles and people
            whose position is not finite or far off the map.
        jams: those from which a vehicle was removed.
        arrived: vehicles at their destinations.
    """

    seconds: float
    collisions: int
    endless: int
    ran_red: int
    lost: int
    jams: int
    arrived: int

    @property
    def is_sound(self) -> bool:
        """Whether nothing was counted that must not be."""
        return self.collisions == self.endless == self.ran_red == self.lost == 0

    def __str__(self) -> str:
        return (
            f"{self.seconds / 3600.0:6.2f} h: {self.collisions} collisions, {self.endless} endless "
            f"jams, {self.ran_red} red lights run, {self.lost} lost, {self.jams} jams, "
            f"{self.arrived} arrived"
        )


def soak(
    extract: str, hours: float, *, vehicles: int, people: int, seed: int, piece: float = PIECE
) -> Iterator[Count]:
    """The counts after each piece [s] of simulated time in a town."""
    traffic, signals, arrays = traffic_in(extract, vehicles, people, None, hertz=HERTZ, seed=seed)
    watch = _Watch(traffic)
    for step in range(round(hours * 3600.0 * HERTZ)):
        signals.advance(step + 1)
        traffic.advance(step)
        watch.look()
        if (step + 1) % round(piece * HERTZ) == 0:
            collisions, _, jams, arrived, ran_red, *_ = map(int, arrays.counters.tolist())
            yield Count(
                seconds=(step + 1) / HERTZ,
                collisions=collisions,
                endless=watch.endless,
                ran_red=ran_red,
                lost=watch.lost + watch.astray(),
                jams=jams,
                arrived=arrived,
            )


class _Watch:
    """The fate of each vehicle of a town, by its serial number, and of each person.

    Attributes:
        lost: number of vehicles that ended neither by arriving nor by leaving a jam.
    """

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic
        self._serials, self._leaving = self._look_at_rows()
        streets = traffic.vehicles.roads.points[:, :2]
        self._least, self._most = streets.min(axis=0) - MARGIN, streets.max(axis=0) + MARGIN
        self._arrived = int(traffic.vehicles.counts[ARRIVALS])
        self._standing: set[int] = set()
        self.lost = 0

    @property
    def endless(self) -> int:
        """Number of vehicles that have stood for longer than `ENDLESS`."""
        return len(self._standing)

    def look(self) -> None:
        """Notes who stands without end, and whose end has no cause."""
        vehicles = self._traffic.vehicles
        serials, leaving = self._look_at_rows()
        has_ended = (self._serials > 0) & (serials != self._serials)
        arrived = int(vehicles.counts[ARRIVALS])
        caused = arrived - self._arrived + int(np.sum(has_ended & self._leaving))
        self.lost += max(int(has_ended.sum()) - caused, 0)
        self._serials, self._leaving, self._arrived = serials, leaving, arrived
        self._standing.update(serials[(serials > 0) & (vehicles.rows["waited"] > ENDLESS)].tolist())

    def astray(self) -> int:
        """Number of vehicles and people whose position is not finite or far off the streets."""
        traffic = self._traffic
        boxes = (traffic.vehicles.boxes[traffic.vehicles.rows["active"]], traffic.people.boxes)
        places = np.concatenate(boxes)[:, [B.x, B.y]]
        is_there = np.all((places > self._least) & (places < self._most), axis=1)
        return int(np.sum(~is_there))

    def _look_at_rows(self) -> tuple[Integers, Booleans]:
        """The serial numbers of all vehicles, 0 for free places, and which have to leave."""
        rows = self._traffic.vehicles.rows
        active = rows["active"]
        return np.where(active, rows["serial"], 0).astype(np.int64), active & rows["leaves"]


def main() -> int:
    """1 if anything was counted that must not be."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("extracts", nargs="+")
    parser.add_argument("--hours", type=float, default=8.0, help="simulated, in each town")
    parser.add_argument("--vehicles", type=int, default=100)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    is_sound = True
    for extract in given.extracts:
        begin = time.monotonic()
        counts = soak(
            *(extract, given.hours),
            vehicles=given.vehicles,
            people=given.people,
            seed=given.seed,
        )
        for count in counts:
            pace = count.seconds / (time.monotonic() - begin)
            print(f"{Path(extract).name} {count}, {pace:.0f} × real time", flush=True)
            is_sound &= count.is_sound
    return int(not is_sound)


if __name__ == "__main__":
    sys.exit(main())
