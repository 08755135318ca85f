"""From a study to its runs, each with an id that follows from all that decides its result."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from lxml import etree

from autosim.applications.remote.reload import ProgramWatch
from autosim.applications.run.play_scenario import duration_of
from autosim.applications.sweeps.order import RunOrder
from autosim.config.descriptions import WorldDescription
from autosim.config.diagnostics import Diagnostics, name_as_text
from autosim.config.files.digests import code_digest, file_digest
from autosim.config.files.lookup import PathError, Roots, find_file
from autosim.config.files.program_files import find_program
from autosim.config.reading.faults import Faults
from autosim.config.reading.sources import Source
from autosim.config.studies import SCENARIO_FILE, WORLD_FILE, Study
from autosim.loading.studies.points import Point, points_of
from autosim.loading.studies.study_file import PYTHON
from autosim.loading.studies.study_inputs import StudyInputs
from autosim.loading.world_file import read_world

ID_CHARACTERS = 12
"""Number of characters of an id: of a million runs, two share one by a chance of 1 in 500."""


class PlannedRun(NamedTuple):
    """A run, and the files of its own (by the place in the run's folder `files`)."""

    order: RunOrder
    """The order that the run's process receives."""
    files: Mapping[str, bytes]


def plan_runs(study: Study, inputs: StudyInputs) -> Iterator[PlannedRun]:
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


class _Named(NamedTuple):
    """A world with the files that it names, and the digests of its programs."""

    world: WorldDescription
    programs: dict[str, str]


class _Common:
    """Data shared by all runs of a study."""

    def __init__(self, study: Study, inputs: StudyInputs) -> None:
        self._study, self._inputs = study, inputs
        source = study.source
        is_program = source is not None and source.suffix == PYTHON
        self._measured_by = str(source.absolute()) if source and is_program else ""
        self._worlds: dict[tuple[str, ...], _Named] = {}
        self._named(inputs.files[WORLD_FILE].root)

    def run(self, point: Point, seed: int) -> PlannedRun:
        study, inputs = self._study, self._inputs
        trees = inputs.changed(study.settings, point, seed)
        world_tree = trees.setdefault(WORLD_FILE, inputs.files[WORLD_FILE].root)
        world, programs = self._named(world_tree)
        places = {self._place(name): _text(tree) for name, tree in trees.items()}
        own = {name: hashlib.sha256(content).hexdigest() for name, content in places.items()}
        others = {name: digest for name, digest in world.files[1:] if name not in own}
        order = RunOrder(
            id="",
            study=study.name,
            parameters=dict(point),
            seed=seed,
            world=self._place(WORLD_FILE),
            roots=tuple(str(each) for each in inputs.roots),
            own=own,
            others=others,
            programs=programs,
            seconds=study.seconds or _scenario_seconds(trees, world),
            measures=study.measures,
            measured_by=self._measured_by,
            limit=study.limit,
            record=study.record,
        )
        return PlannedRun(with_id(order), places)

    def _place(self, name: str) -> str:
        """Path of a run's own file in its folder `files`, as worlds name it."""
        named = self._inputs.files[name].name
        return f"worlds/{name_as_text(Path(named))}" if name == WORLD_FILE else named

    def _named(self, tree: etree._Element) -> "_Named":
        """Files named by a run's world, which may differ from those of the study's world.

        If they cannot be read, the run itself reports it.
        """
        names = _names_in(tree)
        if names not in self._worlds:
            world = self._inputs.world
            if self._worlds:
                source = Source(
                    world.source, _text(tree), tree, Faults(world.source, Diagnostics())
                )
                world = read_world(source, self._inputs.roots) or world
            programs = programs_of(world, self._inputs.roots)
            if self._measured_by:
                programs[self._measured_by] = file_digest(Path(self._measured_by))
            self._worlds[names] = _Named(world, programs)
        return self._worlds[names]


def _text(tree: etree._Element) -> bytes:
    return etree.tostring(tree, xml_declaration=True, encoding="utf-8")


def _names_in(tree: etree._Element) -> tuple[str, ...]:
    """All files that a world names."""
    return tuple(str(each) for each in tree.xpath("//@path | //@file"))  # type: ignore[union-attr]


def _scenario_seconds(trees: Mapping[str, etree._Element], world: WorldDescription) -> float:
    """Duration of a scenario, from the run's own file or else the world's."""
    scenario = world.traffic.scenario if world.traffic else None
    assert scenario is not None
    own = trees[SCENARIO_FILE].get("seconds") if SCENARIO_FILE in trees else None
    return duration_of(scenario if own is None else replace(scenario, seconds=float(own)))


def with_id(order: RunOrder) -> RunOrder:
    """The order with its id: of files by digest, parameters, seed, and AutoSim's own code."""
    decides = {
        "autosim": code_digest(),
        "parameters": order.parameters,
        "seed": order.seed,
        "seconds": order.seconds,
        "own": order.own,
        "others": order.others,
        "programs": {Path(name).name: digest for name, digest in order.programs.items()},
        "measures": [(each.name, each.of, each.take) for each in order.measures],
    }
    decides |= {"episode": order.episode} if order.episode else {}
    decides |= {"variant": order.variant} if order.variant else {}
    text = json.dumps(decides, sort_keys=True)
    return replace(order, id=hashlib.sha256(text.encode()).hexdigest()[:ID_CHARACTERS])


def programs_of(world: WorldDescription, roots: Roots) -> dict[str, str]:
    """The user programs of a world with the modules that they import, and plug-ins: digests."""
    found = {}
    for placed in world.robots:
        if placed.program:
            with suppress(PathError):  # the server says so when it starts
                files = ProgramWatch(find_program(placed.program, roots)).files
                own = sorted(each for each in files if each.is_file())
                found.update({str(each): file_digest(each) for each in own})
        for plugin in placed.robot.plugins:
            try:
                file = find_file(plugin.name, roots)
            except PathError:  # an installed package
                found[plugin.name] = plugin.version
            else:
                found[str(file)] = file_digest(file)
    return found
