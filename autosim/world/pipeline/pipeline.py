"""From an OpenStreetMap file to a compiled world: a list of named steps over one growing result.

Each step reads what earlier steps left in the `Draft` and adds its own part. A step that needs
more is one more entry in `STEPS`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from autosim.config.descriptions import DrivingSide, MapSetup
from autosim.config.diagnostics import ConfigError, Diagnostic, Diagnostics, printable
from autosim.config.osm_names import map_name
from autosim.errors import UserError
from autosim.world.compiled.compiled import CompiledWorld
from autosim.world.compiled.tiles import in_tiles
from autosim.world.geometry.extent import Window
from autosim.world.osm.attribution import attribution_of
from autosim.world.pipeline import steps_of_area, steps_of_detail, steps_of_heights, steps_of_houses
from autosim.world.pipeline import steps_of_levels as steps_of_levels
from autosim.world.pipeline.draft import Draft
from autosim.world.pipeline.inputs import Inputs, Progress
from autosim.world.pipeline.layout import Layout, MakeLayout
from autosim.world.pipeline.workers import (
    OUT_OF_MEMORY,
    WorkerLostError,
    give_back_memory,
    usable_processors,
    without_collector,
)

_SHOWN = 200
"""Characters of what a library says."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the pipeline; `weight` is about its share of the time [%]."""

    name: str
    weight: float
    run: Callable[[Draft], None]


STEPS = (
    Step("read the map and plan lanes", 19, steps_of_heights.take_layout),
    Step("find heights", 6, steps_of_heights.find_heights),
    Step("lay streets, bridges and tunnels", 25, steps_of_levels.lay_streets),
    Step("divide the ground", 15, steps_of_area.divide_ground),
    Step("make the ground, bridges and tunnels", 13, steps_of_area.make_ground),
    Step("finish lanes", 6, steps_of_detail.finish_lanes),
    Step("build houses", 2, steps_of_houses.take_houses),
    Step("paint, furnish and check", 12, steps_of_detail.add_details),
)
"""The pipeline, in order."""


@without_collector()
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
    lay_out: MakeLayout | None = None,
) -> CompiledWorld:
    """Compiles a map into a world.

    Args:
        osm: `.osm`, `.osm.gz`, `.osm.bz2` or `.osm.pbf`.
        setup: widths, origin, size; None for built-in ones about the middle of the map.
        height_map: a grey picture of heights, `.hgt`, `.hgt.zip`, GeoTIFF, or a folder of such
            tiles; None for flat ground.
        driving_side: where traffic keeps; None to guess it from the place, with a warning.
        window: the part of the map to build; None for the set-up's, or all up to 2 km.
        progress: called with the name of each step and the share of work done (0..1).
        diagnostics: receives the warnings too.
        processes: how many work at once on a large world, by default one for each processor. The
            world is the same, to the byte, with any number.
        lay_out: gives the world in plan, if it is being made already.

    Raises:
        ConfigError: the files cannot make a world; it holds every fault found.
        WorkerLostError: a process that worked on it died, or had not enough memory.
    """
    found = Diagnostics() if diagnostics is None else diagnostics
    known = set(found.all)
    inputs = Inputs(osm, setup, height_map, driving_side, window)
    draft = Draft(
        inputs,
        found,
        usable_processors() if processes is None else processes,
        lay_out=lay_out or partial(_laid_out_here, inputs),
    )
    tell: Progress = progress or (lambda step, share: None)
    with draft.beside:
        _take_steps(draft, tell)
    tell("done", 1.0)
    warnings = [each for each in found.warnings if each not in known]
    world = _compiled(draft, warnings)
    # What is only for making it is as large as the world.
    del draft
    give_back_memory()
    return in_tiles(world)


def _take_steps(draft: Draft, tell: Progress) -> None:
    """Takes all steps, and tells of each."""
    total, done = sum(step.weight for step in STEPS), 0.0
    for step in STEPS:
        draft.advance = _share_of(step, tell, done, total)
        draft.advance(0.0)
        give_back_memory()
        _take_step(step, draft)
        draft.diagnostics.raise_if_errors()
        done += step.weight


def _take_step(step: Step, draft: Draft) -> None:
    """Takes a step; what it cannot cope with is an error of the map, which is named."""
    osm = draft.inputs.osm
    try:
        step.run(draft)
    except WorkerLostError as fault:
        raise WorkerLostError(f"{osm}: error: {fault}") from fault
    except MemoryError as fault:
        raise WorkerLostError(f"{osm}: error: no world is made: {OUT_OF_MEMORY}") from fault
    except UserError:
        raise
    except Exception as fault:
        what = printable(f"{type(fault).__name__}: {fault}", _SHOWN)
        message = (
            "no world can be made of this map, although it can be read: "
            f"AutoSim failed to {step.name} ({what}). "
            "Another --window may help; please report the map"
        )
        draft.diagnostics.error(osm, 0, message)
        raise ConfigError(draft.diagnostics.all) from fault


def _laid_out_here(inputs: Inputs) -> Layout:
    # Only here: mostly another process does it, and this one need not know how.
    from autosim.world.pipeline.steps_of_streets import lay_out

    return lay_out(inputs)


def _share_of(step: Step, tell: Progress, before: float, total: float) -> Callable[[float], None]:
    """Tells of the share of all work by the share of a step; `before` was done before it."""
    return lambda share: tell(step.name, (before + share * step.weight) / total)


def _worst_places(draft: Draft) -> tuple[tuple[str, float, float], ...]:
    """The worst place [deg] of each invariant that has one."""
    found = [(each.name, each.place) for each in draft.findings if each.place is not None]
    if not found:
        return ()
    places = draft.layout.projection.to_geographic(
        np.array([p[:2] for _, p in found]).reshape(-1, 2)
    )
    return tuple(
        (name, latitude, longitude)
        for (name, _), (latitude, longitude) in zip(found, places.tolist(), strict=True)
    )


def _compiled(draft: Draft, warnings: Sequence[Diagnostic]) -> CompiledWorld:
    return CompiledWorld(
        name=map_name(draft.inputs.osm),
        digest=draft.inputs.digest(),
        origin=draft.layout.projection.origin,
        bounds=draft.layout.box,
        driving_side=draft.layout.side,
        ground=draft.ground.mesh,
        structures=draft.structures,
        buildings=draft.buildings,
        houses=tuple(draft.houses),
        roads=draft.roads,
        invariants=tuple((each.name, each.value) for each in draft.findings),
        worst_places=_worst_places(draft),
        worst_causes=tuple((each.name, each.cause) for each in draft.findings if each.cause),
        left_out=tuple(sorted((k, n) for k, n in draft.left_out.items() if n)),
        attribution=attribution_of(draft.inputs.osm),
        used=draft.account.used,
        ignored=draft.account.ignored,
        warnings=tuple((each.file.name, each.line, each.message) for each in warnings),
        markings=draft.markings,
        rails=draft.scenery.rails,
        obstacles=draft.scenery.obstacles,
        props=draft.scenery.props,
        building_tints=draft.building_tints,
        ground_friction=draft.ground_friction,
        house_boxes=draft.house_boxes,
    )
