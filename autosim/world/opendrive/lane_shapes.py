"""The surfaces in plan: the polygons of lanes by their types, on each level.

A level is a set of roads that do not lie over one another. Level 0 is the ground; on the others are
bridges. Where a road is the upper one of two that cross, it is on a bridge, and for some metres
before and behind.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely
from scipy.spatial import cKDTree
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Booleans, Floats, Integers
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry import overlays
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.geometry.overlays import polygons_of
from autosim.world.markings.patches import mesh_of
from autosim.world.opendrive.lane_links import DRIVEN
from autosim.world.opendrive.road_frames import RoadFrame, inner_of, lifts
from autosim.world.opendrive.xodr_records import XodrLane, XodrSection

SURFACES = {
    **dict.fromkeys(DRIVEN, Surface.CARRIAGEWAY),
    **dict.fromkeys(
        ("shoulder", "stop", "parking", "biking", "border", "restricted", "roadWorks"),
        Surface.CARRIAGEWAY,
    ),
    **dict.fromkeys(("special1", "special2", "special3", "tram", "shared"), Surface.CARRIAGEWAY),
    **dict.fromkeys(("sidewalk", "walking", "curb"), Surface.PAVEMENT),
    "median": Surface.PARK,
    "rail": Surface.GRAVEL,
}
"""The surface of lanes by their type; under others the ground continues."""

_OVER = 2.0
"""Difference in height [m] from which on a road lies over another one."""

_BESIDE_CROSSING = 14.0
"""Distance [m] before and behind the road below up to which a road is on a bridge."""

_ONE_ROAD = 1.5
"""Difference in height [m] below which neighbours are on one bridge."""

_FILLED = 400.0
"""Area [m²] up to which a hole between the ways of a junction is a part of its carriageway."""

_NOTCH = 1.0
"""Half the width [m] of notches between the ways of a junction that are filled."""

_CRACK = 0.02
"""Width [m] of cracks between lanes that rounding leaves and that are closed."""

StripPart = tuple[Floats, Integers, Integers, Floats]
"""Corners (n, 4, 3), surfaces (n,), roads (n,) and gaps (n, 4, 2) of strips, see `LaneStrips`."""

_EMPTY: BaseGeometry = shapely.MultiPolygon()


@dataclass(frozen=True, slots=True)
class LaneStrips:
    """All lanes as quadrilaterals between stations: n of them.

    corners: (n, 4, 3) [m] in W, counter-clockwise; surfaces: (n,) `Surface`; roads: (n,) the number
    of the road; junctions: (n,) whether the road leads through a junction; levels: (n,).
    gaps: (n, 4, 2) [m], distances of the corners from the right and the left border of the road.
    edges: (k, 3) points on the outer borders of roads, about 2 m apart, and edge_levels (k,).
    """

    corners: Floats
    surfaces: Integers
    roads: Integers
    junctions: Booleans
    levels: Integers
    gaps: Floats
    edges: Floats
    edge_levels: Integers

    def mesh(self, level: int) -> Mesh:
        """The strips of a level as triangles."""
        rows = np.flatnonzero(self.levels == level)
        return mesh_of(self.corners[rows], self.surfaces[rows].astype(np.uint8))


@dataclass(frozen=True, slots=True)
class LevelShapes:
    """The surfaces of a level in plan.

    Attributes:
        carriageway: all driving surfaces.
        pavement: all pavements.
        covers: verges of grass and gravel, each with its shape.
    """

    carriageway: BaseGeometry
    pavement: BaseGeometry
    covers: tuple[tuple[Surface, BaseGeometry], ...]


def lane_strips(frames: Mapping[str, RoadFrame]) -> LaneStrips:
    """The strips of all lanes with a surface, on their levels."""
    parts, edges = [], []
    for number, frame in enumerate(frames.values()):
        for section in range(len(frame.road.sections)):
            parts += _strips_of(frame, number, section)
            edges += _edges_of(frame, section)
    through = np.array([bool(frame.road.junction) for frame in frames.values()], dtype=np.bool_)
    return strips_on_levels(parts, edges, through)


def strips_on_levels(
    parts: Sequence[StripPart], edges: Sequence[Floats], through: Booleans
) -> LaneStrips:
    """The strips of all lanes, each on its level.

    Args:
        parts: corners (n, 4, 3), surfaces (n,), numbers of roads (n,) and gaps (n, 4, 2) of each
            lane, see `LaneStrips`.
        edges: points (k, 3) on the outer borders of each road.
        through: whether each road leads through a junction.
    """
    if not parts:
        return _no_strips()
    corners = np.concatenate([part[0] for part in parts])
    surfaces = np.concatenate([part[1] for part in parts])
    roads = np.concatenate([part[2] for part in parts])
    middles = corners.mean(axis=1)
    levels = _levels(corners, middles)
    gaps = np.concatenate([part[3] for part in parts])
    border = np.concatenate(edges) if edges else np.zeros((0, 3))
    _, nearest = cKDTree(middles * (1.0, 1.0, 4.0)).query(border * (1.0, 1.0, 4.0))
    return LaneStrips(
        corners, surfaces, roads, through[roads], levels, gaps, border, levels[nearest]
    )


def _no_strips() -> LaneStrips:
    none = np.zeros(0, dtype=np.int64)
    return LaneStrips(
        corners=np.zeros((0, 4, 3)),
        surfaces=none,
        roads=none,
        junctions=np.zeros(0, np.bool_),
        levels=none,
        gaps=np.zeros((0, 4, 2)),
        edges=np.zeros((0, 3)),
        edge_levels=none,
    )


def _strips_of(frame: RoadFrame, number: int, section: int) -> list[StripPart]:
    rows = frame.rows_of(section)
    if len(rows) < 2:
        return []
    record = frame.road.sections[section]
    s = frame.s[rows]
    borders = frame.borders(section, s)
    has = [k for k, lane in record.lanes.items() if _surface(frame, record, lane) is not None]
    first, last = borders[min([0, *has])], borders[max([0, *has])]
    found = []
    for id_, lane in record.lanes.items():
        surface = _surface(frame, record, lane)
        if surface is None:
            continue
        inner, outer = borders[inner_of(id_)], borders[id_]
        low, high = lifts(record, lane, s)
        if surface == Surface.PAVEMENT:
            # Kerbs are made with the ground, all of one height.
            low, high = np.zeros(len(s)), np.zeros(len(s))
        right, left = (outer, inner) if id_ < 0 else (inner, outer)
        a = frame.beside(rows, right, high if id_ < 0 else low)
        b = frame.beside(rows, left, low if id_ < 0 else high)
        has_width = np.maximum(left - right, 0.0)
        kept = (has_width[:-1] + has_width[1:]) > 1e-3
        quads = np.stack([a[:-1], a[1:], b[1:], b[:-1]], axis=1)[kept]
        sides = [np.stack([each - first, last - each], axis=1) for each in (right, left)]
        gaps = np.stack([sides[0][:-1], sides[0][1:], sides[1][1:], sides[1][:-1]], axis=1)[kept]
        if len(quads):
            count = len(quads)
            found.append((quads, np.full(count, int(surface)), np.full(count, number), gaps))
    return found


def _surface(frame: RoadFrame, section: XodrSection, lane: XodrLane) -> Surface | None:
    """The surface of a lane; in junctions what lies inside of a pavement is carriageway."""
    if not lane.id:
        return None
    found = SURFACES.get(lane.type)
    if found is None and frame.road.junction:
        sign = 1 if lane.id > 0 else -1
        outside = (each for k, each in section.lanes.items() if k * sign > lane.id * sign)
        if any(each.type in SURFACES for each in outside):
            return Surface.CARRIAGEWAY
    return found


def _edges_of(frame: RoadFrame, section: int) -> list[Floats]:
    """Points on the outermost borders of what has a surface."""
    rows = frame.rows_of(section)
    if len(rows) < 2:
        return []
    record = frame.road.sections[section]
    borders = frame.borders(section, frame.s[rows])
    found = []
    for sign in (1, -1):
        ids = [k for k, lane in record.lanes.items() if k * sign > 0 and lane.type in SURFACES]
        last = max(ids, key=abs) if ids else 0
        line = frame.beside(rows, borders[last])
        found.append(divided(line))
    return found


def divided(line: Floats) -> Floats:
    """The points of a line, and more between them: they are at most 2 m apart."""
    lengths = np.linalg.norm(np.diff(line[:, :2], axis=0), axis=1)
    counts = np.maximum(np.ceil(lengths / 2.0).astype(np.int64), 1)
    of = np.repeat(np.arange(len(lengths)), counts)
    share = (np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)) / counts[of]
    return np.vstack([line[of] + share[:, None] * (line[of + 1] - line[of]), line[-1:]])


def _levels(corners: Floats, middles: Floats) -> Integers:
    """The level (n,) of each strip: how many floors lie under it."""
    levels = np.zeros(len(corners), dtype=np.int64)
    if np.ptp(middles[:, 2]) < _OVER:
        return levels
    index = GroundIndex.build(mesh_of(corners, np.zeros(len(corners), np.uint8)))
    # Corners a little inside, too: of a long strip only an end may lie over another road.
    probes = np.concatenate([middles[:, None], 0.1 * middles[:, None] + 0.9 * corners], axis=1)
    of, _, heights = index.hits(probes.reshape(-1, 3))
    below = heights < probes.reshape(-1, 3)[of, 2] - _OVER
    of, heights = of[below], heights[below]
    floors = np.unique(np.column_stack([of, np.floor(heights / _OVER)]), axis=0)
    counts = np.bincount(floors[:, 0].astype(np.int64), minlength=5 * len(corners))
    # Floors whose heights differ by little are one; neighbouring classes of heights hold them.
    is_step = np.zeros(len(floors), dtype=np.int64)
    same = (np.diff(floors[:, 0]) == 0) & (np.diff(floors[:, 1]) <= 1.0)
    is_step[1:][same] = 1
    counts -= np.bincount(
        floors[:, 0].astype(np.int64), weights=is_step, minlength=5 * len(corners)
    ).astype(np.int64)
    return _widened(middles, counts.reshape(-1, 5).max(axis=1))


def _widened(middles: Floats, levels: Integers) -> Integers:
    """The levels with bridges that reach some metres beyond what they cross."""
    found = levels.copy()
    for level in range(1, int(levels.max(initial=0)) + 1):
        rows = np.flatnonzero(levels == level)
        if not len(rows):
            continue
        scale = np.array([1.0, 1.0, _BESIDE_CROSSING / _ONE_ROAD])
        gaps, _ = cKDTree(middles[rows] * scale).query(middles * scale)
        found = np.where((gaps <= _BESIDE_CROSSING) & (found < level), level, found)
    return found


def level_shapes(strips: LaneStrips, level: int) -> LevelShapes:
    """The surfaces of a level as polygons."""
    own = strips.levels == level
    carriageway = _shape(strips, own & (strips.surfaces == Surface.CARRIAGEWAY))
    pavement = _shape(strips, own & (strips.surfaces == Surface.PAVEMENT))
    crossing = own & strips.junctions & (strips.surfaces == Surface.CARRIAGEWAY)
    filled = _filled(_shape(strips, crossing))
    filled = overlays.difference(filled, pavement)
    carriageway = _closed(overlays.union_all([carriageway, filled]))
    covers = tuple(
        (each, _shape(strips, own & (strips.surfaces == each)))
        for each in (Surface.PARK, Surface.GRAVEL)
    )
    return LevelShapes(carriageway, pavement, covers)


def _shape(strips: LaneStrips, chosen: Booleans) -> BaseGeometry:
    rows = np.flatnonzero(chosen)
    if not len(rows):
        return _EMPTY
    corners = strips.corners[rows][:, :, :2]
    # Strips that continue one another are one polygon: uniting few takes a tenth of the time.
    is_first = np.ones(len(rows), dtype=np.bool_)
    is_first[1:] = (corners[1:, [0, 3]] != corners[:-1, [1, 2]]).any(axis=(1, 2))
    parts: list[BaseGeometry] = []
    for run in np.split(corners, np.flatnonzero(is_first)[1:]):
        ring = np.concatenate([run[:, 0], run[-1:, 1], run[-1:, 2], run[::-1, 3]])
        polygon = shapely.Polygon(ring)
        parts += [polygon] if polygon.is_valid else _pieces(run)
    return _closed(overlays.union_all(parts))


def _pieces(run: Floats) -> list[BaseGeometry]:
    """The strips (n, 4, 2) of a lane that crosses itself, each for itself."""
    quads: npt.NDArray[np.object_] = np.asarray(shapely.polygons(run), dtype=object)
    hulls = shapely.convex_hull(quads)
    return [each for each in hulls.tolist() if each.area > 1e-6]


def _closed(shape: BaseGeometry) -> BaseGeometry:
    """A shape without cracks."""
    if shape.is_empty:
        return shape
    wide = overlays.buffer(shape, _CRACK, join_style="mitre", mitre_limit=2)
    return polygons_of(overlays.buffer(wide, -_CRACK, join_style="mitre", mitre_limit=2))


def _filled(shape: BaseGeometry) -> BaseGeometry:
    """The areas between the ways of junctions: their small holes and narrow notches."""
    if shape.is_empty:
        return shape
    wide = overlays.buffer(shape, _NOTCH, quad_segs=2, join_style="mitre", mitre_limit=2)
    closed = polygons_of(overlays.buffer(wide, -_NOTCH, quad_segs=2, join_style="mitre"))
    parts: Sequence[BaseGeometry] = [
        shapely.Polygon(
            polygon.exterior,
            [ring for ring in polygon.interiors if shapely.Polygon(ring).area > _FILLED],
        )
        for polygon in closed.geoms
    ]
    return overlays.union_all(parts)
