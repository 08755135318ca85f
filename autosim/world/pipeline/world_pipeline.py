"""From an OpenStreetMap file to a compiled world: the list of all steps, and what happens when.

Every step is a pure function of what earlier steps gave; a scheduler runs what is ready
(`scheduler.py`). A step that is not shared with other processes gives what is not worth sending
(an index that all need) or cannot be sent (height functions).
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.config.descriptions import DrivingSide, MapSetup
from autosim.config.diagnostics import ConfigError, Diagnostics, printable
from autosim.errors import UserError
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.tile_grid import sort_into_tiles
from autosim.world.geometry.extent import Window
from autosim.world.geometry.overlays import Fault
from autosim.world.osm.osm_data import OsmData
from autosim.world.pipeline import steps_in_plan as plan
from autosim.world.pipeline import steps_of_buildings as building
from autosim.world.pipeline import steps_of_details as details
from autosim.world.pipeline import steps_of_ground as ground
from autosim.world.pipeline import steps_of_heights as heights
from autosim.world.pipeline import steps_of_lanes as lanes
from autosim.world.pipeline import steps_of_streets as streets
from autosim.world.pipeline.assembly import assemble
from autosim.world.pipeline.forked_helpers import (
    OUT_OF_MEMORY,
    WorkerLostError,
    gc_disabled,
    may_fork,
    trim_memory,
    usable_processors,
)
from autosim.world.pipeline.scheduler import Step, StepError, run_steps
from autosim.world.pipeline.steps_in_plan import ClippedStreets, MapFrame, PlanarWorld
from autosim.world.pipeline.world_inputs import Progress, WorldInputs

_LOST = "shapes on which GEOS failed"
"""Reason of `CompiledWorld.left_out` for elements that no overlay operation could cope with."""

_MOST_LOST = 20
"""Largest number of warnings about such elements: a terminal's page. Their number is reported."""

_SHOWN = 200
"""Most characters of a library's message in ours: two lines of a terminal."""

shared = partial(Step, is_shared=True)
"""A step that a helper may run."""

by_blocks = partial(Step, each=streets.busiest_blocks, is_shared=True)
"""A step that helpers may run block by block; the blocks with most streets come first."""

IN_PLAN = (
    Step("read the map", "inputs -> osm_map", plan.read_map, 2),
    Step("place the map", "inputs, osm_map -> frame", plan.place_map, 0.5),
    Step("find streets", "inputs, osm_map, frame -> axes", plan.find_streets_in_window, 2.5),
    Step("plan lanes", "osm_map, frame, axes -> layout", plan.plan_all_lanes, 4),
)
"""The world in plan, before anything has a height: the whole map, in one process."""

HEIGHTS = (
    Step("read the terrain", "inputs, layout -> terrain", heights.read_terrain),
    Step("find levels", "inputs, layout, terrain -> levelled", heights.find_levels, 11),
    Step("divide lanes", "layout, levelled -> street_map", heights.divide_lanes, 0.5),
    Step("find heights", "layout, terrain, levelled -> heights", heights.find_heights, 3),
)
"""Profiles of streets, levels, and a height function for each level: of the whole map."""

STREETS = (
    # What takes no heights is done while they are found.
    shared("find parking", "layout, levelled, street_map -> parking", streets.find_parking, 1),
    Step("index streets", "layout, street_map -> street_index", streets.index_streets),
    by_blocks(
        "lay streets",
        "layout, street_map, parking, street_index -> ground_streets",
        streets.lay_ground_streets,
        11.5,
    ),
    shared("lay lanes", "street_map -> flat_network", streets.lay_lanes, 0.5),
    shared("account for the map", "inputs, layout -> account", building.account_for_map, 0.5),
    shared(
        "lay bridges and tunnels",
        "inputs, street_map, heights -> flat_decks",
        streets.lay_deck,
        11,
        each=streets.levels_off_the_ground,
    ),
    shared(
        "find waters and parks", "layout, street_map, heights -> cover", streets.find_cover, 1.5
    ),
    Step("raise bridges and tunnels", "flat_decks, heights -> decks", streets.with_heights),
)
"""Streets, bridges and tunnels in plan: the ground by blocks, the others by levels."""

GROUND = (
    Step("index waters and parks", "cover -> cover_index", ground.index_cover),
    by_blocks(
        "divide the ground",
        "layout, ground_streets, decks, cover, cover_index -> partitions",
        ground.divide_block,
        15,
    ),
    Step(
        "outline the ground", "layout, partitions, heights -> outline", ground.outline_ground, 0.5
    ),
    by_blocks(
        "make the ground",
        "layout, partitions, outline, cover, heights -> ground_parts",
        ground.triangulate_block,
        7,
    ),
    shared(
        "make bridges and tunnels",
        "decks, outline, heights -> solids",
        ground.make_solid,
        2.5,
        each=ground.numbers_of_decks,
    ),
    Step(
        "join the ground",
        "inputs, layout, partitions, ground_parts, decks, cover, heights -> ground",
        ground.join_ground,
        1.5,
    ),
    Step(
        "join bridges and tunnels",
        "solids, ground, decks, outline -> structures",
        ground.join_structures,
        0.5,
    ),
)
"""The ground by blocks, and bridges and tunnels by levels; then each as one mesh."""

BUILDINGS = (
    # Sites are found while the ground is made, and houses are built while its blocks are joined.
    shared("find building sites", "layout, outline -> sites", building.find_sites, 5.5),
    by_blocks(
        "build houses",
        "layout, outline, sites, heights -> built_blocks",
        building.build_block,
        3.5,
    ),
    Step("join houses", "built_blocks, heights -> buildings", building.join_buildings),
)
"""Houses, by blocks."""

LANES = (
    Step("index floors", "ground, structures, decks -> floors", lanes.index_floors, 1),
    shared(
        "raise lanes",
        "flat_network, floors, heights -> lane_heights",
        lanes.find_lane_heights,
        0.5,
        each=lanes.ranges_of_points,
    ),
    Step(
        "control lanes",
        "layout, street_map, flat_network, lane_heights -> controlled",
        lanes.control_lanes,
        1,
    ),
)
"""Lanes on the meshes, with the rules of traffic."""

DETAILS = (
    # Those that take longest come first.
    shared(
        "check lanes",
        "layout, controlled, heights, floors -> lane_findings",
        details.check_lanes,
        4.5,
    ),
    shared(
        "furnish",
        "layout, parking, outline, floors, controlled, buildings -> furnished",
        details.furnish_scenery,
        4,
    ),
    shared(
        "paint roads",
        "layout, parking, heights, controlled, floors -> markings",
        details.paint_roads,
        1.5,
    ),
    shared("find conflicts", "layout, controlled -> conflicts", details.find_conflicts, 1.5),
    shared(
        "check the ground", "layout, floors, heights -> ground_findings", details.check_ground, 1
    ),
    shared("find friction", "floors, controlled -> friction", details.find_friction, 0.5),
    shared("find paths", "layout, floors -> path_lines", details.find_paths, 0.5),
    shared("check buildings", "buildings -> building_finding", details.check_buildings, 0.5),
    Step("finish lanes", "controlled, conflicts -> roads", lanes.finish_lanes),
    Step(
        "put the world together",
        "inputs, layout, account, roads, floors, structures, buildings, furnished, markings, "
        "friction, path_lines, ground_findings, building_finding, lane_findings -> world",
        assemble,
    ),
)
"""Paint, scenery, conflicts and the checks of the whole, side by side."""

AFTER_PLAN = (*HEIGHTS, *STREETS, *GROUND, *BUILDINGS, *LANES, *DETAILS)
STEPS = (*IN_PLAN, *AFTER_PLAN)
"""All steps. Each begins as soon as there is what it takes; a shared one waits for a process."""


@gc_disabled()
def build_world(
    osm: Path,
    *,
    setup: MapSetup | None = None,
    height_map: Path | None = None,
    driving_side: DrivingSide | None = None,
    window: Window | None = None,
    progress: Progress | None = None,
    diagnostics: Diagnostics | None = None,
    processes: int | None = None,
) -> CompiledWorld:
    """Compiles a map into a world.

    Args:
        osm: `.osm`, `.osm.gz`, `.osm.bz2` or `.osm.pbf`.
        setup: widths, origin, size; None for built-in ones about the median of the street nodes.
        height_map: a grey picture of heights, `.hgt`, `.hgt.zip`, GeoTIFF, or a folder of such
            tiles; None for flat ground.
        driving_side: where traffic keeps; None to find it by the map's tags or its place.
        window: the part of the map to build; None for the set-up's, or all up to 2 km.
        progress: called with the name of each step and the share of work done (0..1).
        diagnostics: receives the warnings too.
        processes: how many work at once on a large world; by default one for each processor, or
            one where this process has several threads. The world is the same, to the byte, with
            any number.

    Raises:
        ConfigError: the files cannot make a world; it holds every fault found.
        WorkerLostError: a process that worked on it died, or had not enough memory.
    """
    found = Diagnostics() if diagnostics is None else diagnostics
    known = set(found.all)
    inputs = WorldInputs(osm, setup, height_map, driving_side, window)
    if processes is None:
        processes = usable_processors() if may_fork() else 1
    tell: Progress = progress or (lambda step, share: None)
    world = _all_steps(inputs, processes, _Teller(tell), found)
    tell("done", 1.0)
    trim_memory()
    warnings = [each for each in found.warnings if each not in known]
    told = tuple((each.file.name, each.line, each.message) for each in warnings)
    return sort_into_tiles(replace(world, warnings=told))


def _where(layout: PlanarWorld, place: tuple[float, float]) -> str:
    """A place [m] in W by latitude, longitude and the nearest street or building."""
    shapes: list[BaseGeometry] = [shapely.LineString(street.points) for street in layout.streets]
    names = [f"way {street.parts[0].way}" for street in layout.streets]
    shapes += [area.shape for area in layout.building_areas]
    names += [f"building {area.id}" for area in layout.building_areas]
    latitude, longitude = layout.projection.to_geographic(np.array([place]))[0].tolist()
    nearest = shapely.STRtree(shapes).nearest(shapely.Point(place)) if shapes else None
    beside = "" if nearest is None else f" ({names[nearest]})"
    return f"near {latitude:.5f},{longitude:.5f}{beside}"


class _LostElements:
    """The elements that overlay operations left out, by the step that needed them."""

    def __init__(self) -> None:
        self._found: list[tuple[str, Fault]] = []

    def add(self, step: str, faults: Sequence[Fault]) -> None:
        """Adds those of a step."""
        self._found += [(step, fault) for fault in faults]

    def counts(self, world: CompiledWorld) -> tuple[tuple[str, int], ...]:
        """What the world leaves out, with these elements."""
        if not self._found:
            return world.left_out
        return tuple(sorted([*world.left_out, (_LOST, len(self._found))]))

    def warn(self, osm: Path, layout: PlanarWorld, found: Diagnostics) -> None:
        """Adds a warning with the place of each element; of many, of the first ones."""
        for step, fault in self._found[:_MOST_LOST]:
            where = "of unknown place" if fault.place is None else _where(layout, fault.place)
            reason = printable(fault.reason, _SHOWN)
            message = (
                f"a shape {where} is left out of the step {step!r}: GEOS failed in "
                f"{fault.operation}, also on repaired and rounded coordinates ({reason})"
            )
            found.warning(osm, 0, message)


class _Teller:
    """Reports the share of all work that is done (0..1), in this process and in helpers."""

    def __init__(self, progress: Progress) -> None:
        self._progress, self._done = progress, 0.0
        self._total = sum(step.share for step in STEPS)

    def __call__(self, name: str, share: float) -> None:
        """Tells of `share` [%] more, which belongs to the step of this name."""
        self._done += share
        self._progress(name, min(self._done / self._total, 1.0))


def _all_steps(
    inputs: WorldInputs, processes: int, told: _Teller, found: Diagnostics
) -> CompiledWorld:
    """Runs all steps; what they cannot cope with is an error of the map, which is named."""
    lost = _LostElements()

    def warn(result: object) -> None:
        """Passes on the warnings of a step that looks at the user's files."""
        if isinstance(result, OsmData):
            found.extend(result.findings)
        elif isinstance(result, MapFrame | ClippedStreets):
            found.extend(result.warnings)

    try:
        layout: PlanarWorld = run_steps(
            IN_PLAN, {"inputs": inputs}, told=told, made=warn, noted=lost.add
        )["layout"]
        is_large = layout.is_busy or layout.blocks.count > 1
        given = {"inputs": inputs, "layout": layout}
        helpers = processes if is_large else 1
        results = run_steps(AFTER_PLAN, given, processes=helpers, told=told, noted=lost.add)
    except WorkerLostError as fault:
        raise WorkerLostError(f"{inputs.osm}: error: {fault}") from fault
    except StepError as fault:
        raise _explained(fault, inputs.osm, found) from fault.__cause__
    world: CompiledWorld = results["world"]
    lost.warn(inputs.osm, layout, found)
    return replace(world, left_out=lost.counts(world))


def _explained(fault: StepError, osm: Path, found: Diagnostics) -> BaseException:
    """What a step raised, as an error of the map."""
    cause = fault.__cause__
    if isinstance(cause, MemoryError):
        return WorkerLostError(f"{osm}: error: no world is made: {OUT_OF_MEMORY}")
    if isinstance(cause, ConfigError):
        found.extend(cause.diagnostics)
        return ConfigError(found.all)
    if isinstance(cause, WorkerLostError):
        return WorkerLostError(f"{osm}: error: {cause}")
    if isinstance(cause, UserError):
        return cause
    what = printable(f"{type(cause).__name__}: {cause}", _SHOWN)
    message = (
        "no world can be made of this map, although it can be read: "
        f"AutoSim failed to {fault.step.name} ({what}). "
        "Another --window may help; please report the map"
    )
    found.error(osm, 0, message)
    return ConfigError(found.all)
