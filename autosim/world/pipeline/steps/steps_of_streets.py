"""The steps of the pipeline that lay streets in plan: on the ground, on bridges, in tunnels."""

from dataclasses import replace

import numpy as np
import shapely

from autosim.world.geometry.block_grid import expand_box
from autosim.world.geometry.height_function import flat
from autosim.world.ground.block_partition import GroundCover, GroundStreets, deck_of
from autosim.world.ground.driven_points import driven_points, wheel_tracks
from autosim.world.levels.elevation import Heights, LevelledStreets
from autosim.world.levels.level_division import GROUND
from autosim.world.osm.areas import find_areas, is_green
from autosim.world.pipeline.steps.steps_in_plan import PlanarWorld
from autosim.world.pipeline.world_inputs import WorldInputs
from autosim.world.streets.built_up import find_built_up
from autosim.world.streets.pavings import find_pavings
from autosim.world.streets.sea import find_sea
from autosim.world.streets.waters import find_waters
from autosim.world.structures.decks import Deck
from autosim.world.surfaces.carriageway_shapes import StreetMap
from autosim.world.surfaces.lowered_kerbs import find_lowered_kerbs
from autosim.world.surfaces.near_streets import REACH, StreetFinder
from autosim.world.surfaces.parking_room import find_parking_strips
from autosim.world.surfaces.parking_strips import ParkingStrips
from autosim.world.traffic.lane_heights import FlatNetwork, network_in_plan


def busiest_blocks(layout: PlanarWorld) -> list[int]:
    """All blocks, those with most points of streets first."""
    points = np.vstack([np.zeros((0, 2)), *(street.points for street in layout.streets)])
    counts = np.bincount(layout.blocks.at(points), minlength=layout.blocks.count)
    return [int(block) for block in np.argsort(-counts, kind="stable")]


def index_streets(layout: PlanarWorld, street_map: StreetMap) -> StreetFinder | None:
    """An index of streets by their place; None where there is one block."""
    return StreetFinder.of(street_map) if layout.blocks.count > 1 else None


def find_parking(
    layout: PlanarWorld, levelled: LevelledStreets, street_map: StreetMap
) -> ParkingStrips:
    """The strips along streets on which cars park."""
    return find_parking_strips(
        layout.data,
        layout.points,
        levelled=levelled,
        plan=street_map.plan,
        buildings=layout.building_areas,
        side=layout.side,
        box=layout.box,
    )


def lay_ground_streets(
    block: int,
    layout: PlanarWorld,
    street_map: StreetMap,
    parking: ParkingStrips,
    street_index: StreetFinder | None,
) -> GroundStreets:
    """The streets on the ground in and about a block."""
    if street_index is None:
        return GroundStreets.of(street_map, parking)
    box = layout.blocks.boxes[block]
    near = parking.about(shapely.box(*expand_box(box, REACH)))
    return GroundStreets.of(street_index.about(box), near)


def lay_lanes(street_map: StreetMap) -> FlatNetwork:
    """The network of lanes, in plan."""
    return network_in_plan(street_map.plan, street_map.spans)


def levels_off_the_ground(heights: Heights) -> list[int]:
    """The levels of bridges and tunnels."""
    return list(range(GROUND + 1, len(heights.levels.signs)))


def lay_deck(level: int, inputs: WorldInputs, street_map: StreetMap, heights: Heights) -> Deck:
    """The bridges or tunnels of a level, without their height.

    A height function is not pickled; `with_heights` adds it.
    """
    deck = deck_of(street_map, level, heights.heights, kerb_height=inputs.kerb_height)
    return replace(deck, height=flat)


def with_heights(flat_decks: tuple[Deck, ...], heights: Heights) -> tuple[Deck, ...]:
    """The bridges and tunnels at their height."""
    return tuple(replace(deck, height=heights.heights[deck.level]) for deck in flat_decks)


def find_cover(layout: PlanarWorld, street_map: StreetMap, heights: Heights) -> GroundCover:
    """Waters, parks, paths, yards and lowered kerbs."""
    data, points = layout.data, layout.points
    greens = [area.shape for area in find_areas(data, points, is_green)]
    town = find_built_up(layout.streets, layout.building_areas, layout.box)
    return GroundCover(
        water=[*find_waters(data, points), find_sea(data, points, layout.box)],
        park=greens,
        pavings=find_pavings(data, points, greens, town),
        lowered_kerbs=find_lowered_kerbs(data, points, heights.streets, heights.levels),
        driven=driven_points(street_map, GROUND, heights.is_uneven),
        tracks=wheel_tracks(street_map, GROUND, heights.is_uneven),
    )
