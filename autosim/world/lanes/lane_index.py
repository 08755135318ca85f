"""Finds the lane nearest to a point, among all lanes of a city, in some microseconds."""

from math import floor, isnan, sqrt
from typing import NamedTuple

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers, Integers32
from autosim.jit import compiled, inlined, jitable, read_only

CELL_METRES = 8.0
"""Edge of a cell [m]: some ten segments of lanes are in one on a street."""

_RARELY = 20
"""Number of queries up to which the index is not used: searching all lanes takes a millisecond or
two, the first call of the index's kernel some tenths of a second."""

_TURN = 2.0 * np.pi
"""A whole turn [rad]."""

_ROUNDING = 1e-6
"""More [m] than the edges of cells lose when they are computed."""

_NONE = -1
"""Number of a lane where none is near."""


class LaneIndex(NamedTuple):
    """Square cells over all lanes, each with the segments of centre lines whose boxes touch it.

    points, stations, tangents, starts: as in `RoadNetwork`. low: (2,) m in W, the south-west
    corner; shape: (2,) cells from west to east and from south to north. firsts: (cells + 1,) where
    in `rows` those of each cell begin, row by row northwards; rows: the segments, each from the
    point of that row to the next. gaps: (cells,) how many cells away, diagonals too, the nearest
    one is that has segments; 0 where a cell has some.
    """

    points: Floats
    stations: Floats
    tangents: Floats
    starts: Integers32
    low: Floats
    shape: Integers
    firsts: Integers32
    rows: Integers32
    gaps: Integers32

    @classmethod
    def of(
        cls, points: Floats, stations: Floats, tangents: Floats, starts: Integers32
    ) -> "LaneIndex":
        """The index of a network's lanes, of which there is one at least."""
        plan = points[:, :2]
        low, high = plan.min(axis=0), plan.max(axis=0)
        shape = (np.floor((high - low) / CELL_METRES) + 1.0).astype(np.int64)
        lines = read_only(points), read_only(starts)
        firsts, rows = _list_cells(*lines, low, shape)
        return cls(
            lines[0],
            read_only(stations),
            read_only(tangents),
            lines[1],
            low,
            shape,
            firsts,
            rows,
            _count_gaps(firsts, shape),
        )


class LaneFinder:
    """Makes the index of a network when there is need for it."""

    def __init__(self) -> None:
        self._asked = 0
        self._index: LaneIndex | None = None

    def is_asked_rarely(self) -> bool:
        """Whether the point looked for now is one of few, and there is no index yet."""
        self._asked += 1
        return self._index is None and self._asked <= _RARELY

    def index_of(
        self, points: Floats, stations: Floats, tangents: Floats, starts: Integers32
    ) -> LaneIndex:
        """The index of the network, see `LaneIndex.of`."""
        if self._index is None:
            self._index = LaneIndex.of(points, stations, tangents, starts)
        return self._index


@jitable
def _span(points: Floats, row: int, low: Floats, shape: Integers) -> tuple[int, int, int, int]:
    """The first and last columns and lines of the cells that the box of a segment touches."""
    x, y, to_x, to_y = points[row, 0], points[row, 1], points[row + 1, 0], points[row + 1, 1]
    return (
        _cell(min(x, to_x), low[0], shape[0]),
        _cell(max(x, to_x), low[0], shape[0]),
        _cell(min(y, to_y), low[1], shape[1]),
        _cell(max(y, to_y), low[1], shape[1]),
    )


@jitable
def _cell(place: float, low: float, count: int) -> int:
    """The cell along one axis that a place is in, or the nearest one."""
    steps = (place - low) / CELL_METRES
    return floor(min(max(steps, 0.0), count - 1.0))


@compiled
def _list_cells(
    points: Floats, starts: Integers32, low: Floats, shape: Integers
) -> tuple[Integers32, Integers32]:
    """See `LaneIndex`: `firsts` and `rows`."""
    columns = shape[0]
    firsts = np.zeros(columns * shape[1] + 1, np.int32)
    for lane in range(len(starts) - 1):
        for row in range(starts[lane], starts[lane + 1] - 1):
            west, east, south, north = _span(points, row, low, shape)
            for line in range(south, north + 1):
                for column in range(west, east + 1):
                    firsts[line * columns + column + 1] += 1
    for cell in range(len(firsts) - 1):
        firsts[cell + 1] += firsts[cell]
    rows = np.empty(firsts[len(firsts) - 1], np.int32)
    filled = firsts.copy()
    for lane in range(len(starts) - 1):
        for row in range(starts[lane], starts[lane + 1] - 1):
            west, east, south, north = _span(points, row, low, shape)
            for line in range(south, north + 1):
                for column in range(west, east + 1):
                    cell = line * columns + column
                    rows[filled[cell]] = row
                    filled[cell] += 1
    return firsts, rows


@compiled
def _count_gaps(firsts: Integers32, shape: Integers) -> Integers32:
    """See `LaneIndex`: `gaps`, in two passes (Rosenfeld and Pfaltz, 1966)."""
    columns, lines = shape[0], shape[1]
    gaps = np.full(columns * lines, columns + lines, np.int32)
    for way in (-1, 1):
        for k in range(lines):
            line = k if way < 0 else lines - 1 - k
            for j in range(columns):
                column = j if way < 0 else columns - 1 - j
                cell = line * columns + column
                least = gaps[cell] if firsts[cell] == firsts[cell + 1] else 0
                if 0 <= column + way < columns:
                    least = min(least, gaps[cell + way] + 1)
                if 0 <= line + way < lines:
                    for beside in range(max(column - 1, 0), min(column + 2, columns)):
                        least = min(least, gaps[(line + way) * columns + beside] + 1)
                gaps[cell] = least
    return gaps


@compiled
def find_lane(
    index: LaneIndex, x: float, y: float, z: float, heading: float
) -> tuple[int, float, float]:
    """The lane nearest to a point, as (number, s [m], t [m]).

    Args:
        index: of the lanes.
        x: [m] in W, finite.
        y: [m] in W, finite.
        z: [m] in W: distances are those in space; NaN: those in plan.
        heading: [rad] only lanes that lead within 90 degrees of it count, if any do; NaN: all.
    """
    return _find_lane(index, x, y, z, heading)


@compiled
def find_lanes(
    index: LaneIndex,
    points: Floats,
    headings: Floats,
    lanes: Integers,
    coordinates: Floats,
) -> None:
    """As `find_lane`, for many points.

    Args:
        index: of the lanes.
        points: (n, 3) m in W, z may be NaN.
        headings: (n,) rad, may be NaN.
        lanes: (n,) written.
        coordinates: (n, 2) written: s and t [m].
    """
    for i in range(len(points)):
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        lanes[i], coordinates[i, 0], coordinates[i, 1] = _find_lane(index, x, y, z, headings[i])


@compiled
def lane_headings(index: LaneIndex, lanes: Integers, stations: Floats, headings: Floats) -> None:
    """The direction of driving on lanes, which turns evenly between the points of their lines.

    Args:
        index: of the lanes.
        lanes: (n,) their numbers.
        stations: (n,) m along them.
        headings: (n,) rad, written; up to a whole turn.
    """
    for i in range(len(lanes)):
        low, end = index.starts[lanes[i]], index.starts[lanes[i] + 1] - 1
        s = stations[i]
        while end - low > 1:
            middle = (low + end) // 2
            if index.stations[middle] <= s:
                low = middle
            else:
                end = middle
        turn = index.tangents[end] - index.tangents[low]
        turn -= _TURN * np.rint(turn / _TURN)
        span = index.stations[end] - index.stations[low]
        share = min(max((s - index.stations[low]) / span, 0.0), 1.0)
        headings[i] = index.tangents[low] + share * turn


@jitable
def _find_lane(
    index: LaneIndex, x: float, y: float, z: float, heading: float
) -> tuple[int, float, float]:
    row, share = _nearest_row(index, x, y, z, heading)
    if row == _NONE:
        row, share = _nearest_row(index, x, y, z, np.nan)
    lane, end = 0, len(index.starts) - 1
    while end - lane > 1:
        middle = (lane + end) // 2
        if index.starts[middle] <= row:
            lane = middle
        else:
            end = middle
    a, b = index.points[row], index.points[row + 1]
    ahead_x, ahead_y = b[0] - a[0], b[1] - a[1]
    gap_x, gap_y = x - (a[0] + share * ahead_x), y - (a[1] + share * ahead_y)
    across = ahead_x * (y - a[1]) - ahead_y * (x - a[0])
    side = 1.0 if across > 0.0 else (-1.0 if across < 0.0 else 0.0)
    s = index.stations[row] + share * (index.stations[row + 1] - index.stations[row])
    return lane, s, side * sqrt(gap_x * gap_x + gap_y * gap_y)


@jitable
def _nearest_row(
    index: LaneIndex, x: float, y: float, z: float, heading: float
) -> tuple[int, float]:
    """The nearest segment, of equals the first, and the share of it before the nearest point.

    Rings of cells around the point are looked at until what is left is further away. Where there
    are no lanes for a while, the gaps say how many cells to leave out.
    """
    # Out of the loops: each look at a field counts a reference.
    points, tangents, firsts, rows = index.points, index.tangents, index.firsts, index.rows
    gaps, columns, lines = index.gaps, index.shape[0], index.shape[1]
    column, line = _cell(x, index.low[0], columns), _cell(y, index.low[1], lines)
    best, share, least = _NONE, 0.0, np.inf
    for ring in range(gaps[line * columns + column], max(columns, lines)):
        for side in range(4 if ring else 1):
            cell, step, count = _side(side, ring, column, line, columns, lines)
            while count > 0:
                if gaps[cell] == 0 and _squared_way(index.low, x, y, cell, columns) <= least:
                    for i in range(firsts[cell], firsts[cell + 1]):
                        row = rows[i]
                        distance, along = _distance(points, row, x, y, z)
                        if distance > least or (distance == least and row >= best):
                            continue
                        if _leads(tangents[row], heading):
                            best, share, least = row, along, distance
                passed = max(gaps[cell], 1)
                cell += step * passed
                count -= passed
        if _room(index, x, y, column, line, ring) ** 2 > least:
            break
    return best, share


@inlined
def _side(
    side: int, ring: int, column: int, line: int, columns: int, lines: int
) -> tuple[int, int, int]:
    """The cells on one side of a ring around a cell, as far as there are any.

    Args:
        side: 0 south, 1 north, 2 west, 3 east; the corners are of the first two.
        ring: number of cells from the central one.
        column: of that one.
        line: of that one.
        columns: of all cells.
        lines: of all cells.

    Returns:
        The first cell, the step to the next and how many there are.
    """
    away = ring if side % 2 else -ring
    if side < 2:
        first, last = max(column - ring, 0), min(column + ring, columns - 1)
        if 0 <= line + away < lines:
            return (line + away) * columns + first, 1, last - first + 1
    else:
        first, last = max(line - ring + 1, 0), min(line + ring - 1, lines - 1)
        if 0 <= column + away < columns:
            return first * columns + column + away, columns, last - first + 1
    return 0, 0, 0


@inlined
def _squared_way(low: Floats, x: float, y: float, cell: int, columns: int) -> float:
    """The squared way [m^2] from a point to a cell, a little less than it is."""
    west = low[0] + (cell % columns) * CELL_METRES - _ROUNDING
    south = low[1] + (cell // columns) * CELL_METRES - _ROUNDING
    edge = CELL_METRES + 2.0 * _ROUNDING
    way_x = max(west - x, x - west - edge, 0.0)
    way_y = max(south - y, y - south - edge, 0.0)
    return float(way_x * way_x + way_y * way_y)


@inlined
def _distance(points: Floats, row: int, x: float, y: float, z: float) -> tuple[float, float]:
    """The squared distance [m^2] of a point from a segment, and the share before its foot."""
    ax, ay = points[row, 0], points[row, 1]
    ahead_x, ahead_y = points[row + 1, 0] - ax, points[row + 1, 1] - ay
    squared = ahead_x * ahead_x + ahead_y * ahead_y
    share = 0.0
    if squared > 0.0:
        share = ((x - ax) * ahead_x + (y - ay) * ahead_y) / squared
    share = min(max(share, 0.0), 1.0)
    gap_x, gap_y = x - (ax + share * ahead_x), y - (ay + share * ahead_y)
    distance = gap_x * gap_x + gap_y * gap_y
    if not isnan(z):
        above = points[row, 2] + share * (points[row + 1, 2] - points[row, 2]) - z
        distance += above * above
    return distance, share


@jitable
def _leads(tangent: float, heading: float) -> bool:
    """Whether a direction is within 90 degrees of `heading`, or that is NaN."""
    return bool(isnan(heading) or portable.cos(tangent - heading) > 0.0)


@jitable
def _room(index: LaneIndex, x: float, y: float, column: int, line: int, ring: int) -> float:
    """Lower bound [m] of the distance from the point to anything outside this ring."""
    least = np.inf
    west, south = index.low[0], index.low[1]
    if column - ring > 0:
        least = min(least, x - (west + (column - ring) * CELL_METRES))
    if column + ring < index.shape[0] - 1:
        least = min(least, west + (column + ring + 1) * CELL_METRES - x)
    if line - ring > 0:
        least = min(least, y - (south + (line - ring) * CELL_METRES))
    if line + ring < index.shape[1] - 1:
        least = min(least, south + (line + ring + 1) * CELL_METRES - y)
    return max(least, 0.0)
