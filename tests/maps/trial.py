"""A trial of a window: its world is compiled, checked and driven through, in its own process."""

import multiprocessing
import os
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from autosim.config.diagnostics import ConfigError, Diagnostics
from autosim.engine.step.simulation import Simulation
from autosim.errors import UserError
from autosim.loading.loader import world_for_osm
from autosim.loading.world_writer import with_traffic
from autosim.model.notices import Notice
from autosim.traffic.traffic_node import counters_of
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.pipeline.world_pipeline import build_world
from autosim.world.validation.soundness import measures
from tests.maps.windows import MapWindow

DRIVEN_SECONDS = 30.0
"""Duration of the drive [s of simulated time]."""
VEHICLES, PEOPLE = 30, 20
"""The most vehicles and people of traffic in a window."""
MOST_SECONDS = 900.0
"""Wall time after which a trial counts as hung [s]; the largest window takes a tenth of it."""
_NO_STREET = "there is no street in "


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong with a window.

    Attributes:
        kind: name of the broken invariant, or type and place of the exception; equal for the same
            defect.
        text: what was found, in words.
    """

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Trial:
    """Result of trying a window.

    Attributes:
        has_streets: whether the window holds a street to build.
        driven: distance that the car has driven [m]; None if there was no lane to start on.
        findings: everything that is wrong.
    """

    has_streets: bool
    driven: float | None
    findings: tuple[Finding, ...]


def try_window(place: MapWindow, *, is_driven: bool = True) -> Trial:
    """Tries a window in its own process, which may hang, crash or use up its memory."""
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(place, is_driven, sending), daemon=True)
    process.start()
    sending.close()
    try:
        if not receiving.poll(MOST_SECONDS):
            hung = Finding("hang", f"no result after {MOST_SECONDS:.0f} s")
            return Trial(True, None, (hung,))
        trial: Trial = receiving.recv()
        return trial
    except EOFError:
        process.join()
        crash = Finding("crash", f"the process ended with {process.exitcode}")
        return Trial(True, None, (crash,))
    finally:
        process.kill()
        process.join()
        receiving.close()


def _run(place: MapWindow, is_driven: bool, results: Connection) -> None:
    """Sends the result of the trial; what the trial prints is dropped."""
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    results.send(_try(place, is_driven))


def _try(place: MapWindow, is_driven: bool) -> Trial:
    try:
        world = build_world(
            place.path,
            height_map=place.heights,
            window=place.window,
            processes=1,
            diagnostics=Diagnostics(),
        )
    except ConfigError as fault:
        if _NO_STREET in str(fault):
            return Trial(False, None, ())
        return Trial(True, None, (Finding("refused", str(fault)),))
    except Exception as error:
        return Trial(True, None, (_exception(error),))
    findings = [
        Finding(each.name, f"{each.name} {each.value:.4g} at {each.place}: {each.cause}")
        for each in measures(world)
        if each.is_broken
    ]
    driven = None
    if is_driven and len(world.roads.lanes):
        try:
            driven, found = _drive(place.path, world)
        except UserError:
            found = []
        except Exception as error:
            found = [_exception(error)]
        findings += found
    return Trial(True, driven, tuple(findings))


def _drive(path: Path, compiled: CompiledWorld) -> tuple[float, list[Finding]]:
    """The distance [m] that the shipped driver covers in traffic, and what went wrong on it."""
    notices: list[Notice] = []
    world = with_traffic(world_for_osm(path), vehicles=VEHICLES, people=PEOPLE)
    robot = world.robots[0].name
    driven = 0.0
    with Simulation(world, compiled=compiled, report=notices.append) as simulation:
        for _ in range(round(DRIVEN_SECONDS / simulation.step_seconds)):
            simulation.step()
            speed = np.asarray(simulation.get(f"{robot}.chassis.velocimeter")).item()
            driven += abs(speed) * simulation.step_seconds
        counted = counters_of(simulation.state)
        hits = np.asarray(simulation.get(f"{robot}.collisions")).item()
    return driven, [*_findings_of(counted, hits), *_faults_of(notices)]


def _findings_of(counted: dict[str, int], hits: int) -> Iterator[Finding]:
    for name in ("collisions", "jams"):
        if counted.get(name):
            yield Finding(f"{name} of traffic", f"{counted[name]} {name} of traffic")
    if hits:
        yield Finding("collisions of the car", f"{hits} collisions of the car")


def _faults_of(notices: list[Notice]) -> Iterator[Finding]:
    for notice in notices:
        if notice.level == "error":
            yield Finding("error message", f"step {notice.step}: {notice.source}: {notice.text}")


def _exception(error: BaseException) -> Finding:
    """An exception by its type and the innermost line of ours."""
    frames = [each for each in traceback.extract_tb(error.__traceback__) if "autosim" in each[0]]
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
    return Finding(f"{type(error).__name__} at {place}", f"{type(error).__name__}: {error}")
