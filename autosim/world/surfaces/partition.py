"""One planar partition of the window: each point belongs to exactly one surface.

Carriageway, pavement, water, park and ground are cut out of one another and then cleaned and
simplified together, so that neighbours share every vertex of their common border. That is what
makes the mesh watertight; polygons cleaned one by one leave hairline cracks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Bytes
from autosim.world.geometry.meshes import Surface
from autosim.world.osm.areas import made_valid, polygons_of
from autosim.world.surfaces.lowered_kerbs import KerbDips, no_dips

KERB_WIDTH = 0.30
_SNAP = 0.05
_SIMPLIFY = 0.3
_SMALLEST_PIECE, _HAIR = 0.2, 1e-6
_EMPTY: BaseGeometry = shapely.MultiPolygon()

NOTHING = 255
"""Stands among surfaces for a hole."""


@dataclass(frozen=True, slots=True)
class Partition:
    """Polygons (n,) that cover the window without overlap, each with its `Surface` (n,).

    Holes are polygons too, of `NOTHING`.
    """

    polygons: npt.NDArray[np.object_]
    surfaces: Bytes

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
    park: BaseGeometry,
    bare: Sequence[BaseGeometry] = (),
    holes: BaseGeometry = _EMPTY,
    dips: KerbDips | None = None,
) -> Partition:
    """Cuts the window into surfaces; where shapes overlap, the earlier named one counts.

    Args:
        window: all of it.
        carriageway: where vehicles drive.
        pavement: where people walk, with the carriageway inside or not.
        water: open water.
        park: greens.
        bare: ground, or water, with borders of its own, such as what lies low under a bridge; of
            shapes inside one another the inner one first.
        holes: where there shall be nothing, outside the carriageway.
        dips: where kerbs are dropped: kerbs and pavements have borders there.
    """
    layers = (
        (Surface.CARRIAGEWAY, carriageway),
        (NOTHING, holes),
        *(
            layer
            for shape in bare
            for layer in (
                (Surface.WATER, shapely.intersection(shape, water)),
                (Surface.GROUND, shape),
            )
        ),
        (Surface.PAVEMENT, pavement),
        (Surface.WATER, water),
        (Surface.PARK, park),
        (Surface.GROUND, window),
    )
    taken: BaseGeometry = shapely.MultiPolygon()
    polygons: list[BaseGeometry] = []
    surfaces: list[int] = []
    for surface, shape in layers:
        free = shapely.difference(polygons_of(shapely.intersection(shape, window)), taken)
        parts = _large_parts(free, _HAIR if shape is window else _SMALLEST_PIECE)
        polygons.extend(parts)
        surfaces.extend([int(surface)] * len(parts))
        # Crumbs are left to later layers. A union may leave lines of no area, which the next
        # difference does not know to handle.
        if shape is not window:
            taken = polygons_of(shapely.union(taken, shapely.MultiPolygon(parts)))
    cleaned = _cleaned(np.array(polygons, dtype=object), np.array(surfaces, dtype=np.uint8))
    simple = shapely.coverage_simplify(cleaned.polygons, _SIMPLIFY, simplify_boundary=False)
    return _with_kerbs(Partition(simple, cleaned.surfaces), dips or no_dips())


def divided_at(partition: Partition, shape: BaseGeometry) -> Partition:
    """A partition that has borders also where that of `shape` leads."""
    inside = shapely.intersection(partition.polygons, shape)
    outside = shapely.difference(partition.polygons, shape)
    parts = [polygons_of(part) for part in (*inside, *outside)]
    polygons, sources = shapely.get_parts(parts, return_index=True)
    return _cleaned(polygons, np.tile(partition.surfaces, 2)[sources])


def _large_parts(shape: BaseGeometry, smallest: float) -> list[shapely.Polygon]:
    return [part for part in polygons_of(shape).geoms if part.area > smallest]


def _cleaned(polygons: npt.NDArray[np.object_], surfaces: Bytes) -> Partition:
    """The polygons with common borders made identical and slivers given to a neighbour."""
    # The stubs of shapely 2.1 do not know it yet.
    cleaned = shapely.coverage_clean(  # type: ignore[attr-defined]
        polygons, snapping_distance=_SNAP
    )
    parts, sources = shapely.get_parts(cleaned, return_index=True)
    is_solid = shapely.area(parts) > 0.0
    return Partition(parts[is_solid], surfaces[sources[is_solid]])


def _with_kerbs(partition: Partition, dips: KerbDips) -> Partition:
    """Splits a strip of 0.30 m, the kerb's slope, off the pavement along the carriageway."""
    carriageway = partition.shape(Surface.CARRIAGEWAY)
    near = made_valid(carriageway.buffer(KERB_WIDTH, join_style="mitre", mitre_limit=2))
    shapely.prepare(near)
    tree = shapely.STRtree(dips.ramps)
    is_pavement = partition.surfaces == Surface.PAVEMENT
    polygons = list(partition.polygons[~is_pavement])
    surfaces = list(partition.surfaces[~is_pavement])
    for polygon in partition.polygons[is_pavement]:
        for surface, shape in (
            (Surface.KERB, shapely.intersection(polygon, near)),
            (Surface.PAVEMENT, shapely.difference(polygon, near)),
        ):
            parts = _cut_at_dips(polygons_of(shape), dips, tree)
            polygons.extend(parts)
            surfaces.extend([np.uint8(surface)] * len(parts))
    return _cleaned(np.array(polygons, dtype=object), np.array(surfaces, dtype=np.uint8))


def _cut_at_dips(shape: BaseGeometry, dips: KerbDips, tree: shapely.STRtree) -> list[BaseGeometry]:
    """The parts of a shape, cut where kerbs begin and end to rise; `tree` is of the ramps."""
    near = tree.query(shape, predicate="intersects")
    if not len(near):
        return list(shapely.get_parts(shape))
    low = shapely.union_all(dips.low[near])
    ramps = shapely.union_all(dips.ramps[near])
    # The shape may be the pavement of a whole quarter: the less often it is cut the better.
    dipped = shapely.intersection(shape, ramps)
    pieces = (
        shapely.intersection(dipped, low),
        shapely.difference(dipped, low),
        shapely.difference(shape, ramps),
    )
    return [part for piece in pieces for part in shapely.get_parts(polygons_of(piece))]
