"""Gives the turns of a plan more room: longer trims where a connector is too tight for a car."""

from collections.abc import Sequence

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.world.geometry.curves import cut, length_of, turn_between, unit
from autosim.world.geometry.polylines import Polylines
from autosim.world.geometry.turn_radii import TURN_WINDOW, turn_radii
from autosim.world.lanes.drivable_curves import (
    STREET_RADIUS,
    Pose,
    needed_radius,
    radii_of,
)
from autosim.world.lanes.junction_trims import TRIM_SHARE, Trims
from autosim.world.lanes.lane_bends import tight_lanes, widened_line
from autosim.world.lanes.lane_drafts import LaneDraft
from autosim.world.streets.street_finding import Street

_MAX_TRIM = 28.0
"""Largest trim [m] of a street for a sharp turn."""

_WANTED_RADIUS = STREET_RADIUS + 0.1
"""Radius [m] for which room is made: also on service ways, if they are long enough."""

_BEND = np.radians(25.0)
"""Least turn [rad] whose lanes' lines cross at a place that is worth computing."""

_AT_END = 3.0
"""Distance [m] of a bend from an end of its lane within which no wider curve fits before it."""

_PAST_BEND = 1.5
"""Length [m] by which a connector begins before such a bend."""

_SPARE = 0.3
"""Length [m] by which a trim grows beyond what a turn lacks."""

_LEAST_GAIN = 0.1
"""Length [m] of a longer trim that is worth another plan."""


def widened(drafts: Sequence[LaneDraft], streets: Sequence[Street], trims: Trims) -> Trims | None:
    """The trims with more room for the turns that lack it; None if none can be longer.

    Args:
        drafts: lanes and connectors that keep to the trims.
        streets: all streets.
        trims: lengths [m] without lanes at both ends of each street.
    """
    wanted = [[0.0, 0.0] for _ in trims]
    for link in tight_links(drafts):
        first, second = (drafts[k] for k in link)
        lacks = lacking(Pose.at_end(first.points), Pose.at_start(second.points), _WANTED_RADIUS)
        for draft, end, lack in (
            (first, int(first.is_forward), lacks[0]),
            (second, int(not second.is_forward), lacks[1]),
        ):
            room = _MAX_TRIM - trims[draft.street][end]
            wanted[draft.street][end] = max(wanted[draft.street][end], min(lack, room))
    for number, at_end, length in bends_at_ends(drafts):
        draft = drafts[number]
        end = int(at_end == draft.is_forward)
        room = _MAX_TRIM - trims[draft.street][end]
        wanted[draft.street][end] = max(wanted[draft.street][end], min(length, room))
    gains = [
        _shared(gain, trim, length_of(street.points)) if max(gain) > 0.0 else gain
        for gain, trim, street in zip(wanted, trims, streets, strict=True)
    ]
    if max(map(max, gains), default=0.0) < _LEAST_GAIN:
        return None
    return [[a + x, b + y] for (a, b), (x, y) in zip(trims, gains, strict=True)]


def bends_at_ends(drafts: Sequence[LaneDraft]) -> list[tuple[int, bool, float]]:
    """The bends at the ends of lanes that have no room to be wide enough for a car there.

    Connectors take their place.

    Returns:
        Number of each lane, whether the bend is at its end or else at its start, and the length [m]
        of the lane from there past the bend.
    """
    found = []
    for number in tight_lanes(drafts):
        draft = drafts[number]
        needed = needed_radius(draft.profile.highway)
        wide = widened_line(draft.points, needed)
        for at_end in (False, True):
            if _bend_at_start(wide[::-1] if at_end else wide, needed) is not None:
                line = draft.points[::-1] if at_end else draft.points
                found.append((number, at_end, (_bend_at_start(line, needed) or 0.0) + _PAST_BEND))
    return found


def _bend_at_start(line: Floats, radius: float) -> float | None:
    """Arc length [m] of the tightest bend in the first metres; None if it has the radius."""
    first = Polylines.of([cut(line, 0.0, min(_AT_END + TURN_WINDOW / 2.0, length_of(line)))])
    radii, rows = turn_radii(first)
    return float(first.stations()[rows[0]]) if radii[0] < radius else None


def tight_links(drafts: Sequence[LaneDraft]) -> list[tuple[int, int]]:
    """The links from lane to lane, by number, whose connector is too tight for a car.

    Loops on turning heads do not count; a lane that leads round a ring into itself does.
    """
    before = {
        k: number
        for number, draft in enumerate(drafts)
        for k in draft.successors
        if drafts[k].is_connector
    }
    if not before:
        return []
    poses = [
        (Pose.at_end(drafts[lane].points), Pose.at_start(drafts[drafts[k].successors[0]].points))
        for k, lane in before.items()
    ]
    radii = radii_of([drafts[k].points for k in before], poses)
    needed = np.array([needed_radius(drafts[k].profile.highway) for k in before])
    connectors = np.array(list(before))[radii < needed].tolist()
    return [
        (before[k], drafts[k].successors[0])
        for k in connectors
        if drafts[k].origin != drafts[k].street or drafts[k].successors[0] == before[k]
    ]


def lacking(start: Pose, end: Pose, radius: float) -> tuple[float, float]:
    """The lengths [m] that a turn lacks before and behind it."""
    turn = turn_between(start.heading, end.heading)
    u, v, gap = unit(start.heading), unit(end.heading), end.place - start.place
    if abs(turn) < _BEND or abs(turn) > np.pi - 0.1:
        along = float(u[0] * gap[0] + u[1] * gap[1])
        aside = abs(float(u[0] * gap[1] - u[1] * gap[0]))
        # Two arcs of a radius shift aside within this length.
        lack = np.sqrt(max(4.0 * radius * aside - aside**2, 0.0)) + radius * abs(turn) - along
        return (max(0.5 * float(lack), 0.0) + _SPARE,) * 2
    cross = float(u[0] * v[1] - u[1] * v[0])
    ahead = float(gap[0] * v[1] - gap[1] * v[0]) / cross
    behind = float(u[0] * gap[1] - u[1] * gap[0]) / cross
    tangent = radius * portable.tan(abs(turn) / 2.0) + _SPARE
    return max(tangent - ahead, 0.0), max(tangent - behind, 0.0)


def _shared(gain: Sequence[float], trim: Sequence[float], length: float) -> list[float]:
    """The gains of both ends of a street, shortened to what its lanes can spare."""
    spare = max(TRIM_SHARE * length - sum(trim), 0.0)
    share = min(1.0, spare / max(sum(gain), 1e-9))
    return [share * each for each in gain]
