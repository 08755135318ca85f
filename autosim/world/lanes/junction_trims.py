"""Trims: the length of each street's ends without lanes, for connectors and turning heads."""

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
from autosim.world.lanes.lane_positions import inner_lane_shift
from autosim.world.streets.street_ends import StreetEnd, StreetNodes
from autosim.world.streets.street_finding import Street
from autosim.world.streets.street_profiles import StreetProfile

LOOP_RADIUS, LOOP_ENTRY = 7.0, 14.0
"""Radii [m] of a turning head's loop and of the arcs that lead to it. Chosen: a car turns on 5.5 m
with its wheels hard over, and on 7 m with ease."""

SHARPEST_TURN = math.radians(150.0)
"""Largest angle [rad] of a turn at a junction: a sharper one is a U-turn, which lanes do not
make."""

_TURN_RADIUS = 7.5
"""Radius [m] of a turn from kerb lane to kerb lane: that of a loop, and half a metre to spare."""

_SHIFT_RADIUS = 12.0
"""Least radius [m] of a shift aside between streets of different widths. Chosen: a car takes it at
20 km/h with 0.26 g."""

_MIN_TRIM = 5.0
"""Least trim [m] of a street at a junction: a car's length, so that no lane ends on the
crossing."""

_MAX_TRIM = 22.0
"""Largest trim [m] of a street at a junction: sharp turns would eat up whole streets."""

TRIM_SHARE = 0.85
"""Largest share of a street that its trims take together: a piece of lane remains."""

_HEAD_SHARE = 1.6
"""Least length of a street with a turning head, as a multiple of the head's length: vehicles still
see a street before it."""

_BEFORE_LOOP = 0.5
"""Length [m] of the straight part before a turning head's loop: bends of the street move the ends
of its lanes by less."""

_LOOP_MARGIN = 2.6
"""Width [m] of carriageway outside the loop's centre line: half a lorry, and its swing."""

_MAX_LOOP_RANK = 6
"""Rank of the least important class of streets with turning heads, that of a living street: service
ways and tracks have none."""

_MAX_LOOP_STREET = 12.0
"""Width [m] of the widest street with a turning head; a loop of radius 7 m is not wider."""

Trims = list[list[float]]
"""The trims [m] at the start and the end of each street."""


def junction_trims(nodes: StreetNodes) -> Trims:
    """The trims [m] of all streets, for connectors."""
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
    """Both trims, shortened in proportion if the street is too short for them."""
    share = min(1.0, TRIM_SHARE * length_of(street.points) / max(sum(trims), 1e-9))
    return [share * trim for trim in trims]


def _wanted_trim(street: Street, other: Street, heading: float, other_heading: float) -> float:
    """Trim [m] for an arc of `_TURN_RADIUS` between the kerb lanes of two streets that meet."""
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
    """Finds turning heads at dead ends that have room for one, and writes their trims.

    A head on a short street shortens the trim of the junction at the other end.
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
        left = TRIM_SHARE * length_of(street.points) - length - _BEFORE_LOOP
        if StreetEnd(end.street, not end.is_start) in heads and trim[far] > left:
            continue
        head = _head_at(end.street, street, end.is_start)
        if head is not None and has_room(end.street, head):
            heads[end] = head
            trim[1 - far], trim[far] = length + _BEFORE_LOOP, min(trim[far], left)
    return heads


def _may_have_head(profile: StreetProfile) -> bool:
    """Whether traffic turns at the end of such a street, and needs more than its width."""
    return (
        not profile.is_one_way
        and profile.rank <= _MAX_LOOP_RANK
        and profile.width <= _MAX_LOOP_STREET
    )


def _head_length(profile: StreetProfile) -> float:
    stem = loop_stem(shift=inner_lane_shift(profile), radius=LOOP_RADIUS, entry=LOOP_ENTRY)
    return stem + LOOP_RADIUS


def _head_at(index: int, street: Street, at_start: bool) -> TurningHead | None:
    profile = street.profile
    if length_of(street.points) < _HEAD_SHARE * _head_length(profile):
        return None
    points = street.points[::-1] if at_start else street.points
    length = length_of(points)
    outward = _pose_at(points, length - _head_length(profile))
    stem = _head_length(profile) - LOOP_RADIUS
    return TurningHead(index, outward[0] + stem * unit(outward[1]), LOOP_RADIUS + _LOOP_MARGIN)


def _pose_at(points: Floats, s: float) -> tuple[Floats, float]:
    piece = cut(points, max(s - 0.5, 0.0), s)
    return piece[-1], heading_between(piece[0], piece[-1])
