"""Decks as closed solids.

Along the border of a deck stands a parapet, or the wall of a tunnel; where the street goes on
beyond the border, there is none. A tunnel whose roof would come out of the ground lies in an open
cutting there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.world.geometry.height_function import HeightFunction
from autosim.world.geometry.meshes import Mesh, Surface, boundary_edges
from autosim.world.levels.levels import LevelTransition
from autosim.world.structures.cross_sections import CrossSections, Triangles, outward_normals
from autosim.world.structures.decks import HEADROOM, RAMP, ROOF, Deck
from autosim.world.surfaces.carriageways import OVERLAP

_LEAST_HEADROOM = 2.2
_PARAPET, _BRIDGE_SLAB, _TUNNEL_SLAB = 0.9, 0.9, 0.4
_PROBE, _GOES_ON = 0.4, 1.0
_AT_TRANSITION, _BESIDE_TRANSITION = 0.3, 4.0
_INWARD, _MARGIN = 0.2, 0.5


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another level: the shape of its carriageway, its height, and holes in it."""

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
    deck: Deck,
    transitions: Sequence[LevelTransition],
    neighbours: Sequence[Neighbour],
    ground: Neighbour,
) -> Mesh:
    """The closed solid of a deck: its floor, and walls, slab and ceiling of concrete.

    Args:
        deck: the deck.
        transitions: of all levels.
        neighbours: all other levels, the ground among them: where the floor goes on in one of
            their carriageways no wall is built.
        ground: the ground alone, under which a tunnel's roof must stay where a street leads over;
            where it has a hole there is no roof.
    """
    edges = boundary_edges(deck.floor.triangles)
    first_of_ramps = len(deck.floor.vertices)
    at_transitions = _at_transitions(deck, edges, transitions)
    is_open = at_transitions | _goes_on(deck, edges, neighbours)
    open_edges = {tuple(edge) for edge in edges[is_open].tolist()}
    deck = replace(deck, floor=_with_ramps(deck, edges[at_transitions]))
    edges = boundary_edges(deck.floor.triangles)
    is_ramp = (edges >= first_of_ramps).any(axis=1)
    is_open = is_ramp | np.array([tuple(edge) in open_edges for edge in edges.tolist()])
    sections = _tunnel(deck, ground) if deck.sign < 0 else _bridge(deck)
    return sections.solid(edges, is_open)


def _with_ramps(deck: Deck, edges: Triangles) -> Mesh:
    """The floor with a ramp from each edge at a transition down under the level that goes on there.

    It begins where that level's own ramp begins, so that neither way anything rolls against the
    end of a slab, be it a millimetre higher.
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
    """Which border edges (n,) lie on the line of a transition."""
    middles = deck.floor.vertices[edges, :2].mean(axis=1)
    found = np.zeros(len(edges), dtype=np.bool_)
    for transition in transitions:
        if deck.level in (transition.level, transition.owner):
            gap = middles - transition.place
            along = portable.dot(gap, transition.ahead) - (
                0.0 if transition.level == deck.level else 1.0
            )
            aside = portable.dot(gap, np.array([-transition.ahead[1], transition.ahead[0]]))
            found |= (np.abs(along) < _AT_TRANSITION) & (
                np.abs(aside) < transition.half + _BESIDE_TRANSITION
            )
    return found


def _goes_on(deck: Deck, edges: Triangles, neighbours: Sequence[Neighbour]) -> Booleans:
    """Behind which border edges (n,) another level's carriageway goes on at the same height."""
    ends = deck.floor.vertices[edges]
    middles = ends.mean(axis=1)
    outward = outward_normals(ends)
    probes = middles[:, :2] + _PROBE * outward
    found = np.zeros(len(edges), dtype=np.bool_)
    for other in neighbours:
        shapely.prepare(other.carriageway)
        there = np.flatnonzero(shapely.contains_xy(other.carriageway, probes[:, 0], probes[:, 1]))
        gaps = np.abs(other.height(probes[there]) - middles[there, 2])
        found[there[gaps < _GOES_ON]] = True
    return found


def _bridge(deck: Deck) -> CrossSections:
    ones = np.ones(len(deck.floor.vertices))
    has_none = np.zeros(len(deck.floor.triangles), dtype=np.bool_)
    return CrossSections(
        deck.floor, _PARAPET * ones, _PARAPET * ones, -_BRIDGE_SLAB * ones, has_none
    )


def _tunnel(deck: Deck, ground: Neighbour) -> CrossSections:
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
    return CrossSections(deck.floor, inner_top, top, np.full(len(points), -_TUNNEL_SLAB), is_roofed)


def _is_roofed(deck: Deck, ground: Neighbour, is_under: Booleans) -> Booleans:
    """Which triangles (n,) of a tunnel's floor do not lie in an open cutting.

    They do where the roof would come out of the ground: in a hole of it, or where a street on it
    leads into the tunnel, but not where one passes over those vertices (m,) that are under it. Over
    a ramp, outside the tunnel's outline, there is the roof of the level that goes on there.
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
