"""Builds decks as closed solids.

A parapet, or the wall of a tunnel, stands along the border of a deck, except where the street
continues beyond the border. Where the roof of a tunnel would stick out of the ground, the tunnel
lies in an open cutting.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.world.geometry import overlays
from autosim.world.geometry.height_function import HeightFunction
from autosim.world.geometry.meshes import Mesh, Surface, boundary_edges
from autosim.world.levels.level_division import LevelTransition
from autosim.world.structures.cross_sections import CrossSections, Triangles, outward_normals
from autosim.world.structures.decks import HEADROOM, RAMP, ROOF, Deck
from autosim.world.surfaces.carriageway_shapes import OVERLAP


@dataclass(frozen=True, slots=True)
class _Sizes:
    """Heights and thicknesses of decks: usual in civil engineering, rounded."""

    least_headroom: float = 2.2
    """Height [m] over a tunnel's carriageway that must remain under a street: any car fits."""

    parapet: float = 0.9
    """Height [m] of a parapet above the deck: as a low bridge railing."""

    bridge_slab: float = 0.9
    """Thickness [m] of a bridge from its deck to its underside."""

    tunnel_slab: float = 0.4
    """Thickness [m] of a tunnel's floor."""

    lowest_wall: float = 0.02
    """Height [m] that is left of a wall beside which a lane of another level passes."""

    cover: float = 0.1
    """Thickness [m] of the ground that remains between a tunnel's roof and the street over it."""


@dataclass(frozen=True, slots=True)
class _Reach:
    """Distances within which parts of a deck belong together."""

    probe: float = 0.4
    """Distance [m] behind a border at which the floor of another level is searched: past the
    rounding of its border."""

    same_height: float = 1.0
    """Difference in height [m] below which the other level's floor continues this one."""

    at_transition: float = 0.3
    """Distance [m] from a transition's line within which a border edge lies on it."""

    beside_transition: float = 4.0
    """Distance [m] of a transition's line past the carriageway's edge: past every pavement, as the
    cut of the carriageway."""

    inward: float = 0.2
    """Share of the way from a triangle's corners to its middle at which the corners are tested: the
    simplified rim of a hole lies a little beside the border of the floor."""

    margin: float = 0.5
    """Distance [m] around the open part of a tunnel within which the ground's height counts."""


_SIZES, _REACH = _Sizes(), _Reach()


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another level: the shape of its carriageway, its height function and the holes in it."""

    carriageway: BaseGeometry
    height: HeightFunction
    holes: BaseGeometry = field(default_factory=shapely.MultiPolygon)


def roof_tops(deck: Deck, ground: Neighbour, rows: Integers) -> Floats:
    """Heights (n,) [m] in W of a tunnel's roof, or walls, at the vertices `rows` (n,) of its floor.

    The height at a vertex depends only on the triangles that have a corner there.
    """
    is_asked = np.zeros(len(deck.floor.vertices), dtype=np.bool_)
    is_asked[rows] = True
    own = is_asked[deck.floor.triangles].any(axis=1)
    triangles = deck.floor.triangles[own]
    used = np.union1d(rows, triangles)
    corners = np.searchsorted(used, triangles).astype(np.int32)
    floor = Mesh(deck.floor.vertices[used], corners, deck.floor.surfaces[own])
    part = replace(deck, floor=floor, wall_limits=deck.wall_limits[used])
    tops: Floats = floor.vertices[:, 2] + _tunnel(part, ground).top
    return tops[np.searchsorted(used, rows)]


def deck_solid(
    deck: Deck,
    transitions: Sequence[LevelTransition],
    neighbours: Sequence[Neighbour],
    ground: Neighbour,
) -> Mesh:
    """The closed solid of a deck: its floor, and walls, slab and ceiling of concrete.

    Args:
        deck: the deck.
        transitions: of all levels.
        neighbours: all other levels, the ground among them. No wall is built where the floor
            continues in one of their carriageways.
        ground: the ground alone. A tunnel's roof stays below it where a street leads over, and
            there is no roof in its holes.
    """
    edges = boundary_edges(deck.floor.triangles)
    first_of_ramps = len(deck.floor.vertices)
    at_transitions = _at_transitions(deck, edges, transitions)
    is_open = at_transitions | _goes_on(deck, edges, neighbours)
    open_edges = {tuple(edge) for edge in edges[is_open].tolist()}
    floor = _with_ramps(deck, edges[at_transitions])
    ramps = np.full(len(floor.vertices) - first_of_ramps, np.inf)
    deck = replace(deck, floor=floor, wall_limits=np.append(deck.wall_limits, ramps))
    edges = boundary_edges(deck.floor.triangles)
    is_ramp = (edges >= first_of_ramps).any(axis=1)
    is_open = is_ramp | np.array([tuple(edge) in open_edges for edge in edges.tolist()])
    sections = _tunnel(deck, ground) if deck.sign < 0 else _bridge(deck)
    return sections.solid(edges, is_open)


def _with_ramps(deck: Deck, edges: Triangles) -> Mesh:
    """Adds a ramp to the floor at each transition, down under the level that continues there.

    The ramp begins where that level's own ramp begins. So nothing that rolls in either direction
    hits the end of a slab, not even one that is a millimetre higher.
    """
    floor = deck.floor
    used, row = np.unique(edges, return_inverse=True)
    outward = np.zeros((len(used), 2))
    np.add.at(outward, row.reshape(-1, 2)[:, 0], outward_normals(floor.vertices[edges]))
    np.add.at(outward, row.reshape(-1, 2)[:, 1], outward_normals(floor.vertices[edges]))
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


def _at_transitions(
    deck: Deck, edges: Triangles, transitions: Sequence[LevelTransition]
) -> Booleans:
    """Mask of border edges (n,) on the line of a transition."""
    middles = deck.floor.vertices[edges, :2].mean(axis=1)
    found = np.zeros(len(edges), dtype=np.bool_)
    for transition in transitions:
        if deck.level in (transition.level, transition.owner):
            gap = middles - transition.place
            along = portable.dot(gap, transition.ahead) - (
                0.0 if transition.level == deck.level else 1.0
            )
            aside = portable.dot(gap, np.array([-transition.ahead[1], transition.ahead[0]]))
            found |= (np.abs(along) < _REACH.at_transition) & (
                np.abs(aside) < transition.half + _REACH.beside_transition
            )
    return found


def _goes_on(deck: Deck, edges: Triangles, neighbours: Sequence[Neighbour]) -> Booleans:
    """Mask of border edges (n,) with another level's carriageway behind them at the same height."""
    ends = deck.floor.vertices[edges]
    middles = ends.mean(axis=1)
    outward = outward_normals(ends)
    probes = middles[:, :2] + _REACH.probe * outward
    found = np.zeros(len(edges), dtype=np.bool_)
    for other in neighbours:
        shapely.prepare(other.carriageway)
        there = np.flatnonzero(shapely.contains_xy(other.carriageway, probes[:, 0], probes[:, 1]))
        gaps = np.abs(other.height(probes[there]) - middles[there, 2])
        found[there[gaps < _REACH.same_height]] = True
    return found


def _bridge(deck: Deck) -> CrossSections:
    ones = np.ones(len(deck.floor.vertices))
    has_none = np.zeros(len(deck.floor.triangles), dtype=np.bool_)
    parapet = _limited(_SIZES.parapet * ones, deck.wall_limits)
    slab = _SIZES.bridge_slab * ones
    return CrossSections(deck.floor, parapet, parapet, -slab, has_none)


def _limited(walls: Floats, limits: Floats) -> Floats:
    """Heights (n,) [m] of walls that keep below the lanes of other levels close by."""
    return np.minimum(walls, np.maximum(limits, _SIZES.lowest_wall))


def _tunnel(deck: Deck, ground: Neighbour) -> CrossSections:
    """The cross-sections of a tunnel, whose ceiling stays below the ground above it.

    In an open cutting its walls rise above the ground beside it as parapets.
    """
    points = deck.floor.vertices
    is_below_street = _in(ground.carriageway, points)
    # Everywhere else the tunnel lies deep, so the height of the ground does not matter.
    around = overlays.buffer(deck.near_ground, _REACH.margin, quad_segs=16)
    rows = np.flatnonzero(is_below_street | _in(around, points))
    depths = np.full(len(points), np.inf)
    depths[rows] = ground.height(points[rows, :2]) - points[rows, 2]
    room = depths - _SIZES.cover
    has_room = room > _SIZES.least_headroom + ROOF
    top = np.where(has_room, np.minimum(room, HEADROOM + ROOF), HEADROOM + ROOF)
    top = np.minimum(top, np.maximum(deck.wall_limits, _SIZES.least_headroom + ROOF))
    inner_top = top - ROOF
    is_roofed = _is_roofed(deck, ground, has_room & is_below_street)
    is_open = np.ones(len(points), dtype=np.bool_)
    is_open[deck.floor.triangles[is_roofed]] = False
    walls = np.clip(depths[is_open] + _SIZES.parapet, _SIZES.parapet, HEADROOM + ROOF)
    inner_top[is_open] = top[is_open] = _limited(walls, deck.wall_limits[is_open])
    bottom = np.full(len(points), -_SIZES.tunnel_slab)
    return CrossSections(deck.floor, inner_top, top, bottom, is_roofed)


def _is_roofed(deck: Deck, ground: Neighbour, is_under: Booleans) -> Booleans:
    """Mask of triangles (n,) of a tunnel's floor that have a roof.

    A triangle has none where the roof would stick out of the ground: in a hole of the ground, or
    where a street on the ground leads into the tunnel. It has one where a street passes over its
    vertices, which `is_under` (m,) marks. A ramp outside the tunnel's outline has none,
    because the level that continues there covers it.
    """
    corners = deck.floor.vertices[deck.floor.triangles, :2]
    middles = corners.mean(axis=1)
    # The rim of a hole is simplified, and so lies a little beside the border of the floor.
    inner = corners + _REACH.inward * (middles[:, None] - corners)
    is_open: Booleans = np.asarray(_in(deck.near_ground, inner).all(axis=1))
    near = inner[is_open]
    is_open[is_open] = (_in(ground.holes, near) | _in(ground.carriageway, near)).all(axis=1)
    is_covered = is_under[deck.floor.triangles].any(axis=1) | ~is_open
    return np.asarray(is_covered & _in(deck.outline, middles))


def _in(shape: BaseGeometry, points: Floats) -> Booleans:
    """Mask of points (..., 2 or more) in a shape."""
    shapely.prepare(shape)
    return np.asarray(shapely.contains_xy(shape, points[..., 0], points[..., 1]))
