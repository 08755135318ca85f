"""The functions with which the rest of AutoSim reads configuration files."""

import hashlib
from pathlib import Path
from typing import TypeVar

from autosim.config.descriptions import (
    HouseList,
    MapSetup,
    PlacedRobot,
    RobotDescription,
    TerrainDescription,
    WorldDescription,
)
from autosim.config.diagnostics import ConfigError, Diagnostics, name_as_text
from autosim.config.files.digests import file_digest
from autosim.config.files.lookup import Roots, locate
from autosim.config.maps.house_list_file import read_house_list
from autosim.config.maps.map_setup_file import read_map_setup
from autosim.config.reading.map_kinds import map_name, require_map
from autosim.config.reading.sources import open_source
from autosim.config.world_settings import GraphicsDescription, PhysicsDescription
from autosim.kinds.plugins import ALL_PLUGINS, PluginPolicy
from autosim.loading.robots.robot_file import files_of_robot, read_robot
from autosim.loading.world_file import DescribedRobots, read_world

_T = TypeVar("_T")

_WORLDS = "a world file, or a map of OpenStreetMap, OpenDRIVE, Lanelet2 or CommonRoad"


def load_world(
    path: str | Path,
    *,
    roots: Roots | None = None,
    diagnostics: Diagnostics | None = None,
    told: DescribedRobots | None = None,
    plugins: PluginPolicy = ALL_PLUGINS,
) -> WorldDescription:
    """Reads a world file and every file that it refers to.

    Args:
        path: the file, anywhere, or relative to one of the roots.
        roots: the folders in which files are looked up, default `search_roots()`. The file's own
            folder always comes first.
        diagnostics: receives all warnings and errors.
        told: the robots as reported by the server that the world was fetched from, by their names:
            then no plug-in is run, nor has to be there.
        plugins: which plug-ins of this machine are run.

    Raises:
        ConfigError: with all errors and warnings of all these files.
    """
    found = Diagnostics() if diagnostics is None else diagnostics
    file, roots = locate(path, roots)
    source = open_source(file, found, _WORLDS)
    return _result(read_world(source, roots, told=told, plugins=plugins) if source else None, found)


def load_robot(
    path: str | Path,
    *,
    roots: Roots | None = None,
    diagnostics: Diagnostics | None = None,
    plugins: PluginPolicy = ALL_PLUGINS,
) -> RobotDescription:
    """Reads a robot file. Arguments and errors as those of `load_world`."""
    found = Diagnostics() if diagnostics is None else diagnostics
    file, roots = locate(path, roots)
    source = open_source(file, found)
    return _result(read_robot(source, roots, plugins=plugins) if source else None, found)


def load_map_setup(path: str | Path, *, diagnostics: Diagnostics | None = None) -> MapSetup:
    """Reads a map set-up file. Arguments and errors as those of `load_world`."""
    found = Diagnostics() if diagnostics is None else diagnostics
    source = open_source(locate(path)[0], found)
    return _result(read_map_setup(source) if source else None, found)


def load_house_list(path: str | Path, *, diagnostics: Diagnostics | None = None) -> HouseList:
    """Reads a house file list, with a warning for each missing model.

    Arguments and errors as those of `load_world`.
    """
    found = Diagnostics() if diagnostics is None else diagnostics
    file, roots = locate(path)
    source = open_source(file, found)
    return _result(read_house_list(source, roots) if source else None, found)


def world_for_osm(
    osm: str | Path,
    *,
    robot: str | Path = "robots/impreza.xml",
    program: str | None = "userprograms/driver.py",
    diagnostics: Diagnostics | None = None,
    plugins: PluginPolicy = ALL_PLUGINS,
) -> WorldDescription:
    """A world around any OpenStreetMap extract, without a world file.

    It has one robot, with the name of its file, which the server puts on a lane and `program`
    drives.

    Raises:
        ConfigError: the extract is missing or has another suffix, or the robot file has errors.
    """
    found = Diagnostics() if diagnostics is None else diagnostics
    place, _ = locate(osm)
    require_map(place, found)
    described = load_robot(robot, diagnostics=found, plugins=plugins)
    found.raise_if_errors()
    name = map_name(place) or "osm"
    robot_files = [(described.source.name, described.source, described.source.read_bytes())]
    robot_files += [(each.name, each.path, each.content) for each in files_of_robot(described)]
    return WorldDescription(
        name=name,
        source=place,
        graphics=GraphicsDescription(),
        physics=PhysicsDescription(),
        terrain=TerrainDescription(osm=place, setup=MapSetup(name=name)),
        robots=(PlacedRobot(described.name, described, program=program),),
        files=(
            (name_as_text(place), file_digest(place)),
            *((name, hashlib.sha256(text).hexdigest()) for name, _, text in robot_files),
        ),
        texts=tuple((path.resolve(), text) for _, path, text in robot_files),
    )


def _result(description: _T | None, found: Diagnostics) -> _T:
    if description is None:
        raise ConfigError(found.all)
    return description
