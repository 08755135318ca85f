"""The steps of the pipeline that cover an area: block by block, in as many processes as may be."""

from collections.abc import Callable
from functools import partial

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.world.geometry.extent import Box
from autosim.world.geometry.meshes import Mesh, joined
from autosim.world.ground.block_partition import (
    BlockPartition,
    decks_about,
    make_block_partition,
)
from autosim.world.ground.ground import (
    GroundBlock,
    join_blocks,
    shared_vertices,
    solid_makers,
    streets_of_ground,
    triangulate_block,
)
from autosim.world.ground.ground_under_structures import PassingStreets
from autosim.world.pipeline.block_tasks import busiest_first, by_block, each_block, side_by_side
from autosim.world.pipeline.draft import Draft
from autosim.world.pipeline.steps_of_houses import begin_houses
from autosim.world.structures.rims import rim_walls


def divide_ground(draft: Draft) -> None:
    """Which surface lies where on the ground."""
    boxes = draft.layout.blocks.boxes
    water, park = shapely.STRtree(draft.cover.water), shapely.STRtree(draft.cover.park)
    is_one = draft.layout.blocks.count == 1

    def land_of(block: int) -> BlockPartition:
        box = boxes[block]
        return make_block_partition(
            draft.ground_streets[block],
            draft.decks if is_one else decks_about(draft.decks, box),
            box=box,
            window=draft.layout.box,
            water=_union(water, box),
            park=_union(park, box),
            lowered_kerbs=draft.cover.lowered_kerbs,
        )

    draft.lands = each_block(draft, land_of)
    del draft.ground_streets


def _union(shapes: shapely.STRtree, box: Box) -> BaseGeometry:
    block = shapely.box(*box)
    rows = np.sort(shapes.query(block, predicate="intersects"))
    return shapely.union_all(shapely.intersection(shapes.geometries[rows], block))


def make_ground(draft: Draft) -> None:
    """The ground's mesh, and bridges and tunnels; houses are begun beside."""
    lands, order = draft.lands, busiest_first(draft)
    partitions = [land.partition for land in lands]
    chains = shared_vertices(partitions, draft.layout.blocks, draft.heights)
    streets = streets_of_ground(lands, draft.heights)

    def part_of(block: int) -> GroundBlock:
        return triangulate_block(
            partitions[block],
            draft.heights,
            box=draft.layout.blocks.boxes[block],
            inner=draft.cover.driven,
            chains=chains.get(block, ()),
        )

    tasks: list[Callable[[], GroundBlock | Mesh]] = [
        *(partial(part_of, block) for block in order),
        *solid_makers(draft.decks, draft.heights, streets),
    ]
    done = side_by_side(draft, tasks)
    draft.no_build_area = [land.no_build_area for land in lands]
    begin_houses(draft)
    draft.ground = join_blocks(
        by_block([each for each in done if isinstance(each, GroundBlock)], order),
        lands,
        draft.layout.blocks,
        decks=draft.decks,
        transitions=draft.heights.levels.transitions,
        passing=PassingStreets(draft.streets, draft.heights.levels),
        kerb_height=draft.kerb_height,
        lowered_kerbs=draft.cover.lowered_kerbs,
    )
    solids = [each for each in done if isinstance(each, Mesh)]
    walls = rim_walls(draft.ground.mesh, draft.ground.holes, draft.decks, streets)
    draft.structures = joined([*solids, walls])
    del draft.lands
