"""What is the matter at the worst place of an invariant, in words and with the map's own ways.

A place alone does not say whether a map has two carriageways in one place, or a street is steep, or
a triangle thin. Here is said what can be known of it, so that one can look at the right way.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely

from autosim import portable
from autosim.arrays import Floats
from autosim.world.geometry.curves import arc_lengths
from autosim.world.profiles.profiles import Profile
from autosim.world.streets.streets import Street
from autosim.world.validation.ride_test import Hop

_REACH = 30.0
_NEAR = 15.0
_ONE_FLOOR, _OTHER_LEVEL, _BESIDE = 0.05, 4.5, 2.0
_STEP = 0.5
_KINK, _CREST = 1.0, 6.0
_SUDDEN = 0.6
_NAMED = 2


@dataclass(frozen=True, slots=True)
class Beside:
    """Street `street` near a place: `gap` [m] beside its carriageway, its height `z` [m] there.

    `gap` is negative on the carriageway.
    """

    street: int
    gap: float
    z: float


class StreetsAbout:
    """Finds the streets about a place."""

    def __init__(self, streets: Sequence[Street], profiles: Sequence[Profile]) -> None:
        """Takes streets of all levels and the profile of each."""
        self._streets, self._profiles = streets, profiles
        self._tree = shapely.STRtree([shapely.LineString(street.points) for street in streets])

    def at(self, place: Floats, reach: float = _REACH) -> list[Beside]:
        """The streets within `reach` [m] of a place (2,) or (3,) [m] in W, the nearest first."""
        point = shapely.Point(place[:2])
        rows = np.sort(self._tree.query(point, predicate="dwithin", distance=reach))
        return sorted((self._beside(int(k), point) for k in rows), key=lambda each: each.gap)

    def carrying(self, place: Floats) -> Beside | None:
        """The street whose carriageway a place (3,) lies on, or is nearest to, at its height."""
        found = [each for each in self.at(place) if abs(each.z - place[2]) < 1.0]
        return found[0] if found else None

    def ways(self, *streets: int) -> str:
        """The map's ways of which streets consist: "way 7", "ways 7 and 8"."""
        numbers = dict.fromkeys(part.way for k in streets for part in self._streets[k].parts)
        named = [str(number) for number in numbers][:_NAMED]
        return f"way {named[0]}" if len(named) == 1 else "ways " + " and ".join(named)

    def _beside(self, number: int, point: shapely.Point) -> Beside:
        line, street = self._tree.geometries[number], self._streets[number]
        z = float(self._profiles[number].at(shapely.line_locate_point(line, point)))
        return Beside(number, float(line.distance(point)) - street.profile.width / 2.0, z)


def cause_of_hop(hop: Hop, about: StreetsAbout) -> str:
    """Why a ball leaves the street: the form of the floor, and the ways that meet there."""
    leaves = hop.path[hop.leaves]
    before = about.carrying(hop.path[max(hop.leaves - 4, 0)])
    behind = about.carrying(hop.path[min(hop.leaves + 4, len(hop.path) - 1)])
    text = form_of_floor(hop.path, hop.leaves)
    if before is None or behind is None:
        return text
    own = {before.street, behind.street}
    where = f"on {about.ways(before.street)}"
    if about.ways(before.street) != about.ways(behind.street):
        where = f"between {about.ways(before.street)} and {about.ways(behind.street)}"
    return f"{text} {where}{_and_beside(leaves, own, about)}"


def _and_beside(place: Floats, own: set[int], about: StreetsAbout) -> str:
    """Which street but the `own` ones is at a place (3,) or beside it at another height, if any."""
    others = [each for each in about.at(place) if each.street not in own and each.gap < _BESIDE]
    apart = [e for e in others if _ONE_FLOOR < abs(e.z - place[2]) < _OTHER_LEVEL]
    if not apart:
        return ""
    other = apart[0]
    rise = other.z - float(place[2])
    side = "higher" if rise > 0.0 else "lower"
    lies = "in the same place" if other.gap < 0.0 else "beside it"
    return f", with {about.ways(other.street)} {lies} {abs(rise):.2g} m {side}"


def form_of_floor(path: Floats, leaves: int) -> str:
    """A step, a kink or a crest: what of them is at row `leaves` of a path (n, 3) over a floor."""
    s, z = arc_lengths(path[:, :2]), path[:, 2]
    slopes = np.diff(z) / np.maximum(np.diff(s), 1e-6)
    first, last = max(leaves - 2, 0), min(leaves + 3, len(slopes))
    steepest = first + int(np.argmax(np.abs(slopes[first:last])))
    if abs(slopes[steepest]) > _STEP:
        return f"a step of {abs(z[steepest + 1] - z[steepest]):.2f} m"
    sudden, whole = (_turned(s, z, s[leaves], span) for span in (_KINK, _CREST))
    if sudden > _SUDDEN * whole:
        return f"a kink of {sudden:.2f} rad"
    return f"a crest of radius {_CREST / max(whole, 1e-6):.0f} m"


def _turned(s: Floats, z: Floats, at: float, span: float) -> float:
    """By what angle [rad] a floor bends down from half a span before a place to half of it past."""
    a, b, c = (float(np.interp(at + each * span, s, z)) for each in (-1.0, 0.0, 1.0))
    return float(portable.arctan((b - a) / span) - portable.arctan((c - b) / span))


def cause_of_clearance(upper: int, lower: int, about: StreetsAbout) -> str:
    """Which way leads over which."""
    return f"{about.ways(upper)} over {about.ways(lower)}"


def cause_of_grade(grade: float, place: Floats, about: StreetsAbout) -> str:
    """How steep the steepest way is."""
    own = about.carrying(place)
    return "" if own is None else f"{grade:.2f} on {about.ways(own.street)}"


def cause_of_lane_form(place: Floats, about: StreetsAbout) -> str:
    """On which way a lane is steep or has a step beside it, and what lies beside that way."""
    own = about.carrying(place)
    return (
        ""
        if own is None
        else f"on {about.ways(own.street)}{_and_beside(place, {own.street}, about)}"
    )


def cause_of_missed_lane(place: Floats, about: StreetsAbout) -> str:
    """Of which way a lane has no floor."""
    own = about.carrying(place)
    return "" if own is None else f"on {about.ways(own.street)}"


def cause_on_ground(place: npt.ArrayLike, about: StreetsAbout) -> str:
    """The ways about a fault of the ground's mesh."""
    near = [each.street for each in about.at(np.asarray(place, dtype=np.float64), _NEAR)]
    return f"at {about.ways(*near[:_NAMED])}" if near else ""
