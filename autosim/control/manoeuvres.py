"""Manoeuvres of a car in narrow places: forwards and backwards along arcs, found by search.

The search (A* over poses on a grid, with arcs of few curvatures as edges) is that of Hybrid A*:
Dolgov, Thrun, Montemerlo, Diebel: Practical Search Techniques in Path Planning for Autonomous
Driving, 2008. A way into a place is sought from its end: the ways out of it lead into the open,
where many poses are as good as one another.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats

STEP = 0.3
"""Length [m] of an arc."""

_CELL, _ANGLE_CELL = 0.15, 0.052
"""Size [m] and [rad] of the cells of which each is searched once."""

_TURNAROUND = 1.5
"""Length [m] that a change of direction counts."""

_STEERING = 0.15
"""Length [m] that steering from straight to the limit counts."""

_EAGERNESS = 1.3
"""Weight of the remaining length in the order of the search: more finds longer ways sooner."""

_OUTLINE_SPACING = 0.35
"""Greatest distance [m] of the points of an outline that are looked up."""


class CarPose(NamedTuple):
    """The middle of the rear axle x, y [m], the yaw [rad]; how the car comes to it.

    `curvature` [1/m] of the arc that leads here, to the left where positive, and its `direction`: 1
    forwards, -1 backwards, 0 at the beginning.
    """

    x: float
    y: float
    yaw: float
    curvature: float = 0.0
    direction: int = 0


@dataclass(frozen=True, slots=True)
class CarOutline:
    """Outline of a car: it reaches from `rear` (negative) to `front` [m] of its rear axle.

    `half_width` [m]; `max_curvature` [1/m] of its arcs.
    """

    rear: float
    front: float
    half_width: float
    max_curvature: float

    def outline(self) -> Floats:
        """Points (n, 2) [m] along the outline, in the axes of the rear axle."""
        xs = np.linspace(self.rear, self.front, _pieces(self.front - self.rear) + 1)
        ys = np.linspace(-self.half_width, self.half_width, _pieces(2.0 * self.half_width) + 1)
        sides = [np.column_stack([xs, np.full(len(xs), y)]) for y in ys[[0, -1]]]
        ends = [np.column_stack([np.full(len(ys) - 2, x), ys[1:-1]]) for x in xs[[0, -1]]]
        return np.vstack([*sides, *ends])


def _pieces(length: float) -> int:
    return max(2, int(np.ceil(length / _OUTLINE_SPACING)))


@dataclass(frozen=True, slots=True)
class FreeSpace:
    """A raster of where a car may be: `is_free` (rows, columns), cells of `cell` [m].

    `corner` (2,) [m] is that of the first row and column, with the lowest x and y.
    """

    corner: tuple[float, float]
    cell: float
    is_free: Booleans

    def contains(self, points: Floats) -> Booleans:
        """Whether points (..., 2) [m] are free; those beside the raster are not."""
        cells = np.floor((points - np.array(self.corner)) / self.cell).astype(np.int64)
        rows, columns = self.is_free.shape
        x, y = cells[..., 0], cells[..., 1]
        inside = (x >= 0) & (x < columns) & (y >= 0) & (y < rows)
        found = self.is_free[np.clip(y, 0, rows - 1), np.clip(x, 0, columns - 1)]
        return np.asarray(inside & found)


Remaining = Callable[[float, float, float], float]
"""Length [m] of way that is at least left from a pose x, y [m], yaw [rad]; 0 at a goal."""


class ManoeuvreSearch:
    """A search for a way from any of several poses into the open.

    Args:
        car: its outline and arcs.
        space: where it may be.
        starts: poses from which the way may begin.
        remaining: estimates how far a pose is from where the way may end.
    """

    def __init__(
        self, car: CarOutline, space: FreeSpace, starts: Sequence[CarPose], remaining: Remaining
    ) -> None:
        self._car, self._space, self._remaining = car, space, remaining
        self._outline = car.outline()
        limit = car.max_curvature
        self._curvatures = np.array([0.0, -0.5 * limit, 0.5 * limit, -limit, limit])
        self._arcs = [(float(k), d) for d in (1, -1) for k in self._curvatures]
        self._poses: list[CarPose] = []
        self._before: list[int] = []
        self._lengths: list[float] = []
        self._open: list[tuple[float, int]] = []
        self._closed: set[tuple[int, int, int, int]] = set()
        for start in starts:
            self._add(start, -1, 0.0)

    def run(self, expansions: int) -> Iterator[list[CarPose] | None]:
        """Searches on; yields None after each number of expansions, and the way where it is found.

        The iteration ends without a way where there is none.
        """
        count = 0
        while self._open:
            _, number = heappop(self._open)
            pose = self._poses[number]
            key = _cell_of(pose)
            if key in self._closed:
                continue
            self._closed.add(key)
            if self._remaining(pose.x, pose.y, pose.yaw) <= 0.0:
                yield self._way_to(number)
                return
            self._expand(number)
            count += 1
            if count % expansions == 0:
                yield None

    def _expand(self, number: int) -> None:
        pose, length = self._poses[number], self._lengths[number]
        found = np.array([advanced(pose, k, d * STEP)[:3] for k, d in self._arcs])
        for row in np.flatnonzero(self._are_free(found)).tolist():
            curvature, direction = self._arcs[row]
            x, y, yaw = found[row].tolist()
            steered = abs(curvature - pose.curvature) / self._car.max_curvature
            is_turned = pose.direction * direction < 0
            added = STEP + _TURNAROUND * is_turned + _STEERING * steered
            self._add(CarPose(x, y, yaw, curvature, direction), number, length + added)

    def _add(self, pose: CarPose, before: int, length: float) -> None:
        if _cell_of(pose) in self._closed:
            return
        left = self._remaining(pose.x, pose.y, pose.yaw)
        self._poses.append(pose)
        self._before.append(before)
        self._lengths.append(length)
        heappush(self._open, (length + _EAGERNESS * left, len(self._poses) - 1))

    def _are_free(self, poses: Floats) -> Booleans:
        """Whether the outline at poses (n, 3) is free."""
        sine, cosine = portable.sin_cos(poses[:, 2])
        x, y = self._outline.T
        points = np.stack(
            [
                poses[:, :1] + cosine[:, None] * x - sine[:, None] * y,
                poses[:, 1:2] + sine[:, None] * x + cosine[:, None] * y,
            ],
            axis=-1,
        )
        return np.asarray(self._space.contains(points).all(axis=1))

    def _way_to(self, number: int) -> list[CarPose]:
        way = []
        while number >= 0:
            way.append(self._poses[number])
            number = self._before[number]
        return way[::-1]


def advanced(pose: CarPose, curvature: float, length: float) -> CarPose:
    """The pose at the end of an arc of `length` [m], backwards where it is negative."""
    yaw = pose.yaw + curvature * length
    # The chord of the arc: its length differs by less than a millimetre for the arcs here.
    middle = np.float64(pose.yaw + 0.5 * curvature * length)
    x = pose.x + length * float(portable.cos(middle))
    y = pose.y + length * float(portable.sin(middle))
    return CarPose(x, y, yaw, curvature, 1 if length > 0.0 else -1)


def reversed_way(way: Sequence[CarPose]) -> list[CarPose]:
    """The same way from its end to its beginning: forwards where it led backwards."""
    found = [way[-1]._replace(direction=0, curvature=0.0)]
    for before, pose in zip(way[-2::-1], way[:0:-1], strict=True):
        found.append(before._replace(direction=-pose.direction, curvature=pose.curvature))
    return found


def _cell_of(pose: CarPose) -> tuple[int, int, int, int]:
    return (
        int(pose.x // _CELL),
        int(pose.y // _CELL),
        int(pose.yaw // _ANGLE_CELL),
        pose.direction,
    )
