"""The steps of the pipeline that cover an area: block by block, in as many processes as may be."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.world.areas import find_areas, is_green
from autosim.world.borders import find_borders
from autosim.world.carriageways import StreetMap
from autosim.world.compiled import Mesh
from autosim.world.decks import Deck
from autosim.world.draft import Draft
from autosim.world.driven_points import driven_points
from autosim.world.ground import (
    SheetPart,
    make_part,
    put_together,
    shared_vertices,
    solid_makers,
    streets_of_ground,
)
from autosim.world.ground_relief import PassingStreets
from autosim.world.heights import flat
from autosim.world.inputs import Box
from autosim.world.kerb_dips import find_kerb_dips
from autosim.world.land import (
    GroundCover,
    GroundStreets,
    Land,
    deck_of,
    decks_about,
    make_land,
)
from autosim.world.lane_heights import FlatNetwork, network_in_plan
from autosim.world.lane_spans import lane_spans
from autosim.world.levels import GROUND
from autosim.world.meshes import joined
from autosim.world.near_streets import StreetFinder
from autosim.world.rims import rim_walls
from autosim.world.sea import find_sea
from autosim.world.steps_of_houses import begin_houses
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

    On the ground they are laid block by block. The network of lanes is made in plan beside them.
    """
    levels = draft.heights.levels
    spans = lane_spans(draft.plan, levels)
    flanks = draft.heights.flanks
    borders = find_borders(draft.streets, levels, flanks.rooms)
    draft.town = StreetMap(draft.streets, draft.plan, levels, spans, borders, flanks.cliffs)
    sheets, order = range(GROUND + 1, len(levels.signs)), _busiest_first(draft)
    ground_streets = _ground_streets(draft)
    # Those that take longest come first.
    tasks: list[Callable[[], Deck | GroundStreets | GroundCover | FlatNetwork]] = [
        *(partial(_portable_deck, draft, sheet) for sheet in sheets),
        *(partial(ground_streets, block) for block in order),
        partial(_cover_of, draft),
        partial(network_in_plan, draft.plan, spans),
    ]
    done = _side_by_side(draft, tasks)
    on_ground = [each for each in done if isinstance(each, GroundStreets)]
    draft.ground_streets = _by_block(on_ground, order)
    draft.cover = next(each for each in done if isinstance(each, GroundCover))
    draft.lanes = next(each for each in done if isinstance(each, FlatNetwork))
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
    """The ground's mesh, and bridges and tunnels; houses are begun beside."""
    lands, order = draft.lands, _busiest_first(draft)
    partitions = [land.partition for land in lands]
    chains = shared_vertices(partitions, draft.layout.blocks, draft.heights)
    streets = streets_of_ground(lands, draft.heights)

    def part_of(block: int) -> SheetPart:
        return make_part(
            partitions[block],
            draft.heights,
            box=draft.layout.blocks.boxes[block],
            inner=draft.cover.driven,
            chains=chains.get(block, ()),
        )

    tasks: list[Callable[[], SheetPart | Mesh]] = [
        *(partial(part_of, block) for block in order),
        *solid_makers(draft.decks, draft.heights, streets),
    ]
    done = _side_by_side(draft, tasks)
    draft.kept_free = [land.kept_free for land in lands]
    begin_houses(draft)
    draft.ground = put_together(
        _by_block([each for each in done if isinstance(each, SheetPart)], order),
        lands,
        draft.layout.blocks,
        decks=draft.decks,
        joints=draft.heights.levels.joints,
        passing=PassingStreets(draft.streets, draft.heights.levels),
        kerb_height=draft.kerb_height,
        dips=draft.cover.dips,
    )
    solids = [each for each in done if isinstance(each, Mesh)]
    walls = rim_walls(draft.ground.mesh, draft.ground.holes, draft.decks, streets)
    draft.structures = joined([*solids, walls])
    del draft.lands
