"""What the rest of AutoSim calls to read or to check a configuration file."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from autosim.config.descriptions import (
    GraphicsDescription,
    HouseList,
    MapSetup,
    PhysicsDescription,
    PlacedRobot,
    RobotDescription,
    TerrainDescription,
    WorldDescription,
)
from autosim.config.diagnostics import ConfigError, Diagnostic, Diagnostics, printable
from autosim.config.digests import file_digest
from autosim.config.house_list_file import read_house_list
from autosim.config.lookup import Roots, locate
from autosim.config.map_setup_file import read_map_setup
from autosim.config.robot_file import read_robot
from autosim.config.sources import Source, open_source
from autosim.config.terrain import is_osm_name
from autosim.config.values import nearest
from autosim.config.world_file import OsmChecker, read_world
from autosim.config.xml_reader import UnreadableError, line_of, require_plain_file

_T = TypeVar("_T")


def load_world(
    path: str | Path, *, roots: Roots | None = None, diagnostics: Diagnostics | None = None
) -> WorldDescription:
    """Reads a world file and every file that it refers to.

    Args:
        path: the file, anywhere, or relative to one of the roots.
        roots: where files are looked up, default `search_roots()`. The file's own folder
            always comes first.
        diagnostics: takes the warnings, and the errors too.

    Raises:
        ConfigError: with all errors and warnings of all these files.
    """
    found = Diagnostics() if diagnostics is None else diagnostics
    file, roots = locate(path, roots)
    source = open_source(file, found)
    return _result(read_world(source, roots) if source else None, found)


def load_robot(
    path: str | Path, *, roots: Roots | None = None, diagnostics: Diagnostics | None = None
) -> RobotDescription:
    """Reads a robot file. Arguments and errors as those of `load_world`."""
    found = Diagnostics() if diagnostics is None else diagnostics
    file, roots = locate(path, roots)
    source = open_source(file, found)
    return _result(read_robot(source, roots) if source else None, found)


def load_map_setup(path: str | Path, *, diagnostics: Diagnostics | None = None) -> MapSetup:
    """Reads a map set-up file. Arguments and errors as those of `load_world`."""
    found = Diagnostics() if diagnostics is None else diagnostics
    source = open_source(locate(path)[0], found)
    return _result(read_map_setup(source) if source else None, found)


def load_house_list(path: str | Path, *, diagnostics: Diagnostics | None = None) -> HouseList:
    """Reads a house file list. Arguments and errors as those of `load_world`."""
    found = Diagnostics() if diagnostics is None else diagnostics
    source = open_source(locate(path)[0], found)
    return _result(read_house_list(source) if source else None, found)


def world_for_osm(
    osm: str | Path,
    *,
    robot: str | Path = "robots/impreza.xml",
    program: str | None = "userprograms/driver.py",
    diagnostics: Diagnostics | None = None,
) -> WorldDescription:
    """A world around any OpenStreetMap extract, without a world file.

    One robot, called as in its file, is put on a lane by the server and run by `program`.

    Raises:
        ConfigError: the extract is not there or has another suffix, or the robot file has errors.
    """
    found = Diagnostics() if diagnostics is None else diagnostics
    place, _ = locate(osm)
    _require_osm(place, found)
    described = load_robot(robot, diagnostics=found)
    found.raise_if_errors()
    name = place.name.split(".")[0] or "osm"
    return WorldDescription(
        name=name,
        source=place,
        graphics=GraphicsDescription(),
        physics=PhysicsDescription(),
        terrain=TerrainDescription(osm=place, setup=MapSetup(name=name)),
        robots=(PlacedRobot(described.name, described, program=program),),
        files=(
            (place.name, file_digest(place)),
            (described.source.name, file_digest(described.source)),
        ),
    )


def check_file(
    path: str | Path, *, osm_checker: OsmChecker | None = None, roots: Roots | None = None
) -> list[Diagnostic]:
    """Every fault of a configuration file, of any kind, and of the files that it refers to.

    Args:
        path: a world, robot, map set-up or house list file, known by its root element; or an
            OpenStreetMap file, known by its name.
        osm_checker: looks for the faults of OpenStreetMap files.
        roots: as in `load_world`.
    """
    found = Diagnostics()
    file, roots = locate(path, roots)
    if is_osm_name(file.name):
        _require_osm(file, found)
        if not found.errors and osm_checker:
            found.extend(osm_checker(file))
    elif source := open_source(file, found):
        _check_source(source, roots, osm_checker)
    return list(found.all)


def _check_source(source: Source, roots: Roots, osm_checker: OsmChecker | None) -> None:
    readers: dict[str, Callable[[], object]] = {
        "World": lambda: read_world(source, roots, osm_checker),
        "Robot": lambda: read_robot(source, roots),
        "Setup": lambda: read_map_setup(source),
        "houses": lambda: read_house_list(source),
    }
    if source.tag in readers:
        readers[source.tag]()
        return
    known = ", ".join(f"<{each}>" for each in readers)
    message = f"expected one of the root elements {known}, not <{printable(source.tag)}>"
    source.faults.error(line_of(source.root), message + nearest(source.tag, readers))


def _require_osm(path: Path, found: Diagnostics) -> None:
    try:
        require_plain_file(path)
    except UnreadableError as error:
        found.error(path, 0, str(error))
    if not is_osm_name(path.name):
        found.error(path, 0, "expected the name of an OpenStreetMap file (.osm, .osm.gz, …)")


def _result(description: _T | None, found: Diagnostics) -> _T:
    if description is None:
        raise ConfigError(found.all)
    return description
