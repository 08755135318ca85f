"""The steps of the pipeline that make the ground, and bridges and tunnels as solids."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Floats
from autosim.world.geometry.extent import Box
from autosim.world.geometry.meshes import Mesh, joined
from autosim.world.ground import ground as grounds
from autosim.world.ground.block_partition import (
    BlockPartition,
    GroundCover,
    GroundStreets,
    decks_about,
    make_block_partition,
)
from autosim.world.ground.ground import Ground, GroundBlock
from autosim.world.ground.ground_under_structures import PassingStreets
from autosim.world.levels.elevation import Heights
from autosim.world.pipeline.inputs import Inputs
from autosim.world.pipeline.steps_in_plan import Layout
from autosim.world.structures.deck_solids import Neighbour
from autosim.world.structures.decks import Deck
from autosim.world.structures.rims import rim_walls

Partitions = tuple[BlockPartition, ...]
Decks = tuple[Deck, ...]


@dataclass(frozen=True, slots=True)
class GroundOutline:
    """What blocks of the ground share with each other and with bridges and tunnels.

    `chains`: for each block the lines of vertices (n, 2) that it shares with its neighbours;
    `neighbour`: the ground as bridges and tunnels meet it; `no_build_area`: where in each block no
    building may stand.
    """

    chains: Mapping[int, list[Floats]]
    neighbour: Neighbour
    no_build_area: Sequence[BaseGeometry]


@dataclass(frozen=True, slots=True)
class CoverIndex:
    """Waters and parks by their place."""

    water: shapely.STRtree
    park: shapely.STRtree


def index_cover(cover: GroundCover) -> CoverIndex:
    """An index of waters and parks."""
    return CoverIndex(shapely.STRtree(cover.water), shapely.STRtree(cover.park))


def divide_block(
    block: int,
    layout: Layout,
    ground_streets: tuple[GroundStreets, ...],
    decks: Decks,
    cover: GroundCover,
    cover_index: CoverIndex,
) -> BlockPartition:
    """Which surface lies where on the ground of a block."""
    box = layout.blocks.boxes[block]
    return make_block_partition(
        ground_streets[block],
        decks if layout.blocks.count == 1 else decks_about(decks, box),
        box=box,
        window=layout.box,
        water=_union(cover_index.water, box),
        park=_union(cover_index.park, box),
        lowered_kerbs=cover.lowered_kerbs,
    )


def _union(shapes: shapely.STRtree, box: Box) -> BaseGeometry:
    block = shapely.box(*box)
    rows = np.sort(shapes.query(block, predicate="intersects"))
    return shapely.union_all(shapely.intersection(shapes.geometries[rows], block))


def outline_ground(layout: Layout, partitions: Partitions, heights: Heights) -> GroundOutline:
    """What blocks share with each other and with bridges and tunnels."""
    return GroundOutline(
        chains=grounds.shared_vertices(
            [each.partition for each in partitions], layout.blocks, heights
        ),
        neighbour=grounds.streets_of_ground(partitions, heights),
        no_build_area=[each.no_build_area for each in partitions],
    )


def triangulate_block(
    block: int,
    layout: Layout,
    partitions: Partitions,
    outline: GroundOutline,
    cover: GroundCover,
    heights: Heights,
) -> GroundBlock:
    """The triangles of a block of the ground."""
    return grounds.triangulate_block(
        partitions[block].partition,
        heights,
        box=layout.blocks.boxes[block],
        inner=cover.driven,
        chains=outline.chains.get(block, ()),
    )


def numbers_of_decks(decks: Decks, **_: object) -> list[int]:
    """The numbers of bridges and tunnels."""
    return list(range(len(decks)))


def make_solid(number: int, decks: Decks, outline: GroundOutline, heights: Heights) -> Mesh:
    """The bridges or tunnels of a level as closed solids."""
    return grounds.solid_of(number, decks, heights, outline.neighbour)


def join_ground(
    inputs: Inputs,
    layout: Layout,
    partitions: Partitions,
    ground_parts: tuple[GroundBlock, ...],
    decks: Decks,
    cover: GroundCover,
    heights: Heights,
) -> Ground:
    """The ground's mesh: its blocks as one level, with kerbs, and room for the decks."""
    return grounds.join_blocks(
        ground_parts,
        partitions,
        layout.blocks,
        decks=decks,
        transitions=heights.levels.transitions,
        passing=PassingStreets(heights.streets, heights.levels),
        kerb_height=inputs.kerb_height,
        lowered_kerbs=cover.lowered_kerbs,
    )


def join_structures(
    solids: tuple[Mesh, ...], ground: Ground, decks: Decks, outline: GroundOutline
) -> Mesh:
    """Bridges and tunnels, with walls where the ground ends at them."""
    walls = rim_walls(ground.mesh, ground.holes, decks, outline.neighbour)
    return joined([*solids, walls])
