"""The steps of the pipeline that build houses, and the account of what the map holds."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Booleans, Floats
from autosim.world.buildings.building_solids import (
    BuiltBlock,
    Colours,
    Footprint,
    building_clearance,
    clip_to_clearance,
    footprint_of,
    footprints_of,
    make_solid_mesh,
    placed_houses,
    tidy_parts,
)
from autosim.world.buildings.raised_parts import held_up, passages_of, without_outlines
from autosim.world.compiled.compiled_world import Building
from autosim.world.geometry import overlays
from autosim.world.geometry.block_grid import BlockGrid, boxes_touch, expand_box
from autosim.world.geometry.meshes import Mesh, joined
from autosim.world.ground.block_partition import EXACT_AROUND
from autosim.world.levels.elevation import Heights
from autosim.world.levels.level_division import GROUND
from autosim.world.osm.areas import Area
from autosim.world.osm.highways import highway_classes
from autosim.world.osm.osm_data import OsmNode
from autosim.world.pipeline.steps.steps_in_plan import PlanarWorld
from autosim.world.pipeline.steps.steps_of_ground import GroundOutline
from autosim.world.pipeline.world_inputs import WorldInputs
from autosim.world.validation.accounting import Account, account_for

_MARGIN = 1.0
"""Distance [m] about a building within which streets and what belongs to them can touch it."""


@dataclass(frozen=True, slots=True)
class BuildingSite:
    """Buildings of a block: areas, and houses at nodes (n,) at positions (n, 2) [m]."""

    areas: list[Area]
    nodes: list[OsmNode]
    places: Floats
    """Positions of the nodes in W."""


@dataclass(frozen=True, slots=True)
class Buildings:
    """All buildings.

    `solids` are those of areas, with the `tints` of their triangles; `spans` and `is_raised` as of
    `SolidMesh`. `houses` are those that nodes place, `house_boxes` their boxes. `polygons` are in
    plan, of `solids` and then of `houses`; `left_out` counts what is not built.
    """

    solids: Mesh
    tints: Colours
    spans: Floats
    is_raised: Booleans
    houses: tuple[Building, ...]
    house_boxes: Mesh
    polygons: list[BaseGeometry]
    left_out: Counter[str]


def account_for_map(inputs: WorldInputs, layout: PlanarWorld) -> Account:
    """Account of the map's objects in the world, and of the others."""
    return account_for(
        layout.data,
        layout.points,
        box=layout.box,
        highways=frozenset(highway_classes(inputs.setup)),
        restrictions=layout.rules.restrictions.reasons,
    )


def find_sites(layout: PlanarWorld, outline: GroundOutline) -> list[BuildingSite]:
    """The site of each block; each building is of one block, that of its middle."""
    areas = _standing_areas(layout, outline.no_build_area)
    nodes = [node for node in layout.data.tagged_nodes if "filePath" in node.tags]
    places = layout.points[layout.data.rows(tuple(node.id for node in nodes))]
    bounds = shapely.bounds([area.shape for area in areas]).reshape(-1, 4)
    owners = layout.blocks.at((bounds[:, :2] + bounds[:, 2:]) / 2.0)
    owners_of_nodes = layout.blocks.at(places)
    sites = []
    for block in range(layout.blocks.count):
        rows = np.flatnonzero(owners_of_nodes == block)
        own = np.flatnonzero(owners == block).tolist()
        own_nodes = [nodes[row] for row in rows.tolist()]
        sites.append(BuildingSite([areas[row] for row in own], own_nodes, places[rows]))
    return sites


def _standing_areas(layout: PlanarWorld, no_build_area: Sequence[BaseGeometry]) -> list[Area]:
    """The built parts of all areas, with the parts under raised ones."""
    window = shapely.box(*layout.box)

    def built(area: Area) -> list[shapely.Polygon]:
        if not shapely.covers(window, area.shape):
            return []
        taken = _taken_about(no_build_area, layout.blocks, area)
        return tidy_parts(clip_to_clearance(area.shape, building_clearance(taken)))

    passages = passages_of(layout.data, layout.points)
    areas = without_outlines(layout.building_areas, passages)
    return held_up(areas, built=built, passages=passages)


def build_block(
    block: int,
    layout: PlanarWorld,
    outline: GroundOutline,
    sites: list[BuildingSite],
    heights: Heights,
) -> BuiltBlock:
    """The buildings of a block."""
    window, left_out = shapely.box(*layout.box), Counter[str]()
    site, height = sites[block], heights.heights[GROUND]
    footprints: list[Footprint] = []
    no_build_area = outline.no_build_area
    for areas, taken in _with_surroundings(no_build_area, layout.blocks, block, site.areas):
        footprints += footprints_of(areas, window=window, carriageway=taken, left_out=left_out)
    houses = placed_houses(
        site.nodes,
        site.places,
        window=window,
        carriageway=no_build_area[block],
        height=height,
        left_out=left_out,
    )
    solids = make_solid_mesh(footprints, height)
    return BuiltBlock(solids, [each.polygon for each in footprints], houses, left_out)


def _with_surroundings(
    no_build_area: Sequence[BaseGeometry], grid: BlockGrid, block: int, areas: Sequence[Area]
) -> list[tuple[list[Area], BaseGeometry]]:
    """The areas of a block with the no-build area about them; long ones reach into others."""
    if grid.count == 1:
        return [(list(areas), no_build_area[0])]
    boxes = grid.boxes
    known = shapely.box(*expand_box(boxes[block], EXACT_AROUND - _MARGIN))
    inside = [area for area in areas if shapely.covers(known, area.shape)]
    result = [(inside, no_build_area[block])]
    for area in areas:
        if not shapely.covers(known, area.shape):
            result.append(([area], _taken_about(no_build_area, grid, area)))
    return result


def _taken_about(
    no_build_area: Sequence[BaseGeometry], grid: BlockGrid, area: Area
) -> BaseGeometry:
    """The no-build area about an area, of whichever blocks."""
    around = expand_box(area.shape.bounds, _MARGIN)
    near = [
        overlays.intersection(taken, shapely.box(*around))
        for taken, box in zip(no_build_area, grid.boxes, strict=True)
        if boxes_touch(box, around)
    ]
    return overlays.union_all(near)


def join_buildings(built_blocks: tuple[BuiltBlock, ...], heights: Heights) -> Buildings:
    """The buildings of all blocks."""
    houses = tuple(house for block in built_blocks for house in block.houses)
    footprints = [footprint_of(house) for house in houses]
    solids = [block.solids for block in built_blocks]
    polygons = [polygon for block in built_blocks for polygon in block.polygons]
    return Buildings(
        solids=joined([each.mesh for each in solids]),
        tints=np.concatenate([each.tints for each in solids]),
        spans=np.concatenate([each.spans for each in solids]),
        is_raised=np.concatenate([each.is_raised for each in solids]),
        houses=houses,
        house_boxes=make_solid_mesh(footprints, heights.heights[GROUND]).mesh,
        polygons=[*polygons, *(each.polygon for each in footprints)],
        left_out=sum((block.left_out for block in built_blocks), Counter[str]()),
    )
