"""Bridges and tunnels: what carries a carriageway that is not on the ground, as closed solids.

A deck is a sheet like the ground, triangulated from its own partition. Along its border stands a
parapet, or the wall of a tunnel; where the street goes on beyond the border, there is none.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.world.carriageways import (
    OVERLAP,
    StreetMap,
    carriageway_shape,
    deck_shape,
    in_lanes_at_height,
)
from autosim.world.compiled import Mesh, Surface
from autosim.world.curves import Floats
from autosim.world.heights import HeightFunction, kerb_lift
from autosim.world.levels import Joint
from autosim.world.meshes import boundary_edges
from autosim.world.partition import NOTHING, make_partition
from autosim.world.triangulation import Density, relief_everywhere, triangulate

Integers = npt.NDArray[np.int64]
Triangles = npt.NDArray[np.int32]

HEADROOM = 4.6
"""Height [m] of a tunnel from its carriageway to its ceiling."""

ROOF = 0.7
"""Thickness [m] of a tunnel's ceiling."""

WALL = 0.3
"""Thickness [m] of parapets and of a tunnel's walls."""

RAMP = 0.02
"""How much [m] per metre two sheets dip under each other where they overlap."""

_LEAST_HEADROOM = 2.2
_PARAPET, _BRIDGE_SLAB, _TUNNEL_SLAB = 0.9, 0.9, 0.4
_DENSITY = Density(relief_edge=2.5)
_PROBE, _GOES_ON = 0.4, 1.0
_AT_JOINT, _BESIDE_JOINT = 0.3, 4.0


@dataclass(frozen=True, slots=True)
class Deck:
    """All bridges or all tunnels of one sheet.

    `sign` is 1 for bridges, -1 for tunnels; `outline` and `carriageway` are shapes in plan;
    `height` gives the carriageway's height; `floor` is the surface to drive and walk on;
    `near_ground`: where a bridge lies little above the ground, or a tunnel's roof comes out of it.
    """

    sheet: int
    sign: int
    outline: BaseGeometry
    carriageway: BaseGeometry
    height: HeightFunction
    floor: Mesh
    near_ground: BaseGeometry


def make_deck(
    town: StreetMap,
    sheet: int,
    *,
    heights: Sequence[HeightFunction],
    inner: Floats,
    near_ground: BaseGeometry,
    kerb_height: float,
) -> Deck:
    """The deck of a sheet.

    Args:
        town: streets and lanes.
        sheet: its number, not 0.
        heights: of all sheets.
        inner: `driven_points` of the sheet.
        near_ground: as of `Deck`.
        kerb_height: [m].
    """
    carriageway = carriageway_shape(town, sheet)
    outline = deck_shape(town, sheet, carriageway)
    nothing = shapely.MultiPolygon()
    partition = make_partition(
        outline, carriageway=carriageway, pavement=outline, water=nothing, park=nothing
    )
    flat = triangulate(
        partition,
        density=_DENSITY,
        relief=relief_everywhere,
        rest=NOTHING,
        extra=inner,
    )
    lifted = kerb_lift(
        flat.triangles,
        flat.surfaces,
        count=len(flat.vertices),
        raised=Surface.PAVEMENT,
        level=Surface.CARRIAGEWAY,
    )
    # No kerb stands in a lane that leads past on another sheet.
    raised = np.flatnonzero(lifted)
    lifted[raised] = ~in_lanes_at_height(flat.vertices[raised], town, sheet, heights)
    height = heights[sheet]
    z = height(flat.vertices) + kerb_height * lifted
    floor = Mesh(np.column_stack([flat.vertices, z]), flat.triangles, flat.surfaces)
    return Deck(sheet, town.levels.signs[sheet], outline, carriageway, height, floor, near_ground)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another sheet: the shape of its carriageway and its height."""

    carriageway: BaseGeometry
    height: HeightFunction


def roof_tops(deck: Deck, ground: Neighbour) -> Floats:
    """Height (n,) [m] in W of a tunnel's roof over each vertex of its floor."""
    tops: Floats = deck.floor.vertices[:, 2] + _tunnel(deck, ground).top
    return tops


def deck_solid(
    deck: Deck, joints: Sequence[Joint], neighbours: Sequence[Neighbour], ground: Neighbour
) -> Mesh:
    """The closed solid of a deck: its floor, and walls, slab and ceiling of concrete.

    Args:
        deck: the deck.
        joints: of all sheets.
        neighbours: all other sheets, the ground among them: where the floor goes on in one of
            their carriageways no wall is built.
        ground: the ground alone, under which a tunnel's roof must stay where a street leads over.
    """
    edges = boundary_edges(deck.floor.triangles)
    first_of_ramps = len(deck.floor.vertices)
    at_joints = _at_joints(deck, edges, joints)
    is_open = at_joints | _goes_on(deck, edges, neighbours)
    open_edges = {tuple(edge) for edge in edges[is_open].tolist()}
    deck = replace(deck, floor=_with_ramps(deck, edges[at_joints]))
    edges = boundary_edges(deck.floor.triangles)
    is_ramp = (edges >= first_of_ramps).any(axis=1)
    is_open = is_ramp | np.array([tuple(edge) in open_edges for edge in edges.tolist()])
    layers = _tunnel(deck, ground) if deck.sign < 0 else _bridge(deck)
    return layers.solid(edges, is_open)


def _with_ramps(deck: Deck, edges: Triangles) -> Mesh:
    """The floor with a ramp from each edge at a joint down under the sheet that goes on there.

    It begins where that sheet's own ramp begins, so that neither way anything rolls against the
    end of a slab, be it a millimetre higher.
    """
    floor = deck.floor
    used, row = np.unique(edges, return_inverse=True)
    outward = np.zeros((len(used), 2))
    np.add.at(outward, row.reshape(-1, 2)[:, 0], _outward(floor.vertices[edges]))
    np.add.at(outward, row.reshape(-1, 2)[:, 1], _outward(floor.vertices[edges]))
    outward /= np.maximum(np.linalg.norm(outward, axis=1, keepdims=True), 1e-9)
    near = floor.vertices[used]
    far = near.copy()
    far[:, :2] += OVERLAP * outward
    far[:, 2] += deck.height(far[:, :2]) - deck.height(near[:, :2]) - RAMP * OVERLAP
    a, b = edges[:, 0], edges[:, 1]
    c, d = (row.reshape(-1, 2).T + len(floor.vertices)).astype(np.int32)
    ramps = np.vstack([np.column_stack([a, c, d]), np.column_stack([a, d, b])])
    return Mesh(
        np.vstack([floor.vertices, far]),
        np.vstack([floor.triangles, ramps]).astype(np.int32),
        np.concatenate([floor.surfaces, np.full(len(ramps), Surface.CARRIAGEWAY, np.uint8)]),
    )


def _at_joints(deck: Deck, edges: Triangles, joints: Sequence[Joint]) -> npt.NDArray[np.bool_]:
    """Which border edges (n,) lie on the line of a joint."""
    middles = deck.floor.vertices[edges, :2].mean(axis=1)
    found = np.zeros(len(edges), dtype=np.bool_)
    for joint in joints:
        if deck.sheet in (joint.sheet, joint.owner):
            gap = middles - joint.place
            along = gap @ joint.ahead - (0.0 if joint.sheet == deck.sheet else 1.0)
            aside = gap @ np.array([-joint.ahead[1], joint.ahead[0]])
            found |= (np.abs(along) < _AT_JOINT) & (np.abs(aside) < joint.half + _BESIDE_JOINT)
    return found


def _goes_on(
    deck: Deck, edges: Triangles, neighbours: Sequence[Neighbour]
) -> npt.NDArray[np.bool_]:
    """Behind which border edges (n,) another sheet's carriageway goes on at the same height."""
    ends = deck.floor.vertices[edges]
    middles = ends.mean(axis=1)
    outward = _outward(ends)
    probes = middles[:, :2] + _PROBE * outward
    found = np.zeros(len(edges), dtype=np.bool_)
    for other in neighbours:
        shapely.prepare(other.carriageway)
        there = np.flatnonzero(shapely.contains_xy(other.carriageway, probes[:, 0], probes[:, 1]))
        gaps = np.abs(other.height(probes[there]) - middles[there, 2])
        found[there[gaps < _GOES_ON]] = True
    return found


def _outward(ends: Floats) -> Floats:
    """Unit vectors (n, 2) to the right of edges (n, 2, 3)."""
    ahead = ends[:, 1, :2] - ends[:, 0, :2]
    ahead = ahead / np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)
    return np.column_stack([ahead[:, 1], -ahead[:, 0]])


@dataclass(frozen=True, slots=True)
class _Layers:
    """A cross-section over each vertex of a floor, as heights (n,) [m] above it.

    `inner_top` of the wall's inner face, `top` of the wall, `bottom` of the slab; `has_roof`
    whether ceiling (at `inner_top`) and roof (at `top`) close it above.
    """

    floor: Mesh
    inner_top: Floats
    top: Floats
    bottom: Floats
    has_roof: bool

    def solid(self, edges: Triangles, is_open: npt.NDArray[np.bool_]) -> Mesh:
        """The closed solid, with walls along the border edges that are not open."""
        side, opening = edges[~is_open], edges[is_open]
        vertices, columns = self._vertices(side)
        floor = self.floor.triangles
        sheets = [floor[:, ::-1] + columns.bottom]
        if self.has_roof:
            sheets += [floor[:, ::-1] + columns.inner_top, floor + columns.top]
        concrete = [*sheets, *_walls(side, columns), *_openings(opening, columns, self.has_roof)]
        concrete += _end_caps(side, opening, columns)
        faces = np.vstack(concrete).astype(np.int32)
        faces = faces[_has_area(vertices, faces)]
        triangles = np.vstack([floor, faces]).astype(np.int32)
        rest = len(faces)
        surfaces = np.concatenate(
            [self.floor.surfaces, np.full(rest, Surface.CONCRETE, dtype=np.uint8)]
        )
        return Mesh(vertices, triangles, surfaces)

    def _vertices(self, side: Triangles) -> tuple[Floats, "_Columns"]:
        """Six copies of the floor's vertices: one for each corner of the cross-section."""
        base = self.floor.vertices
        outer = base.copy()
        outer[:, :2] += WALL * _corner_normals(base, side)
        rise = [
            (base, np.zeros(len(base))),
            (base, self.inner_top),
            (base, self.top),
            (outer, self.top),
            (outer, self.bottom),
            (base, self.bottom),
        ]
        return np.vstack([_raised(points, up) for points, up in rise]), _Columns(len(base))


@dataclass(frozen=True, slots=True)
class _Columns:
    """Offsets from a vertex of the floor to the corners of the cross-section over it."""

    count: int

    @property
    def inner_top(self) -> int:
        return self.count

    @property
    def top(self) -> int:
        return 2 * self.count

    @property
    def outer_top(self) -> int:
        return 3 * self.count

    @property
    def outer_bottom(self) -> int:
        return 4 * self.count

    @property
    def bottom(self) -> int:
        return 5 * self.count

    @property
    def ring(self) -> tuple[int, ...]:
        """The corners of a wall's cross-section in order, from the floor up and round."""
        return (0, self.inner_top, self.top, self.outer_top, self.outer_bottom, self.bottom)


def _raised(points: Floats, up: Floats) -> Floats:
    return np.column_stack([points[:, :2], points[:, 2] + up])


def _has_area(vertices: Floats, triangles: Triangles) -> npt.NDArray[np.bool_]:
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return np.asarray(areas > 1e-9)


def _bridge(deck: Deck) -> _Layers:
    ones = np.ones(len(deck.floor.vertices))
    return _Layers(deck.floor, _PARAPET * ones, _PARAPET * ones, -_BRIDGE_SLAB * ones, False)


def _tunnel(deck: Deck, ground: Neighbour) -> _Layers:
    """A tunnel keeps its ceiling under the streets above it, however low that makes it."""
    points = deck.floor.vertices
    top = np.full(len(points), HEADROOM + ROOF)
    shapely.prepare(ground.carriageway)
    above = np.flatnonzero(shapely.contains_xy(ground.carriageway, points[:, 0], points[:, 1]))
    room = ground.height(points[above, :2]) - points[above, 2] - 0.1
    is_over = room > _LEAST_HEADROOM + ROOF
    top[above[is_over]] = np.minimum(top[above[is_over]], room[is_over])
    return _Layers(deck.floor, top - ROOF, top, np.full(len(points), -_TUNNEL_SLAB), True)


def _corner_normals(points: Floats, side: Triangles) -> Floats:
    """Outward vectors (n, 2) at each vertex: as long as a mitre needs, at most 1.5."""
    sums, counts = np.zeros((len(points), 2)), np.zeros(len(points))
    outward = _outward(points[side])
    for end in (0, 1):
        np.add.at(sums, side[:, end], outward)
        np.add.at(counts, side[:, end], 1.0)
    lengths = np.linalg.norm(sums, axis=1)
    mean = lengths / np.maximum(counts, 1.0)
    scale = np.minimum(1.0 / np.maximum(mean, 1e-6), 1.5) / np.maximum(lengths, 1e-9)
    return np.asarray(sums * scale[:, None])


def _walls(side: Triangles, columns: _Columns) -> list[Triangles]:
    """The faces of walls along edges, corner by corner of the cross-section."""
    ring = columns.ring
    return [
        face
        for low, high in itertools.pairwise(ring)
        if (low, high) != (columns.inner_top, columns.top)
        for face in _quads(side + low, side + high)
    ]


def _openings(opening: Triangles, columns: _Columns, has_roof: bool) -> list[Triangles]:
    """The ends of the slab, and of the roof."""
    faces = _quads(opening + columns.bottom, opening)
    if has_roof:
        faces += _quads(opening + columns.inner_top, opening + columns.top)
    return [face[:, ::-1] for face in faces]


def _quads(low: Triangles, high: Triangles) -> list[Triangles]:
    """Faces between edges (n, 2) and the same edges farther round the cross-section."""
    a, b, c, d = low[:, 0], low[:, 1], high[:, 1], high[:, 0]
    return [np.column_stack([a, c, b]), np.column_stack([a, d, c])]


def _end_caps(side: Triangles, opening: Triangles, columns: _Columns) -> list[Triangles]:
    """The ends of walls, where a border goes over into an opening."""
    ends = np.intersect1d(side[:, 1], opening[:, 0])
    starts = np.intersect1d(side[:, 0], opening[:, 1])
    ring = columns.ring
    hub, others = ring[3], [*ring[4:], *ring[:3]]
    fans = [(hub, first, second) for first, second in itertools.pairwise(others)]
    forward = [np.column_stack([ends + corner for corner in fan]) for fan in fans]
    backward = [np.column_stack([starts + corner for corner in fan[::-1]]) for fan in fans]
    return [*forward, *backward]
