"""Makes the ground, level 0, block by block, with room for bridges and tunnels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Floats, Integers32
from autosim.world.geometry.block_grid import BlockGrid
from autosim.world.geometry.extent import Box
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.ground.block_partition import BlockPartition
from autosim.world.ground.ground_under_structures import PassingStreets, lowered_ground
from autosim.world.levels.elevation import Heights
from autosim.world.levels.heights import kerb_lift
from autosim.world.levels.level_division import GROUND, LevelTransition
from autosim.world.structures.deck_solids import Neighbour, deck_solid
from autosim.world.structures.decks import Deck
from autosim.world.surfaces.driven_triangulation import follow_heights
from autosim.world.surfaces.lowered_kerbs import LOWERED_KERB_HEIGHT, LoweredKerbs
from autosim.world.surfaces.partition import Partition
from autosim.world.surfaces.seams import (
    chain_along,
    chains_by_block,
    divided_chain,
    seams_of,
    welded,
)
from autosim.world.surfaces.triangulation import (
    Density,
    FlatMesh,
    borders,
    longest_edges,
    triangulate,
)

_FROM_BORDER = 1.0
"""Distance [m] that inner vertices keep from a block's border, where vertices are shared."""

_DENSITY = Density()


@dataclass(frozen=True, slots=True)
class GroundMesh:
    """The ground's mesh and the holes in it, where tunnels begin."""

    mesh: Mesh
    holes: BaseGeometry


@dataclass(frozen=True, slots=True)
class GroundBlock:
    """The triangles of one block, before the blocks are joined.

    `heights` (n,) [m]: of its vertices, as if there were no kerbs and no decks.
    """

    flat: FlatMesh
    """Triangles in plan, with their surfaces."""
    heights: Floats


def shared_vertices(
    partitions: Sequence[Partition], grid: BlockGrid, heights: Heights
) -> Mapping[int, list[Floats]]:
    """The chains of vertices (n, 2) that each block shares with its neighbours, by block.

    Args:
        partitions: of all blocks.
        grid: the blocks.
        heights: tells where the ground is uneven.
    """
    if grid.count == 1:
        return {}
    seams = seams_of(grid)
    corners = [borders(partition)[0] for partition in partitions]
    chains = []
    for seam in seams:
        chain = chain_along(seam, [corners[block] for block in seam.blocks])
        ends = np.stack([chain[:-1], chain[1:]], axis=1)
        chains.append(divided_chain(chain, longest_edges(ends, _DENSITY, heights.is_uneven)))
    return chains_by_block(seams, chains)


def triangulate_block(
    partition: Partition,
    heights: Heights,
    *,
    box: Box,
    inner: Floats,
    tracks: Floats,
    chains: Sequence[Floats] = (),
) -> GroundBlock:
    """Triangulates a block of the ground.

    Args:
        partition: the block's surfaces.
        heights: the heights of all levels.
        box: the block [m].
        inner: `driven_points` of the whole ground.
        tracks: `wheel_tracks` of the whole ground.
        chains: the vertices (n, 2) that it shares with its neighbours.
    """

    def triangulate_with(extra: Floats) -> FlatMesh:
        return triangulate(
            partition,
            density=_DENSITY,
            is_uneven=heights.is_uneven,
            rest=Surface.GROUND,
            grid=box,
            extra=extra,
            chains=chains,
        )

    flat, z = follow_heights(
        triangulate_with,
        inner=_inside(inner, box),
        tracks=_inside(tracks, box),
        height=heights.heights[GROUND],
    )
    return GroundBlock(flat, z)


def _inside(points: Floats, box: Box) -> Floats:
    low, high = np.array(box[:2]) + _FROM_BORDER, np.array(box[2:]) - _FROM_BORDER
    return np.asarray(points[((points > low) & (points < high)).all(axis=1)])


def join_blocks(
    parts: Sequence[GroundBlock],
    partitions: Sequence[BlockPartition],
    grid: BlockGrid,
    *,
    decks: Sequence[Deck],
    transitions: Sequence[LevelTransition],
    passing: PassingStreets,
    kerb_height: float,
    lowered_kerbs: LoweredKerbs,
) -> GroundMesh:
    """Joins the blocks of the ground to one mesh, with kerbs and with room for the decks.

    Args:
        parts: the triangles of the blocks.
        partitions: the surfaces of the blocks.
        grid: the places of the blocks.
        decks: the bridges and tunnels for which the ground makes room.
        transitions: of all levels.
        passing: streets on the ground that pass a transition without touching it.
        kerb_height: height [m] of kerbs that are not lowered.
        lowered_kerbs: the boxes in which kerbs are lowered.
    """
    holes = _holes_of(partitions)
    flat, heights = _one_level(parts, grid)
    count = len(flat.vertices)
    lifted = kerb_lift(
        flat.triangles,
        flat.surfaces,
        count=count,
        raised=Surface.PAVEMENT,
        level=Surface.CARRIAGEWAY,
    )
    is_carriageway = np.zeros(count, dtype=np.bool_)
    is_carriageway[flat.triangles[flat.surfaces == Surface.CARRIAGEWAY]] = True
    rows = np.flatnonzero(lifted)
    lowered = min(LOWERED_KERB_HEIGHT, kerb_height)
    kerbs = np.zeros(count)
    kerbs[rows] = np.where(lowered_kerbs.cover(flat.vertices[rows]), lowered, kerb_height)
    z = lowered_ground(
        flat.vertices,
        heights + kerbs,
        decks,
        transitions,
        on_carriageway=is_carriageway,
        passing=passing,
        holes=holes,
    )
    mesh = Mesh(np.column_stack([flat.vertices, z]), flat.triangles, flat.surfaces)
    return GroundMesh(mesh, holes)


def _one_level(parts: Sequence[GroundBlock], grid: BlockGrid) -> tuple[FlatMesh, Floats]:
    """All blocks as one level, and the heights of its vertices."""
    if len(parts) == 1:
        return parts[0].flat, parts[0].heights
    plans = [part.flat for part in parts]
    numbers, kept = welded([plan.vertices for plan in plans], grid)
    counts = [len(plan.vertices) for plan in plans]
    starts = np.cumsum([0, *counts[:-1]])
    triangles: list[Integers32] = [
        numbers[plan.triangles + start].astype(np.int32)
        for plan, start in zip(plans, starts.tolist(), strict=True)
    ]
    flat = FlatMesh(
        np.vstack([plan.vertices for plan in plans])[kept],
        np.vstack(triangles),
        np.concatenate([plan.surfaces for plan in plans]),
    )
    return flat, np.concatenate([part.heights for part in parts])[kept]


def streets_of_ground(blocks: Sequence[BlockPartition], heights: Heights) -> Neighbour:
    """The ground as a neighbour of bridges and tunnels, from the surfaces of its blocks."""
    carriageway = shapely.MultiPolygon([p for block in blocks for p in block.carriageway.geoms])
    return Neighbour(carriageway, heights.heights[GROUND], _holes_of(blocks))


def solid_of(number: int, decks: Sequence[Deck], heights: Heights, ground: Neighbour) -> Mesh:
    """Makes the closed solid of a deck.

    Args:
        number: which of the decks.
        decks: bridges and tunnels, a deck for each level.
        heights: the heights of all levels.
        ground: as `streets_of_ground` returns it.
    """
    deck = decks[number]
    others = [Neighbour(o.carriageway, o.height) for o in decks if o.level != deck.level]
    return deck_solid(deck, heights.levels.transitions, [ground, *others], ground)


def _holes_of(blocks: Sequence[BlockPartition]) -> shapely.MultiPolygon:
    return shapely.MultiPolygon([p for block in blocks for p in block.holes.geoms])
