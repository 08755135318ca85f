"""Gives neighbouring blocks of a large world the same vertices along the seam between them.

The pipeline cleans and simplifies each block on its own. Where a border between surfaces crosses a
seam, the two blocks therefore place it up to a few centimetres apart. This module merges the points
of both sides into one chain of vertices, which both blocks use.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.world.geometry.block_grid import BlockGrid
from autosim.world.geometry.meshes import distinct_edges

AT_SEAM = 0.06
"""Distance [m] from a seam within which a corner counts as on it: cleaning moves corners by up to
5 cm."""

_SAME_VERTEX = 0.06
"""Distance [m] along a seam within which two corners become one vertex: as `AT_SEAM`, because the
two sides of the seam move the same corner independently."""

_GRAZING = 0.5
"""Distance [m] from a chain within which an edge with both ends runs along it. Such an edge stays
whole, because dividing it would make slivers between it and the chain."""


@dataclass(frozen=True, slots=True)
class Seam:
    """The straight line between two blocks, parallel to an axis of W.

    Attributes:
        axis: the axis along which the seam runs; 0 for x, 1 for y.
        at: its coordinate [m] on the other axis.
        low: where it begins [m] along its axis.
        high: where it ends [m] along its axis.
        blocks: the numbers of the two blocks.
    """

    axis: int
    at: float
    low: float
    high: float
    blocks: tuple[int, int]

    def along(self, points: Floats) -> Floats:
        """Coordinates (k,) [m] along the seam of those points (n, 2) that lie on it."""
        return np.asarray(points[self.touches(points), self.axis])

    def touches(self, points: Floats) -> Booleans:
        """Mask of points (n, 2) that count as on the seam."""
        aside = np.abs(points[:, 1 - self.axis] - self.at)
        s = points[:, self.axis]
        return np.asarray(
            (aside <= AT_SEAM) & (s >= self.low - AT_SEAM) & (s <= self.high + AT_SEAM)
        )

    def points(self, places: Floats) -> Floats:
        """Points (n, 2) in W at places (n,) on the seam."""
        result = np.full((len(places), 2), self.at)
        result[:, self.axis] = places
        return result


def seams_of(grid: BlockGrid) -> list[Seam]:
    """All seams between the blocks of a grid."""
    seams = []
    for number, (x_min, y_min, x_max, y_max) in enumerate(grid.boxes):
        if x_max < grid.xs[-1]:
            seams.append(Seam(1, x_max, y_min, y_max, (number, number + 1)))
        if y_max < grid.ys[-1]:
            seams.append(Seam(0, y_max, x_min, x_max, (number, number + grid.columns)))
    return seams


def chain_along(seam: Seam, corners: Sequence[Floats]) -> Floats:
    """The vertices (n, 2) of a seam, from end to end.

    Args:
        seam: between two blocks.
        corners: (k, 2) of the surfaces on either side.
    """
    places = np.sort(np.concatenate([seam.along(each) for each in corners]))
    places = places[(places > seam.low + _SAME_VERTEX) & (places < seam.high - _SAME_VERTEX)]
    kept = [seam.low]
    for place in places.tolist():
        if place - kept[-1] > _SAME_VERTEX:
            kept.append(place)
    return seam.points(np.array([*kept, seam.high]))


def divided_chain(chain: Floats, longest: Floats) -> Floats:
    """Divides the pieces of a chain (n, 2) so that none is longer than `longest` (n - 1,) [m]."""
    parts = [chain[:1]]
    for start, end, limit in zip(chain[:-1], chain[1:], longest.tolist(), strict=True):
        count = max(1, int(np.ceil(np.abs(end - start).max() / limit)))
        share = np.arange(1, count)[:, None] / count
        parts += [start + share * (end - start), end[None]]
    return np.vstack(parts)


def with_chains(
    corners: Floats, edges: Integers, chains: Sequence[Floats]
) -> tuple[Floats, Integers, Integers]:
    """Replaces the corners and edges that a block has along its seams by the seams' chains.

    Args:
        corners: (n, 2) of the surfaces [m].
        edges: (m, 2) between them.
        chains: (k, 2) the vertices of each seam of the block.

    Returns:
        The corners, the edges that may be divided, and the edges that must stay whole: those of
        the chains, and those that leave a chain at so small an angle that dividing them would
        make slivers.
    """
    vertices, numbers = np.unique(np.vstack(chains), axis=0, return_inverse=True)
    sides = np.split(numbers.reshape(-1), np.cumsum([len(chain) for chain in chains])[:-1])
    moved = np.arange(len(corners)) + len(vertices)
    for chain, rows in zip(chains, sides, strict=True):
        near = np.flatnonzero(_near_chain(corners, chain, AT_SEAM))
        moved[near] = rows[_nearest(corners[near], chain)]
    edges = distinct_edges(moved[edges])
    is_left = np.ones(len(edges), dtype=np.bool_)
    for rows in sides:
        is_left &= ~np.isin(edges, rows).all(axis=1)
    edges = edges[is_left]
    everything = np.vstack([vertices, corners])
    grazes = np.zeros(len(edges), dtype=np.bool_)
    for chain in chains:
        grazes |= _near_chain(everything, chain, _GRAZING)[edges].all(axis=1)
    along = [np.column_stack([rows[:-1], rows[1:]]) for rows in sides]
    return _without_unused(everything, edges[~grazes], np.vstack([edges[grazes], *along]))


def _near_chain(points: Floats, chain: Floats, distance: float) -> Booleans:
    low, high = chain[0] - distance, chain[-1] + distance
    return np.asarray(((points >= low) & (points <= high)).all(axis=1))


def _nearest(points: Floats, chain: Floats) -> Integers:
    """The vertex (n,) of a chain nearest to each point (n, 2)."""
    axis = int(np.argmax(np.abs(chain[-1] - chain[0])))
    places = chain[:, axis]
    after = np.clip(np.searchsorted(places, points[:, axis]), 1, len(places) - 1)
    is_before = points[:, axis] - places[after - 1] <= places[after] - points[:, axis]
    return np.asarray(after - is_before, dtype=np.int64)


def _without_unused(
    vertices: Floats, edges: Integers, borders: Integers
) -> tuple[Floats, Integers, Integers]:
    used, numbers = np.unique(np.vstack([edges, borders]), return_inverse=True)
    numbers = numbers.reshape(-1, 2)
    return vertices[used], numbers[: len(edges)], numbers[len(edges) :]


def chains_by_block(seams: Sequence[Seam], chains: Sequence[Floats]) -> Mapping[int, list[Floats]]:
    """The chains of each block that has seams."""
    found: dict[int, list[Floats]] = {}
    for seam, chain in zip(seams, chains, strict=True):
        for block in seam.blocks:
            found.setdefault(block, []).append(chain)
    return found


def welded(parts: Sequence[Floats], grid: BlockGrid) -> tuple[Integers, Integers]:
    """Finds the vertices that several blocks have in common.

    Args:
        parts: (n, 2) the vertices of each block [m].
        grid: the blocks.

    Returns:
        For each vertex, block after block, its number in the welded level; and for each number
        the first vertex that has it.
    """
    points = np.vstack(parts)
    own = np.arange(len(points))
    on_seam = np.isin(points[:, 0], grid.xs[1:-1]) | np.isin(points[:, 1], grid.ys[1:-1])
    rows = np.flatnonzero(on_seam)
    _, first, place = np.unique(points[rows], axis=0, return_index=True, return_inverse=True)
    own[rows] = rows[first[place.reshape(-1)]]
    kept, numbers = np.unique(own, return_inverse=True)
    return numbers.reshape(-1), kept
