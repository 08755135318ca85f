"""Decks as closed solids.

Along the border of a deck stands a parapet, or the wall of a tunnel; where the street goes on
beyond the border, there is none. A tunnel whose roof would come out of the ground lies in an open
cutting there.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.world.carriageways import OVERLAP
from autosim.world.compiled import Mesh, Surface
from autosim.world.curves import Floats
from autosim.world.decks import HEADROOM, RAMP, ROOF, WALL, Deck
from autosim.world.heights import HeightFunction
from autosim.world.levels import Joint
from autosim.world.meshes import boundary_edges

Booleans = npt.NDArray[np.bool_]
Triangles = npt.NDArray[np.int32]
Integers = npt.NDArray[np.int64]

_LEAST_HEADROOM = 2.2
_PARAPET, _BRIDGE_SLAB, _TUNNEL_SLAB = 0.9, 0.9, 0.4
_PROBE, _GOES_ON = 0.4, 1.0
_AT_JOINT, _BESIDE_JOINT = 0.3, 4.0
_INWARD, _MARGIN = 0.2, 0.5


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another sheet: the shape of its carriageway, its height, and holes in it."""

    carriageway: BaseGeometry
    height: HeightFunction
    holes: BaseGeometry = field(default_factory=shapely.MultiPolygon)


def roof_tops(deck: Deck, ground: Neighbour, rows: Integers) -> Floats:
    """Heights (n,) [m] in W of a tunnel's roof, or walls, at the vertices `rows` (n,) of its floor.

    What stands at a vertex depends on the triangles that it is a corner of, and on no others.
    """
    is_asked = np.zeros(len(deck.floor.vertices), dtype=np.bool_)
    is_asked[rows] = True
    own = is_asked[deck.floor.triangles].any(axis=1)
    triangles = deck.floor.triangles[own]
    used = np.union1d(rows, triangles)
    corners = np.searchsorted(used, triangles).astype(np.int32)
    floor = Mesh(deck.floor.vertices[used], corners, deck.floor.surfaces[own])
    tops: Floats = floor.vertices[:, 2] + _tunnel(replace(deck, floor=floor), ground).top
    return tops[np.searchsorted(used, rows)]


def deck_solid(
    deck: Deck, joints: Sequence[Joint], neighbours: Sequence[Neighbour], ground: Neighbour
) -> Mesh:
    """The closed solid of a deck: its floor, and walls, slab and ceiling of concrete.

    Args:
        deck: the deck.
        joints: of all sheets.
        neighbours: all other sheets, the ground among them: where the floor goes on in one of
            their carriageways no wall is built.
        ground: the ground alone, under which a tunnel's roof must stay where a street leads over;
            where it has a hole there is no roof.
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


def _at_joints(deck: Deck, edges: Triangles, joints: Sequence[Joint]) -> Booleans:
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


def _goes_on(deck: Deck, edges: Triangles, neighbours: Sequence[Neighbour]) -> Booleans:
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

    `inner_top` of the wall's inner face, `top` of the wall, `bottom` of the slab; `is_roofed`:
    over which triangles (m,) of the floor ceiling (at `inner_top`) and roof (at `top`) close it.
    """

    floor: Mesh
    inner_top: Floats
    top: Floats
    bottom: Floats
    is_roofed: Booleans

    def solid(self, edges: Triangles, is_open: Booleans) -> Mesh:
        """The closed solid, with walls along the border edges that are not open."""
        side, opening = edges[~is_open], edges[is_open]
        vertices, columns = self._vertices(side)
        floor = self.floor.triangles
        roof = floor[self.is_roofed]
        eaves = boundary_edges(roof)
        concrete = [
            floor[:, ::-1] + columns.bottom,
            roof[:, ::-1] + columns.inner_top,
            roof + columns.top,
            *_walls(side, side[~_are_among(side, eaves)], columns),
            *_ends(opening, columns.bottom, 0),
            *_ends(eaves[~_are_among(eaves, side)], columns.inner_top, columns.top),
            *_end_caps(side, opening, columns),
        ]
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


def _has_area(vertices: Floats, triangles: Triangles) -> Booleans:
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return np.asarray(areas > 1e-9)


def _bridge(deck: Deck) -> _Layers:
    ones = np.ones(len(deck.floor.vertices))
    has_none = np.zeros(len(deck.floor.triangles), dtype=np.bool_)
    return _Layers(deck.floor, _PARAPET * ones, _PARAPET * ones, -_BRIDGE_SLAB * ones, has_none)


def _tunnel(deck: Deck, ground: Neighbour) -> _Layers:
    """A tunnel keeps its ceiling under the ground above it, however low that makes it.

    In an open cutting its walls are parapets for the ground beside it.
    """
    points = deck.floor.vertices
    is_below_street = _in(ground.carriageway, points)
    # Elsewhere it lies deep.
    rows = np.flatnonzero(is_below_street | _in(deck.near_ground.buffer(_MARGIN), points))
    depths = np.full(len(points), np.inf)
    depths[rows] = ground.height(points[rows, :2]) - points[rows, 2]
    room = depths - 0.1
    has_room = room > _LEAST_HEADROOM + ROOF
    top = np.where(has_room, np.minimum(room, HEADROOM + ROOF), HEADROOM + ROOF)
    inner_top = top - ROOF
    is_roofed = _is_roofed(deck, ground, has_room & is_below_street)
    is_open = np.ones(len(points), dtype=np.bool_)
    is_open[deck.floor.triangles[is_roofed]] = False
    walls = np.clip(depths[is_open] + _PARAPET, _PARAPET, HEADROOM + ROOF)
    inner_top[is_open] = top[is_open] = walls
    return _Layers(deck.floor, inner_top, top, np.full(len(points), -_TUNNEL_SLAB), is_roofed)


def _is_roofed(deck: Deck, ground: Neighbour, is_under: Booleans) -> Booleans:
    """Which triangles (n,) of a tunnel's floor do not lie in an open cutting.

    They do where the roof would come out of the ground: in a hole of it, or where a street on it
    leads into the tunnel, but not where one passes over those vertices (m,) that are under it. Over
    a ramp, outside the tunnel's outline, there is the roof of the sheet that goes on there.
    """
    corners = deck.floor.vertices[deck.floor.triangles, :2]
    middles = corners.mean(axis=1)
    # The rim of a hole is simplified, and so lies a little beside the border of the floor.
    inner = corners + _INWARD * (middles[:, None] - corners)
    is_open: Booleans = np.asarray(_in(deck.near_ground, inner).all(axis=1))
    near = inner[is_open]
    is_open[is_open] = (_in(ground.holes, near) | _in(ground.carriageway, near)).all(axis=1)
    is_covered = is_under[deck.floor.triangles].any(axis=1) | ~is_open
    return np.asarray(is_covered & _in(deck.outline, middles))


def _in(shape: BaseGeometry, points: Floats) -> Booleans:
    """Which points (..., 2 or more) lie in a shape."""
    shapely.prepare(shape)
    return np.asarray(shapely.contains_xy(shape, points[..., 0], points[..., 1]))


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


def _are_among(edges: Triangles, others: Triangles) -> Booleans:
    """Which edges (n, 2) are among others (m, 2)."""
    numbers = (each.astype(np.int64) @ np.array([1 << 32, 1]) for each in (edges, others))
    return np.isin(*numbers)


def _walls(side: Triangles, roofless: Triangles, columns: _Columns) -> list[Triangles]:
    """The faces of walls along edges, corner by corner of the cross-section.

    Where these are `roofless` no slab ends between inner top and top.
    """
    return [
        face
        for low, high in itertools.pairwise(columns.ring)
        for edges in (roofless if (low, high) == (columns.inner_top, columns.top) else side,)
        for face in _quads(edges + low, edges + high)
    ]


def _ends(edges: Triangles, low: int, high: int) -> list[Triangles]:
    """The end of a slab over edges, from its lower to its upper side."""
    return [face[:, ::-1] for face in _quads(edges + low, edges + high)]


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
