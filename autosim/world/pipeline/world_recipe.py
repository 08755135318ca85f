"""The recipe of a world: all steps from an OpenStreetMap file, written as calls (see `recipe.py`).

The functions are in `steps_*.py`, by what they make. A step that is not shared with other processes
gives what is not worth sending (an index that all need) or cannot be sent (height functions).
"""

from collections.abc import Callable
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar

from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.geometry.meshes import Mesh
from autosim.world.ground.block_partition import GroundCover, GroundStreets
from autosim.world.ground.ground_mesh import GroundMesh
from autosim.world.levels.elevation import Heights, LevelledStreets
from autosim.world.pipeline.assembly import StreetData, WorldSolids, assemble, join_findings
from autosim.world.pipeline.recipe import Recipe, promise
from autosim.world.pipeline.steps import steps_in_plan as plan
from autosim.world.pipeline.steps import steps_of_buildings as building
from autosim.world.pipeline.steps import steps_of_details as details
from autosim.world.pipeline.steps import steps_of_ground as ground
from autosim.world.pipeline.steps import steps_of_heights as heights
from autosim.world.pipeline.steps import steps_of_lanes as lanes
from autosim.world.pipeline.steps import steps_of_streets as streets
from autosim.world.pipeline.steps.steps_in_plan import PlanarWorld
from autosim.world.pipeline.steps.steps_of_buildings import Buildings
from autosim.world.pipeline.steps.steps_of_ground import GroundOutline
from autosim.world.pipeline.steps.steps_of_lanes import ControlledLanes, Floors
from autosim.world.pipeline.world_inputs import WorldInputs
from autosim.world.structures.decks import Deck
from autosim.world.surfaces.carriageway_shapes import StreetMap
from autosim.world.surfaces.parking_strips import ParkingStrips
from autosim.world.traffic.lane_heights import FlatNetwork
from autosim.world.validation.accounting import Account

P = ParamSpec("P")
T = TypeVar("T")


def _by_blocks(
    recipe: Recipe,
    name: str,
    run: Callable[Concatenate[int, P], T],
    share: float,
    layout: PlanarWorld,
) -> Callable[P, tuple[T, ...]]:
    """A step that helpers may run block by block; the blocks with most streets come first."""
    return recipe.in_parts(name, run, share, numbers=streets.busiest_blocks, of=layout)


def _plan(recipe: Recipe, inputs: WorldInputs) -> PlanarWorld:
    """The world in plan, before anything has a height: the whole map, in one process."""
    osm_map = recipe.step("read the map", plan.read_map, 2)(inputs)
    frame = recipe.step("place the map", plan.place_map, 0.5)(inputs, osm_map)
    axes = recipe.step("find streets", plan.find_streets_in_window, 2.5)(inputs, osm_map, frame)
    return recipe.step("plan lanes", plan.plan_all_lanes, 4)(osm_map, frame, axes)


class _Levels(NamedTuple):
    """Profiles of streets, levels, and a height function for each level: of the whole map."""

    levelled: LevelledStreets
    street_map: StreetMap
    heights: Heights


def _find_levels(recipe: Recipe, inputs: WorldInputs, layout: PlanarWorld) -> _Levels:
    step = recipe.step
    terrain = step("read the terrain", heights.read_terrain)(inputs, layout)
    levelled = step("find levels", heights.find_levels, 11)(inputs, layout, terrain)
    street_map = step("divide lanes", heights.divide_lanes, 0.5)(layout, levelled)
    of_levels = step("find heights", heights.find_heights, 3)(layout, terrain, levelled)
    return _Levels(levelled, street_map, of_levels)


class _Streets(NamedTuple):
    """Streets, bridges and tunnels in plan: the ground by blocks, the others by levels."""

    parking: ParkingStrips
    ground_streets: tuple[GroundStreets, ...]
    flat_network: FlatNetwork
    account: Account
    cover: GroundCover
    decks: tuple[Deck, ...]


def _lay_streets(
    recipe: Recipe, inputs: WorldInputs, layout: PlanarWorld, levels: _Levels
) -> _Streets:
    step, shared = recipe.step, recipe.shared
    levelled, street_map, of_levels = levels
    # What takes no heights is done while they are found.
    parking = shared("find parking", streets.find_parking, 1)(layout, levelled, street_map)
    index = step("index streets", streets.index_streets)(layout, street_map)
    laying = _by_blocks(recipe, "lay streets", streets.lay_ground_streets, 11.5, layout)
    ground_streets = laying(layout, street_map, parking, index)
    flat_network = shared("lay lanes", streets.lay_lanes, 0.5)(street_map)
    account = shared("account for the map", building.account_for_map, 0.5)(inputs, layout)
    flat_decks = recipe.in_parts(
        "lay bridges and tunnels",
        streets.lay_deck,
        11,
        numbers=streets.levels_off_the_ground,
        of=of_levels,
    )(inputs, street_map, of_levels)
    cover = shared("find waters and parks", streets.find_cover, 1.5)(layout, street_map, of_levels)
    decks = step("raise bridges and tunnels", streets.with_heights)(flat_decks, of_levels)
    return _Streets(parking, ground_streets, flat_network, account, cover, decks)


class _Ground(NamedTuple):
    """The ground by blocks, and bridges and tunnels by levels; then each as one mesh."""

    outline: GroundOutline
    ground: GroundMesh
    structures: Mesh


def _make_ground(
    recipe: Recipe, inputs: WorldInputs, layout: PlanarWorld, laid: _Streets, of_levels: Heights
) -> _Ground:
    step, cover, decks = recipe.step, laid.cover, laid.decks
    index = step("index waters and parks", ground.index_cover)(cover)
    dividing = _by_blocks(recipe, "divide the ground", ground.divide_block, 15, layout)
    partitions = dividing(layout, laid.ground_streets, decks, cover, index)
    outlining = step("outline the ground", ground.outline_ground, 0.5)
    outline = outlining(layout, partitions, of_levels)
    making = _by_blocks(recipe, "make the ground", ground.triangulate_block, 7, layout)
    parts = making(layout, partitions, outline, cover, of_levels)
    solids = recipe.in_parts(
        "make bridges and tunnels",
        ground.make_solid,
        2.5,
        numbers=ground.numbers_of_decks,
        of=decks,
    )(decks, outline, of_levels)
    joined = step("join the ground", ground.join_ground, 1.5)(
        inputs, layout, partitions, parts, decks, cover, of_levels
    )
    joining = step("join bridges and tunnels", ground.join_structures, 0.5)
    return _Ground(outline, joined, joining(solids, joined, decks, outline))


def _build_houses(
    recipe: Recipe, layout: PlanarWorld, outline: GroundOutline, of_levels: Heights
) -> Buildings:
    """Houses, by blocks."""
    # Sites are found while the ground is made, and houses are built while its blocks are joined.
    sites = recipe.shared("find building sites", building.find_sites, 5.5)(layout, outline)
    building_blocks = _by_blocks(recipe, "build houses", building.build_block, 3.5, layout)
    blocks = building_blocks(layout, outline, sites, of_levels)
    return recipe.step("join houses", building.join_buildings)(blocks, of_levels)


class _Lanes(NamedTuple):
    """Lanes on the meshes, with the rules of traffic."""

    floors: Floors
    controlled: ControlledLanes


def _control_lanes(
    recipe: Recipe, layout: PlanarWorld, levels: _Levels, laid: _Streets, made: _Ground
) -> _Lanes:
    step, flat_network = recipe.step, laid.flat_network
    floors = step("index floors", lanes.index_floors, 1)(made.ground, made.structures, laid.decks)
    lane_heights = recipe.in_parts(
        "raise lanes",
        lanes.find_lane_heights,
        0.5,
        numbers=lanes.ranges_of_points,
        of=flat_network,
    )(flat_network, floors, levels.heights)
    controlling = step("control lanes", lanes.control_lanes, 1)
    return _Lanes(floors, controlling(layout, levels.street_map, flat_network, lane_heights))


def _build(recipe: Recipe, inputs: WorldInputs, layout: PlanarWorld) -> CompiledWorld:
    """The whole world; its paint, scenery, conflicts and checks are made side by side."""
    levels = _find_levels(recipe, inputs, layout)
    laid = _lay_streets(recipe, inputs, layout, levels)
    made = _make_ground(recipe, inputs, layout, laid, levels.heights)
    buildings = _build_houses(recipe, layout, made.outline, levels.heights)
    floors, controlled = _control_lanes(recipe, layout, levels, laid, made)
    step, shared = recipe.step, recipe.shared
    # Those that take longest come first.
    lane_findings = shared("check lanes", details.check_lanes, 4.5)(
        layout, controlled, levels.heights, floors
    )
    furnished = shared("furnish", details.furnish_scenery, 4)(
        layout, laid.parking, made.outline, floors, controlled, buildings
    )
    markings = shared("paint roads", details.paint_roads, 1.5)(
        layout, laid.parking, levels.heights, controlled, floors
    )
    conflicts = shared("find conflicts", details.find_conflicts, 1.5)(layout, controlled)
    ground_findings = shared("check the ground", details.check_ground, 1)(
        layout, floors, levels.heights
    )
    friction = shared("find friction", details.find_friction, 0.5)(floors, controlled)
    path_lines = shared("find paths", details.find_paths, 0.5)(layout, floors)
    building_finding = shared("check buildings", details.check_buildings, 0.5)(buildings)
    roads = step("finish lanes", lanes.finish_lanes)(controlled, conflicts)
    solids = step("join solids", WorldSolids)(floors, made.structures, buildings, furnished)
    street_data = step("join street data", StreetData)(roads, markings, friction, path_lines)
    findings = step("join checks", join_findings)(ground_findings, building_finding, lane_findings)
    return step("put the world together", assemble)(
        inputs, layout, laid.account, solids, street_data, findings
    )


INPUTS = promise(WorldInputs)
"""Promise of what a world is made from."""

IN_PLAN = Recipe()
"""The steps of the whole map in plan, in one process."""

AFTER_PLAN = Recipe()
"""The steps after those, in several processes where the world is large."""

LAYOUT = _plan(IN_PLAN, INPUTS)
"""Promise of the world in plan, from the one recipe to the other."""

WORLD = _build(AFTER_PLAN, INPUTS, LAYOUT)
"""Promise of the compiled world."""
