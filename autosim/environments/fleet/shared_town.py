"""A town that cars of a fleet share: its options, and its road users as arrays for kernels."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autosim import portable
from autosim.arrays import Booleans, Bytes, Floats, Integers
from autosim.environments.fleet.crossing_walks import HALF_PERSON, walks_of
from autosim.environments.fleet.signal_tables import (
    no_lines,
    no_states,
    state_table_of,
    stop_lines_of,
)
from autosim.jit import inlined
from autosim.tracks.conflict_view import HALF_CAR, HALF_LENGTH
from autosim.tracks.conflict_view import WIDTH as CONFLICTS_WIDTH
from autosim.tracks.lane_paths import SPACING, PathArrays
from autosim.tracks.neighbour_view import NEIGHBOUR_WIDTH
from autosim.traffic.signals.signal_plan import SignalPlan, make_plan
from autosim.traffic.traffic_node import MOST_SIGNALS
from autosim.world.compiled.compiled_world import CompiledWorld

GOAL, WAITING, CONFLICTS = range(3)
"""Columns of the view of others: distance to the goal, time without motion, conflicts ahead."""

NEIGHBOURS = CONFLICTS + CONFLICTS_WIDTH
"""First column of the neighbours in it."""

SIGNAL_WIDTH = 3
"""Columns of the next signal: whether there is one within `SIGNAL_RANGE`, how near its stop line is
(1: at the bonnet), and whether to wait (1: red or red and amber, 0.5: amber)."""

BOX_COLUMNS = 10
"""Columns of a box: those of `autosim.traffic.road_users.B`, then cosine and sine of the yaw."""

X, Y, Z, YAW, LONG, WIDE, SPEED_X, SPEED_Y, COS, SIN = range(10)
"""Columns of a box."""

AWAY = 1e9
"""x [m] of a road user that is nowhere."""

SAME_LEVEL = 3.0
"""Difference in height [m] from which others are on another level."""

ACCELERATION, BRAKING, HARDEST = 1.4, 2.0, 7.0
"""[m/s²] of the model (a and b), and the most that it brakes."""

MIN_GAP, TIME_GAP = 2.0, 1.3
"""Gap [m] of standing vehicles (s0), and time gap [s] (T)."""

LOOK_AHEAD = 45.0
"""Distance [m] of path ahead that is searched for leaders."""

_LATERAL = 2.0
"""Lateral acceleration [m/s²] at which vehicles of traffic take bends."""

FIXED, VEHICLE, PERSON = range(3)
"""Partners of collisions."""


@dataclass(frozen=True, slots=True)
class SharedTown:
    """The road users of each copy of a fleet's town.

    `cars` of the fleet, vehicles of `traffic` and `people` at crossings share a copy; a car
    observes its distance to the goal and the nearest `observed` of them. With `has_signals` the
    signals of the map work, and a car observes the next one.
    """

    cars: int = 16
    traffic: int = 8
    observed: int = 6
    people: int = 0
    has_signals: bool = False

    def __post_init__(self) -> None:
        if self.cars < 1 or min(self.traffic, self.observed, self.people) < 0:
            given = f"cars={self.cars}, traffic={self.traffic}, observed={self.observed}"
            given += f", people={self.people}"
            raise ValueError(f"a town is shared by one car or more, and no others or more: {given}")

    @property
    def width(self) -> int:
        """Number of observed values: goal, waiting time, conflicts, neighbours, then the signal."""
        signal = SIGNAL_WIDTH if self.has_signals else 0
        return NEIGHBOURS + self.observed * NEIGHBOUR_WIDTH + signal


class FleetUsers(NamedTuple):
    """All road users of a fleet.

    `boxes` (copies, users, 10), see `BOX_COLUMNS`: in each copy first the `cars` of the fleet,
    then `traffic`. Of the m vehicles of traffic: `path` (m,), `stations` (m,) [m] on it, `motion`
    (m, 3): speed [m/s], acceleration [m/s²], time of standing [s]; `begun` (m,): starts so far, and
    `streams` (m,) of random numbers. `pace` (n,) [m/s]: speed of traffic at the points of all
    paths.

    `people` of each copy, in the last rows of `boxes`: `walks` (w, 7), see `walks_of`; `walkers`
    (p, 4): walk, way along it [m], speed [m/s], time left to wait [s]; `walker_begun` and
    `walker_streams` as those of traffic. Signals: `following`, `line_stations` and `line_signals`
    (n,) as in `StopLines`, `states` and `state_lengths` as in `StateTable`; `clocks` (copies,) [s].
    Of the cars: `fronts` (cars,) [m] along the path after the last step, whether each `ran_red`,
    and `partners` of collisions.
    """

    boxes: Floats
    path: Integers
    stations: Floats
    motion: Floats
    begun: Integers
    streams: npt.NDArray[np.uint64]
    pace: Floats
    cars: int
    traffic: int
    people: int
    walks: Floats
    walkers: Floats
    walker_begun: Integers
    walker_streams: npt.NDArray[np.uint64]
    following: Integers
    line_stations: Floats
    line_signals: Integers
    states: Bytes
    state_lengths: Integers
    clocks: Floats
    fronts: Floats
    ran_red: Booleans
    partners: Bytes

    @classmethod
    def of(
        cls, paths: PathArrays, town: SharedTown, cars: int, place: CompiledWorld
    ) -> "FleetUsers":
        """Road users of `cars` cars, all of them nowhere, in the town that is compiled."""
        has_plan = town.people > 0 or town.has_signals
        plan = make_plan(place, most=MOST_SIGNALS) if has_plan else SignalPlan.none()
        walks = walks_of(place.roads, plan) if town.people else np.zeros((0, 7))
        lines, table = no_lines(), no_states()
        if town.has_signals:
            lines, table = stop_lines_of(paths, place.roads, plan), state_table_of(plan)
        else:
            walks[:, 6] = -1.0
        copies = -(-cars // town.cars)
        boxes = np.zeros((copies, town.cars + town.traffic + town.people, BOX_COLUMNS))
        boxes[..., X] = AWAY
        boxes[..., LONG], boxes[..., WIDE] = HALF_LENGTH, HALF_CAR
        boxes[:, town.cars + town.traffic :, [LONG, WIDE]] = HALF_PERSON
        walkers = copies * town.people
        count = copies * town.traffic
        return cls(
            boxes,
            np.zeros(count, dtype=np.int64),
            np.zeros(count),
            np.zeros((count, 3)),
            np.zeros(count, dtype=np.int64),
            np.zeros(count, dtype=np.uint64),
            _pace_of(paths),
            town.cars,
            town.traffic,
            town.people,
            walks,
            np.zeros((walkers, 4)),
            np.zeros(walkers, dtype=np.int64),
            np.zeros(walkers, dtype=np.uint64),
            *lines,
            *table,
            np.zeros(copies),
            np.zeros(cars),
            np.zeros(cars, dtype=np.bool_),
            np.zeros(cars, dtype=np.uint8),
        )

    @property
    def has_signals(self) -> bool:
        """Whether signals of the map work."""
        return len(self.following) > 0


def _pace_of(paths: PathArrays) -> Floats:
    """Speed [m/s] of traffic at each point: limits, bends, and braking ahead of both."""
    pace = paths.limits.copy()
    for first, last in zip(paths.starts[:-1], paths.starts[1:], strict=True):
        turned = np.zeros(last - first)
        turned[:-1] = np.abs(portable.wrapped(np.diff(paths.headings[first:last]))) / SPACING
        turned[1:] = np.maximum(turned[1:], turned[:-1])
        pace[first:last] = np.minimum(pace[first:last], np.sqrt(_LATERAL / (turned + 1e-6)))
        for row in range(last - 2, first - 1, -1):
            most = np.sqrt(pace[row + 1] ** 2 + 2.0 * BRAKING * SPACING)
            pace[row] = min(pace[row], most)
    return pace


@inlined
def put(boxes: Floats, x: float, y: float, z: float, yaw: float, speed: float) -> None:
    """Writes one row of boxes."""
    sin, cos = portable.sin_cos(yaw)
    boxes[X], boxes[Y], boxes[Z], boxes[YAW] = x, y, z, yaw
    boxes[SPEED_X], boxes[SPEED_Y] = speed * cos, speed * sin
    boxes[COS], boxes[SIN] = cos, sin
