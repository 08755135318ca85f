"""The files of a study's world and scenario, and what settings make of them for a run."""

import re
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from autosim.config.descriptions import WorldDescription
from autosim.config.diagnostics import ConfigError, Diagnostics, printable
from autosim.config.files.lookup import PathError, Roots, find_file, locate
from autosim.config.reading.osm_names import is_osm_name
from autosim.config.reading.sources import Source, open_source
from autosim.config.reading.values import nearest
from autosim.config.schema import Element
from autosim.config.studies import SCENARIO_FILE, SEED, WORLD_FILE, Setting, Study
from autosim.loading.loader import world_for_osm
from autosim.loading.robot_schema import ROBOT
from autosim.loading.studies.addresses import AddressError, set_attribute
from autosim.loading.studies.points import Point
from autosim.loading.world_file import OsmChecker, read_world
from autosim.loading.world_schema import WORLD
from autosim.traffic.scenarios.scenario_file import OPENSCENARIO, SCENARIO, read_scenario

_PLACEHOLDER = re.compile(r"\{([\w-]+)\}")

_ROBOT_OF_EXTRACTS = "robots/impreza.xml"
"""The robot file of worlds around an extract."""


@dataclass(frozen=True, slots=True)
class StudyFile:
    """A file that settings may change: where it lies, and what it may hold."""

    path: Path
    root: etree._Element
    rule: Element


@dataclass(frozen=True, slots=True)
class StudyInputs:
    """What a study is made of.

    `roots`: where the files of its world are looked up. `files`: those that settings may change, by
    what they call them. `scenario_seconds`: how long the scenario takes, None without one.
    """

    world: WorldDescription
    roots: Roots
    files: Mapping[str, StudyFile]
    scenario: Path | None
    scenario_seconds: float | None

    def changed(self, settings: Iterable[Setting], point: Point, seed: int) -> dict[str, bytes]:
        """The files that differ in one run, by what settings call them.

        Raises:
            AddressError: a setting leads nowhere, or its value is not valid.
        """
        roots: dict[str, etree._Element] = {}
        for setting in settings:
            self.apply(setting, filled(setting.text, point, seed), roots)
        return {
            name: etree.tostring(root, xml_declaration=True, encoding="utf-8")
            for name, root in roots.items()
        }

    def apply(self, setting: Setting, text: str, roots: dict[str, etree._Element]) -> None:
        """Writes `text` where a setting says, in `roots`: copies of the files, made when needed.

        Raises:
            AddressError: it leads nowhere, or the text is not valid.
        """
        file = self.files.get(setting.file)
        if file is None:
            hint = nearest(setting.file, self.files) or f"; there is {', '.join(self.files)}"
            raise AddressError(f"there is no file '{printable(setting.file)}' to set{hint}")
        if setting.file not in roots:
            roots[setting.file] = deepcopy(file.root)
        set_attribute(roots[setting.file], file.rule, setting.address, text)


def placeholders(text: str) -> list[str]:
    """The names of the parameters in the text of a setting."""
    return _PLACEHOLDER.findall(text)


def filled(text: str, point: Point, seed: int) -> str:
    """The text of a setting with the values of a run in it."""
    values = {**point, SEED: str(seed)}
    return _PLACEHOLDER.sub(lambda match: values[match.group(1)], text)


def open_inputs(
    study: Study, found: Diagnostics, osm_checker: OsmChecker | None = None
) -> StudyInputs | None:
    """Reads the world and the scenario of a study; None, with diagnostics, if they have errors."""
    near = study.source.parent if study.source else Path(".")
    path, roots = _locate(study.world, near)
    files: dict[str, StudyFile] = {}
    if is_osm_name(path.name):
        world = _extract(path, found)
        robot = open_source(locate(_ROBOT_OF_EXTRACTS)[0], found)
        if robot is not None:
            files[_ROBOT_OF_EXTRACTS] = StudyFile(robot.path, robot.root, ROBOT)
    else:
        source = open_source(path, found)
        world = read_world(source, roots, osm_checker) if source else None
        if source is not None and world is not None:
            files[WORLD_FILE] = StudyFile(path, source.root, WORLD)
            files |= dict(_robots(source, roots, found))
    seconds: float | None = None
    scenario = None
    if study.scenario is not None:
        scenario, _ = _locate(study.scenario, near)
        source = open_source(scenario, found)
        described = read_scenario(source) if source else None
        if source is None or described is None:
            return None
        seconds = described.seconds
        if source.tag != OPENSCENARIO:
            files[SCENARIO_FILE] = StudyFile(scenario, source.root, SCENARIO)
    if world is None:
        return None
    return StudyInputs(world, roots, files, scenario, seconds)


def _locate(path: Path, near: Path) -> tuple[Path, Roots]:
    """A file of a study: beside it, else wherever files are looked up."""
    beside = near / path
    return locate(beside if beside.exists() else path)


def _extract(path: Path, found: Diagnostics) -> WorldDescription | None:
    try:
        return world_for_osm(path, diagnostics=found)
    except ConfigError:
        return None


def _robots(source: Source, roots: Roots, found: Diagnostics) -> Iterator[tuple[str, StudyFile]]:
    """The robot files that a world names."""
    for node in source.root.findall("Objects/Robot/File"):
        name = str(node.get("path"))
        try:
            robot = open_source(find_file(name, roots), found)
        except PathError:
            continue
        if robot is not None:
            yield name, StudyFile(robot.path, robot.root, ROBOT)
