"""Extents of junctions into their streets: those of the turns.

A level must not end inside a turn. A turn leads off its street's carriageway, and two levels agree
on the carriageway alone.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import shapely

from autosim.world.geometry.curves import arc_lengths, points_at
from autosim.world.lanes.lane_drafts import LaneDraft
from autosim.world.profiles.chains import End
from autosim.world.profiles.grade_separations import GradeSeparations
from autosim.world.streets.street_finding import Street

_MARGIN = 1.0
"""Distance [m] that a reach keeps from the end of a turn, and from streets beside it: a kerb's."""

_STEP = 1.0
"""Distance [m] between the places along a reach at which other streets are looked for."""

_FARTHEST = 30.0
"""Longest reach [m] of a junction. Chosen: connectors begin at most 22 m from their node, and
a bend may lengthen that."""


def junction_reaches(drafts: Sequence[LaneDraft], streets: Sequence[Street]) -> Mapping[End, float]:
    """By end of a bridge or tunnel: how far [m] from it turns to other streets reach.

    Args:
        drafts: all lanes and connectors.
        streets: that they belong to.
    """
    found: dict[End, float] = {}
    for draft in drafts:
        if draft.origin == draft.street:
            continue
        both = {draft.origin: draft.points[0], draft.street: draft.points[-1]}
        for (street, place), other in zip(both.items(), reversed(both), strict=True):
            if streets[street].layer != 0:
                end, reach = _reach(streets, street, other, shapely.Point(place))
                found[end] = max(found.get(end, 0.0), reach)
    return found


def clear_of_separations(
    reaches: Mapping[End, float],
    streets: Sequence[Street],
    separations: GradeSeparations,
    levels: Sequence[int],
) -> Mapping[End, float]:
    """The reaches, cut short where a street of the ground passes.

    The ground would have two heights at once there. A node that lies on a deck keeps its reach.

    Args:
        reaches: `junction_reaches`.
        streets: all streets.
        separations: where streets of different levels cross.
        levels: of each street; a node belongs to the lowest-numbered one of its streets.
    """
    owners = owners_of_nodes(streets, levels)
    pairs = np.column_stack([separations.upper, separations.lower])
    both = np.unique(np.vstack([pairs, pairs[:, ::-1]]), axis=0)
    found = dict(reaches)
    for street, other in both.tolist():
        for end, node in (
            ((street, True), streets[street].start),
            ((street, False), streets[street].end),
        ):
            if end in found and owners[node] == levels[other] == 0:
                found[end] = _until_near(streets[street], streets[other], end[1], found[end])
    return found


def owners_of_nodes(streets: Sequence[Street], levels: Sequence[int]) -> Mapping[int, int]:
    """The level to which each node belongs: the lowest-numbered one of the streets that meet."""
    owners: dict[int, int] = {}
    for street, level in zip(streets, levels, strict=True):
        for node in (street.start, street.end):
            owners[node] = min(level, owners.get(node, level))
    return owners


def _until_near(street: Street, other: Street, at_start: bool, reach: float) -> float:
    """Length [m] of a reach from an end of a street up to where it comes to another street."""
    along = arc_lengths(street.points)
    distances = np.arange(0.0, reach, _STEP)
    s = distances if at_start else along[-1] - distances
    places = shapely.points(points_at(street.points, along, s))
    reach_of_both = (street.profile.width + other.profile.width) / 2.0 + _MARGIN
    near = shapely.distance(places, shapely.LineString(other.points)) < reach_of_both
    return float(distances[near][0]) if near.any() else reach


def _reach(
    streets: Sequence[Street], number: int, other: int, place: shapely.Point
) -> tuple[End, float]:
    """The end at which a street meets another one, and the distance [m] from it to a place.

    Where the streets meet at both ends, the nearer end counts.
    """
    street = streets[number]
    axis = shapely.LineString(street.points)
    s = float(shapely.line_locate_point(axis, place))
    nodes = {streets[other].start, streets[other].end}
    meets = street.start in nodes, street.end in nodes
    is_start = meets[0] if meets[0] != meets[1] else s < 0.5 * axis.length
    reach = (s if is_start else axis.length - s) + _MARGIN
    return (number, is_start), float(np.minimum(reach, _FARTHEST))
