"""Writes a project: a folder with a world, a robot, a program and a test, all of which run."""

import keyword
import os
import re
from pathlib import Path
from string import Template

from autosim.applications.common.files import write_whole
from autosim.applications.maps.osm_server import MAP_SERVER, PLACE_SERVER
from autosim.applications.maps.world_fetch import fetch_place
from autosim.config.diagnostics import ConfigError, Diagnostics
from autosim.config.files.lookup import find_file, search_roots
from autosim.config.reading.map_kinds import map_ending, require_map
from autosim.errors import UserError
from autosim.helper_processes.scratch_folder import ScratchFolder
from autosim.world.pipeline.map_check import check_map

_TEMPLATES = Path(__file__).parent / "project"
_SIDE = 1200.0
"""Side [m] of the square of map about the middle of a place, as `autosim world fetch` has it."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_ROBOT = "robots/impreza.xml"

_FILES = {
    "README.md": "README.md",
    "worlds/$name.xml": "world.xml",
    "worlds/$name/setup.xml": "setup.xml",
    "worlds/$name/$name.osm": "town.osm",
    "userprograms/$name.py": "program.txt",
    "tests/test_$name.py": "test.txt",
}
"""Files of a project, each with its template."""

_FILES_OF_MAP = {
    "README.md": "readme_of_map.md",
    "worlds/$name.xml": "world_of_map.xml",
    "worlds/$name/setup.xml": "setup_of_map.xml",
    "tests/test_$name.py": "test_of_map.txt",
}
"""The same for a project on a map of the user's."""

_DRIVER = "userprograms/driver.py"
"""The program of such a project: it finds its way on any map."""


def new_project_at(place: str, folder: Path) -> list[Path]:
    """Writes a project, as `new_project`, on the map of a place, which is downloaded.

    The variables AUTOSIM_OSM_SERVER and AUTOSIM_PLACE_SERVER name other servers.

    Raises:
        UserError: the map cannot be downloaded; else as `new_project`.
    """
    _require_new(folder)
    with ScratchFolder("map") as scratch:
        osm = scratch / "map.osm"
        fetch_place(
            place,
            osm,
            size=_SIDE,
            server=os.environ.get("AUTOSIM_OSM_SERVER", MAP_SERVER),
            place_server=os.environ.get("AUTOSIM_PLACE_SERVER", PLACE_SERVER),
        )
        return new_project(folder, osm=osm)


def _require_new(folder: Path) -> None:
    check_name(folder.name)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"there is already something at '{folder}': nothing was written")


def new_project(folder: Path, *, osm: Path | None = None) -> list[Path]:
    """Writes a project to a new folder, whose name becomes the name of what is in it.

    Args:
        folder: to make.
        osm: a map of any kind, which is copied; None: a small map that comes with AutoSim.

    Returns:
        the files.

    Raises:
        UserError: the name cannot be used, there is something already, or nothing can be written.
        ConfigError: `osm` is not a map, or cannot be read whole.
    """
    name = folder.name
    _require_new(folder)
    contents: dict[str, bytes] = {}
    words = {"name": name}
    if osm is not None:
        content = _map(osm)
        words["map"] = f"{name}{_ending(osm)}"
        contents[f"worlds/{name}/{words['map']}"] = content
        contents[f"userprograms/{name}.py"] = _shipped(_DRIVER).encode()
    for path, template in (_FILES if osm is None else _FILES_OF_MAP).items():
        text = (_TEMPLATES / template).read_text(encoding="utf-8")
        contents[_fill(path, words)] = _fill(text, words).encode()
    contents[f"robots/{name}_car.xml"] = _robot(name).encode()
    return [_write(folder / path, content) for path, content in contents.items()]


def _map(osm: Path) -> bytes:
    found = Diagnostics()
    require_map(osm, found)
    found.raise_if_errors()
    errors = [each for each in check_map(osm) if each.level == "error"]
    if errors:
        raise ConfigError(errors)
    try:
        return osm.read_bytes()
    except OSError as error:
        raise UserError(f"{osm}: {error.strerror}") from error


def _ending(osm: Path) -> str:
    """The part of the name that says what kind of map it is, such as `.osm.pbf`."""
    return map_ending(osm.name) or ".xodr"


def check_name(name: str) -> None:
    """Accepts what can be the name of files, of elements and of Python modules.

    Raises:
        UserError: `name` cannot; the message proposes one that can.
    """
    if _NAME.fullmatch(name) and not keyword.iskeyword(name):
        return
    near = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")
    near = near if _NAME.fullmatch(near) and not keyword.iskeyword(near) else f"my_{near or 'town'}"
    raise UserError(
        f"'{name}' cannot be the name of a project: letters, digits and underscores, a letter "
        f"first, and no word of Python's; try '{near}'"
    )


def _robot(name: str) -> str:
    """The shipped car under another name: a robot to change, with comments on each device."""
    return _shipped(_ROBOT).replace('<Robot name="impreza">', f'<Robot name="{name}_car">')


def _shipped(path: str) -> str:
    return find_file(path, search_roots()).read_text(encoding="utf-8")


def _fill(text: str, words: dict[str, str]) -> str:
    return Template(text).substitute(words)


def _write(path: Path, content: bytes) -> Path:
    write_whole(path, content)
    return path
