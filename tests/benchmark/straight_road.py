"""A straight street of one lane in each direction, and traces of cars on it, made by hand."""

from collections.abc import Sequence

import numpy as np

from autosim.arrays import Booleans, Floats
from autosim.benchmark.infractions import ScoredMap
from autosim.benchmark.routes import Route, make_route
from autosim.benchmark.trace import Outline, Trace
from autosim.world.lanes.lane_rules import Control
from autosim.world.lanes.roads import LaneRecord, RoadNetwork

HALF_STREET = 4.0
"""Half the width [m] of the carriageway, which has its middle at y = 2 m."""

LIMIT = 10.0
"""Speed limit [m/s]."""

OUTLINE = Outline(0.0, 2.0, 1.0)


def street(control: Control = Control.NONE, stop_line: float = np.nan) -> RoadNetwork:
    """Lane 0 leads east along y = 0, lane 1 west along y = 4, each 4 m wide, from x = -8 to 292."""
    xs = np.arange(-8.0, 293.0, 4.0)
    lines = [
        np.column_stack([x, np.full(len(xs), y), 0.0 * xs]) for x, y in ((xs, 0.0), (xs[::-1], 4.0))
    ]
    roads = RoadNetwork.from_lanes(
        LaneRecord(k, line, 4.0, LIMIT, "residential", False, ()) for k, line in enumerate(lines)
    )
    roads.traffic.controls[0] = control
    roads.traffic.stop_lines[0] = stop_line
    return roads


def is_on_street(points: Floats) -> Booleans:
    """Whether points lie on the carriageway."""
    return np.abs(points[:, 1] - 2.0) <= HALF_STREET


def around(roads: RoadNetwork) -> ScoredMap:
    """The street, whose lane 0 has signal 0."""
    return ScoredMap(roads, np.array([0, -1]), is_on_street)


def route(roads: RoadNetwork, length: float = 100.0) -> Route:
    """The route along lane 0 from x = 0."""
    return make_route(roads, (0,), length)


def trace(
    xs: Sequence[float] | Floats,
    *,
    y: float | Floats = 0.0,
    yaw: float | Floats = 0.0,
    collisions: Sequence[int] | None = None,
    vehicle: tuple[float, float, float, float] | Floats | None = None,
    person: tuple[float, float] | None = None,
    signal: int = 0,
    interval: float = 0.1,
) -> Trace:
    """A car at places `xs`; its speed is their difference.

    Args:
        xs: places [m] to the east.
        y: place [m] to the north.
        yaw: heading [rad].
        collisions: count at each sample.
        vehicle: x, y [m], yaw [rad] and speed [m/s] of a saloon, also one row for each sample.
        person: x, y [m] of a person who stands.
        signal: state of signal 0.
        interval: [s].
    """
    places = np.asarray(xs, dtype=np.float64)
    n = len(places)
    car = np.zeros((n, 6))
    car[:, 0], car[:, 1], car[:, 3] = places, y, yaw
    steps = np.hypot(np.diff(places), np.diff(car[:, 1])) / interval
    car[:, 4] = np.append(steps, steps[-1])
    if collisions is not None:
        car[:, 5] = collisions
    vehicles, people = np.zeros((n, 1, 6)), np.zeros((n, 1, 6))
    vehicles[..., 5] = people[..., 5] = -1.0
    if vehicle is not None:
        vehicles[:, 0, [0, 1, 3, 4]] = vehicle
        vehicles[:, 0, 5] = 0.0
    if person is not None:
        people[:, 0, :2] = person
        people[:, 0, 5] = 0.0
    return Trace(interval, OUTLINE, car, vehicles, people, np.full((n, 1), signal))
