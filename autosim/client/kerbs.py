"""Upright kerbs for the eye: physics has them with a bevel of 0.30 m, which wheels roll over."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from autosim.world.compiled import Mesh, Surface

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
LEAST_RISE = 0.05
"""Height [m] from which on a kerb is raised; what is lower is dropped, and stays a ramp."""
_BATTER = 0.5
"""The share of the bevel that is taken away: kerbstones lean back, and show their light edge."""
_CORNER_REACH = 0.45
_FARTHEST = 0.65
_SAME_PLACE = 1e-6


def with_upright_kerbs(mesh: Mesh) -> Mesh:
    """The mesh with the upper edges of its raised kerbs over their lower ones.

    What goes out to the kerb, such as the pavement, goes on to the carriageway's edge: all that
    shares a vertex stays together, so nothing opens. Heights stay. Where a vertex goes follows
    from the triangles of kerb that touch it, and from the carriageway beside these, alone: so it
    goes to the same place in every cut that has these.
    """
    high, feet, ranks = _feet(mesh)
    order = np.lexsort((*np.round(feet[:, :2].T / _SAME_PLACE), ranks, high))
    is_first = np.diff(high[order], prepend=-1) > 0
    high, feet = high[order][is_first], feet[order][is_first]
    tops = mesh.vertices[high]
    is_near = np.hypot(*(feet - tops)[:, :2].T) <= _FARTHEST
    is_raised = tops[:, 2] - feet[:, 2] >= LEAST_RISE
    vertices = np.array(mesh.vertices)
    moved = is_near & is_raised
    vertices[high[moved], :2] += _BATTER * (feet - tops)[moved, :2]
    return replace(mesh, vertices=vertices)


def _feet(mesh: Mesh) -> tuple[Integers, Floats, Floats]:
    """Places on the carriageway's edge to which upper vertices of kerbs may go.

    Returns:
        The vertex (k,), the place (k, 3) [m], and how well it suits (k,), the least the best: the
        nearest corner of the edge, else the nearest place between two, else a corner farther off.
    """
    kerbs = mesh.triangles[mesh.surfaces == Surface.KERB].astype(np.int64)
    is_low = np.zeros(len(mesh.vertices), dtype=np.bool_)
    is_low[mesh.triangles[mesh.surfaces == Surface.CARRIAGEWAY]] = True
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
    feet = _nearest(mesh.vertices[tops], mesh.vertices[edges])
    gaps = np.hypot(*(feet - mesh.vertices[tops])[:, :2].T)
    is_corner = edges[:, 0] == edges[:, 1]
    ranks = np.where(is_corner, np.where(gaps <= _CORNER_REACH, 0.0, 2.0), 1.0) + gaps / 1e3
    return tops, feet, np.round(ranks / _SAME_PLACE)


def _nearest(points: Floats, edges: Floats) -> Floats:
    """The places (k, 3) on edges (k, 2, 3) that are nearest in plan to points (k, 3)."""
    along = edges[:, 1] - edges[:, 0]
    squares = np.maximum(np.sum(along[:, :2] ** 2, axis=1), 1e-12)
    share = np.sum((points - edges[:, 0])[:, :2] * along[:, :2], axis=1) / squares
    return np.asarray(edges[:, 0] + np.clip(share, 0.0, 1.0)[:, None] * along)
