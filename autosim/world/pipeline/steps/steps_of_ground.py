"""The steps of the pipeline that make the ground, and bridges and tunnels as solids."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Floats
from autosim.world.geometry import overlays
from autosim.world.geometry.extent import Box
from autosim.world.geometry.meshes import Mesh, Surface, joined
from autosim.world.ground import ground_mesh as grounds
from autosim.world.ground.block_partition import (
    BlockPartition,
    GroundCover,
    GroundStreets,
    decks_about,
    make_block_partition,
)
from autosim.world.ground.ground_mesh import GroundBlock, GroundMesh
from autosim.world.ground.ground_under_structures import PassingStreets
from autosim.world.levels.elevation import Heights
from autosim.world.pipeline.steps.steps_in_plan import PlanarWorld
from autosim.world.pipeline.world_inputs import WorldInputs
from autosim.world.structures.deck_solids import Neighbour
from autosim.world.structures.decks import Deck
from autosim.world.structures.rims import rim_walls
from autosim.world.surfaces.partition import Cover

Partitions = tuple[BlockPartition, ...]
Decks = tuple[Deck, ...]

_NO_SHAPES = shapely.STRtree([])


@dataclass(frozen=True, slots=True)
class GroundOutline:
    """Boundaries that blocks of the ground share with each other and with bridges and tunnels.

    `chains`: for each block the lines of vertices (n, 2) that it shares with its neighbours;
    `neighbour`: the ground as seen from bridges and tunnels; `no_build_area`: area of each block
    without buildings.
    """

    chains: Mapping[int, list[Floats]]
    neighbour: Neighbour
    no_build_area: Sequence[BaseGeometry]


@dataclass(frozen=True, slots=True)
class CoverIndex:
    """Waters, parks, paths and yards by their place."""

    water: shapely.STRtree
    """Index of waters."""
    park: shapely.STRtree
    """Index of parks."""
    paths: Mapping[Surface, shapely.STRtree]
    yards: Mapping[Surface, shapely.STRtree]


def index_cover(cover: GroundCover) -> CoverIndex:
    """An index of waters, parks, paths and yards."""
    return CoverIndex(
        water=shapely.STRtree(cover.water),
        park=shapely.STRtree(cover.park),
        paths={each: shapely.STRtree(shapes) for each, shapes in cover.pavings.paths.items()},
        yards={each: shapely.STRtree(shapes) for each, shapes in cover.pavings.yards.items()},
    )


def divide_block(
    block: int,
    layout: PlanarWorld,
    ground_streets: tuple[GroundStreets, ...],
    decks: Decks,
    cover: GroundCover,
    cover_index: CoverIndex,
) -> BlockPartition:
    """Partition of the ground of a block into surfaces."""
    box = layout.blocks.boxes[block]
    return make_block_partition(
        ground_streets[block],
        decks if layout.blocks.count == 1 else decks_about(decks, box),
        box=box,
        window=layout.box,
        squares=_union(cover_index.paths.get(Surface.PAVEMENT, _NO_SHAPES), box),
        water=_union(cover_index.water, box),
        cover=_cover(cover_index, box),
        lowered_kerbs=cover.lowered_kerbs,
    )


def _cover(index: CoverIndex, box: Box) -> list[Cover]:
    """Greens, paths and yards, by priority: paths run through greens, and greens lie in yards.

    Slabs are one surface, whether of paths or of yards, so that no border parts them.
    """

    def lies(shapes: Mapping[Surface, shapely.STRtree], surface: Surface) -> BaseGeometry:
        return _union(shapes.get(surface, _NO_SHAPES), box)

    slabs = lies(index.paths, Surface.PAVING)
    yards = [(Surface.PARK, _union(index.park, box))]
    yards += [
        (each, lies(index.yards, each)) for each in (Surface.ASPHALT, Surface.SETT, Surface.GRAVEL)
    ]
    return [
        *(
            (each, lies(index.paths, each))
            for each in (Surface.SETT, Surface.ASPHALT, Surface.GRAVEL)
        ),
        *((surface, overlays.difference(shape, slabs)) for surface, shape in yards),
        (Surface.PAVING, overlays.union(slabs, lies(index.yards, Surface.PAVING))),
    ]


def _union(shapes: shapely.STRtree, box: Box) -> BaseGeometry:
    block = shapely.box(*box)
    rows = np.sort(shapes.query(block, predicate="intersects"))
    return overlays.union_all(overlays.intersection(shapes.geometries[rows], block))


def outline_ground(layout: PlanarWorld, partitions: Partitions, heights: Heights) -> GroundOutline:
    """Boundaries that blocks share with each other and with bridges and tunnels."""
    return GroundOutline(
        chains=grounds.shared_vertices(
            [each.partition for each in partitions], layout.blocks, heights
        ),
        neighbour=grounds.streets_of_ground(partitions, heights),
        no_build_area=[each.no_build_area for each in partitions],
    )


def triangulate_block(
    block: int,
    layout: PlanarWorld,
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
        tracks=cover.tracks,
        chains=outline.chains.get(block, ()),
    )


def numbers_of_decks(decks: Decks) -> list[int]:
    """The numbers of bridges and tunnels."""
    return list(range(len(decks)))


def make_solid(number: int, decks: Decks, outline: GroundOutline, heights: Heights) -> Mesh:
    """The bridges or tunnels of a level as closed solids."""
    return grounds.solid_of(number, decks, heights, outline.neighbour)


def join_ground(
    inputs: WorldInputs,
    layout: PlanarWorld,
    partitions: Partitions,
    ground_parts: tuple[GroundBlock, ...],
    decks: Decks,
    cover: GroundCover,
    heights: Heights,
) -> GroundMesh:
    """The ground's mesh: its blocks as one level, with kerbs, and room for the decks."""
    return grounds.join_blocks(
        ground_parts,
        partitions,
        layout.blocks,
        decks=decks,
        transitions=heights.levels.transitions,
        passing=PassingStreets(heights.streets, heights.levels, heights.adjacent.side_clearances),
        kerb_height=inputs.kerb_height,
        lowered_kerbs=cover.lowered_kerbs,
    )


def join_structures(
    solids: tuple[Mesh, ...], ground: GroundMesh, decks: Decks, outline: GroundOutline
) -> Mesh:
    """Bridges and tunnels, with walls where the ground ends at them."""
    walls = rim_walls(ground.mesh, ground.holes, decks, outline.neighbour)
    return joined([*solids, walls])
