"""Builds supports under parts of buildings that begin above the ground.

`min_height` and `building:min_level` let a part begin above the ground, and the map may not say
what carries it. In some maps the part stands on the outline of the building, which is not built
where parts are mapped (OpenStreetMap, Simple 3D Buildings); in others a storey is missing. A part
that would hang in the air is lowered to the part right below it. Otherwise the space under it is
filled, except for streets and passages that lead through.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import shapely
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Floats
from autosim.world.buildings.building_solids import (
    Footprint,
    footprint_of_area,
    stated_base,
    states_height,
)
from autosim.world.buildings.solid_support import SLIT, Solid, SupportGraph
from autosim.world.geometry import overlays
from autosim.world.geometry.overlays import polygons_of
from autosim.world.osm.areas import Area
from autosim.world.osm.highways import is_railway
from autosim.world.osm.osm_data import OsmData
from autosim.world.osm.tags import Tags

_PARTS_SHARE = 0.6
"""Share of an outline that its parts must cover to count as all its parts."""

_PLINTH = 1.0
"""Height [m] above the ground below which a part stands on it: a plinth."""

_LEAST_AREA = 4.0
"""Area [m²] of the smallest piece that is built."""

_STOREY = 4.0
"""Greatest height [m] of a gap that a map leaves below a part: a storey, or the attic of a flat
roof."""

_PASSAGE = 4.0
"""Width [m] of a passage; the carriageway of a street through it is kept clear in any case."""

_NEAR = 0.5
"""Distance [m] in plan within which outlines are candidates for touching: more than `standing`
allows."""

_MOSTLY = 0.5
"""Share of a part that must lie over free ground for the podium to end at the part."""

Built = Callable[[Area], Sequence[shapely.Polygon]]
"""Gives the polygons of an area that are built, clear of streets; none where it is left out."""


def passages_of(data: OsmData, points: Floats) -> BaseGeometry:
    """The area where ways lead through buildings and railways below them.

    Args:
        data: the map.
        points: (n, 2) places of its nodes in W [m].
    """
    lines = [
        points[data.rows(way.refs)]
        for way in data.ways
        if len(way.refs) > 1 and (_is_passage(way.tags) or is_railway(way.tags))
    ]
    return overlays.buffer(shapely.MultiLineString(lines), _PASSAGE / 2.0, cap_style="square")


def _is_passage(tags: Tags) -> bool:
    return tags.get("tunnel") == "building_passage" and "highway" in tags


def without_outlines(areas: Sequence[Area], passages: BaseGeometry) -> list[Area]:
    """The areas without the outlines of buildings whose parts cover most of the outline.

    Where the parts on the ground do not cover most of it, the outline is built up to the others.

    Args:
        areas: buildings and their parts.
        passages: where ways lead through buildings.
    """
    parts = [area for area in areas if "building:part" in area.tags]
    if not parts:
        return list(areas)
    tree = shapely.STRtree(shapely.point_on_surface([part.shape for part in parts]))
    kept = list(parts)
    for area in areas:
        if "building:part" in area.tags:
            continue
        inside = [parts[k] for k in sorted(tree.query(area.shape, predicate="contains").tolist())]
        if not _cover(inside, area):
            kept.append(area)
        elif not _cover([part for part in inside if _base(part) < _PLINTH], area):
            kept += _podium(area, inside, passages)
    return kept


def _cover(parts: Sequence[Area], outline: Area) -> bool:
    covered = overlays.union_all([part.shape for part in parts])
    area = overlays.intersection(covered, outline.shape).area
    return bool(area >= _PARTS_SHARE * outline.shape.area)


def _base(area: Area) -> float:
    """Height [m] at which an area begins. Most areas state none, so need no footprint for it."""
    return _footprint(area).base if stated_base(area.tags) > 0.0 else 0.0


def _footprint(area: Area) -> Footprint:
    return footprint_of_area(area, max(shapely.get_parts(area.shape), key=lambda part: part.area))


def _podium(outline: Area, parts: Sequence[Area], passages: BaseGeometry) -> list[Area]:
    """The podium: the outline outside the parts on the ground, up to the lowest raised part."""
    own = _footprint(outline)
    if own.base >= _PLINTH:
        return [outline]
    on_ground = overlays.union_all([part.shape for part in parts if _base(part) < _PLINTH])
    free = overlays.difference(outline.shape, on_ground)
    bases = [
        _base(part)
        for part in parts
        if overlays.intersection(part.shape, free).area > _MOSTLY * part.shape.area
    ]
    lowest = min(bases, default=own.height)
    height = min(own.height, lowest) if states_height(outline.tags) else lowest
    return list(_blocks(outline, overlays.difference(free, passages), 0.0, height))


def _blocks(source: Area, shape: BaseGeometry, base: float, height: float) -> Iterator[Area]:
    """Makes flat-roofed blocks that look like a building from all large pieces of a shape."""
    tags = {key: text for key, text in source.tags.items() if key in _LOOKS}
    tags |= {"height": f"{height:.3f}", "min_height": f"{base:.3f}", "roof:shape": "flat"}
    tags.setdefault("building", "yes")
    pieces = [piece for piece in shapely.get_parts(polygons_of(shape)) if piece.area > _LEAST_AREA]
    if pieces:
        yield Area(source.id, tags, shapely.MultiPolygon(pieces))


_LOOKS = frozenset({"building", "building:colour", "roof:colour"})


def held_up(areas: Sequence[Area], *, built: Built, passages: BaseGeometry) -> list[Area]:
    """The areas and the supports built under them; none of them hangs in the air.

    Args:
        areas: buildings and parts, without outlines that are not built.
        built: gives the polygons of each area that are built.
        passages: where ways lead through buildings.
    """
    raised = [number for number, area in enumerate(areas) if _base(area) > 0.0]
    if not raised:
        return list(areas)
    tree = shapely.STRtree([area.shape for area in areas])
    about = tree.query([areas[k].shape for k in raised], predicate="dwithin", distance=_NEAR)[1]
    near = np.unique(about).tolist()
    supporter = _Supporter(built, passages)
    supporter.take([areas[k] for k in near])
    untouched = sorted(set(range(len(areas))) - set(near))
    return [areas[k] for k in untouched] + _on_one_ground(supporter.areas)


class _Supporter:
    """Finds the support of each area and builds missing ones; `areas` is the result."""

    def __init__(self, built: Built, passages: BaseGeometry) -> None:
        self.areas: list[Area] = []
        self._built, self._passages = built, passages
        self._sources: list[Area] = []
        self._structure = SupportGraph([], [])

    def take(self, areas: Sequence[Area]) -> None:
        """Takes all areas at once."""
        solids = [solid for area in areas for solid in self._pieces(area)]
        stands = [number for number, solid in enumerate(solids) if solid.base == 0.0]
        self._structure = SupportGraph(solids, stands)
        hanging = self._structure.settle()
        for number in sorted(set(range(len(solids))) - set(hanging)):
            self._keep(number, solids[number])
        for number in hanging:
            self._hold(number, solids[number])

    def _pieces(self, area: Area) -> Iterator[Solid]:
        """The solids of an area, which is divided if it has several: some may lack a support."""
        pieces = self._built(area)
        if not pieces:
            # The step that builds the areas counts it as left out.
            self.areas.append(area)
        for piece in pieces:
            part = replace(area, shape=shapely.MultiPolygon([piece]))
            self._sources.append(part if len(pieces) > 1 else area)
            yield _solid(part)

    def _hold(self, number: int, solid: Solid) -> None:
        """Lowers an area, else builds under it, else puts it on the ground."""
        for lower in self._let_down(solid):
            if self._structure.holds(lower):
                self._keep(number, lower)
                return
        for passages in (self._passages, shapely.Polygon()):
            blocks = list(self._filling(self._sources[number], solid, passages))
            made = [_solid(block) for block in blocks]
            if self._structure.holds(solid, made):
                for each in made:
                    self._structure.add(each)
                self.areas += blocks
                self._keep(number, solid)
                return
        self._keep(number, replace(solid, base=0.0))

    def _let_down(self, solid: Solid) -> list[Solid]:
        """The solid as it is, then lowered to each top right below it, the highest first."""
        tops = {
            each.top
            for each in self._structure.touching(solid)
            if solid.base - max(_STOREY, each.rise + SLIT) <= each.top < solid.base - SLIT
        }
        return [solid, *(replace(solid, base=top) for top in sorted(tops, reverse=True))]

    def _filling(self, source: Area, solid: Solid, passages: BaseGeometry) -> Iterator[Area]:
        """Blocks that fill the space under a solid down to other solids or to the ground."""
        supports = self._structure.supports(solid)
        taken = overlays.union_all([passages, *(each.shape for each in supports)])
        free = overlays.difference(solid.shape, taken)
        lower = [each for each in self._structure.touching(solid) if each.top < solid.base - SLIT]
        for each in sorted(lower, key=lambda each: -each.top):
            over = overlays.intersection(free, each.shape)
            yield from _blocks(source, over, each.top, solid.base)
            free = overlays.difference(free, each.shape)
        yield from _blocks(source, free, 0.0, solid.base)

    def _keep(self, number: int, solid: Solid) -> None:
        """Adds an area with the underside of its solid, and closes a slit below it."""
        area = self._sources[number]
        if solid.base > 0.0:
            tops = [each.top for each in self._structure.supports(solid) if each.top < solid.base]
            solid = replace(solid, base=min(tops, default=solid.base))
        self._structure.put(number, solid)
        if solid.base != _base(area):
            area = replace(area, tags={**area.tags, "min_height": f"{solid.base:.3f}"})
        self.areas.append(area)


def _solid(area: Area) -> Solid:
    footprint = _footprint(area)
    base = footprint.base if footprint.base >= _PLINTH else 0.0
    return Solid(area.shape, base, footprint.height, footprint.roof.rise)


def _on_one_ground(areas: Sequence[Area]) -> list[Area]:
    """Gives areas that touch a raised one a common place from which heights are measured.

    On a slope, parts would not meet if each were measured from the ground at its own middle.
    """
    shapes = [area.shape for area in areas]
    is_raised = np.array([_base(area) > 0.0 for area in areas])
    pairs = shapely.STRtree(shapes).query(shapes, predicate="dwithin", distance=_NEAR)
    first, second = pairs[:, is_raised[pairs[0]]]
    links = coo_array((np.ones(len(first)), (first, second)), shape=(len(areas), len(areas)))
    _, group = connected_components(links, directed=False)
    # The largest area on the ground gives the place for its group.
    rank = np.lexsort((-shapely.area(shapes), is_raised))
    _, leading = np.unique(group[rank], return_index=True)
    places = shapely.get_coordinates(shapely.point_on_surface(shapes))[rank[leading]]
    return [
        replace(area, ground_at=(float(x), float(y)))
        for area, (x, y) in zip(areas, places[group].tolist(), strict=True)
    ]
