"""Surfaces for walking and cycling beside streets: paths, squares, platforms and yards, in plan.

A way becomes a strip of its width; an area is as mapped. Both are cut into the ground, as its other
surfaces are, and lie level with it; pedestrian streets and areas have the height of pavements.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Floats
from autosim.world.geometry import overlays
from autosim.world.geometry.meshes import Surface
from autosim.world.osm.areas import Area, find_areas
from autosim.world.osm.osm_data import OsmData
from autosim.world.osm.tags import Tags, first_value, is_yes, layer_of, parse_length


@dataclass(frozen=True, slots=True)
class PathDefaults:
    """Usual width [m] of a kind of path, and its surface where the map states none."""

    width: float
    surface: Surface


_KINDS: Mapping[str, PathDefaults] = {
    "pedestrian": PathDefaults(6.0, Surface.PAVEMENT),
    "footway": PathDefaults(2.0, Surface.PAVING),
    "steps": PathDefaults(2.0, Surface.PAVING),
    "cycleway": PathDefaults(2.5, Surface.ASPHALT),
    "path": PathDefaults(1.6, Surface.GRAVEL),
    "bridleway": PathDefaults(2.0, Surface.GRAVEL),
}
"""By `highway`."""

_NARROWEST, _WIDEST = 0.8, 20.0
"""Least and greatest width [m] of a path; a stated number beyond is a slip of the map."""

_MATERIALS: Mapping[str, Surface | None] = {
    **dict.fromkeys(("asphalt", "chipseal", "tartan", "acrylic"), Surface.ASPHALT),
    **dict.fromkeys(
        ("paving_stones", "concrete", "concrete:plates", "bricks", "brick", "wood", "stone"),
        Surface.PAVING,
    ),
    **dict.fromkeys(
        ("sett", "cobblestone", "cobblestone:flattened", "unhewn_cobblestone"), Surface.SETT
    ),
    **dict.fromkeys(
        ("unpaved", "gravel", "fine_gravel", "compacted", "pebblestone", "ground", "dirt", "earth",
         "sand", "woodchips", "rock"),
        Surface.GRAVEL,
    ),
    **dict.fromkeys(("grass", "mud", "snow", "ice"), None),
}  # fmt: skip
"""By `surface`; None looks like the ground."""

_SIMPLIFY = 0.3
"""Tolerance [m] of simplifying the line of a path: as of all borders on the ground."""

_MITRE = 2.0
"""Length of the corner of a path's border at most, as a share of half the width."""


@dataclass(frozen=True, slots=True)
class Pavings:
    """Paved and beaten ground, by `Surface`.

    `paths` run through greens; `yards` are only where there is no green.
    """

    paths: Mapping[Surface, Sequence[BaseGeometry]]
    yards: Mapping[Surface, Sequence[BaseGeometry]]


def is_path(tags: Tags) -> bool:
    """Whether a way is a path on the ground, drawn as a line."""
    return tags.get("highway") in _KINDS and not _is_area(tags) and _is_outdoors(tags)


def is_paved_area(tags: Tags) -> bool:
    """Whether a closed way or a multipolygon is an area to walk on, a platform or a yard."""
    return (_walked(tags) is not None or _yard(tags) is not None) and _is_outdoors(tags)


def is_square(tags: Tags) -> bool:
    """Whether a closed way or a multipolygon is a square: an area on which people go anywhere."""
    is_walked = tags.get("highway") in _KINDS and _is_area(tags)
    is_place = tags.get("place") == "square" or tags.get("amenity") == "marketplace"
    return _is_outdoors(tags) and (is_walked or is_place)


def find_pavings(
    data: OsmData, points: Floats, greens: Sequence[BaseGeometry], town: BaseGeometry
) -> Pavings:
    """All paths and paved areas.

    Args:
        data: the map.
        points: (n, 2) places of its nodes in W [m].
        greens: parks and lawns; those inside a larger paved area remain.
        town: where all ground is paved that the map says nothing else of.
    """
    paths: dict[Surface, list[BaseGeometry]] = {}
    yards: dict[Surface, list[BaseGeometry]] = {Surface.PAVING: [town]}
    for surface, strip in _strips(data, points):
        paths.setdefault(surface, []).append(strip)
    lawns = shapely.STRtree(greens)
    for area in find_areas(data, points, is_paved_area):
        walked, yard = _walked(area.tags), _yard(area.tags)
        if walked is not None:
            paths.setdefault(walked, []).append(_around_greens(area, lawns))
        elif yard is not None:
            yards.setdefault(yard, []).append(area.shape)
    return Pavings(paths, yards)


def _is_outdoors(tags: Tags) -> bool:
    is_inside = is_yes(tags.get("indoor")) or tags.get("location") in ("indoor", "underground")
    return layer_of(tags) == 0 and not is_inside


def _is_area(tags: Tags) -> bool:
    return tags.get("area") == "yes" or tags.get("type") == "multipolygon"


def _walked(tags: Tags) -> Surface | None:
    """The surface of an area for people on foot; None for other areas and for grass."""
    usual = None
    if tags.get("highway") in _KINDS and _is_area(tags):
        usual = _KINDS[tags["highway"]].surface
    elif "platform" in (tags.get("railway"), tags.get("public_transport"), tags.get("highway")):
        usual = Surface.PAVING
    return usual if usual is None else _surface(tags, usual)


def _yard(tags: Tags) -> Surface | None:
    """The surface of an area that is paved where it is not green; None for other areas."""
    if tags.get("place") == "square" or tags.get("amenity") == "marketplace":
        return _surface(tags, Surface.PAVING)
    if tags.get("amenity") == "parking":
        is_open = tags.get("parking", "surface") in ("surface", "street_side", "lane")
        return _surface(tags, Surface.ASPHALT) if is_open and "building" not in tags else None
    if tags.get("landuse") in ("railway", "construction", "brownfield"):
        return Surface.GRAVEL
    if tags.get("natural") in ("beach", "sand", "shingle", "bare_rock"):
        return Surface.GRAVEL
    return None


def _surface(tags: Tags, usual: Surface) -> Surface | None:
    if tags.get("footway") in ("sidewalk", "crossing"):
        # It continues from the street's own pavement.
        return usual
    stated = _MATERIALS.get(first_value(tags.get("surface", "")), usual)
    # Slabs of a pedestrian street are those of pavements.
    return usual if usual is Surface.PAVEMENT and stated is Surface.PAVING else stated


def _strips(data: OsmData, points: Floats) -> list[tuple[Surface, BaseGeometry]]:
    """Each path with its surface."""
    chosen = [
        (way, surface)
        for way in data.ways
        if len(way.refs) > 1 and is_path(way.tags)
        if (surface := _surface(way.tags, _KINDS[way.tags["highway"]].surface)) is not None
    ]
    lines = [shapely.LineString(points[data.rows(way.refs)]) for way, _ in chosen]
    widths = np.array([path_width(way.tags) for way, _ in chosen])
    smooth = overlays.simplify(np.array(lines, dtype=object), _SIMPLIFY)
    strips = overlays.buffer(
        smooth, widths / 2.0, cap_style="square", join_style="mitre", mitre_limit=_MITRE
    )
    return [(surface, strip) for (_, surface), strip in zip(chosen, strips, strict=True)]


def path_width(tags: Tags) -> float:
    """The width [m] of a path."""
    stated = parse_length(tags.get("width"))
    width = _KINDS[tags["highway"]].width if stated is None else stated
    return min(max(width, _NARROWEST), _WIDEST)


def _around_greens(area: Area, greens: shapely.STRtree) -> BaseGeometry:
    """A paved area without the smaller greens that mappers drew on it."""
    rows = np.sort(greens.query(area.shape, predicate="intersects"))
    own = [green for green in greens.geometries[rows] if green.area < area.shape.area]
    return overlays.difference(area.shape, overlays.union_all(own)) if own else area.shape
