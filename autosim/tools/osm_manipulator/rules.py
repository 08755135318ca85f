"""Tells by OSM tags which objects are in the way of new houses: tables without geometry.

Half widths are for objects without a tagged `width`: those of usual ones, such as a track with its
ballast or a footway of 2 m.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from autosim.world.osm.areas import is_water
from autosim.world.osm.tags import Tags, is_yes, parse_length

DEFAULT_LAND_USE = "residential"


@dataclass(frozen=True, slots=True)
class LineRule:
    """Lines of one key that nothing may stand on: half widths [m] by value.

    `other` is the half width for all other values, None where these are not in the way.
    """

    key: str
    half_widths: Mapping[str, float]
    """Half widths [m] by the value of the key."""
    other: float | None = None


LINES: tuple[LineRule, ...] = (
    LineRule(
        "highway",
        MappingProxyType(
            {
                "footway": 1.0,
                "path": 1.0,
                "steps": 1.0,
                "bridleway": 1.0,
                "cycleway": 1.25,
                "track": 1.5,
                "service": 2.25,
                "pedestrian": 2.5,
            }
        ),
        other=4.0,
    ),
    LineRule(
        "railway",
        MappingProxyType(
            {
                "rail": 3.0,
                "light_rail": 3.0,
                "subway": 3.0,
                "narrow_gauge": 2.5,
                "tram": 2.0,
                "monorail": 2.5,
                "funicular": 2.5,
                "preserved": 3.0,
                "disused": 2.5,
                "construction": 3.0,
                "miniature": 1.0,
                "platform": 2.0,
            }
        ),
    ),
    LineRule(
        "waterway",
        MappingProxyType(
            {
                "river": 6.0,
                "canal": 5.0,
                "stream": 1.5,
                "tidal_channel": 3.0,
                "ditch": 1.0,
                "drain": 1.0,
                "dam": 3.0,
                "weir": 2.0,
            }
        ),
    ),
    LineRule("aeroway", MappingProxyType({"runway": 25.0, "taxiway": 12.0})),
    LineRule("barrier", MappingProxyType({"kerb": 0.0}), other=0.2),
    LineRule("natural", MappingProxyType({"cliff": 1.0, "coastline": 1.0, "tree_row": 1.0})),
)
"""The lines that are in the way of houses."""

_POINT_KEYS = frozenset(
    {"natural", "power", "man_made", "barrier", "highway", "emergency", "historic", "advertising"}
)
POINT_RADIUS = 0.5
"""Radius [m] of trees, masts and other objects that are nodes: a thick trunk."""

BUILDING_NODE_RADIUS = 4.0
"""Radius [m] of a building that is a node: a small house."""

_LEAST_HALF, _GREATEST_HALF = 0.2, 50.0
"""Least and greatest half width [m] of a line: a wall, and a wide river or a slip of the map."""

_LAND_KEYS = ("landuse", "leisure", "amenity", "natural", "aeroway", "power", "tourism")
_NO_LAND_USE = frozenset(
    {"nature_reserve", "bay", "strait", "peninsula", "island", "islet", "water", "coastline"}
)


def half_width(tags: Tags) -> float | None:
    """Half the width [m] of a line that nothing may stand on; None for all other lines.

    Objects under the ground are not in the way.
    """
    if is_underground(tags):
        return None
    for rule in LINES:
        usual = rule.half_widths.get(tags[rule.key], rule.other) if rule.key in tags else None
        if usual is not None:
            width = parse_length(tags.get("width"))
            return usual if width is None else min(max(width / 2.0, _LEAST_HALF), _GREATEST_HALF)
    return None


def is_underground(tags: Tags) -> bool:
    """Whether an object lies in a tunnel, a culvert or a cellar."""
    tunnel = tags.get("tunnel")
    return (
        (is_yes(tunnel) and tunnel not in ("building_passage", "avalanche_protector"))
        or tags.get("location") == "underground"
        or tags.get("indoor") == "yes"
    )


def is_built_over(tags: Tags) -> bool:
    """Whether an area is taken: a building or a part of one, water, a paved place, a structure."""
    if is_underground(tags):
        return False
    return (
        is_yes(tags.get("building"))
        or is_yes(tags.get("building:part"))
        or is_water(tags)
        or ("highway" in tags and is_yes(tags.get("area")))
        or "area:highway" in tags
        or "man_made" in tags
        or tags.get("railway") in ("platform", "station")
        or tags.get("public_transport") == "platform"
    )


def is_building_area(tags: Tags) -> bool:
    """Whether an area is a building, from which new houses keep their distance."""
    return is_built_over(tags) and is_yes(tags.get("building"))


def node_radius(tags: Tags) -> float | None:
    """Radius [m] of the object at a node; None for nodes that are not in the way."""
    if is_yes(tags.get("building")):
        return BUILDING_NODE_RADIUS
    return POINT_RADIUS if not _POINT_KEYS.isdisjoint(tags) else None


def land_use(tags: Tags) -> str | None:
    """The land use of an area: its `landuse`, or a value such as `park`, `pitch` or `wood`.

    Other keys than `landuse` count too, because a playground is not building land. A house list
    may have a section for any of these values.
    """
    for key in _LAND_KEYS:
        value = tags.get(key)
        if value is not None and value not in _NO_LAND_USE:
            return value
    return None


def section_for(value: str, sections: frozenset[str]) -> str:
    """The section of a house list for a land use; `wood` uses `forest` if it has none."""
    return "forest" if value == "wood" and "wood" not in sections else value
