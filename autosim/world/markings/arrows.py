"""Paints arrows on lanes whose turns the map states (`turn:lanes`)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.world.geometry.meshes import Surface
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.markings.patches import Patches
from autosim.world.osm.tags import Tags
from autosim.world.streets.turn_lanes import LaneTurns, lane_turns


@dataclass(frozen=True, slots=True)
class _Placing:
    """Placement of arrows: chosen by comparing compiled towns with aerial pictures of streets."""

    before_end: float = 7.0
    """Distance [m] from the tail of the last arrow to the end of its lane."""

    period: float = 28.0
    """Distance [m] between the tails of successive arrows of a lane."""

    most: int = 3
    """Number of arrows on a lane at most."""

    shortest_lane: float = 12.0
    """Length [m] of the shortest lane with an arrow."""

    from_start: float = 2.0
    """Distance [m] that an arrow's tail keeps from the start of its lane."""


@dataclass(frozen=True, slots=True)
class _Matching:
    """Assignment of the turns of a way to the lanes of the network."""

    back: float = 16.0
    """Distance [m] before the end of the way at which lanes are looked for, away from junctions."""

    earliest: float = 0.3
    """Share of a short way's length before which lanes are not looked for."""

    reach: float = 8.0
    """Distance [m] from that place within which its lanes lie: four lanes of a one-way street."""

    same_way: float = 0.8
    """Least cosine, a ratio, of the angle between a lane and the way: 37°."""


_PLACING, _MATCHING = _Placing(), _Matching()

Shape = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class _Pieces:
    """Outlines of the convex pieces of arrows, drawn after arrows in European towns.

    Corners are in the lane's frame (x ahead, y left), in metres from the arrow's tail. A triangle
    has a corner twice.
    """

    shaft: Shape = ((0.0, -0.08), (3.2, -0.08), (3.2, 0.08), (0.0, 0.08))
    """Corners [m] of the shaft of an arrow straight on."""

    stub: Shape = ((0.0, -0.08), (2.2, -0.08), (2.2, 0.08), (0.0, 0.08))
    """Corners [m] of the short shaft of a turn."""

    head: Shape = ((3.0, -0.38), (4.6, 0.0), (4.6, 0.0), (3.0, 0.38))
    """Corners [m] of the head of an arrow straight on."""

    left_arm: Shape = ((2.0, -0.08), (2.2, -0.08), (2.95, 0.5), (2.75, 0.5))
    """Corners [m] of the arm of a turn to the left."""

    left_head: Shape = ((2.4, 0.45), (3.3, 0.45), (2.85, 1.25), (2.85, 1.25))
    """Corners [m] of the head of a turn to the left."""

    slight_arm: Shape = ((2.0, -0.08), (2.1, -0.08), (3.2, 0.35), (3.1, 0.45))
    """Corners [m] of the arm of a slight turn to the left."""

    slight_head: Shape = ((2.75, 0.45), (3.25, 0.1), (4.1, 0.75), (4.1, 0.75))
    """Corners [m] of the head of a slight turn to the left."""


_PIECES = _Pieces()
_LEFT: tuple[Shape, ...] = (_PIECES.stub, _PIECES.left_arm, _PIECES.left_head)
_SLIGHT_LEFT: tuple[Shape, ...] = (_PIECES.stub, _PIECES.slight_arm, _PIECES.slight_head)
_THROUGH: tuple[Shape, ...] = (_PIECES.shaft, _PIECES.head)


def _mirrored(pieces: Iterable[Shape]) -> tuple[Shape, ...]:
    return tuple(tuple((x, -y) for x, y in piece[::-1]) for piece in pieces)


_SHAPES: dict[str, tuple[Shape, ...]] = {
    "through": _THROUGH,
    "left": _LEFT,
    "sharp_left": _LEFT,
    "slight_left": _SLIGHT_LEFT,
    "merge_to_left": _SLIGHT_LEFT,
    "right": _mirrored(_LEFT),
    "sharp_right": _mirrored(_LEFT),
    "slight_right": _mirrored(_SLIGHT_LEFT),
    "merge_to_right": _mirrored(_SLIGHT_LEFT),
}


@dataclass(frozen=True, slots=True)
class TurnLanes:
    """The turns at the end of a way in one direction.

    `line` (n, 2) [m] leads to that end. `turns` has the turns of each lane from left to right, such
    as ("left", "through").
    """

    line: Floats
    turns: LaneTurns


def turn_lanes_of(line: Floats, tags: Tags) -> list[TurnLanes]:
    """The turns that a way's tags state, for both directions; `line` (n, 2) is its course [m]."""
    found = []
    for is_forward in (True, False):
        turns = lane_turns(tags, is_forward=is_forward)
        if turns:
            found.append(TurnLanes(line if is_forward else line[::-1], turns))
    return found


def arrow_patches(turns: Sequence[TurnLanes], network: RoadNetwork) -> Patches:
    """The arrows on each lane whose turns are known, one behind another."""
    lanes = np.flatnonzero(~network.connectors & (network.lengths() >= _PLACING.shortest_lane))
    rows = np.flatnonzero(np.isin(network.lane_of_points(), lanes))
    if not turns or not len(rows):
        return Patches.joined([])
    tree = cKDTree(network.points[rows, :2])
    quads = [
        quad
        for each in turns
        for lane, shapes in _matched(each, network, tree=tree, rows=rows)
        for quad in _on_lane(network, lane, shapes)
    ]
    return Patches.of(np.array(quads).reshape(-1, 4, 3), Surface.PAINT)


def _matched(
    turns: TurnLanes, network: RoadNetwork, *, tree: cKDTree, rows: Integers
) -> list[tuple[int, list[Shape]]]:
    """The lanes before a way's end with their shapes; none if the map states another number."""
    place, heading = _before_end(turns.line)
    lane_of = network.lane_of_points()
    near = rows[tree.query_ball_point(place, _MATCHING.reach)]
    near = near[portable.cos(network.tangents[near] - heading) > _MATCHING.same_way]
    if not len(near):
        return []
    gaps = np.linalg.norm(network.points[near, :2] - place, axis=1)
    road = network.roads[lane_of[near[np.argmin(gaps)]]]
    same = near[network.roads[lane_of[near]] == road]
    lanes, first = np.unique(lane_of[same], return_index=True)
    if len(lanes) != len(turns.turns):
        return []
    gap = network.points[same[first], :2] - place
    lateral = portable.cos(heading) * gap[:, 1] - portable.sin(heading) * gap[:, 0]
    order = np.argsort(-lateral, kind="stable")
    return [
        (int(lanes[k]), [shape for turn in each for shape in _SHAPES[turn]])
        for k, each in zip(order, turns.turns, strict=True)
        if each
    ]


def _before_end(line: Floats) -> tuple[Floats, float]:
    """The place at which the lanes of a line (n, 2) are looked for, and the heading there."""
    steps = np.linalg.norm(np.diff(line, axis=0), axis=1)
    length = float(steps.sum())
    at = max(length - _MATCHING.back, _MATCHING.earliest * length)
    s = np.concatenate([[0.0], np.cumsum(steps)])
    place = np.array([np.interp(at, s, line[:, k]) for k in range(2)])
    k = min(max(int(np.searchsorted(s, at, side="right")) - 1, 0), len(line) - 2)
    ahead = line[k + 1] - line[k]
    return place, float(portable.arctan2(ahead[1], ahead[0]))


def _on_lane(network: RoadNetwork, index: int, shapes: Sequence[Shape]) -> list[Floats]:
    lane = network.lanes[index]
    quads = []
    last = lane.length - _PLACING.before_end
    tails = np.arange(last, _PLACING.from_start, -_PLACING.period)
    for tail in tails[: _PLACING.most].tolist():
        origin, heading = lane.position(tail), lane.heading(tail)
        c, s = portable.cos(heading), portable.sin(heading)
        for shape in shapes:
            x, y = np.array(shape).T
            flat = np.column_stack([c * x - s * y, s * x + c * y]) + origin[:2]
            quads.append(np.column_stack([flat, np.full(4, origin[2])]))
    return quads
