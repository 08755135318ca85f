"""The files of a study's world and scenario, and what settings make of them for a run."""

import re
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from autosim.config.descriptions import WorldDescription
from autosim.config.diagnostics import ConfigError, Diagnostics, printable
from autosim.config.files.lookup import PathError, Roots, existing_folders, find_file, locate
from autosim.config.reading.attribute_values import suggestion
from autosim.config.reading.faults import Faults
from autosim.config.reading.map_kinds import is_map_file
from autosim.config.reading.sources import Source, open_source
from autosim.config.reading.xml_reader import parse_xml
from autosim.config.scenarios import Scenario
from autosim.config.schema import Element
from autosim.config.studies import SCENARIO_FILE, SEED, WORLD_FILE, Setting, Study
from autosim.kinds.plugins import ALL_PLUGINS, PluginPolicy
from autosim.loading.loader import world_for_osm
from autosim.loading.robots.robot_schema import ROBOT
from autosim.loading.studies.attribute_paths import AttributePathError, set_attribute_at
from autosim.loading.studies.points import Point
from autosim.loading.world_file import OsmChecker, read_world
from autosim.loading.world_schema import WORLD
from autosim.loading.world_writer import name_below, write_world, written_name
from autosim.traffic.scenarios.scenario_file import OPENSCENARIO, SCENARIO

_PLACEHOLDER = re.compile(r"\{([\w-]+)\}")

_PLAYED = "Traffic/Scenario/@path"
"""Address of the scenario's name in a world file."""


@dataclass(frozen=True, slots=True)
class StudyFile:
    """A file that settings may change: its name in the world, and what it may hold."""

    name: str
    root: etree._Element
    """Root element of the parsed file."""
    rule: Element
    """Rule of the schema for the root."""


@dataclass(frozen=True, slots=True)
class StudyInputs:
    """Inputs of a study.

    `world`: with its scenario. `roots`: where the files of its world are looked up. `files`: those
    that settings may change, by what they call them; that of a world around an extract is written
    for it.
    """

    world: WorldDescription
    roots: Roots
    files: Mapping[str, StudyFile]

    @property
    def scenario(self) -> Scenario | None:
        """The scenario that is played."""
        return self.world.traffic.scenario if self.world.traffic else None

    def changed(
        self, settings: Iterable[Setting], point: Point, seed: int
    ) -> dict[str, etree._Element]:
        """The files that differ in one run, by what settings call them.

        Raises:
            AddressError: a setting leads nowhere, or its value is not valid.
        """
        roots: dict[str, etree._Element] = {}
        for setting in settings:
            self.apply(setting, filled(setting.text, point, seed), roots)
        return roots

    def apply(self, setting: Setting, text: str, roots: dict[str, etree._Element]) -> None:
        """Writes `text` where a setting says, in `roots`: copies of the files, made when needed.

        Raises:
            AddressError: it leads nowhere, or the text is not valid.
        """
        file = self.files.get(setting.file)
        if file is None:
            hint = suggestion(setting.file, self.files) or f"; there is {', '.join(self.files)}"
            raise AttributePathError(f"there is no file '{printable(setting.file)}' to set{hint}")
        if setting.file not in roots:
            roots[setting.file] = deepcopy(file.root)
        set_attribute_at(roots[setting.file], file.rule, setting.address, text)


def placeholders(text: str) -> list[str]:
    """The names of the parameters in the text of a setting."""
    return _PLACEHOLDER.findall(text)


def filled(text: str, point: Point, seed: int) -> str:
    """The text of a setting with the values of a run in it."""
    values = {**point, SEED: str(seed)}
    return _PLACEHOLDER.sub(lambda match: values[match.group(1)], text)


def open_inputs(
    study: Study,
    found: Diagnostics,
    osm_checker: OsmChecker | None = None,
    plugins: PluginPolicy = ALL_PLUGINS,
) -> StudyInputs | None:
    """Reads the world and the scenario of a study; None, with diagnostics, if they have errors."""
    near = study.source.parent if study.source else Path(".")
    path, roots = _locate(study.world, near)
    if is_map_file(path):
        source = _written(path, roots, found, plugins)
    else:
        source = open_source(path, found)
    if source is not None and study.scenario is not None:
        scenario, scenario_roots = _locate(study.scenario, near)
        roots = existing_folders([*roots, *scenario_roots])
        set_attribute_at(source.root, WORLD, _PLAYED, _name_of(scenario, roots))
    world = read_world(source, roots, osm_checker, plugins=plugins) if source else None
    if source is None or world is None:
        return None
    return inputs_of(world, source, roots, found)


def inputs_of(
    world: WorldDescription, source: Source, roots: Roots, found: Diagnostics
) -> StudyInputs:
    """The inputs of a world that was read from `source`."""
    files = {WORLD_FILE: StudyFile(source.path.name, source.root, WORLD)}
    files |= dict(_named(source.root, roots, found))
    return StudyInputs(world, roots, files)


def require_scenario(study: Study) -> None:
    """Makes sure that the scenario of a study is there.

    Raises:
        PathError: it is not; the message names the folders, and a file whose name is near.
    """
    if study.scenario is None:
        return
    near = study.source.parent if study.source else Path(".")
    place, roots = _locate(study.scenario, near)
    if place.is_file():
        return
    if study.scenario.is_absolute() or place.exists():
        raise PathError(f"'{printable(str(study.scenario))}' is not a file")
    find_file(study.scenario, existing_folders([near, *roots]))


def _name_of(scenario: Path, roots: Roots) -> str:
    """Name of a scenario in a world file; its path where it is in none of the roots."""
    try:
        return name_below(scenario, roots)
    except PathError:
        return str(scenario)


def _written(
    extract: Path, roots: Roots, found: Diagnostics, plugins: PluginPolicy
) -> Source | None:
    """The world file that would describe the world around an extract."""
    try:
        world = world_for_osm(extract, diagnostics=found, plugins=plugins)
    except ConfigError:
        return None
    text = write_world(world, roots).encode()
    path = extract.parent / written_name(world)
    return Source(path, text, parse_xml(text), Faults(extract, found))


def _locate(path: Path, near: Path) -> tuple[Path, Roots]:
    """A file of a study: beside it, else wherever files are looked up."""
    beside = near / path
    return locate(beside if beside.exists() else path)


def _named(
    world: etree._Element, roots: Roots, found: Diagnostics
) -> Iterator[tuple[str, StudyFile]]:
    """The scenario and the robot files that a world names."""
    for node in world.findall("Traffic/Scenario"):
        name = str(node.get("path"))
        scenario = open_source(find_file(name, roots), found)
        if scenario is not None and scenario.tag != OPENSCENARIO:
            yield SCENARIO_FILE, StudyFile(name, scenario.root, SCENARIO)
    for node in world.findall("Objects/Robot/File"):
        name = str(node.get("path"))
        robot = open_source(find_file(name, roots), found)
        if robot is not None:
            yield name, StudyFile(name, robot.root, ROBOT)
