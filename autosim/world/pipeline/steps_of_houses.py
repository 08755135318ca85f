"""The step of the pipeline that builds houses, which is done beside those that need none.

While the ground is put together and lanes get their heights, one processor would wait.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Floats
from autosim.world.buildings.buildings import (
    BuiltBlock,
    Footprint,
    cleared,
    clearing,
    footprint_of,
    footprints_of,
    placed_houses,
    solid_mesh,
    tidy_parts,
)
from autosim.world.buildings.raised_parts import held_up, passages_of, without_outlines
from autosim.world.geometry.blocks import BlockGrid, grown, meet
from autosim.world.geometry.meshes import joined
from autosim.world.ground.block_partition import EXACT_AROUND
from autosim.world.levels.levels import GROUND
from autosim.world.osm.areas import Area
from autosim.world.osm.highways import highway_classes
from autosim.world.osm.osm_data import OsmNode
from autosim.world.pipeline.draft import Draft
from autosim.world.pipeline.workers import all_meanwhile
from autosim.world.validation.accounting import Account, account_for


def begin_houses(draft: Draft) -> None:
    """Begins to make all houses, and the account of the map, which needs as little."""
    tasks: list[Callable[[], BuiltBlock | Account]] = [*_makers(draft), partial(_account, draft)]
    made = all_meanwhile(tasks, processes=draft.crew - 1)
    draft.made_beside = draft.beside.enter_context(made)


def take_houses(draft: Draft) -> None:
    """All buildings and placed houses, as soon as they are made."""
    done = draft.made_beside()
    parts = [each for each in done if isinstance(each, BuiltBlock)]
    height = draft.heights.heights[GROUND]
    draft.houses = [house for part in parts for house in part.houses]
    houses = [footprint_of(house) for house in draft.houses]
    draft.house_boxes = solid_mesh(houses, height).mesh
    solids = [part.solids for part in parts]
    draft.buildings = joined([each.mesh for each in solids])
    draft.building_tints = np.concatenate([each.tints for each in solids])
    draft.building_spans = np.concatenate([each.spans for each in solids])
    draft.is_raised = np.concatenate([each.is_raised for each in solids])
    draft.polygons = [polygon for part in parts for polygon in part.polygons]
    draft.polygons += [house.polygon for house in houses]
    for part in parts:
        draft.left_out.update(part.left_out)
    draft.account = next(each for each in done if isinstance(each, Account))


def _account(draft: Draft) -> Account:
    """What of the map is in the world, and what not."""
    return account_for(
        draft.layout.data,
        draft.layout.points,
        box=draft.layout.box,
        highways=frozenset(highway_classes(draft.inputs.setup)),
        restrictions=draft.layout.rules.restrictions.reasons,
    )


def _makers(draft: Draft) -> list[Callable[[], BuiltBlock]]:
    """What makes the buildings of each block."""
    sites = cache(partial(_sites, draft))
    return [
        partial(lambda block: _built(draft, block, sites()[block]), block)
        for block in range(draft.layout.blocks.count)
    ]


@dataclass(frozen=True, slots=True)
class _Site:
    """What is to be built in a block: areas, and houses that nodes (n,) at places (n, 2) place."""

    areas: list[Area]
    nodes: list[OsmNode]
    places: Floats


def _sites(draft: Draft) -> list[_Site]:
    """The site of each block; each building is of one block, that of its middle."""
    areas = _standing_areas(draft)
    nodes = [node for node in draft.layout.data.tagged_nodes if "filePath" in node.tags]
    places = draft.layout.points[draft.layout.data.rows(tuple(node.id for node in nodes))]
    bounds = shapely.bounds([area.shape for area in areas]).reshape(-1, 4)
    owners = draft.layout.blocks.at((bounds[:, :2] + bounds[:, 2:]) / 2.0)
    owners_of_nodes = draft.layout.blocks.at(places)
    sites = []
    for block in range(draft.layout.blocks.count):
        rows = np.flatnonzero(owners_of_nodes == block)
        own = np.flatnonzero(owners == block).tolist()
        sites.append(
            _Site([areas[row] for row in own], [nodes[row] for row in rows.tolist()], places[rows])
        )
    return sites


def _standing_areas(draft: Draft) -> list[Area]:
    """What is to be built of all areas, with what is built under raised ones."""
    window, no_build_area = shapely.box(*draft.layout.box), draft.no_build_area

    def built(area: Area) -> list[shapely.Polygon]:
        if not shapely.covers(window, area.shape):
            return []
        taken = _taken_about(no_build_area, draft.layout.blocks, area)
        return tidy_parts(cleared(area.shape, clearing(taken)))

    passages = passages_of(draft.layout.data, draft.layout.points)
    areas = without_outlines(draft.layout.building_areas, passages)
    return held_up(areas, built=built, passages=passages)


def _built(draft: Draft, block: int, site: _Site) -> BuiltBlock:
    window, left_out = shapely.box(*draft.layout.box), Counter[str]()
    height = draft.heights.heights[GROUND]
    footprints: list[Footprint] = []
    grid, no_build_area = draft.layout.blocks, draft.no_build_area
    for areas, taken in _with_surroundings(no_build_area, grid, block, site.areas):
        footprints += footprints_of(areas, window=window, carriageway=taken, left_out=left_out)
    houses = placed_houses(
        site.nodes,
        site.places,
        window=window,
        carriageway=no_build_area[block],
        height=height,
        left_out=left_out,
    )
    solids = solid_mesh(footprints, height)
    return BuiltBlock(solids, [each.polygon for each in footprints], houses, left_out)


def _with_surroundings(
    no_build_area: Sequence[BaseGeometry], grid: BlockGrid, block: int, areas: Sequence[Area]
) -> list[tuple[list[Area], BaseGeometry]]:
    """The areas of a block with what is kept free about them; long ones reach into others."""
    if grid.count == 1:
        return [(list(areas), no_build_area[0])]
    boxes = grid.boxes
    known = shapely.box(*grown(boxes[block], EXACT_AROUND - 1.0))
    inside = [area for area in areas if shapely.covers(known, area.shape)]
    result = [(inside, no_build_area[block])]
    for area in areas:
        if not shapely.covers(known, area.shape):
            result.append(([area], _taken_about(no_build_area, grid, area)))
    return result


def _taken_about(
    no_build_area: Sequence[BaseGeometry], grid: BlockGrid, area: Area
) -> BaseGeometry:
    """What is kept free about an area, by whichever blocks."""
    around = grown(area.shape.bounds, 1.0)
    near = [
        shapely.intersection(taken, shapely.box(*around))
        for taken, box in zip(no_build_area, grid.boxes, strict=True)
        if meet(box, around)
    ]
    return shapely.union_all(near)
