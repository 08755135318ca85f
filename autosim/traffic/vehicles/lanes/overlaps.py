"""Finds where vehicles on two lanes would touch: in junctions, and where a map is too tight.

Each lane is a strip as wide as the widest vehicle that may drive on it, with what such a vehicle
sweeps beyond in curves. Where the strips of two lanes overlap on one level, only vehicles of one of
them may be at a time.
"""

from typing import NamedTuple

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.jit import compiled, jitable
from autosim.world.lanes.roads import RoadNetwork

_SPACING = 1.0
"""Distance [m] between the places of a lane that are looked at: a fraction of a vehicle."""

_CELL = 4.0
"""Edge [m] of the cells in which places are sorted: the widest two strips together fit in."""

_SAME_LEVEL = 2.5
"""Difference in height [m] below which vehicles meet: bridges are higher above what they cross."""

_APART = 6.0
"""Way [m] on a lane after which another overlap with the same lane is one of its own: more than a
car's length, so that a vehicle has room to wait between both."""


class Overlaps(NamedTuple):
    """Overlaps of lanes, each seen from both sides; sorted by lane, then by place.

    lanes: (k, 2) the own lane and the other; spans: (k, 4) m, from where to where on the own lane
    and on the other.
    """

    lanes: Integers
    spans: Floats


_SHORT = 8.0
"""Length [m] of lanes between two others up to which these touch only as one follows the other: a
car hardly fits in between."""


def find_overlaps(roads: RoadNetwork, halves: Floats, is_used: Booleans) -> Overlaps:
    """Finds all overlaps but those of lanes that follow each other, at once or after a short one.

    Args:
        roads: the lanes.
        halves: (n,) m, half the width of the strip of each.
        is_used: (n,) whether vehicles drive on it.
    """
    counts = np.where(is_used, np.ceil(roads.lengths() / _SPACING).astype(np.int64) + 1, 0)
    lane = np.repeat(np.arange(len(counts)), counts)
    if not len(lane):
        return Overlaps(np.zeros((0, 2), dtype=np.int64), np.zeros((0, 4)))
    first = np.repeat(np.cumsum(counts) - counts, counts)
    shares = (np.arange(len(lane)) - first) / (counts[lane] - 1)
    stations = shares * roads.lengths()[lane]
    # The lanes' stations one after the other on one axis, since each begins again at 0.
    base = np.concatenate([[0.0], np.cumsum(roads.lengths() + 1.0)])
    axis = roads.stations + base[roads.lane_of_points()]
    places = np.column_stack(
        [np.interp(stations + base[lane], axis, roads.points[:, k]) for k in range(3)]
    )
    cells = np.floor((places[:, :2] - places[:, :2].min(axis=0)) / _CELL).astype(np.int64)
    shape = cells.max(axis=0) + 1
    keys = cells[:, 0] * shape[1] + cells[:, 1]
    order = np.argsort(keys, kind="stable")
    arguments = (
        *(places, lane, stations, cells, keys[order], order, shape),
        *(halves, roads.successor_starts.astype(np.int64), roads.successors.astype(np.int64)),
    )
    hits = np.zeros((_find_hits(*arguments, np.zeros((0, 4))), 4))
    _find_hits(*arguments, hits)
    return _without_following(_gathered(hits, roads.lengths()), roads)


def _without_following(overlaps: Overlaps, roads: RoadNetwork) -> Overlaps:
    """Leaves out where the end of a lane touches the beginning of one that comes soon after it."""
    after = _soon_after(roads)
    lengths = roads.lengths()
    kept = np.ones(len(overlaps.lanes), dtype=np.bool_)
    for row, (own, other) in enumerate(overlaps.lanes.tolist()):
        first, last, come, leave = overlaps.spans[row].tolist()
        at_end = (own, other) in after and lengths[own] - last < _APART and come < _APART
        at_begin = (other, own) in after and lengths[other] - leave < _APART and first < _APART
        kept[row] = not (at_end or at_begin)
    return Overlaps(overlaps.lanes[kept], np.ascontiguousarray(overlaps.spans[kept]))


def _soon_after(roads: RoadNetwork) -> set[tuple[int, int]]:
    """Pairs of lanes of which the second comes after the first, with but short ones between."""
    lengths = roads.lengths().tolist()
    following = [each.successors for each in roads.lanes]
    found = set()
    for lane in range(len(lengths)):
        waiting = [(each, lengths[each]) for each in following[lane]]
        while waiting:
            between, way = waiting.pop()
            if way < _SHORT:
                found |= {(lane, each) for each in following[between]}
                waiting += [(each, way + lengths[each]) for each in following[between]]
    return found


def _gathered(hits: Floats, lengths: Floats) -> Overlaps:
    """Overlaps of hits (k, 4): own lane, other lane, station on each."""
    both = np.concatenate([hits, hits[:, [1, 0, 3, 2]]])
    both = both[np.lexsort((both[:, 3], both[:, 2], both[:, 1], both[:, 0]))]
    if not len(both):
        return Overlaps(np.zeros((0, 2), dtype=np.int64), np.zeros((0, 4)))
    is_new = (np.diff(both[:, :2], axis=0) != 0.0).any(axis=1) | (np.diff(both[:, 2]) > _APART)
    starts = np.concatenate([[0], np.flatnonzero(is_new) + 1])
    lanes = both[starts, :2].astype(np.int64)
    low = np.minimum.reduceat(both[:, 2:], starts, axis=0) - _SPACING
    high = np.maximum.reduceat(both[:, 2:], starts, axis=0) + _SPACING
    low, high = np.maximum(low, 0.0), np.minimum(high, lengths[lanes])
    spans = np.stack([low[:, 0], high[:, 0], low[:, 1], high[:, 1]], axis=1)
    order = np.lexsort((spans[:, 0], lanes[:, 0]))
    return Overlaps(lanes[order], np.ascontiguousarray(spans[order]))


@compiled
def _find_hits(
    places: Floats,
    lanes: Integers,
    stations: Floats,
    cells: Integers,
    keys: Integers,
    order: Integers,
    shape: Integers,
    halves: Floats,
    successor_starts: Integers,
    successors: Integers,
    found: Floats,
) -> int:
    """Writes pairs of places of two lanes that are in each other's strips; how many there are."""
    count = 0
    for i in range(lanes.size):
        lane = lanes[i]
        for column in range(max(cells[i, 0] - 1, 0), min(cells[i, 0] + 2, shape[0])):
            low = column * shape[1] + max(cells[i, 1] - 1, 0)
            high = column * shape[1] + min(cells[i, 1] + 1, shape[1] - 1)
            k = np.searchsorted(keys, low)
            while k < keys.size and keys[k] <= high:
                j = order[k]
                k += 1
                other = lanes[j]
                if other <= lane:
                    continue
                x, y = places[j, 0] - places[i, 0], places[j, 1] - places[i, 1]
                near = halves[lane] + halves[other]
                if x * x + y * y >= near * near:
                    continue
                if abs(places[j, 2] - places[i, 2]) >= _SAME_LEVEL:
                    continue
                if _follow(successor_starts, successors, lane, other):
                    continue
                if count < len(found):
                    found[count, 0], found[count, 1] = lane, other
                    found[count, 2], found[count, 3] = stations[i], stations[j]
                count += 1
    return count


@jitable
def _follow(starts: Integers, successors: Integers, lane: int, other: int) -> bool:
    """Whether one of two lanes comes after the other."""
    found = False
    for n in range(starts[lane], starts[lane + 1]):
        found |= successors[n] == other
    for n in range(starts[other], starts[other + 1]):
        found |= successors[n] == lane
    return found
