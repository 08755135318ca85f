"""From an OpenStreetMap file to a compiled world: runs the recipe, and explains what goes wrong."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.config.descriptions import DrivingSide, MapSetup
from autosim.config.diagnostics import ConfigError, Diagnostics, printable
from autosim.config.reading.map_kinds import MapKind
from autosim.errors import UserError
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.tile_grid import sort_into_tiles
from autosim.world.geometry.extent import Window
from autosim.world.geometry.overlays import Fault
from autosim.world.osm.osm_data import OsmData
from autosim.world.pipeline.forked_helpers import (
    OUT_OF_MEMORY,
    WorkerLostError,
    gc_disabled,
    may_fork,
    trim_memory,
    usable_processors,
)
from autosim.world.pipeline.lanelet_world import build_lanelets
from autosim.world.pipeline.opendrive_world import build_opendrive
from autosim.world.pipeline.recipe import Results
from autosim.world.pipeline.scheduler import StepError, run_steps
from autosim.world.pipeline.steps.steps_in_plan import ClippedStreets, MapFrame, PlanarWorld
from autosim.world.pipeline.world_inputs import Progress, WorldInputs
from autosim.world.pipeline.world_recipe import AFTER_PLAN, IN_PLAN, INPUTS, LAYOUT, WORLD

_LOST = "shapes on which GEOS failed"
"""Reason of `CompiledWorld.left_out` for elements that no overlay operation could cope with."""

_MOST_LOST = 20
"""Largest number of warnings about such elements: a terminal's page. Their number is reported."""

_SHOWN = 200
"""Most characters of a library's message in ours: two lines of a terminal."""


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
        osm: `.osm`, `.osm.gz`, `.osm.bz2`, `.osm.pbf`, or an OpenDRIVE file.
        setup: widths, origin, size; None for built-in widths, and the origin
            as `NodeOffset` of the map set-up describes it.
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
    if inputs.kind is not MapKind.OPENSTREETMAP:
        world = _lane_map_world(inputs, tell, found)
    else:
        world = _all_steps(inputs, processes, _Teller(tell), found)
    tell("done", 1.0)
    trim_memory()
    warnings = [each for each in found.warnings if each not in known]
    told = tuple((each.file.name, each.line, each.message) for each in warnings)
    return sort_into_tiles(replace(world, warnings=told))


def _lane_map_world(inputs: WorldInputs, tell: Progress, found: Diagnostics) -> CompiledWorld:
    """The world of a map that states lanes; what its steps cannot cope with is its error."""
    try:
        if inputs.kind is MapKind.OPENDRIVE:
            return build_opendrive(inputs, tell, found)
        return build_lanelets(inputs, tell, found)
    except UserError:
        raise
    except Exception as fault:
        raise _compile_error(
            fault, "compile it", "Please report the map", inputs.osm, found
        ) from fault


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
        """Counts of the map objects that the world leaves out, with these elements."""
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
        steps = (*IN_PLAN.steps, *AFTER_PLAN.steps)
        self._total = sum(step.share for step in steps)

    def __call__(self, name: str, share: float) -> None:
        """Reports `share` [%] more, which belongs to the step of this name."""
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
        results = Results()
        results.keep(INPUTS, inputs)
        run_steps(IN_PLAN.steps, results, told=told, made=warn, noted=lost.add)
        layout = results.of(LAYOUT)
        results.keep(INPUTS, inputs)
        helpers = processes if layout.is_busy or layout.blocks.count > 1 else 1
        run_steps(AFTER_PLAN.steps, results, processes=helpers, told=told, noted=lost.add)
    except WorkerLostError as fault:
        raise WorkerLostError(f"{inputs.osm}: error: {fault}") from fault
    except StepError as fault:
        raise _explained(fault, inputs.osm, found) from fault.__cause__
    world = results.of(WORLD)
    lost.warn(inputs.osm, layout, found)
    return replace(world, left_out=lost.counts(world))


def _explained(fault: StepError, osm: Path, found: Diagnostics) -> BaseException:
    """The exception of a step, as an error of the map."""
    cause = fault.__cause__ or fault
    if isinstance(cause, ConfigError):
        found.extend(cause.diagnostics)
        return ConfigError(found.all)
    if isinstance(cause, WorkerLostError):
        return WorkerLostError(f"{osm}: error: {cause}")
    if isinstance(cause, UserError):
        return cause
    advice = "Another --window may help; please report the map"
    return _compile_error(cause, fault.step.name, advice, osm, found)


def _compile_error(
    cause: BaseException, task: str, advice: str, osm: Path, found: Diagnostics
) -> UserError:
    """The error of a map whose compilation failed for a reason that is not the user's.

    Args:
        cause: what `task` raised.
        task: the failed part of the compilation, as a verb phrase.
        advice: what the user can do.
        osm: the map.
        found: receives the error, except where memory was short.
    """
    if isinstance(cause, MemoryError):
        return WorkerLostError(f"{osm}: error: no world is made: {OUT_OF_MEMORY}")
    what = printable(f"{type(cause).__name__}: {cause}", _SHOWN)
    message = (
        "no world can be made of this map, although it can be read: "
        f"AutoSim failed to {task} ({what}). {advice}"
    )
    found.error(osm, 0, message)
    return ConfigError(found.all)
