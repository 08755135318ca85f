"""One planar partition of the window: each point belongs to exactly one surface.

The shapes of carriageway, pavement, water, cover and ground are cut out of one another, then
cleaned and simplified together, so that neighbours share every vertex of their common border. This
makes the mesh watertight: polygons that are cleaned one by one leave hairline cracks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Bytes
from autosim.world.geometry import overlays
from autosim.world.geometry.meshes import Surface
from autosim.world.geometry.overlays import made_valid, polygons_of
from autosim.world.surfaces.lowered_kerbs import LoweredKerbs, no_lowered_kerbs

KERB_WIDTH = 0.30
"""Width [m] of the kerb's sloping face. A rigid wheel that meets a vertical kerb at 8 m/s loses
half its speed; a slope of 0.30 m lets it climb."""

_SNAP = 0.05
"""Distance [m] within which cleaning merges vertices. Measured on city maps: it removes nearly all
slivers, while 0.2 m breaks borders."""

_SIMPLIFY = 0.3
"""Tolerance [m] of simplifying borders: the curves of streets keep their shape, and the mesh loses
the many vertices of buffered arcs."""

_SMALLEST_PIECE = 0.2
"""Area [m²] up to which a piece of a surface is left to the surfaces that come after it."""

_SMALLEST_REST = 1e-6
"""Area [m²] up to which a piece of the ground, the last surface, is only a rounding error."""

_NARROW = 2.4
"""Width [m] up to which a strip of ground between pavements is paved."""

_BESIDE_PAVEMENT = 0.3
"""Share of its outline on pavements from which on a strip lies between them."""

_EMPTY: BaseGeometry = shapely.MultiPolygon()

NOTHING = 255
"""Number that stands for a hole among the surfaces: the largest that a byte holds."""

_PAVED = (Surface.PAVEMENT, Surface.PAVING, Surface.SETT, Surface.ASPHALT)

Cover = tuple[Surface, BaseGeometry]
"""A surface and where it lies in plan."""


@dataclass(frozen=True, slots=True)
class Partition:
    """Polygons (n,) that cover the window without overlap, each with its `Surface` (n,).

    Holes are polygons with the surface `NOTHING`.
    """

    polygons: npt.NDArray[np.object_]
    surfaces: Bytes
    """`Surface` of each polygon."""

    def shape(self, *surfaces: int) -> shapely.MultiPolygon:
        """All polygons of some surfaces as one geometry."""
        chosen = np.isin(self.surfaces, surfaces)
        return shapely.MultiPolygon(self.polygons[chosen].tolist())


def make_partition(
    window: BaseGeometry,
    *,
    carriageway: BaseGeometry,
    pavement: BaseGeometry,
    water: BaseGeometry,
    cover: Sequence[Cover] = (),
    bare: Sequence[BaseGeometry] = (),
    holes: BaseGeometry = _EMPTY,
    lowered_kerbs: LoweredKerbs | None = None,
) -> Partition:
    """Cuts the window into surfaces. Where shapes overlap, the first one in the order below wins.

    Args:
        window: the whole area to divide.
        carriageway: where vehicles drive.
        pavement: where pedestrians walk; it may include the carriageway.
        water: open water.
        cover: what else covers the ground: greens, paths, yards.
        bare: areas of ground or water that need borders of their own, such as the lowered ground
            under a bridge. Inner areas come before those around them.
        holes: areas outside the carriageway that get no surface.
        lowered_kerbs: kerbs and pavements get borders where these begin and end.
    """
    division = _Division(window)
    division.take([(Surface.CARRIAGEWAY, carriageway)])
    division.take([(NOTHING, holes)])
    for shape in bare:
        # Nothing grows under a bridge.
        paved = [each for each in cover if each[0] is not Surface.PARK]
        parts = [(surface, overlays.intersection(shape, other)) for surface, other in paved]
        wet = (Surface.WATER, overlays.intersection(shape, water))
        division.take([wet, *parts, (Surface.GROUND, shape)])
    division.take([(Surface.PAVEMENT, pavement)])
    division.take([(Surface.WATER, water), *cover])
    division.take_rest(Surface.GROUND)
    polygons, surfaces = division.polygons, np.array(division.surfaces, dtype=np.uint8)
    cleaned = _cleaned(np.array(polygons, dtype=object), _without_strips(polygons, surfaces))
    simple = overlays.coverage_simplify(cleaned.polygons, _SIMPLIFY, simplify_boundary=False)
    return _with_kerbs(Partition(simple, cleaned.surfaces), lowered_kerbs or no_lowered_kerbs())


class _Division:
    """The window while it is divided: `polygons`, each with its surface, and what they cover."""

    def __init__(self, window: BaseGeometry) -> None:
        self.polygons: list[BaseGeometry] = []
        self.surfaces: list[int] = []
        self._window, self._taken, self._latest = window, _EMPTY, _EMPTY

    def take(self, layers: Sequence[tuple[int, BaseGeometry]]) -> None:
        """Gives each layer what those before it have left; later ones get what is too small.

        Layers that come together are first cut out of one another: that is cheap, while to unite
        each with all that is taken is not.
        """
        self._taken, self._latest = _united(self._taken, self._latest), _EMPTY
        crumbs = []
        for surface, shape in layers:
            inside = polygons_of(overlays.intersection(shape, self._window))
            if inside.is_empty:
                continue
            own = _without(inside, self._latest)
            self._latest = _united(self._latest, own)
            pieces = _without(own, self._taken).geoms
            parts = [piece for piece in pieces if piece.area > _SMALLEST_PIECE]
            crumbs += [piece for piece in pieces if piece.area <= _SMALLEST_PIECE]
            self.polygons += parts
            self.surfaces += [int(surface)] * len(parts)
        if crumbs:
            self._latest = polygons_of(
                overlays.difference(self._latest, overlays.union_all(crumbs))
            )

    def take_rest(self, surface: Surface) -> None:
        """Gives one surface all that is left."""
        free = _without(_without(polygons_of(self._window), self._taken), self._latest)
        parts = [part for part in free.geoms if part.area > _SMALLEST_REST]
        self.polygons += parts
        self.surfaces += [int(surface)] * len(parts)


def _without(shape: shapely.MultiPolygon, other: BaseGeometry) -> shapely.MultiPolygon:
    """The polygons of a shape outside another."""
    if not shapely.intersects(shape, other):
        return shape
    return polygons_of(overlays.difference(shape, other))


def _united(first: BaseGeometry, second: BaseGeometry) -> BaseGeometry:
    """The union, without lines that it may leave: the next difference fails on them."""
    if first.is_empty or second.is_empty:
        return second if first.is_empty else first
    return polygons_of(overlays.union(first, second))


def divided_at(partition: Partition, shape: BaseGeometry) -> Partition:
    """A partition with additional borders along the outline of `shape`."""
    inside = overlays.intersection(partition.polygons, shape)
    outside = overlays.difference(partition.polygons, shape)
    parts = [polygons_of(part) for part in (*inside, *outside)]
    polygons, sources = shapely.get_parts(parts, return_index=True)
    return _cleaned(polygons, np.tile(partition.surfaces, 2)[sources])


def _without_strips(polygons: Sequence[BaseGeometry], surfaces: Bytes) -> Bytes:
    """The surfaces of polygons, with narrow strips of ground between pavements paved."""
    bare = np.flatnonzero(surfaces == Surface.GROUND)
    paved = np.flatnonzero(np.isin(surfaces, _PAVED))
    if not len(bare) or not len(paved):
        return surfaces
    parts = np.array([polygons[row] for row in bare.tolist()], dtype=object)
    # A strip is long for its area; only of what may be one the width is worth finding.
    length = shapely.length(parts)
    is_thin = shapely.area(parts) < length * _NARROW / 2.0
    bare, parts, length = bare[is_thin], parts[is_thin], length[is_thin]
    is_narrow = shapely.is_empty(overlays.buffer(parts, -_NARROW / 2.0, quad_segs=1))
    bare, parts, length = bare[is_narrow], parts[is_narrow], length[is_narrow]
    beside = np.array([polygons[row] for row in paved.tolist()], dtype=object)
    strips, near = shapely.STRtree(beside).query(parts, predicate="intersects")
    shared = shapely.length(overlays.intersection(parts[strips], beside[near]))
    shares = np.bincount(strips, weights=shared, minlength=len(bare)) / np.maximum(length, _SNAP)
    found = surfaces.copy()
    found[bare[shares > _BESIDE_PAVEMENT]] = Surface.PAVING
    return found


def _cleaned(polygons: npt.NDArray[np.object_], surfaces: Bytes) -> Partition:
    """Makes common borders identical and merges slivers into a neighbour."""
    parts, sources = shapely.get_parts(
        overlays.coverage_clean(polygons, snapping_distance=_SNAP), return_index=True
    )
    is_solid = shapely.area(parts) > 0.0
    return Partition(parts[is_solid], surfaces[sources[is_solid]])


def _with_kerbs(partition: Partition, lowered: LoweredKerbs) -> Partition:
    """Splits the kerb, a strip as wide as `KERB_WIDTH`, off the pavement along the carriageway."""
    carriageway = partition.shape(Surface.CARRIAGEWAY)
    near = made_valid(
        overlays.buffer(carriageway, KERB_WIDTH, quad_segs=16, join_style="mitre", mitre_limit=2)
    )
    shapely.prepare(near)
    tree = shapely.STRtree(lowered.ramps)
    is_pavement = partition.surfaces == Surface.PAVEMENT
    polygons = list(partition.polygons[~is_pavement])
    surfaces = list(partition.surfaces[~is_pavement])
    for polygon in partition.polygons[is_pavement]:
        for surface, shape in (
            (Surface.KERB, overlays.intersection(polygon, near)),
            (Surface.PAVEMENT, overlays.difference(polygon, near)),
        ):
            parts = _cut_at_lowered(polygons_of(shape), lowered, tree)
            polygons.extend(parts)
            surfaces.extend([np.uint8(surface)] * len(parts))
    return _cleaned(np.array(polygons, dtype=object), np.array(surfaces, dtype=np.uint8))


def _cut_at_lowered(
    shape: BaseGeometry, lowered: LoweredKerbs, tree: shapely.STRtree
) -> list[BaseGeometry]:
    """Cuts a shape at both ends of each kerb ramp; `tree` indexes the boxes of the ramps."""
    near = tree.query(shape, predicate="intersects")
    if not len(near):
        return list(shapely.get_parts(shape))
    low_boxes = overlays.union_all(lowered.low[near])
    ramp_boxes = overlays.union_all(lowered.ramps[near])
    # The shape may be the pavement of a whole quarter, so it is cut as few times as possible.
    inside = overlays.intersection(shape, ramp_boxes)
    pieces = (
        overlays.intersection(inside, low_boxes),
        overlays.difference(inside, low_boxes),
        overlays.difference(shape, ramp_boxes),
    )
    return [part for piece in pieces for part in shapely.get_parts(polygons_of(piece))]
