"""Plinths of buildings on slopes: plaster before the windows that the ground would cut.

The rows of windows of a building are level. On a slope the ground hides some of them, here more
and there less; in each bay of a wall windows begin with the first row above the ground.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.geometry.renumbering import unique_rows

Ground = Callable[[Floats], Floats]
"""Heights (n,) [m] of the ground at places (n, 2) [m], NaN where there is none."""

_BEFORE = 0.4
"""Distance [m] from the wall of the places at which the ground is looked at: outside."""

_SILL = 0.25
"""Share of a storey that the ground may hide of its row: below the sills of the windows."""

_DEPTH = 0.03
"""Distance [m] by which a plinth protrudes from the wall: less than doors do."""

_ON_FLOOR = 0.05
"""Height [m] above the floor of a solid below which a corner lies on it."""


@dataclass(frozen=True, slots=True)
class Storeys:
    """The rows of windows of solids (n,): `lows` [m] of the first, `heights` [m], `counts`."""

    lows: Floats
    heights: Floats
    counts: Floats


@dataclass(frozen=True, slots=True)
class WithPlinths:
    """A mesh with the plinths of its walls.

    `sources` (m,): for each triangle itself, for one of a plinth a triangle of its wall; `is_plain`
    (m,) tells those of plinths.
    """

    mesh: Mesh
    sources: Integers
    is_plain: Booleans


def no_plinths(mesh: Mesh) -> WithPlinths:
    """A mesh without any."""
    count = len(mesh.triangles)
    return WithPlinths(mesh, np.arange(count), np.zeros(count, dtype=np.bool_))


@dataclass(frozen=True, slots=True)
class _Feet:
    """The feet of walls (n,), each an edge of the outline of a solid.

    `rows`: the triangle that stands on it; `owners`; `normals` (n, 2) outwards; `along` (n, 2) unit
    vectors; `starts`, `ends` [m] along it and `asides` [m] across, from the origin; `tops` [m].
    """

    rows: Integers
    owners: Integers
    normals: Floats
    along: Floats
    starts: Floats
    ends: Floats
    asides: Floats
    tops: Floats

    def select(self, chosen: Integers) -> "_Feet":
        return _Feet(*(getattr(self, name)[chosen] for name in self.__slots__))


def with_plinths(
    mesh: Mesh, normals: Floats, owner: Integers, storeys: Storeys, bay: float, ground: Ground
) -> WithPlinths:
    """Sets plinths before the walls of solids that stand on a slope.

    Args:
        mesh: the solids.
        normals: (m, 3) of its triangles.
        owner: (m,) the solid of each triangle.
        storeys: of all solids.
        bay: width [m] of a bay of windows, of which a whole number fits each wall.
        ground: the height of the ground.
    """
    feet = _feet(mesh, normals, owner, storeys)
    if not len(feet.rows):
        return no_plinths(mesh)
    of, starts, ends = _bays(feet, bay)
    each = replace(feet.select(of), starts=starts, ends=ends)
    highest = _ground_before(each, ground)
    low, storey = storeys.lows[each.owners], storeys.heights[each.owners]
    hidden = np.ceil((highest - low) / storey - _SILL)
    edges = np.minimum(low + hidden * storey, each.tops)
    chosen = np.flatnonzero((hidden > 0.0) & np.isfinite(edges))
    each, edges, low = each.select(chosen), edges[chosen], low[chosen]
    count = len(chosen)
    out = each.normals * (each.asides + _DEPTH)[:, None]
    first = out + each.starts[:, None] * each.along
    last = out + each.ends[:, None] * each.along
    corners = np.stack(
        [
            np.column_stack([first, low]),
            np.column_stack([last, low]),
            np.column_stack([last, edges]),
            np.column_stack([first, edges]),
        ],
        axis=1,
    )
    quads = len(mesh.vertices) + 4 * np.arange(count)[:, None, None]
    triangles = (quads + np.array([[0, 1, 2], [0, 2, 3]])).reshape(-1, 3)
    rows = np.concatenate([np.arange(len(mesh.triangles)), np.repeat(each.rows, 2)])
    return WithPlinths(
        Mesh(
            np.vstack([mesh.vertices, corners.reshape(-1, 3)]),
            np.vstack([mesh.triangles, triangles]).astype(np.int32),
            mesh.surfaces[rows],
        ),
        rows,
        np.arange(len(rows)) >= len(mesh.triangles),
    )


def _feet(mesh: Mesh, normals: Floats, owner: Integers, storeys: Storeys) -> _Feet:
    """The feet of all upright walls."""
    walls = np.flatnonzero((mesh.surfaces == Surface.WALL) & (np.abs(normals[:, 2]) < 0.5))
    points = mesh.vertices[mesh.triangles[walls]]
    is_low = points[:, :, 2] < storeys.lows[owner[walls]][:, None] + _ON_FLOOR
    out = normals[walls, :2] / np.linalg.norm(normals[walls, :2], axis=1, keepdims=True)
    along = np.stack([-out[:, 1], out[:, 0]], axis=1)
    aside = np.einsum("ik,ik->i", points[:, 0, :2], out)
    top = np.where(is_low, np.inf, points[:, :, 2]).min(axis=1)
    wall = _walls(owner[walls], out, aside)
    tops = np.full(int(wall.max(initial=-1)) + 1, np.inf)
    np.minimum.at(tops, wall, top)
    at = np.einsum("ijk,ik->ij", points[:, :, :2], along)
    standing = np.flatnonzero(is_low.sum(axis=1) == 2)
    ends = np.where(is_low, at, np.nan)[standing]
    return _Feet(
        walls[standing],
        owner[walls][standing],
        out[standing],
        along[standing],
        np.nanmin(ends, axis=1) if len(ends) else np.zeros(0),
        np.nanmax(ends, axis=1) if len(ends) else np.zeros(0),
        aside[standing],
        tops[wall][standing],
    )


def _walls(owner: Integers, out: Floats, aside: Floats) -> Integers:
    """Numbers of the walls (n,) of which edges are: those of one solid in one plane."""
    angle = np.rint(100.0 * np.arctan2(out[:, 1], out[:, 0]))
    keys = np.stack([owner, angle, np.rint(10.0 * aside)], axis=1).astype(np.int64)
    return unique_rows(keys)[1]


def _bays(feet: _Feet, width: float) -> tuple[Integers, Floats, Floats]:
    """The foot (k,) of each bay, and the part (k,) of it along the foot [m]."""
    wall = _walls(feet.owners, feet.normals, feet.asides)
    low, high = np.full(int(wall.max()) + 1, np.inf), np.full(int(wall.max()) + 1, -np.inf)
    np.minimum.at(low, wall, feet.starts)
    np.maximum.at(high, wall, feet.ends)
    extent = np.maximum(high - low, 1e-6)
    pitch = (extent / np.maximum(np.round(extent / width), 1.0))[wall]
    first = np.floor((feet.starts - low[wall]) / pitch + 1e-6).astype(np.int64)
    last = np.ceil((feet.ends - low[wall]) / pitch - 1e-6).astype(np.int64)
    counts = np.maximum(last - first, 1)
    of = np.repeat(np.arange(len(counts)), counts)
    number = first[of] + np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    starts = np.maximum(low[wall][of] + number * pitch[of], feet.starts[of])
    ends = np.minimum(low[wall][of] + (number + 1) * pitch[of], feet.ends[of])
    return of, starts, ends


def _ground_before(bays: _Feet, ground: Ground) -> Floats:
    """Height (n,) [m] of the highest ground before each bay, minus infinity where there is none."""
    out = bays.normals * (bays.asides + _BEFORE)[:, None]
    places = [
        out + (bays.starts + share * (bays.ends - bays.starts))[:, None] * bays.along
        for share in (0.2, 0.5, 0.8)
    ]
    heights = ground(np.concatenate(places)).reshape(3, -1)
    return np.asarray(np.where(np.isnan(heights), -np.inf, heights).max(axis=0))
