"""The side of the road on which traffic keeps, for world files that do not state it.

Some maps say it, in `driving_side` tags of ways or of the relations of countries. For others it is
guessed from a table of the countries where traffic keeps left, `left_hand_countries.geojson`, which
`scripts/make_left_hand_countries.py` derives from the borders of country-coder.
"""

import json
from collections import Counter
from collections.abc import Container
from functools import cache
from pathlib import Path

import numpy as np
import shapely

from autosim import portable
from autosim.config.descriptions import DrivingSide
from autosim.world.osm.osm_data import OsmData

COUNTRY_TABLE = Path(__file__).with_name("left_hand_countries.geojson")

_SIDES: tuple[DrivingSide, DrivingSide] = ("left", "right")

_TAGGED_SHARE = 0.5
"""Least share of the streets of a map whose tags decide its side. Fewer are places where traffic
changes sides, such as diverging diamond interchanges."""

_NEAR_BORDER = 5.0
"""Distance [km] from another side within which the table is not trusted without a warning: its
borders are off by hundreds of metres."""

_KM_PER_DEGREE = 111.2
"""Kilometres of a degree of latitude on a sphere of the Earth's mean radius, 6371 km."""


def find_driving_side(
    data: OsmData, place: tuple[float, float], highways: Container[str]
) -> tuple[DrivingSide, str]:
    """The driving side of a map, and a warning about it, "" unless it is an uncertain guess.

    Args:
        data: the map.
        place: latitude and longitude [deg] of its middle.
        highways: the values of `highway` that are streets.
    """
    stated = _side_of_streets(data, highways) or _side_of_relations(data)
    return (stated, "") if stated is not None else guess_driving_side(*place)


def guess_driving_side(latitude: float, longitude: float) -> tuple[DrivingSide, str]:
    """The driving side at a place [deg] by the table, and a warning, "" far from other sides."""
    country = _left_hand_country(latitude, longitude)
    side: DrivingSide = "right" if country is None else "left"
    if not _is_near_other_side(latitude, longitude, side):
        return side, ""
    other = _SIDES[1 - _SIDES.index(side)]
    reason = (
        "the map seems to lie outside all countries where traffic keeps left"
        if country is None
        else f"the map seems to lie in {country}"
    )
    return side, (
        f"the driving side is not stated; {side} is a guess, because {reason}, but close to a "
        f"country where traffic keeps {other}. <DrivingSide> in the world file states it"
    )


def _side_of_streets(data: OsmData, highways: Container[str]) -> DrivingSide | None:
    """The side that the tags of at least half of the streets state."""
    streets = [way.tags for way in data.ways if way.tags.get("highway") in highways]
    counts = Counter(tags.get("driving_side") for tags in streets)
    for side in _SIDES:
        if counts[side] and counts[side] >= _TAGGED_SHARE * len(streets):
            return side
    return None


def _side_of_relations(data: OsmData) -> DrivingSide | None:
    """The side that relations state, such as those of countries; None if they do not agree."""
    stated = {relation.tags.get("driving_side") for relation in data.relations}
    found = [side for side in _SIDES if side in stated]
    return found[0] if len(found) == 1 else None


@cache
def _countries() -> tuple[list[str], shapely.STRtree]:
    """The names of the countries where traffic keeps left, and an index of their shapes [deg]."""
    features = json.loads(COUNTRY_TABLE.read_text(encoding="utf-8"))["features"]
    shapes = shapely.from_geojson([json.dumps(feature["geometry"]) for feature in features])
    return [feature["properties"]["name"] for feature in features], shapely.STRtree(shapes)


def _left_hand_country(latitude: float, longitude: float) -> str | None:
    names, shapes = _countries()
    wrapped = (longitude + 180.0) % 360.0 - 180.0
    found = shapes.query(shapely.Point(wrapped, latitude), predicate="intersects")
    return names[found.min()] if len(found) else None


def _is_near_other_side(latitude: float, longitude: float, side: DrivingSide) -> bool:
    """Whether traffic keeps to the other side at a place `_NEAR_BORDER` away, in 16 directions."""
    north = _NEAR_BORDER / _KM_PER_DEGREE
    east = north / max(portable.cos(float(np.radians(latitude))), 0.01)
    for angle in np.radians(np.arange(0.0, 360.0, 22.5)):
        sine, cosine = portable.sin_cos(float(angle))
        country = _left_hand_country(latitude + north * sine, longitude + east * cosine)
        if (country is None) == (side == "left"):
            return True
    return False
