"""Measures how lanes join: gaps and kinks between them, and turns that are too tight for cars.

A vehicle follows one lane after another. A gap between two lanes throws it aside, and so does a
kink. A lane or connector with a smaller radius than a car can steer makes it leave the lane.
"""

from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.world.geometry.polylines import Polylines
from autosim.world.geometry.turn_radii import turn_radii
from autosim.world.lanes.drivable_curves import WALKING_PACE_RADIUS, needed_radius
from autosim.world.lanes.roads import RoadNetwork

_STUB = 1.0
"""Length [m] of the lanes before and behind a connector that counts in its radius."""


@dataclass(frozen=True, slots=True)
class JointFinding:
    """The worst `value` of a measure and its `place` (3,) [m] in W."""

    value: float
    place: Floats


@dataclass(frozen=True, slots=True)
class TightTurns:
    """Lanes or connectors that a car cannot drive.

    Attributes:
        count: their number.
        radius: [m] of the one that lacks most.
        needed: [m] there.
        place: (3,) [m] in W of its tightest turn.
    """

    count: int
    radius: float
    needed: float
    place: Floats


def worst_joint_gap(roads: RoadNetwork) -> JointFinding | None:
    """The greatest distance [m] between the end of a lane and the start of one that follows."""
    before, behind = _links(roads)
    if not len(before):
        return None
    ends = roads.points[roads.starts[1:] - 1][before]
    gaps = np.sqrt(((roads.points[roads.starts[:-1]][behind] - ends) ** 2).sum(axis=1))
    worst = int(np.argmax(gaps))
    return JointFinding(float(gaps[worst]), ends[worst])


def worst_joint_turn(roads: RoadNetwork) -> JointFinding | None:
    """The greatest angle [rad] between the end of a lane and the start of one that follows."""
    before, behind = _links(roads)
    if not len(before):
        return None
    last = roads.starts[1:][before] - 1
    first = roads.starts[:-1][behind]
    turns = np.abs(portable.wrapped(roads.tangents[first] - roads.tangents[last]))
    worst = int(np.argmax(turns))
    return JointFinding(float(turns[worst]), roads.points[last[worst]])


def tight_connectors(roads: RoadNetwork) -> TightTurns | None:
    """The connectors with a smaller radius than their streets need; None without connectors."""
    connectors = np.flatnonzero(roads.connectors)
    if not len(connectors):
        return None
    lines, vertices = _with_stubs(roads, connectors)
    by_class = np.array([needed_radius(name) for name in roads.highway_names])
    return _tight(roads, lines, vertices, by_class[roads.highways[connectors]])


def tight_lanes(roads: RoadNetwork) -> TightTurns | None:
    """The lanes between junctions with a bend that no car can steer; None without lanes."""
    lanes = np.flatnonzero(~roads.connectors)
    if not len(lanes):
        return None
    counts = np.diff(roads.starts)[lanes].astype(np.int64)
    owner = np.repeat(np.arange(len(lanes)), counts)
    vertices = np.arange(len(owner)) + (roads.starts[lanes] - np.cumsum(counts) + counts)[owner]
    lines = Polylines(roads.points[vertices, :2], counts)
    return _tight(roads, lines, vertices, np.full(len(lanes), WALKING_PACE_RADIUS))


def _tight(roads: RoadNetwork, lines: Polylines, vertices: Integers, needed: Floats) -> TightTurns:
    """The lines whose radius is less than `needed` (n,) [m].

    Args:
        roads: the lanes.
        lines: n lanes or connectors in plan.
        vertices: for each point of `lines` the nearest point of the network.
        needed: the least radius of each line [m].
    """
    radii, rows = turn_radii(lines)
    worst = int(np.argmin(radii / needed))
    place = roads.points[vertices[rows[worst]]]
    count = int((radii < needed).sum())
    return TightTurns(count, float(radii[worst]), float(needed[worst]), place)


def _links(roads: RoadNetwork) -> tuple[Integers, Integers]:
    """The lanes (k,) and those (k,) that follow them."""
    before = np.repeat(np.arange(len(roads.roads)), np.diff(roads.successor_starts))
    return before, roads.successors.astype(np.int64)


def _with_stubs(roads: RoadNetwork, connectors: Integers) -> tuple[Polylines, Integers]:
    """The connectors in plan with a metre of the lanes at both ends.

    Returns:
        The polylines, and for each of their points (n,) the nearest point of the network.
    """
    before, behind = _links(roads)
    lane_before = np.arange(len(roads.roads))
    lane_behind = lane_before.copy()
    lane_before[behind], lane_behind[before] = before, behind
    first, last = roads.starts[:-1].astype(np.int64), roads.starts[1:].astype(np.int64) - 1
    start, end = first[connectors], last[connectors]
    # At the end of a lane and at the start of the next the tangent is that of one segment.
    heading_before = roads.tangents[last[lane_before[connectors]]]
    heading_behind = roads.tangents[first[lane_behind[connectors]]]
    is_start = lane_before[connectors] == connectors
    is_end = lane_behind[connectors] == connectors
    heading_before = np.where(is_start, roads.tangents[start], heading_before)
    heading_behind = np.where(is_end, roads.tangents[end], heading_behind)
    counts = end - start + 3
    owner = np.repeat(np.arange(len(connectors)), counts)
    step = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    vertices = np.clip(start[owner] + step - 1, start[owner], end[owner])
    points = roads.points[vertices, :2].copy()
    for rows, headings, sign in (
        (np.flatnonzero(step == 0), heading_before, -1.0),
        (np.flatnonzero(step == counts[owner] - 1), heading_behind, 1.0),
    ):
        sines, cosines = portable.sin_cos(headings)
        points[rows] += sign * _STUB * np.column_stack([cosines, sines])
    return Polylines(points, counts), vertices
