"""How much of each street is left free of lanes, for connectors and for turning heads."""

import math
from collections.abc import Callable

from autosim import portable
from autosim.arrays import Floats
from autosim.world.geometry.curves import (
    cut,
    heading_between,
    length_of,
    loop_stem,
    turn_between,
    unit,
)
from autosim.world.lanes.lane_drafts import TurningHead
from autosim.world.lanes.lane_positions import kerb_lane_shift
from autosim.world.streets.street_ends import StreetEnd, StreetNodes
from autosim.world.streets.street_profiles import StreetProfile
from autosim.world.streets.streets import Street

LOOP_RADIUS, LOOP_ENTRY = 7.0, 14.0
"""Radii [m] of a turning head's loop and of the arcs that lead to it."""

SHARPEST_TURN = math.radians(150.0)
"""A turn of more than this is turning round, which nobody does at a junction."""

_TURN_RADIUS, _SHIFT_RADIUS = 7.5, 12.0
_MIN_TRIM, _MAX_TRIM, _TRIM_SHARE = 5.0, 22.0, 0.85
_LOOP_MARGIN = 2.6
_MAX_LOOP_RANK = 6
_MAX_LOOP_STREET = 12.0
"""Width [m] of the widest street with a turning head; a loop of radius 7 m is no wider."""

Trims = list[list[float]]


def junction_trims(nodes: StreetNodes) -> Trims:
    """How much [m] is left free for connectors at the start and the end of each street."""
    streets = nodes.streets
    trims = [[0.0, 0.0] for _ in streets]
    for members in nodes.ends.values():
        if len(members) < 2:
            continue
        headings = [nodes.heading(end) for end in members]
        for k, end in enumerate(members):
            wanted = max(
                _wanted_trim(streets[end.street], streets[other.street], headings[k], headings[j])
                for j, other in enumerate(members)
                if j != k
            )
            trims[end.street][0 if end.is_start else 1] = wanted
    return [_shared_out(trim, street) for trim, street in zip(trims, streets, strict=True)]


def _shared_out(trims: list[float], street: Street) -> list[float]:
    """Trims shortened in proportion where the street is too short for both."""
    share = min(1.0, _TRIM_SHARE * length_of(street.points) / max(sum(trims), 1e-9))
    return [share * trim for trim in trims]


def _wanted_trim(street: Street, other: Street, heading: float, other_heading: float) -> float:
    """Room [m] for an arc of 7.5 m between the kerb lanes of two streets that meet."""
    turn = abs(turn_between(heading + math.pi, other_heading))
    if turn > SHARPEST_TURN:
        return _MIN_TRIM
    tangent = _TURN_RADIUS * portable.tan(turn / 2.0)
    widths = street.profile.width, other.profile.width
    beside = 0.25 * sum(widths) * portable.tan(turn / 2.0)
    # An S-curve of length L that shifts by d has a least radius of about L²/6d.
    shift = 0.5 * math.sqrt(6.0 * _SHIFT_RADIUS * 0.5 * abs(widths[0] - widths[1]))
    return min(max(tangent + beside, shift, _MIN_TRIM), _MAX_TRIM)


def find_turning_heads(
    nodes: StreetNodes, trims: Trims, has_room: Callable[[int, TurningHead], bool]
) -> dict[StreetEnd, TurningHead]:
    """Turning heads at dead ends, where there is room; makes the trims for them.

    What a head takes of a short street the junction at its other end cannot have.
    """
    streets = nodes.streets
    heads: dict[StreetEnd, TurningHead] = {}
    for members in nodes.ends.values():
        if len(members) != 1:
            continue
        end = members[0]
        street, trim, far = streets[end.street], trims[end.street], int(end.is_start)
        if not _may_have_head(street.profile):
            continue
        length = _head_length(street.profile)
        left = _TRIM_SHARE * length_of(street.points) - length
        if StreetEnd(end.street, not end.is_start) in heads and trim[far] > left:
            continue
        head = _head_at(end.street, street, end.is_start)
        if head is not None and has_room(end.street, head):
            heads[end] = head
            trim[1 - far], trim[far] = length, min(trim[far], left)
    return heads


def _may_have_head(profile: StreetProfile) -> bool:
    """Whether traffic turns at the end of such a street, and a loop is wider than the street."""
    return (
        not profile.is_one_way
        and profile.rank <= _MAX_LOOP_RANK
        and profile.width <= _MAX_LOOP_STREET
    )


def _head_length(profile: StreetProfile) -> float:
    stem = loop_stem(shift=kerb_lane_shift(profile), radius=LOOP_RADIUS, entry=LOOP_ENTRY)
    return stem + LOOP_RADIUS


def _head_at(index: int, street: Street, at_start: bool) -> TurningHead | None:
    profile = street.profile
    if length_of(street.points) < 1.6 * _head_length(profile):
        return None
    points = street.points[::-1] if at_start else street.points
    length = length_of(points)
    outward = _pose_at(points, length - _head_length(profile))
    stem = _head_length(profile) - LOOP_RADIUS
    return TurningHead(index, outward[0] + stem * unit(outward[1]), LOOP_RADIUS + _LOOP_MARGIN)


def _pose_at(points: Floats, s: float) -> tuple[Floats, float]:
    piece = cut(points, max(s - 0.5, 0.0), s)
    return piece[-1], heading_between(piece[0], piece[-1])
