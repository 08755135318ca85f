"""The steps of the pipeline that cover an area: block by block, in as many processes as may be."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.world.areas import Area, find_areas, is_green
from autosim.world.blocks import BlockGrid, grown, meet
from autosim.world.borders import find_borders
from autosim.world.buildings import (
    Colours,
    Footprint,
    footprint_of,
    footprints_of,
    placed_houses,
    solid_mesh,
    without_wholes,
)
from autosim.world.carriageways import StreetMap
from autosim.world.compiled import Building, Mesh
from autosim.world.curves import Floats
from autosim.world.decks import Deck
from autosim.world.draft import Draft
from autosim.world.driven_points import driven_points
from autosim.world.ground import (
    make_part,
    put_together,
    shared_vertices,
    structure_makers,
)
from autosim.world.ground_relief import PassingStreets
from autosim.world.heights import flat
from autosim.world.inputs import Box
from autosim.world.kerb_dips import find_kerb_dips
from autosim.world.land import (
    EXACT_AROUND,
    GroundCover,
    GroundStreets,
    Land,
    deck_of,
    decks_about,
    make_land,
)
from autosim.world.lane_spans import lane_spans
from autosim.world.levels import GROUND
from autosim.world.meshes import joined
from autosim.world.near_streets import StreetFinder
from autosim.world.osm_data import OsmNode
from autosim.world.sea import find_sea
from autosim.world.waters import find_waters
from autosim.world.workers import in_processes

Result = TypeVar("Result")


def _each_block(draft: Draft, work: Callable[[int], Result]) -> list[Result]:
    """The results of all blocks, in their order; those with most streets are begun first."""
    order = _busiest_first(draft)
    done = _side_by_side(draft, [partial(work, block) for block in order])
    return _by_block(done, order)


def _side_by_side(draft: Draft, tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    """The results of tasks, in their order; those that take longest should come first."""
    return in_processes(
        lambda task: tasks[task](),
        len(tasks),
        processes=draft.crew,
        finished=lambda done: draft.advance(done / len(tasks)),
    )


def _busiest_first(draft: Draft) -> list[int]:
    """All blocks, by how many points of streets they have."""
    points = np.vstack([street.points for street in draft.streets])
    blocks = draft.layout.blocks
    counts = np.bincount(blocks.at(points), minlength=blocks.count)
    return [int(block) for block in np.argsort(-counts, kind="stable")]


def _by_block(results: Sequence[Result], order: Sequence[int]) -> list[Result]:
    """The results of blocks taken in `order`, in the order of the blocks."""
    return [results[turn] for turn in np.argsort(order)]


def lay_streets(draft: Draft) -> None:
    """Where streets are in plan: bridges and tunnels, with their floors, and those on the ground.

    On the ground they are laid block by block.
    """
    levels = draft.heights.levels
    spans = lane_spans(draft.plan, levels)
    flanks = draft.heights.flanks
    borders = find_borders(draft.streets, levels, flanks.rooms)
    draft.town = StreetMap(draft.streets, draft.plan, levels, spans, borders, flanks.cliffs)
    sheets, order = range(GROUND + 1, len(levels.signs)), _busiest_first(draft)
    ground_streets = _ground_streets(draft)
    tasks: list[Callable[[], Deck | GroundStreets | GroundCover]] = [
        *(partial(_portable_deck, draft, sheet) for sheet in sheets),
        partial(_cover_of, draft),
        *(partial(ground_streets, block) for block in order),
    ]
    done = _side_by_side(draft, tasks)
    on_ground = [each for each in done if isinstance(each, GroundStreets)]
    draft.ground_streets = _by_block(on_ground, order)
    draft.cover = next(each for each in done if isinstance(each, GroundCover))
    heights = draft.heights.heights
    draft.decks = [replace(d, height=heights[d.sheet]) for d in done if isinstance(d, Deck)]


def _portable_deck(draft: Draft, sheet: int) -> Deck:
    """A deck without its height: functions do not travel from process to process."""
    heights = draft.heights.heights
    deck = deck_of(draft.town, sheet, heights, kerb_height=draft.kerb_height)
    return replace(deck, height=flat)


def _ground_streets(draft: Draft) -> Callable[[int], GroundStreets]:
    """What lays the streets on the ground in and about a block."""
    blocks, town = draft.layout.blocks, draft.town
    if blocks.count == 1:
        return lambda block: GroundStreets.of(town)
    finder, boxes = StreetFinder.of(town), blocks.boxes
    return lambda block: GroundStreets.of(finder.about(boxes[block]))


def _cover_of(draft: Draft) -> GroundCover:
    water = find_waters(draft.layout.data, draft.layout.points)
    return GroundCover(
        water=[*water, find_sea(draft.layout.data, draft.layout.points, draft.layout.box)],
        park=[area.shape for area in find_areas(draft.layout.data, draft.layout.points, is_green)],
        dips=find_kerb_dips(
            draft.layout.data, draft.layout.points, draft.streets, draft.heights.levels
        ),
        driven=driven_points(draft.town, GROUND, draft.heights.relief),
    )


def divide_ground(draft: Draft) -> None:
    """Which surface lies where on the ground."""
    boxes = draft.layout.blocks.boxes
    water, park = shapely.STRtree(draft.cover.water), shapely.STRtree(draft.cover.park)
    is_one = draft.layout.blocks.count == 1

    def land_of(block: int) -> Land:
        box = boxes[block]
        return make_land(
            draft.ground_streets[block],
            draft.decks if is_one else decks_about(draft.decks, box),
            box=box,
            window=draft.layout.box,
            water=_union(water, box),
            park=_union(park, box),
            dips=draft.cover.dips,
        )

    draft.lands = _each_block(draft, land_of)
    del draft.ground_streets


def _union(shapes: shapely.STRtree, box: Box) -> BaseGeometry:
    block = shapely.box(*box)
    rows = np.sort(shapes.query(block, predicate="intersects"))
    return shapely.union_all(shapely.intersection(shapes.geometries[rows], block))


def make_ground(draft: Draft) -> None:
    """The ground's mesh."""
    boxes, partitions = draft.layout.blocks.boxes, [land.partition for land in draft.lands]
    chains = shared_vertices(partitions, draft.layout.blocks, draft.heights)
    parts = _each_block(
        draft,
        lambda block: make_part(
            partitions[block],
            draft.heights,
            box=boxes[block],
            inner=draft.cover.driven,
            chains=chains.get(block, ()),
        ),
    )
    draft.ground = put_together(
        parts,
        draft.lands,
        draft.layout.blocks,
        decks=draft.decks,
        joints=draft.heights.levels.joints,
        passing=PassingStreets(draft.streets, draft.heights.levels),
        kerb_height=draft.kerb_height,
        dips=draft.cover.dips,
    )


@dataclass(frozen=True, slots=True)
class _Block:
    """The buildings of a block, and what was left out of it."""

    mesh: Mesh
    tints: Colours
    polygons: list[BaseGeometry]
    houses: list[Building]
    left_out: Counter[str]


def build_solids(draft: Draft) -> None:
    """Bridges and tunnels, and all buildings and placed houses, side by side."""
    structures = structure_makers(draft.decks, draft.heights, draft.lands, draft.ground)
    work: list[Callable[[], Mesh | _Block]] = [*structures, *_building_makers(draft)]
    done = _side_by_side(draft, work)
    draft.structures = joined([each for each in done if isinstance(each, Mesh)])
    _take_buildings(draft, [each for each in done if isinstance(each, _Block)])
    draft.kept_free = [land.kept_free for land in draft.lands]
    del draft.lands


def _building_makers(draft: Draft) -> list[Callable[[], _Block]]:
    """What makes the buildings of each block; each is of one block, that of its middle."""
    areas = without_wholes(draft.layout.building_areas)
    nodes = [node for node in draft.layout.data.tagged_nodes if "filePath" in node.tags]
    places = draft.layout.points[draft.layout.data.rows(tuple(node.id for node in nodes))]
    bounds = shapely.bounds([area.shape for area in areas]).reshape(-1, 4)
    owners = draft.layout.blocks.at((bounds[:, :2] + bounds[:, 2:]) / 2.0)
    owners_of_nodes = draft.layout.blocks.at(places)

    def built(block: int) -> _Block:
        rows = np.flatnonzero(owners_of_nodes == block)
        return _buildings(
            draft,
            block,
            [areas[row] for row in np.flatnonzero(owners == block).tolist()],
            nodes=[nodes[row] for row in rows.tolist()],
            places=places[rows],
        )

    return [partial(built, block) for block in range(draft.layout.blocks.count)]


def _take_buildings(draft: Draft, parts: Sequence[_Block]) -> None:
    height = draft.heights.heights[GROUND]
    draft.houses = [house for part in parts for house in part.houses]
    houses = [footprint_of(house) for house in draft.houses]
    draft.house_boxes, _ = solid_mesh(houses, height)
    draft.buildings = joined([part.mesh for part in parts])
    draft.building_tints = np.concatenate([part.tints for part in parts])
    draft.polygons = [polygon for part in parts for polygon in part.polygons]
    draft.polygons += [house.polygon for house in houses]
    for part in parts:
        draft.left_out.update(part.left_out)


def _buildings(
    draft: Draft, block: int, areas: Sequence[Area], *, nodes: Sequence[OsmNode], places: Floats
) -> _Block:
    window, left_out = shapely.box(*draft.layout.box), Counter[str]()
    height = draft.heights.heights[GROUND]
    footprints: list[Footprint] = []
    for chosen, kept_free in _with_surroundings(draft.lands, draft.layout.blocks, block, areas):
        footprints += footprints_of(chosen, window=window, carriageway=kept_free, left_out=left_out)
    houses = placed_houses(
        nodes,
        places,
        window=window,
        carriageway=draft.lands[block].kept_free,
        height=height,
        left_out=left_out,
    )
    mesh, tints = solid_mesh(footprints, height)
    return _Block(mesh, tints, [each.polygon for each in footprints], houses, left_out)


def _with_surroundings(
    lands: Sequence[Land], grid: BlockGrid, block: int, areas: Sequence[Area]
) -> list[tuple[list[Area], BaseGeometry]]:
    """The areas of a block with what is kept free about them; long ones reach into others."""
    if grid.count == 1:
        return [(list(areas), lands[0].kept_free)]
    boxes = grid.boxes
    known = shapely.box(*grown(boxes[block], EXACT_AROUND - 1.0))
    inside = [area for area in areas if shapely.covers(known, area.shape)]
    result = [(inside, lands[block].kept_free)]
    for area in areas:
        if not shapely.covers(known, area.shape):
            around = grown(area.shape.bounds, 1.0)
            near = [
                shapely.intersection(land.kept_free, shapely.box(*around))
                for land, box in zip(lands, boxes, strict=True)
                if meet(box, around)
            ]
            result.append(([area], shapely.union_all(near)))
    return result
