"""Finds where ways through a junction cross or merge, and which of them gives way.

Two connectors are in conflict where vehicles on them would touch, also where no way leads from the
streets of one to those of the other, as where two one-way streets cross without a turn. Four rules
decide which gives way, in this order: the controls of the lanes before them (signals, signs,
importance); the roundabout, because vehicles in it go first; the turn, because a vehicle that turns
across oncoming traffic waits; and priority to the right. The Vienna Convention on Road Traffic
(1968, article 18) states the last rule for traffic that keeps right, and the Australian Road Rules
(rules 72 and 73) for traffic that keeps left.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely

from autosim import portable
from autosim.arrays import Booleans, Bytes, Floats, Integers, Integers32
from autosim.config.descriptions import DrivingSide
from autosim.world.geometry import overlays
from autosim.world.lanes.lane_rules import Control
from autosim.world.lanes.roads import RoadNetwork

VEHICLE_WIDTH = 2.0
"""Width [m] of the vehicles that would touch on lines closer than this: that of a wide car."""

_ONCOMING = np.radians(120.0)
"""Angle [rad] between two headings above which the vehicles come towards each other."""

_TURN = np.radians(20.0)
"""Angle [rad] above which a connector turns, and above which two headings differ in side."""

_SAME_LEVEL = 3.0
"""Difference in height [m] below which ways meet: a bridge is higher above what it crosses."""

_LEAST_OVERLAP = 0.05
"""Length [m] up to which two ways only touch, up to rounding."""


@dataclass(frozen=True, slots=True)
class Conflicts:
    """Conflicts between connectors, each pair once.

    Attributes:
        lanes: (k, 2) int32, the two connectors.
        spans: (k, 2, 2) float64 [m], the range of stations on each connector where the other one is
            in the way.
        yields: (k,) int8, which of the two gives way (0 or 1); -1 where no rule decides, because
            signals take turns or the first to come goes first.
    """

    lanes: Integers32
    spans: Floats
    yields: npt.NDArray[np.int8]


def find_conflicts(
    network: RoadNetwork, approaches: Bytes, side: DrivingSide, *, rings: Booleans
) -> Conflicts:
    """Finds all conflicts of a network.

    Args:
        network: the lanes.
        approaches: (n,) `Control` of each lane at the junction at its end.
        side: the side on which traffic keeps.
        rings: (n,) whether each lane is a part of a roundabout.
    """
    connectors = np.flatnonzero(network.connectors)
    before = _before(network)
    pairs = _candidates(network, connectors, before)
    if not len(pairs):
        return Conflicts(np.zeros((0, 2), np.int32), np.zeros((0, 2, 2)), np.zeros(0, np.int8))
    points, lanes = network.points[:, :2], network.lane_of_points()
    lines = np.asarray(shapely.linestrings(points, indices=lanes), dtype=object)
    used, of = np.unique(pairs, return_inverse=True)
    rooms = overlays.buffer(lines[used], VEHICLE_WIDTH, quad_segs=4, cap_style="flat")
    rooms = np.asarray(rooms, dtype=object)[of.reshape(pairs.shape)]
    spans = np.stack([_spans(lines[pairs[:, k]], rooms[:, 1 - k]) for k in (0, 1)], axis=1)
    is_real = (spans[:, :, 1] - spans[:, :, 0] > _LEAST_OVERLAP).all(axis=1)
    pairs, spans = pairs[is_real], spans[is_real]
    from_ring = rings[before[pairs]]
    controls = approaches[before[pairs]]
    yields = _yields(network, pairs, controls=controls, from_ring=from_ring, side=side)
    return Conflicts(pairs.astype(np.int32), spans, yields)


def _before(network: RoadNetwork) -> Integers:
    """The lane (n,) that leads into each connector; itself where there is none."""
    before = np.arange(len(network.roads))
    sources = np.repeat(before, np.diff(network.successor_starts))
    before = before.copy()
    before[network.successors] = sources
    return np.where(network.connectors, before, np.arange(len(before)))


def _candidates(network: RoadNetwork, connectors: Integers, before: Integers) -> Integers:
    """Pairs (k, 2) of connectors of one level whose strips touch, not from one lane."""
    if not len(connectors):
        return np.zeros((0, 2), dtype=np.int64)
    keep = np.isin(network.lane_of_points(), connectors)
    owners = np.searchsorted(connectors, network.lane_of_points()[keep])
    lines = shapely.linestrings(network.points[keep, :2], indices=owners)
    half = VEHICLE_WIDTH / 2.0
    strips = np.asarray(overlays.buffer(lines, half, quad_segs=2, cap_style="flat"), dtype=object)
    first, second = shapely.STRtree(strips).query(strips, predicate="intersects")
    a, b = connectors[first], connectors[second]
    heights = network.points[network.starts[:-1], 2]
    is_level = np.abs(heights[a] - heights[b]) < _SAME_LEVEL
    chosen = (a < b) & (before[a] != before[b]) & is_level
    pairs = np.column_stack([a[chosen], b[chosen]])
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def _spans(own: npt.NDArray[np.object_], rooms: npt.NDArray[np.object_]) -> Floats:
    """The range [m] (k, 2) of each line (k,) that lies in the room of another one."""
    shared = overlays.intersection(own, rooms)
    points, of = shapely.get_coordinates(shared, return_index=True)
    at = shapely.line_locate_point(own[of], shapely.points(points))
    low, high = np.full(len(own), np.inf), np.full(len(own), -np.inf)
    np.minimum.at(low, of, at)
    np.maximum.at(high, of, at)
    return np.column_stack([np.where(np.isfinite(low), low, 0.0), np.maximum(high, 0.0)])


def _yields(
    network: RoadNetwork,
    pairs: Integers,
    *,
    controls: Bytes,
    from_ring: Booleans,
    side: DrivingSide,
) -> npt.NDArray[np.int8]:
    """The way of each pair (k, 2) that gives way, see `Conflicts.yields`."""
    firsts, lasts = network.starts[:-1][pairs], network.starts[1:][pairs] - 1
    heading = network.tangents[firsts]
    turn = portable.wrapped(network.tangents[lasts] - heading)
    meeting = portable.wrapped(heading[:, 1] - heading[:, 0])
    is_oncoming = np.abs(meeting) > _ONCOMING
    across = -turn if side == "left" else turn
    turns_more = np.where(across[:, 0] > across[:, 1], 0, 1)
    by_turn = np.where(across.max(axis=1) > _TURN, turns_more, -1)
    # A vehicle that heads to my left comes from my right.
    by_side = np.where(np.abs(meeting) < _TURN, -1, np.where(meeting > 0.0, 0, 1))
    among_equals = np.where(is_oncoming, by_turn, by_side)
    waits = np.isin(controls, [Control.STOP, Control.GIVE_WAY])
    signals = (controls == Control.SIGNALS).any(axis=1)
    all_way = (controls == Control.ALL_WAY_STOP).any(axis=1)
    arms = network.roads[_before(network)[pairs]]
    rule = np.select(
        [
            arms[:, 0] == arms[:, 1],
            signals,
            all_way,
            waits[:, 0] & ~waits[:, 1],
            waits[:, 1] & ~waits[:, 0],
            from_ring[:, 1] & ~from_ring[:, 0],
            from_ring[:, 0] & ~from_ring[:, 1],
        ],
        [-1, np.where(is_oncoming, by_turn, -1), -1, 0, 1, 0, 1],
        among_equals,
    )
    return rule.astype(np.int8)
