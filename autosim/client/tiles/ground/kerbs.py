"""Kerbstones for the eye: upright, with a light strip on top; for wheels they are a bevel."""

from dataclasses import dataclass

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.world.geometry.meshes import Mesh, Surface

LEAST_RISE = 0.005
"""Height [m] from which on there is a kerbstone; what is lower is level."""
_STONE = 0.5
"""Width of a kerbstone as a share of the bevel's 0.30 m; the pavement comes out over the rest."""
_CORNER_REACH = 0.45
"""Distance [m] up to which the carriageway's corner itself is the place of a stone: one and a half
bevels, as at a right angle the diagonal of a bevel is 0.42 m."""

_FARTHEST = 0.65
"""Distance [m] beyond which no edge belongs to a kerb: twice the bevel, and some for sharp
corners."""

_SAME_PLACE = 1e-6
"""Distance [m] within which two places are one: far above rounding, far below a stone."""

_LEAST_AREA = 1e-9
"""Area in plan [m²] from which on a triangle has a side that faces up, and can be turned over."""

_PAIRS = ((0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2))
"""Numbers of the corners of a triangle's edges, each in both directions."""


@dataclass(frozen=True, slots=True)
class _Tops:
    """Upper vertices of kerbs (k,), the places (k, 3) [m] on the carriageway's edge below them."""

    vertices: Integers
    feet: Floats


def with_kerbstones(mesh: Mesh, own: int) -> tuple[Mesh, int]:
    """The mesh with kerbstones, which stand on the carriageway's edge, in place of bevels.

    A kerbstone has a face upright over the carriageway's edge, and a top as wide as half the
    bevel; surfaces that end at the kerb, such as the pavement, extend to the stone. Where kerbs are
    dropped the stone is as low as they. All that shares a vertex stays together, and faces close
    what is lifted off its neighbours, so nothing opens. Where a vertex goes follows from the
    triangles of kerb that touch it and its neighbours, and from the carriageway beside these,
    alone: so it goes to the same place in every cut that has these.

    Args:
        mesh: triangles in W.
        own: how many of the first triangles are drawn.

    Returns:
        The mesh, and how many of its first triangles are drawn.
    """
    kerbs = np.flatnonzero(mesh.surfaces == Surface.KERB)
    if not len(kerbs):
        return mesh, own
    is_low = np.zeros(len(mesh.vertices), dtype=np.bool_)
    is_low[mesh.triangles[mesh.surfaces == Surface.CARRIAGEWAY]] = True
    tops = _tops(mesh, mesh.triangles[kerbs].astype(np.int64), is_low)
    lifts = _lifts(mesh, mesh.triangles[kerbs].astype(np.int64), tops, is_low)
    return _lifted(mesh, _with_narrow_tops(mesh, tops), kerbs, lifts, own)


def _tops(mesh: Mesh, kerbs: Integers, is_low: Booleans) -> _Tops:
    """The upper vertices that are drawn nearer to the carriageway, each once."""
    high, feet, ranks = _feet(mesh.vertices, kerbs, is_low)
    order = np.lexsort((*np.round(feet[:, :2].T / _SAME_PLACE), ranks, high))
    is_first = np.diff(high[order], prepend=-1) > 0
    high, feet = high[order][is_first], feet[order][is_first]
    ways = feet - mesh.vertices[high]
    is_near = np.hypot(*ways[:, :2].T) <= _FARTHEST
    chosen = is_near & (-ways[:, 2] >= LEAST_RISE)
    return _Tops(high[chosen], feet[chosen])


def _feet(vertices: Floats, kerbs: Integers, is_low: Booleans) -> tuple[Integers, Floats, Floats]:
    """Places on the carriageway's edge to which upper vertices of kerbs may go.

    Returns:
        The vertex (k,), the place (k, 3) [m], and how well it suits (k,), the least the best: the
        nearest corner of the edge, else the nearest place between two, else a corner farther off.
    """
    high, ends = [], []
    for turn in range(3):
        top, first, second = np.roll(kerbs, turn, axis=1).T
        for low, other in ((first, second), (second, first)):
            chosen = ~is_low[top] & is_low[low]
            # A corner alone is an edge of no length.
            last = np.where(is_low[other], other, low)
            for far in (low, last):
                high.append(top[chosen])
                ends.append(np.column_stack([low, far])[chosen])
    tops, edges = np.concatenate(high), np.vstack(ends)
    feet = _nearest(vertices[tops], vertices[edges])
    gaps = np.hypot(*(feet - vertices[tops])[:, :2].T)
    is_corner = edges[:, 0] == edges[:, 1]
    ranks = np.where(is_corner, np.where(gaps <= _CORNER_REACH, 0.0, 2.0), 1.0) + gaps / 1e3
    return tops, feet, np.round(ranks / _SAME_PLACE)


def _nearest(points: Floats, edges: Floats) -> Floats:
    """The places (k, 3) on edges (k, 2, 3) that are nearest in plan to points (k, 3)."""
    along = edges[:, 1] - edges[:, 0]
    squares = np.maximum(np.sum(along[:, :2] ** 2, axis=1), 1e-12)
    share = np.sum((points - edges[:, 0])[:, :2] * along[:, :2], axis=1) / squares
    return np.asarray(edges[:, 0] + np.clip(share, 0.0, 1.0)[:, None] * along)


def _lifts(mesh: Mesh, kerbs: Integers, tops: _Tops, is_low: Booleans) -> Floats:
    """Heights (n,) [m] of stones over lower vertices: as high as at the nearest top."""
    rises = np.zeros(len(mesh.vertices))
    rises[tops.vertices] = mesh.vertices[tops.vertices, 2] - tops.feet[:, 2]
    pairs = np.vstack([kerbs[:, pair] for pair in _PAIRS])
    low, top = pairs[is_low[pairs[:, 0]] & (rises[pairs[:, 1]] > 0.0)].T
    gaps = np.hypot(*(mesh.vertices[top] - mesh.vertices[low])[:, :2].T)
    order = np.lexsort((rises[top], np.round(gaps / _SAME_PLACE), low))
    is_first = np.diff(low[order], prepend=-1) > 0
    lifts = np.zeros(len(mesh.vertices))
    lifts[low[order][is_first]] = rises[top[order][is_first]]
    return lifts


def _with_narrow_tops(mesh: Mesh, tops: _Tops) -> Floats:
    """The vertices (n, 3), the tops nearer to their feet where this turns no triangle over."""
    vertices = np.array(mesh.vertices)
    vertices[tops.vertices, :2] += _STONE * (tops.feet - vertices[tops.vertices])[:, :2]
    before, after = _plan_areas(mesh.vertices, mesh), _plan_areas(vertices, mesh)
    is_turned = (before > _LEAST_AREA) & (after < -_LEAST_AREA)
    kept = mesh.triangles[is_turned]
    vertices[kept] = mesh.vertices[kept]
    return vertices


def _plan_areas(vertices: Floats, mesh: Mesh) -> Floats:
    """Twice the areas (m,) [m^2] of triangles in plan; less than nothing from below."""
    first, second = np.moveaxis(np.diff(vertices[mesh.triangles, :2], axis=1), 1, 0)
    return np.asarray(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0])


def _lifted(
    mesh: Mesh, vertices: Floats, kerbs: Integers, lifts: Floats, own: int
) -> tuple[Mesh, int]:
    """The mesh with its kerbs lifted off their neighbours, and faces that close what this opens.

    Each lifted vertex is there three times: below, at the top of the face and at the edge of the
    stone's top, which have normals of their own.
    """
    lifted = np.flatnonzero(lifts)
    raised = vertices[lifted] + lifts[lifted, None] * (0.0, 0.0, 1.0)
    numbers = np.arange(len(vertices))
    numbers[lifted] = len(vertices) + np.arange(len(lifted))
    triangles = mesh.triangles.astype(np.int64)
    edges, sources = _free_edges(triangles, kerbs)
    triangles[kerbs] = numbers[triangles[kerbs]]
    numbers[lifted] += len(lifted)
    faces, rows = _faces(edges, numbers)
    order = np.argsort(np.concatenate([np.arange(len(triangles)), sources[rows]]), kind="stable")
    own += int(np.count_nonzero(sources[rows] < own))
    surfaces = np.concatenate([mesh.surfaces, np.full(len(rows), Surface.KERB, np.uint8)])
    all_triangles = np.vstack([triangles, faces])[order].astype(np.int32)
    return Mesh(np.vstack([vertices, raised, raised]), all_triangles, surfaces[order]), own


def _free_edges(triangles: Integers, kerbs: Integers) -> tuple[Integers, Integers]:
    """Directed edges (k, 2) of kerbs without a neighbouring kerb; their triangles (k,)."""
    edges = triangles[kerbs][:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    numbers = np.array([int(edges.max()) + 1, 1])
    is_free = ~np.isin(edges @ numbers, edges[:, ::-1] @ numbers)
    return edges[is_free], np.repeat(kerbs, 3)[is_free]


def _faces(edges: Integers, numbers: Integers) -> tuple[Integers, Integers]:
    """Triangles (m, 3) between edges (k, 2) and the same edges lifted; the edge (m,) of each."""
    first, second = edges.T
    faces = np.vstack(
        [
            np.column_stack([first, second, numbers[second]]),
            np.column_stack([first, numbers[second], numbers[first]]),
        ]
    )
    rows = np.tile(np.arange(len(edges)), 2)
    is_lifted = np.concatenate([numbers[second] != second, numbers[first] != first])
    return faces[is_lifted], rows[is_lifted]
