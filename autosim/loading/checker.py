"""Finds the faults of one configuration file of any kind."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from autosim.config.diagnostics import Diagnostic, Diagnostics, printable
from autosim.config.files.lookup import Roots, locate
from autosim.config.maps.house_list_file import read_house_list
from autosim.config.maps.map_setup_file import read_map_setup
from autosim.config.reading.attribute_values import suggestion
from autosim.config.reading.map_kinds import is_map_file, require_map
from autosim.config.reading.sources import Source, open_source, read_block
from autosim.config.reading.xml_reader import line_of
from autosim.config.schemas.study import STUDY
from autosim.config.schemas.test_bench import LAUNCH, SCENE
from autosim.kinds.plugins import ALL_PLUGINS, NO_PLUGINS, PluginPolicy
from autosim.loading.robots.robot_file import read_robot
from autosim.loading.studies.study_file import PYTHON, parse_study, read_study, run_study
from autosim.loading.world_file import OsmChecker, read_world
from autosim.openscenario.dsl.file_names import is_dsl
from autosim.traffic.scenarios.scenario_file import (
    OPENSCENARIO,
    SCENARIO,
    read_scenario,
    read_scenario_file,
)


class ProgramChecker(Protocol):
    """Finds the faults of user programs."""

    def __call__(self, file: Path, found: Diagnostics, *, is_trusted: bool) -> bool:
        """Checks a Python file; returns whether it is a user program."""


class LaunchChecker(Protocol):
    """Finds the faults of launch files of the test bench."""

    def __call__(self, source: Source, *, is_trusted: bool) -> None:
        """Checks a launch file, and the code of its nodes without running it unless trusted."""


def check_file(
    path: str | Path,
    *,
    osm_checker: OsmChecker | None = None,
    program_checker: ProgramChecker | None = None,
    launch_checker: LaunchChecker | None = None,
    roots: Roots | None = None,
    is_trusted: bool = False,
) -> list[Diagnostic]:
    """All faults of a configuration file of any kind, and of the files that it refers to.

    Args:
        path: a world, robot, map set-up, house list, scenario (also of OpenSCENARIO) or study file,
            or a launch file or scene of the test bench, identified by its root element; or a map
            (OpenStreetMap, OpenDRIVE), a scenario of OpenSCENARIO DSL, a user program, or a study
            in Python, identified by their names and by what they define.
        osm_checker: finds the faults of OpenStreetMap files.
        program_checker: finds the faults of user programs.
        launch_checker: finds the faults of launch files.
        roots: as in `load_world`.
        is_trusted: run the plug-ins and the study in Python that are to be checked. Else no code of
            the files is run, and a diagnostic says what was not checked.
    """
    found = Diagnostics()
    file, roots = locate(path, roots)
    if file.suffix == PYTHON:
        _check_python(file, found, osm_checker, program_checker, is_trusted=is_trusted)
    elif is_dsl(file):
        read_scenario_file(file, found)
    elif is_map_file(file):
        require_map(file, found)
        if not found.errors and osm_checker:
            found.extend(osm_checker(file))
    elif source := open_source(file, found):
        if source.tag == LAUNCH.name and launch_checker is not None:
            launch_checker(source, is_trusted=is_trusted)
            return list(found.all)
        _check_source(source, roots, osm_checker, ALL_PLUGINS if is_trusted else NO_PLUGINS)
    return list(found.all)


def _check_python(
    file: Path,
    found: Diagnostics,
    osm_checker: OsmChecker | None,
    program_checker: ProgramChecker | None,
    *,
    is_trusted: bool,
) -> None:
    if program_checker is not None and program_checker(file, found, is_trusted=is_trusted):
        return
    if is_trusted:
        run_study(file, found, osm_checker)
    else:
        parse_study(file, found)


def _check_source(
    source: Source, roots: Roots, osm_checker: OsmChecker | None, plugins: PluginPolicy
) -> None:
    readers: dict[str, Callable[[], object]] = {
        "World": lambda: read_world(source, roots, osm_checker, plugins=plugins),
        "Robot": lambda: read_robot(source, roots, plugins=plugins),
        "Setup": lambda: read_map_setup(source, roots),
        "houses": lambda: read_house_list(source, roots),
        LAUNCH.name: lambda: read_block(source, LAUNCH),
        SCENE.name: lambda: read_block(source, SCENE),
        SCENARIO.name: lambda: read_scenario(source),
        STUDY.name: lambda: read_study(source, osm_checker, plugins),
        OPENSCENARIO: lambda: read_scenario(source),
    }
    if source.tag in readers:
        readers[source.tag]()
        return
    known = ", ".join(f"<{each}>" for each in readers)
    message = f"expected one of the root elements {known}, not <{printable(source.tag)}>"
    source.faults.error(line_of(source.root), message + suggestion(source.tag, readers))
