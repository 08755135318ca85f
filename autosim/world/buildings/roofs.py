"""Chooses the roof of a building: by its Simple 3D tags, else by its kind, its size and a seed."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import shapely
from shapely.geometry.base import BaseGeometry

from autosim import portable
from autosim.world.osm.tags import Tags, parse_length, parse_number


@dataclass(frozen=True, slots=True)
class _Rises:
    """Default heights of roofs: chosen by inspecting compiled towns."""

    level: float = 2.8
    """Height [m] of a storey under a roof (`roof:levels`)."""

    church_slope: float = 1.1
    """Slope (rise over run) of a church's roof, 48°."""

    slope: float = 0.7
    """Slope (rise over run) of other roofs, 35°."""

    pyramid_slope: float = 0.9
    """Slope (rise over run) of pyramidal roofs, 42°."""

    least: float = 0.6
    """Least rise [m]: a lower roof looks flat."""

    greatest: float = 14.0
    """Greatest rise [m]: that of a large church."""

    share_of_height: float = 0.6
    """Greatest share of a building's stated height that its roof may take."""


@dataclass(frozen=True, slots=True)
class _Guesses:
    """Default roofs of buildings: chosen by inspecting compiled towns."""

    rectangular: float = 0.84
    """Share of its smallest rectangle above which a footprint counts as rectangular."""

    house_area: float = 380.0
    """Area [m²] up to which a house gets a pitched roof."""

    building_area: float = 150.0
    """Area [m²] up to which a building of an unknown kind may be a house."""

    block_area: float = 4000.0
    """Area [m²] up to which a block of flats may get slopes along its eaves."""

    block_inset: float = 2.6
    """Width [m] of these slopes: about one storey."""

    most_corners: int = 14
    """Number of corners up to which the footprint of a house gets a hipped roof."""

    gabled_houses: float = 0.65
    """Share of the rectangular houses that are gabled; the others are hipped."""

    pitched: float = 0.6
    """Share of the small unknown buildings, and of the blocks, that get a pitched roof."""


_RISES, _GUESSES = _Rises(), _Guesses()


class RoofShape(Enum):
    """The shapes that can be built. Every other shape of OpenStreetMap becomes a similar one."""

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
    """A roof.

    Attributes:
        shape: its shape.
        rise: its height [m] above the eaves.
        ridge: direction [rad] of its ridge; None for along the longer side.
        inset: distance [m] from its eaves beyond which a hipped roof is flat.
    """

    shape: RoofShape = RoofShape.FLAT
    rise: float = 0.0  # [m] none without a stated shape
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
    rise = min(max(_rise(tags, shape, short), _RISES.least), _RISES.greatest)
    if math.isfinite(inset):
        rise = min(rise, inset)
    height = parse_length(tags.get("height"))
    if height is not None:
        rise = min(rise, _RISES.share_of_height * height)
    return Roof(shape, rise, _ridge(tags, rectangle, long, short), inset)


def _suitable(
    tags: Tags, polygon: shapely.Polygon, rectangle: BaseGeometry, seed: int
) -> tuple[RoofShape, float]:
    """The shape and the inset for a building whose tags do not state a shape."""
    kind, area = tags.get("building", ""), polygon.area
    is_plain = area > _GUESSES.rectangular * rectangle.area and not polygon.interiors
    corners = len(polygon.exterior.coords) - 1
    chance = _scattered(seed)
    if kind in _CHURCHES and is_plain:
        return RoofShape.GABLED, math.inf
    if kind in _HOUSES and area < _GUESSES.house_area:
        if is_plain:
            return (
                RoofShape.GABLED if chance < _GUESSES.gabled_houses else RoofShape.HIPPED
            ), math.inf
        return (RoofShape.HIPPED if corners <= _GUESSES.most_corners else RoofShape.FLAT), math.inf
    if chance >= _GUESSES.pitched:
        return RoofShape.FLAT, math.inf
    if kind == "yes" and area < _GUESSES.building_area and is_plain:
        return RoofShape.GABLED, math.inf
    if kind in _BLOCKS and area < _GUESSES.block_area:
        return RoofShape.HIPPED, _GUESSES.block_inset
    return RoofShape.FLAT, math.inf


def _scattered(seed: int) -> float:
    """A number in 0..1 that looks random and depends on the seed alone (Knuth's hash)."""
    return (abs(seed) * 2654435761 % 2**32) / 2**32


def _rise(tags: Tags, shape: RoofShape, short: float) -> float:
    height = parse_length(tags.get("roof:height"))
    if height is not None:
        return height
    levels = parse_number(tags.get("roof:levels"))
    if levels:
        return levels * _RISES.level
    if shape is RoofShape.PYRAMIDAL:
        return _RISES.pyramid_slope * short / 2.0
    slope = _RISES.church_slope if tags.get("building") in _CHURCHES else _RISES.slope
    return slope * short / 2.0


def _sides(rectangle: BaseGeometry) -> tuple[float, float]:
    """Lengths [m] of the longer and the shorter side of a rectangle."""
    corners = shapely.get_coordinates(rectangle)
    sides = [math.dist(corners[k], corners[k + 1]) for k in (0, 1)]
    return max(sides), min(sides)


def _ridge(tags: Tags, rectangle: BaseGeometry, long: float, short: float) -> float | None:
    """Direction [rad] of the ridge where the tags state another than along the longer side."""
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
    """A direction [rad] from east, read from degrees clockwise from north or a compass point."""
    if text is None:
        return None
    degrees = _POINTS.index(text) * 22.5 if text in _POINTS else parse_number(text)
    return None if degrees is None else math.pi / 2.0 - math.radians(degrees)
