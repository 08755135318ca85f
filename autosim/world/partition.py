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

from autosim.world.areas import polygons_of
from autosim.world.compiled import Surface
from autosim.world.lanes import LanePlan
from autosim.world.streets import Street

KERB_WIDTH = 0.30
_SNAP = 0.05
_SIMPLIFY = 0.3
_KERB_RADIUS = 5.0
_VEHICLE_HALF_SPACE = (1.25, 1.9)
_SMALLEST_PIECE = 0.2
_QUARTER = 6


@dataclass(frozen=True, slots=True)
class Partition:
    """Polygons (n,) that cover the window without overlap, each with its `Surface` (n,)."""

    polygons: npt.NDArray[np.object_]
    surfaces: npt.NDArray[np.uint8]

    def shape(self, *surfaces: Surface) -> BaseGeometry:
        """All polygons of some surfaces as one geometry."""
        chosen = np.isin(self.surfaces, surfaces)
        return shapely.MultiPolygon(self.polygons[chosen].tolist())


def carriageway_shape(streets: Sequence[Street], plan: LanePlan) -> BaseGeometry:
    """Where vehicles may drive: streets, the room of lanes and connectors, kerb radii."""
    half_widths = np.array([street.profile.width / 2.0 for street in streets])
    bodies = shapely.buffer(_lines(streets), half_widths, quad_segs=_QUARTER)
    lanes = np.array([shapely.LineString(draft.points) for draft in plan.drafts])
    widths = np.array([draft.width for draft in plan.drafts])
    room = shapely.buffer(lanes, np.clip(widths / 2.0, *_VEHICLE_HALF_SPACE), quad_segs=_QUARTER)
    heads = [shapely.Point(h.centre).buffer(h.radius, quad_segs=12) for h in plan.turning_heads]
    sheet = shapely.union_all([*bodies, *room, *heads])
    return _with_kerb_radii(sheet, streets)


def _lines(streets: Sequence[Street]) -> npt.NDArray[np.object_]:
    return np.array([shapely.LineString(street.points) for street in streets], dtype=object)


def _with_kerb_radii(sheet: BaseGeometry, streets: Sequence[Street]) -> BaseGeometry:
    """Rounds the inner corners of junctions; elsewhere it would weld parallel streets."""
    near = _junction_zones(streets)
    closed = sheet.buffer(_KERB_RADIUS, quad_segs=_QUARTER).buffer(
        -_KERB_RADIUS, quad_segs=_QUARTER
    )
    return polygons_of(shapely.union(sheet, shapely.intersection(closed, near)))


def _junction_zones(streets: Sequence[Street]) -> BaseGeometry:
    radii: dict[int, float] = {}
    places: dict[int, npt.NDArray[np.float64]] = {}
    meetings: dict[int, int] = {}
    for street in streets:
        for node, place in ((street.start, street.points[0]), (street.end, street.points[-1])):
            radii[node] = max(radii.get(node, 0.0), street.profile.width / 2.0 + _KERB_RADIUS + 2.0)
            places[node] = place
            meetings[node] = meetings.get(node, 0) + 1
    chosen = [node for node, count in meetings.items() if count > 1]
    centres = [shapely.Point(places[node]) for node in chosen]
    return shapely.union_all(shapely.buffer(centres, [radii[node] for node in chosen]))


def pavement_shape(streets: Sequence[Street]) -> BaseGeometry:
    """The carriageways' surroundings as wide as their pavements (with the carriageways inside)."""
    pieces: list[BaseGeometry] = []
    lines = _lines(streets)
    for line, street in zip(lines, streets, strict=True):
        left, right = street.profile.pavement
        half = street.profile.width / 2.0
        if left == right and left > 0.0:
            pieces.append(shapely.buffer(line, half + left, quad_segs=_QUARTER))
            continue
        if left > 0.0:
            pieces.append(shapely.buffer(line, half + left, single_sided=True))
        if right > 0.0:
            pieces.append(shapely.buffer(line, -(half + right), single_sided=True))
    return polygons_of(shapely.union_all(pieces))


def make_partition(
    window: BaseGeometry,
    *,
    carriageway: BaseGeometry,
    pavement: BaseGeometry,
    water: BaseGeometry,
    park: BaseGeometry,
) -> Partition:
    """Cuts the window into surfaces; where shapes overlap, the earlier named one counts."""
    layers = (
        (Surface.CARRIAGEWAY, carriageway),
        (Surface.PAVEMENT, pavement),
        (Surface.WATER, water),
        (Surface.PARK, park),
        (Surface.GROUND, window),
    )
    taken: BaseGeometry = shapely.MultiPolygon()
    polygons: list[BaseGeometry] = []
    surfaces: list[int] = []
    for surface, shape in layers:
        free = shapely.difference(shapely.intersection(shape, window), taken)
        parts = _large_parts(free, 0.0 if surface is Surface.GROUND else _SMALLEST_PIECE)
        polygons.extend(parts)
        surfaces.extend([int(surface)] * len(parts))
        taken = shapely.union(taken, polygons_of(free))
    cleaned = _cleaned(np.array(polygons, dtype=object), np.array(surfaces, dtype=np.uint8))
    simple = shapely.coverage_simplify(cleaned.polygons, _SIMPLIFY, simplify_boundary=False)
    return _with_kerbs(Partition(simple, cleaned.surfaces))


def _large_parts(shape: BaseGeometry, smallest: float) -> list[BaseGeometry]:
    parts = shapely.get_parts(polygons_of(shape))
    return [part for part in parts if part.area > smallest]


def _cleaned(polygons: npt.NDArray[np.object_], surfaces: npt.NDArray[np.uint8]) -> Partition:
    """The polygons with common borders made identical and slivers given to a neighbour."""
    # The stubs of shapely 2.1 do not know it yet.
    cleaned = shapely.coverage_clean(  # type: ignore[attr-defined]
        polygons, snapping_distance=_SNAP
    )
    parts, sources = shapely.get_parts(cleaned, return_index=True)
    is_solid = shapely.area(parts) > 0.0
    return Partition(parts[is_solid], surfaces[sources[is_solid]])


def _with_kerbs(partition: Partition) -> Partition:
    """Splits a strip of 0.30 m, the kerb's slope, off the pavement along the carriageway."""
    near = partition.shape(Surface.CARRIAGEWAY).buffer(
        KERB_WIDTH, join_style="mitre", mitre_limit=2
    )
    shapely.prepare(near)
    is_pavement = partition.surfaces == Surface.PAVEMENT
    polygons = list(partition.polygons[~is_pavement])
    surfaces = list(partition.surfaces[~is_pavement])
    for polygon in partition.polygons[is_pavement]:
        for surface, shape in (
            (Surface.KERB, shapely.intersection(polygon, near)),
            (Surface.PAVEMENT, shapely.difference(polygon, near)),
        ):
            parts = shapely.get_parts(polygons_of(shape))
            polygons.extend(parts)
            surfaces.extend([np.uint8(surface)] * len(parts))
    return _cleaned(np.array(polygons, dtype=object), np.array(surfaces, dtype=np.uint8))
