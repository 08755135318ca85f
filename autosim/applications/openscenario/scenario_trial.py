"""Runs one OpenSCENARIO file, and states how it went."""

import hashlib
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from autosim.config.diagnostics import ConfigError, Diagnostics, printable
from autosim.errors import UserError
from autosim.openscenario.dsl.file_names import is_dsl
from autosim.openscenario.engine.scenario_engine import ScenarioEngine
from autosim.openscenario.reading.nearby_files import find_near
from autosim.openscenario.reading.scenario_reader import faults_of, read_scenario
from autosim.openscenario.reading.xosc_elements import Refusal
from autosim.openscenario.records.storyboard_records import XoscScenario
from autosim.openscenario.road_map.road_network import ScenarioRoads
from autosim.world.opendrive.xodr_reader import read_xodr

STEP = 0.01
"""Duration [s] of a step."""

STOPPED, COMPLETED, TIMED_OUT, REFUSED, UNREADABLE = (
    "ran to its stop trigger",
    "ran until all stories were complete",
    "ran until the time limit",
    "refused",
    "not parsed",
)
"""Outcomes of a trial."""


@dataclass(frozen=True, slots=True)
class TrialOptions:
    """Settings of a trial.

    `seconds`: time limit; `step` [s]; `values` of parameters by name; `maps` is a folder or a map
    file for scenarios that name one that is not there; `is_strict`: run no file of which an element
    is not executed.
    """

    seconds: float = 300.0
    step: float = STEP
    values: Mapping[str, str] | None = None
    maps: Path | None = None
    is_strict: bool = True
    search: Path | None = None
    """Folder in which maps and catalogs are looked for last."""
    has_controllers: bool = True
    """Whether controllers drive."""


@dataclass(frozen=True, slots=True)
class ScenarioTrial:
    """Result of running a file.

    `reason` of an outcome that is not a run; `refusals` of elements; `collisions` are
    (time [s], first, second); `duration` simulated [s]; `digest` of all poses; `events` are
    (time [s], text); `without_effect` counts elements that have no effect.
    """

    path: Path
    """The file."""
    outcome: str
    reason: str = ""
    refusals: tuple[Refusal, ...] = ()
    collisions: tuple[tuple[float, str, str], ...] = ()
    duration: float = 0.0
    digest: str = ""
    entities: int = 0
    """Number of entities."""
    events: tuple[tuple[float, str], ...] = ()
    notes: tuple[str, ...] = ()
    """Remarks for the user."""
    without_effect: int = 0

    @property
    def has_run(self) -> bool:
        """Whether it ran until it ended by itself."""
        return self.outcome in (STOPPED, COMPLETED)


def try_scenario(path: Path, options: TrialOptions) -> ScenarioTrial:
    """Reads and runs a file; each fault becomes an outcome."""
    try:
        scenario, findings = read_scenario(path, options.values, options.search)
    except ConfigError as error:
        return ScenarioTrial(path, UNREADABLE, str(error))
    refusals = faults_of(findings)
    if scenario is None:
        reason = str(refusals[0]) if refusals else "has no content"
        return ScenarioTrial(path, REFUSED, reason, refusals)
    if refusals and options.is_strict:
        return ScenarioTrial(path, REFUSED, str(refusals[0]), refusals)
    try:
        return _run(path, scenario, refusals, options, len(findings.without_effect))
    except UserError as error:
        return ScenarioTrial(path, REFUSED, str(error), refusals)
    except (ArithmeticError, LookupError, ValueError) as error:
        # Numbers of a file, such as infinite ones, that no action expects.
        reason = f"{path}: its values cannot be executed: {printable(str(error), 120)}"
        return ScenarioTrial(path, REFUSED, reason, refusals)


def _run(
    path: Path,
    scenario: XoscScenario,
    refusals: tuple[Refusal, ...],
    options: TrialOptions,
    without_effect: int,
) -> ScenarioTrial:
    roads = load_roads(scenario, options.maps, options.search)
    engine = ScenarioEngine(scenario, roads, has_controllers=options.has_controllers)
    digest = hashlib.sha256()
    engine.step(0.0)
    while not engine.is_over and engine.world.time < options.seconds:
        engine.step(options.step)
        for entity in engine.entities.values():
            digest.update(struct.pack("<4d", *entity.pose[:4]))
    outcome = STOPPED if engine.is_stopped else COMPLETED if engine.is_over else TIMED_OUT
    return ScenarioTrial(
        path,
        outcome,
        "",
        refusals,
        tuple(engine.collisions),
        engine.world.time,
        digest.hexdigest()[:16],
        len(engine.entities),
        tuple(engine.world.events),
        tuple(dict.fromkeys(engine.world.notes)),
        without_effect,
    )


def load_roads(
    scenario: XoscScenario, maps: Path | None, search: Path | None = None
) -> ScenarioRoads | None:
    """The map of a scenario; None for one without a map, which is a plane.

    Raises:
        UserError: the map is not there or cannot be read.
    """
    is_free = is_dsl(scenario.source) and maps is not None and maps.is_file()
    if not scenario.map and not is_free:
        return None
    found = find_map(scenario, maps, search)
    if found is None:
        name = printable(scenario.map, 80)
        raise UserError(f"{scenario.source}: there is no map '{name}': name one with --maps")
    return _roads_of(found)


def find_map(scenario: XoscScenario, maps: Path | None, search: Path | None = None) -> Path | None:
    """The map file of a scenario, or None; `maps` and `search` as in `TrialOptions`."""
    if maps is not None and maps.is_file():
        return maps
    names = [scenario.map]
    if not scenario.map.lower().endswith((".xodr", ".gz")):
        names += [f"{scenario.map}.xodr", f"{scenario.map}.xodr.gz"]
    for name in names:
        found = find_near(scenario.source, name, search)
        if found is not None and found.is_file():
            return found
    if maps is not None:
        for name in names:
            for found in sorted(maps.rglob(name.replace("\\", "/").rpartition("/")[2])):
                if found.is_file():
                    return found
    return None


@lru_cache(maxsize=4)
def _roads_of(path: Path) -> ScenarioRoads:
    return ScenarioRoads(read_xodr(path, Diagnostics()))
