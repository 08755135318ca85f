"""Diagnoses the worst place of an invariant: names the cause and the ways of the map there.

A place alone does not tell whether a map has two carriageways in one place, a street is steep or a
triangle is thin. A diagnosis says what is known, so that a mapper can look at the right way.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely

from autosim import portable
from autosim.arrays import Floats
from autosim.world.geometry.curves import arc_lengths
from autosim.world.profiles.profile import Profile
from autosim.world.streets.street_finding import Street
from autosim.world.validation.ride_test import WheelLift

_REACH = 30.0
"""Distance [m] within which streets are looked for: past the width of any carriageway."""

_NEAR = 15.0
"""Distance [m] within which a street may cause a fault of the ground's mesh."""

_CARRIES = 1.0
"""Difference in height [m] below which a street carries a place."""

_NAMED = 2
"""Number of ways that a diagnosis names at most, so that it stays one short line."""


@dataclass(frozen=True, slots=True)
class _Side:
    """When another street is beside a place at another height."""

    same_floor: float = 0.05
    """Difference in height [m] up to which both have one floor."""

    other_level: float = 4.5
    """Difference in height [m] from which on it passes above or below, as streets may."""

    gap: float = 2.0
    """Distance [m] of its carriageway within which it is beside the place."""


@dataclass(frozen=True, slots=True)
class _Form:
    """Criteria that distinguish a step, a kink and a crest of a floor."""

    step: float = 0.5
    """Slope (rise over run) between two samples above which the floor has a step."""

    kink_span: float = 1.0
    """Length [m] over which a kink turns the floor."""

    crest_span: float = 6.0
    """Length [m] over which a crest turns it."""

    sudden: float = 0.6
    """Share of the crest's angle above which the floor turns in a kink: most of the angle."""

    samples: int = 2
    """Number of samples before and behind the place that may belong to a step."""

    away: int = 4
    """Number of samples before and behind the place at which the streets on both sides are."""


_SIDE, _FORM = _Side(), _Form()


@dataclass(frozen=True, slots=True)
class NearbyStreet:
    """A street near a place.

    Attributes:
        street: its number.
        gap: distance [m] of the place from its carriageway, negative on it.
        z: its height [m] there.
    """

    street: int
    gap: float
    z: float


class StreetsAbout:
    """Finds the streets around a place."""

    def __init__(self, streets: Sequence[Street], profiles: Sequence[Profile]) -> None:
        """Indexes streets of all levels; `profiles` has the profile of each."""
        self._streets, self._profiles = streets, profiles
        self._tree = shapely.STRtree([shapely.LineString(street.points) for street in streets])

    def at(self, place: Floats, reach: float = _REACH) -> list[NearbyStreet]:
        """The streets within `reach` [m] of a place (2,) or (3,) [m] in W, nearest first."""
        point = shapely.Point(place[:2])
        rows = np.sort(self._tree.query(point, predicate="dwithin", distance=reach))
        return sorted((self._beside(int(k), point) for k in rows), key=lambda each: each.gap)

    def carrying(self, place: Floats) -> NearbyStreet | None:
        """The street at the height of a place (3,) whose carriageway is nearest."""
        found = [each for each in self.at(place) if abs(each.z - place[2]) < _CARRIES]
        return found[0] if found else None

    def ways(self, *streets: int) -> str:
        """Names the ways of the map that streets consist of: "way 7", "ways 7 and 8"."""
        numbers = dict.fromkeys(part.way for k in streets for part in self._streets[k].parts)
        named = [str(number) for number in numbers][:_NAMED]
        return f"way {named[0]}" if len(named) == 1 else "ways " + " and ".join(named)

    def _beside(self, number: int, point: shapely.Point) -> NearbyStreet:
        line, street = self._tree.geometries[number], self._streets[number]
        z = float(self._profiles[number].at(shapely.line_locate_point(line, point)))
        return NearbyStreet(number, float(line.distance(point)) - street.profile.width / 2.0, z)


def cause_of_wheel_lift(lift: WheelLift, about: StreetsAbout) -> str:
    """Why a wheel leaves the street: the form of the floor, and the ways that meet there."""
    path, leaves = lift.path, lift.leaves
    before = about.carrying(path[max(leaves - _FORM.away, 0)])
    behind = about.carrying(path[min(leaves + _FORM.away, len(path) - 1)])
    text = form_of_floor(path, leaves)
    if before is None or behind is None:
        return text
    own = {before.street, behind.street}
    where = f"on {about.ways(before.street)}"
    if about.ways(before.street) != about.ways(behind.street):
        where = f"between {about.ways(before.street)} and {about.ways(behind.street)}"
    return f"{text} {where}{_and_beside(path[leaves], own, about)}"


def _and_beside(place: Floats, own: set[int], about: StreetsAbout) -> str:
    """Names a street, other than the `own` ones, at or beside a place (3,) at another height."""
    others = [each for each in about.at(place) if each.street not in own and each.gap < _SIDE.gap]
    apart = [
        each for each in others if _SIDE.same_floor < abs(each.z - place[2]) < _SIDE.other_level
    ]
    if not apart:
        return ""
    other = apart[0]
    rise = other.z - float(place[2])
    side = "higher" if rise > 0.0 else "lower"
    lies = "in the same place" if other.gap < 0.0 else "beside it"
    return f", with {about.ways(other.street)} {lies} {abs(rise):.2g} m {side}"


def form_of_floor(path: Floats, leaves: int) -> str:
    """Names the form of a floor at row `leaves` of a path (n, 3): a step, a kink or a crest."""
    s, z = arc_lengths(path[:, :2]), path[:, 2]
    slopes = np.diff(z) / np.maximum(np.diff(s), 1e-6)
    first = max(leaves - _FORM.samples, 0)
    last = min(leaves + _FORM.samples + 1, len(slopes))
    steepest = first + int(np.argmax(np.abs(slopes[first:last])))
    if abs(slopes[steepest]) > _FORM.step:
        return f"a step of {abs(z[steepest + 1] - z[steepest]):.2f} m"
    sudden, whole = (_turned(s, z, s[leaves], span) for span in (_FORM.kink_span, _FORM.crest_span))
    if sudden > _FORM.sudden * whole:
        return f"a kink of {sudden:.2f} rad"
    return f"a crest of radius {_FORM.crest_span / max(whole, 1e-6):.0f} m"


def _turned(s: Floats, z: Floats, at: float, span: float) -> float:
    """The angle [rad] by which a floor turns down from one span before a place to one behind it."""
    a, b, c = (float(np.interp(at + each * span, s, z)) for each in (-1.0, 0.0, 1.0))
    return float(portable.arctan((b - a) / span) - portable.arctan((c - b) / span))


def cause_of_clearance(upper: int, lower: int, about: StreetsAbout) -> str:
    """Names the way above and the way below."""
    return f"{about.ways(upper)} over {about.ways(lower)}"


def cause_of_grade(grade: float, place: Floats, about: StreetsAbout) -> str:
    """Names the steepest way and its grade."""
    own = about.carrying(place)
    return "" if own is None else f"{grade:.2f} on {about.ways(own.street)}"


def cause_of_lane_form(place: Floats, about: StreetsAbout) -> str:
    """Names the way whose lane is steep or has a step at its side, and a way beside it."""
    own = about.carrying(place)
    return (
        ""
        if own is None
        else f"on {about.ways(own.street)}{_and_beside(place, {own.street}, about)}"
    )


def cause_of_missed_lane(place: Floats, about: StreetsAbout) -> str:
    """Names the way whose lane has no floor."""
    own = about.carrying(place)
    return "" if own is None else f"on {about.ways(own.street)}"


def cause_of_joint(place: Floats, about: StreetsAbout) -> str:
    """Names the way at whose end two lanes do not meet."""
    own = about.carrying(place)
    return "" if own is None else f"at the end of {about.ways(own.street)}"


def cause_of_tight_turn(place: Floats, radius: float, needed: float, about: StreetsAbout) -> str:
    """Gives the radius [m] of a turn and the one that a car needs, and names the ways."""
    near = [each.street for each in about.at(place) if abs(each.z - place[2]) < _CARRIES]
    ways = f", near {about.ways(*near[:_NAMED])}" if near else ""
    return f"a radius of {radius:.1f} m, where a car needs {needed:g} m{ways}"


def cause_on_ground(place: npt.ArrayLike, about: StreetsAbout) -> str:
    """Names the ways around a fault of the ground's mesh."""
    near = [each.street for each in about.at(np.asarray(place, dtype=np.float64), _NEAR)]
    return f"at {about.ways(*near[:_NAMED])}" if near else ""
