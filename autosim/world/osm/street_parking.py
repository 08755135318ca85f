"""Parking along a street, by the tags of its way.

The map has two schemes: `parking:SIDE=lane` with `parking:SIDE:orientation=parallel`, and the older
`parking:lane:SIDE=parallel` with `parking:lane:SIDE:parallel=on_street`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import pi
from types import MappingProxyType

from autosim.world.osm.tags import Tags, first_value


@dataclass(frozen=True, slots=True)
class Bays:
    """The bays of a strip for parking.

    `depth` [m] across the street, `pitch` [m] from bay to bay along it, `angle` [rad] of a car away
    from the direction of the street. `inside` [m]: how much of the depth lies within the width that
    a tag gives the carriageway.
    """

    depth: float
    pitch: float
    angle: float
    inside: float = 0.0


SideBays = tuple[Bays | None, Bays | None]
"""The bays on the left and on the right of a way, None without parking."""

PARALLEL, DIAGONAL, PERPENDICULAR = (
    Bays(2.0, 6.0, 0.0),
    Bays(4.85, 3.54, pi / 4.0),
    Bays(5.0, 2.5, pi / 2.0),
)
"""Sizes of bays: RASt 06, for cars that drive in forwards where they stand at an angle."""

_ORIENTATIONS: Mapping[str, Bays] = MappingProxyType(
    {
        "parallel": PARALLEL,
        "inline": PARALLEL,
        "diagonal": DIAGONAL,
        "perpendicular": PERPENDICULAR,
        "orthogonal": PERPENDICULAR,
        "marked": PARALLEL,
    }
)
_INSIDE: Mapping[str, float] = MappingProxyType(
    {
        "lane": 1.0,
        "on_street": 1.0,
        "painted_area_only": 1.0,
        "yes": 1.0,
        "half_on_kerb": 0.5,
        "street_side": 0.0,
        "lay_by": 0.0,
        "on_kerb": 0.0,
        "shoulder": 0.0,
    }
)
"""Share of the depth within the carriageway, by where cars stand."""

_UNDER_THE_SKY = ("surface", "street_side", "lane")
"""Kinds of car parks (`parking`) that are not within buildings or under the ground."""

_KEYS = tuple(
    f"parking:{scheme}{side}" for scheme in ("", "lane:") for side in ("left", "right", "both")
)
_FORBIDDEN = frozenset({"no_parking", "no_stopping", "no_standing"})


def bays_of(tags: Tags) -> SideBays:
    """The bays on both sides of a way, by either scheme; none for values that are unknown."""
    if not any(key in tags for key in _KEYS):
        return None, None
    return _on_side(tags, "left"), _on_side(tags, "right")


def is_car_park(tags: Tags) -> bool:
    """Whether an area is a car park under the sky, or a bay of one."""
    is_parking = tags.get("amenity") in ("parking", "parking_space")
    return is_parking and tags.get("parking", "surface") in _UNDER_THE_SKY


def _on_side(tags: Tags, side: str) -> Bays | None:
    where = _value(tags, side)
    if where is None:
        return _by_old_scheme(tags, side)
    # Some state the orientation in the wrong place.
    bays, is_misplaced = _ORIENTATIONS.get(where), where in _ORIENTATIONS
    if bays is None:
        bays = _ORIENTATIONS.get(_value(tags, side, ":orientation") or "", PARALLEL)
    if _value(tags, side, ":restriction") in _FORBIDDEN:
        return None
    return _placed(bays, "lane" if is_misplaced else where)


def _by_old_scheme(tags: Tags, side: str) -> Bays | None:
    orientation = _value(tags, side, scheme="lane:")
    bays = _ORIENTATIONS.get(orientation or "")
    if bays is None:
        return None
    return _placed(bays, _value(tags, side, f":{orientation}", scheme="lane:") or "lane")


def _value(tags: Tags, side: str, about: str = "", *, scheme: str = "") -> str | None:
    """The first value of a tag for a side, else of that for both sides."""
    text = tags.get(f"parking:{scheme}{side}{about}") or tags.get(f"parking:{scheme}both{about}")
    return first_value(text) if text else None


def _placed(bays: Bays, where: str) -> Bays | None:
    share = _INSIDE.get(where)
    if share is None:
        return None
    return Bays(bays.depth, bays.pitch, bays.angle, share * bays.depth)
