"""The steps of the pipeline that lay streets in plan: on the ground, on bridges, and in tunnels.

On the ground they need no heights; so they are begun while these are found.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from autosim.world.geometry.height_function import flat
from autosim.world.ground.block_partition import GroundCover, GroundStreets, deck_of
from autosim.world.ground.driven_points import driven_points
from autosim.world.levels.adjacent_streets import AdjacentStreets
from autosim.world.levels.borders import find_borders
from autosim.world.levels.lane_shifts import shifted_lanes
from autosim.world.levels.lane_spans import lane_spans
from autosim.world.levels.levels import GROUND, Levels
from autosim.world.osm.areas import find_areas, is_green
from autosim.world.pipeline.block_tasks import busiest_first, by_block, side_by_side
from autosim.world.pipeline.draft import Draft
from autosim.world.pipeline.workers import begun
from autosim.world.streets.sea import find_sea
from autosim.world.streets.streets import Street
from autosim.world.streets.waters import find_waters
from autosim.world.structures.decks import Deck
from autosim.world.surfaces.carriageways import StreetMap
from autosim.world.surfaces.lowered_kerbs import find_lowered_kerbs
from autosim.world.surfaces.near_streets import StreetFinder
from autosim.world.traffic.lane_heights import FlatNetwork, network_in_plan


def begin_streets(
    draft: Draft, streets: Sequence[Street], levels: Levels, adjacent: AdjacentStreets
) -> None:
    """Begins to lay the streets on the ground, block by block.

    Args:
        draft: its streets become those given, and its lanes keep to the side clearance of these.
        streets: all streets, with the levels that are left.
        levels: their levels.
        adjacent: what they have at their sides.
    """
    draft.streets = list(streets)
    draft.plan = shifted_lanes(draft.plan, streets, adjacent.side_clearances)
    spans = lane_spans(draft.plan, levels)
    borders = find_borders(streets, levels, adjacent.side_clearances)
    draft.town = StreetMap(streets, draft.plan, levels, spans, borders, adjacent.cliffs)
    ground_streets = _ground_streets(draft)
    draft.street_layers = [partial(ground_streets, block) for block in busiest_first(draft)]
    beginning = begun(draft.street_layers, processes=draft.crew - 1)
    draft.begun_streets = draft.beside.enter_context(beginning)


def lay_streets(draft: Draft) -> None:
    """Bridges and tunnels with their floors, and those streets on the ground that are left.

    The network of lanes is made in plan beside them.
    """
    levels = range(GROUND + 1, len(draft.heights.levels.signs))
    left = draft.begun_streets.take_back()
    # Those that take longest come first.
    tasks: list[Callable[[], Deck | GroundStreets | GroundCover | FlatNetwork]] = [
        *(partial(_portable_deck, draft, level) for level in levels),
        *(draft.street_layers[task] for task in left),
        partial(_cover_of, draft),
        partial(network_in_plan, draft.plan, draft.town.spans),
    ]
    done = side_by_side(draft, tasks)
    heights = draft.heights.heights
    draft.decks = [replace(d, height=heights[d.level]) for d in done if isinstance(d, Deck)]
    draft.cover = next(each for each in done if isinstance(each, GroundCover))
    draft.lanes = next(each for each in done if isinstance(each, FlatNetwork))
    made = [each for each in done if isinstance(each, GroundStreets)]
    laid = dict(zip(left, made, strict=True)) | draft.begun_streets.done()
    in_order = [laid[task] for task in range(len(draft.street_layers))]
    draft.ground_streets = by_block(in_order, busiest_first(draft))
    del draft.street_layers, draft.begun_streets


def _portable_deck(draft: Draft, level: int) -> Deck:
    """A deck without its height: functions do not travel from process to process."""
    heights = draft.heights.heights
    deck = deck_of(draft.town, level, heights, kerb_height=draft.kerb_height)
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
        lowered_kerbs=find_lowered_kerbs(
            draft.layout.data, draft.layout.points, draft.streets, draft.heights.levels
        ),
        driven=driven_points(draft.town, GROUND, draft.heights.is_uneven),
    )
