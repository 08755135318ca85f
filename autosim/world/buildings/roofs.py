"""Which roof a building has: by its Simple 3D tags, else a seeded choice that suits its size."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import shapely
from shapely.geometry.base import BaseGeometry

from autosim import portable
from autosim.world.osm.tags import Tags, parse_length, parse_number

_ROOF_LEVEL_HEIGHT = 2.8
_STEEP, _USUAL_SLOPE, _PYRAMID_SLOPE = 1.1, 0.7, 0.9
_SMALLEST_RISE, _LARGEST_RISE = 0.6, 14.0
_MOST_OF_HEIGHT = 0.6
_RECTANGULAR = 0.84
_SMALL_HOUSE, _SMALL_BUILDING, _BLOCK = 380.0, 150.0, 4000.0
_BLOCK_INSET = 2.6
_MOST_CORNERS = 14


class RoofShape(Enum):
    """The shapes that are built. Others are built as the nearest of these."""

    FLAT = "flat"
    SKILLION = "skillion"
    GABLED = "gabled"
    HIPPED = "hipped"
    PYRAMIDAL = "pyramidal"


_SHAPES: Mapping[str, RoofShape] = {
    "flat": RoofShape.FLAT,
    "terrace": RoofShape.FLAT,
    "skillion": RoofShape.SKILLION,
    "lean_to": RoofShape.SKILLION,
    "gabled": RoofShape.GABLED,
    "pitched": RoofShape.GABLED,
    "saltbox": RoofShape.GABLED,
    "gambrel": RoofShape.GABLED,
    "round": RoofShape.GABLED,
    "half-hipped": RoofShape.HIPPED,
    "half_hipped": RoofShape.HIPPED,
    "hipped": RoofShape.HIPPED,
    "hip": RoofShape.HIPPED,
    "mansard": RoofShape.HIPPED,
    "pyramidal": RoofShape.PYRAMIDAL,
    "cone": RoofShape.PYRAMIDAL,
    "dome": RoofShape.PYRAMIDAL,
    "onion": RoofShape.PYRAMIDAL,
}
_CHURCHES = frozenset({"church", "chapel", "cathedral"})
_HOUSES = frozenset(
    {"house", "residential", "detached", "semidetached_house", "terrace", "bungalow", "farm",
     "barn", "cabin", "farm_auxiliary", "hut", "stable", "villa"}
)  # fmt: skip
_BLOCKS = frozenset({"apartments", "residential", "hotel", "dormitory", "terrace"})


@dataclass(frozen=True, slots=True)
class Roof:
    """A roof: its shape and how high [m] it rises above the eaves.

    `ridge` [rad] is the direction of a ridge, None for along the longer side. `inset` [m]: a hipped
    roof is flat beyond this distance from its eaves.
    """

    shape: RoofShape = RoofShape.FLAT
    rise: float = 0.0
    ridge: float | None = None
    inset: float = math.inf


FLAT_ROOF = Roof()


def roof_of(tags: Tags, polygon: shapely.Polygon, rectangle: BaseGeometry, *, seed: int) -> Roof:
    """The roof of a building.

    Args:
        tags: `roof:shape`, `roof:height`, `roof:levels`, `roof:direction`, `roof:orientation`.
        polygon: its footprint [m].
        rectangle: the smallest rectangle around the footprint.
        seed: decides where several roofs would suit.
    """
    stated = _SHAPES.get(tags.get("roof:shape", ""))
    shape, inset = (stated, math.inf) if stated else _suitable(tags, polygon, rectangle, seed)
    if shape is RoofShape.FLAT:
        return FLAT_ROOF
    long, short = _sides(rectangle)
    rise = min(max(_rise(tags, shape, short), _SMALLEST_RISE), _LARGEST_RISE)
    if math.isfinite(inset):
        rise = min(rise, inset)
    height = parse_length(tags.get("height"))
    if height is not None:
        rise = min(rise, _MOST_OF_HEIGHT * height)
    return Roof(shape, rise, _ridge(tags, rectangle, long, short), inset)


def _suitable(
    tags: Tags, polygon: shapely.Polygon, rectangle: BaseGeometry, seed: int
) -> tuple[RoofShape, float]:
    """The shape for a building whose tags do not say it, and where a hipped one turns flat."""
    kind, area = tags.get("building", ""), polygon.area
    is_plain = area > _RECTANGULAR * rectangle.area and not polygon.interiors
    corners = len(polygon.exterior.coords) - 1
    chance = _scattered(seed)
    if kind in _CHURCHES and is_plain:
        return RoofShape.GABLED, math.inf
    if kind in _HOUSES and area < _SMALL_HOUSE:
        if is_plain:
            return (RoofShape.GABLED if chance < 0.65 else RoofShape.HIPPED), math.inf
        return (RoofShape.HIPPED if corners <= _MOST_CORNERS else RoofShape.FLAT), math.inf
    if kind == "yes" and area < _SMALL_BUILDING and is_plain and chance < 0.6:
        return RoofShape.GABLED, math.inf
    if kind in _BLOCKS and area < _BLOCK and chance < 0.6:
        return RoofShape.HIPPED, _BLOCK_INSET
    return RoofShape.FLAT, math.inf


def _scattered(seed: int) -> float:
    """A number in 0..1 that looks random, always the same for a seed (Knuth's hash)."""
    return (abs(seed) * 2654435761 % 2**32) / 2**32


def _rise(tags: Tags, shape: RoofShape, short: float) -> float:
    height = parse_length(tags.get("roof:height"))
    if height is not None:
        return height
    levels = parse_number(tags.get("roof:levels"))
    if levels:
        return levels * _ROOF_LEVEL_HEIGHT
    if shape is RoofShape.PYRAMIDAL:
        return _PYRAMID_SLOPE * short / 2.0
    slope = _STEEP if tags.get("building") in _CHURCHES else _USUAL_SLOPE
    return slope * short / 2.0


def _sides(rectangle: BaseGeometry) -> tuple[float, float]:
    """Lengths [m] of the longer and the shorter side of a rectangle."""
    corners = shapely.get_coordinates(rectangle)
    sides = [math.dist(corners[k], corners[k + 1]) for k in (0, 1)]
    return max(sides), min(sides)


def _ridge(tags: Tags, rectangle: BaseGeometry, long: float, short: float) -> float | None:
    """Direction [rad] of the ridge where the tags turn it from the longer side."""
    direction = _compass(tags.get("roof:direction"))
    if direction is not None:
        return direction + math.pi / 2.0
    if tags.get("roof:orientation") == "across" and long > short:
        return longer_side(rectangle) + math.pi / 2.0
    return None


def longer_side(rectangle: BaseGeometry) -> float:
    """Direction [rad] of the longer side of a rectangle."""
    corners = shapely.get_coordinates(rectangle)
    first, second = corners[1] - corners[0], corners[2] - corners[1]
    side = first if math.hypot(*first) >= math.hypot(*second) else second
    return portable.arctan2(float(side[1]), float(side[0]))


_POINTS = ("N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW",
           "NW", "NNW")  # fmt: skip


def _compass(text: str | None) -> float | None:
    """A direction [rad] from east, of degrees from north or a compass point."""
    if text is None:
        return None
    degrees = _POINTS.index(text) * 22.5 if text in _POINTS else parse_number(text)
    return None if degrees is None else math.pi / 2.0 - math.radians(degrees)
