"""From a study to its runs, each with an id that follows from all that decides its result."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from lxml import etree

from autosim import __version__
from autosim.applications.remote.reload import ProgramWatch
from autosim.applications.sweeps.order import RunOrder
from autosim.config.diagnostics import name_as_text
from autosim.config.files.digests import file_digest
from autosim.config.files.lookup import PathError, find_file
from autosim.config.files.program_files import find_program
from autosim.config.studies import SCENARIO_FILE, WORLD_FILE, Study
from autosim.loading.studies.points import Point, points_of
from autosim.loading.studies.study_file import PYTHON
from autosim.loading.studies.study_inputs import StudyInputs

ID_CHARACTERS = 12
"""Length of an id: of a million runs, two have the same by a chance of one in five hundred."""

LAST_LOOK = 0.1
"""Time [s] from the end of a scenario until its verdict is there: two looks at its criteria."""


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A run, and the files of its own (by the place in the run's folder `files`)."""

    order: RunOrder
    files: Mapping[str, bytes]


def plan(study: Study, inputs: StudyInputs) -> Iterator[PlannedRun]:
    """The runs of a study: each point with each seed.

    Raises:
        AddressError: a setting does not take a value.
        OSError: a file that the runs depend on cannot be read.
    """
    common = _Common(study, inputs)
    seen = set()
    for point in points_of(study):
        for seed in study.seeds:
            run = common.run(point, seed)
            if run.order.id not in seen:
                seen.add(run.order.id)
                yield run


class _Common:
    """What all runs of a study share."""

    def __init__(self, study: Study, inputs: StudyInputs) -> None:
        self._study, self._inputs = study, inputs
        self._programs = _programs_of(inputs)
        self._digests = dict(inputs.world.files)
        if inputs.scenario is not None:
            self._digests[SCENARIO_FILE] = file_digest(inputs.scenario)
        seconds = study.seconds
        if seconds is None:
            assert inputs.scenario_seconds is not None
            seconds = inputs.scenario_seconds + LAST_LOOK
        self._seconds = seconds
        source = study.source
        self._measured_by = str(source.absolute()) if source and source.suffix == PYTHON else ""
        if self._measured_by and source is not None:
            self._programs[self._measured_by] = file_digest(source)

    def run(self, point: Point, seed: int) -> PlannedRun:
        study, inputs = self._study, self._inputs
        changed = inputs.changed(study.settings, point, seed)
        seconds = self._seconds if study.seconds else _scenario_seconds(changed, self._seconds)
        places = {self._place(name): content for name, content in changed.items()}
        world = inputs.world.source.absolute()
        if changed.keys() - {SCENARIO_FILE} and WORLD_FILE in inputs.files:
            # A world finds a robot of the run beside itself before it looks elsewhere.
            places.setdefault(self._place(WORLD_FILE), world.read_bytes())
        digests = self._digests | {
            self._key(name): hashlib.sha256(content).hexdigest()
            for name, content in changed.items()
        }
        scenario = "" if inputs.scenario is None else str(inputs.scenario.absolute())
        if SCENARIO_FILE in changed:
            scenario = self._place(SCENARIO_FILE)
        is_own = self._place(WORLD_FILE) in places
        order = RunOrder(
            id="",
            study=study.name,
            parameters=dict(point),
            seed=seed,
            world=self._place(WORLD_FILE) if is_own else str(world),
            scenario=scenario,
            roots=tuple(str(each) for each in inputs.roots),
            changed=tuple(self._key(name) for name in changed),
            digests=digests,
            programs=self._programs,
            seconds=seconds,
            measures=study.measures,
            measured_by=self._measured_by,
            limit=study.limit,
            record=study.record,
        )
        return PlannedRun(_with_id(order), places)

    def _place(self, name: str) -> str:
        """Where a file of a run's own lies in its folder `files`."""
        inputs = self._inputs
        if name == WORLD_FILE:
            return f"worlds/{name_as_text(inputs.world.source)}"
        if name == SCENARIO_FILE:
            assert inputs.scenario is not None
            return f"scenarios/{name_as_text(inputs.scenario)}"
        return name

    def _key(self, name: str) -> str:
        """The name of a file among the digests."""
        return name_as_text(self._inputs.world.source) if name == WORLD_FILE else name


def _scenario_seconds(changed: Mapping[str, bytes], seconds: float) -> float:
    """How long a run takes whose own scenario may say another length."""
    if SCENARIO_FILE not in changed:
        return seconds
    own = etree.fromstring(changed[SCENARIO_FILE]).get("seconds")
    return seconds if own is None else float(own) + LAST_LOOK


def _with_id(order: RunOrder) -> RunOrder:
    """The order with its id: of files by digest, parameters, seed, and AutoSim's version."""
    values = asdict(order)
    decides = {
        name: values[name] for name in ("parameters", "seed", "digests", "seconds", "changed")
    }
    decides["programs"] = {Path(name).name: digest for name, digest in order.programs.items()}
    decides["measures"] = [(each.name, each.of, each.take) for each in order.measures]
    decides["autosim"] = __version__
    text = json.dumps(decides, sort_keys=True)
    values["id"] = hashlib.sha256(text.encode()).hexdigest()[:ID_CHARACTERS]
    return RunOrder(**{**values, "measures": order.measures})


def _programs_of(inputs: StudyInputs) -> dict[str, str]:
    """The user programs of a world with the modules that they import, and plug-ins: digests."""
    found = {}
    for placed in inputs.world.robots:
        files: list[Path] = []
        if placed.program:
            try:
                files += ProgramWatch(find_program(placed.program, inputs.roots)).files
            except PathError:
                continue  # the server says so when it starts
        found.update({str(each): file_digest(each) for each in sorted(files) if each.is_file()})
        for plugin in placed.robot.plugins:
            try:
                file = find_file(plugin.name, inputs.roots)
            except PathError:  # an installed package
                found[plugin.name] = plugin.version
            else:
                found[str(file)] = file_digest(file)
    return found
