"""Identifies the kinds of map files: OpenStreetMap by name, OpenDRIVE by content or name."""

import gzip
import re
import zlib
from pathlib import Path

from autosim.config.diagnostics import Diagnostics
from autosim.config.reading.osm_names import OSM_SUFFIXES, is_osm_name, map_name
from autosim.config.reading.xml_reader import UnreadableError, require_plain_file

OPENDRIVE_SUFFIXES = (".xodr", ".xodr.gz")

MAP_SUFFIXES = (*OSM_SUFFIXES, *OPENDRIVE_SUFFIXES)
"""Endings of the names of map files."""

_ROOT = re.compile(rb"<(?:\w+:)?OpenDRIVE[\s>]")

_HEAD = 4000
"""Number of bytes of a file in which its root element begins, behind a licence in a comment."""

__all__ = [
    "MAP_SUFFIXES",
    "is_map_file",
    "is_map_name",
    "is_opendrive",
    "map_ending",
    "map_name",
    "require_map",
]


def is_opendrive(path: Path) -> bool:
    """Whether a file is OpenDRIVE by its content; by its name where it cannot be read."""
    by_name = path.name.lower().endswith(OPENDRIVE_SUFFIXES)
    try:
        if not path.is_file():  # a pipe would never end
            return by_name
        with path.open("rb") as plain:
            is_packed = plain.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rb") if is_packed else path.open("rb") as stream:
            head = stream.read(_HEAD)
    except (EOFError, OSError, zlib.error):
        return by_name
    return by_name or bool(_ROOT.search(head))


def is_map_name(name: str) -> bool:
    """Whether a file called `name` is a map."""
    return name.lower().endswith(MAP_SUFFIXES)


def map_ending(name: str) -> str:
    """The part of a file's name that says what kind of map it is; "" for none."""
    found = (each for each in MAP_SUFFIXES if name.lower().endswith(each))
    ending = max(found, key=len, default="")
    return name[len(name) - len(ending) :] if ending else ""


def is_map_file(path: Path) -> bool:
    """Whether a file is a map by its name or its content, and not a world file."""
    return is_map_name(path.name) or path.name.endswith(".pbf") or is_opendrive(path)


def require_map(path: Path, found: Diagnostics) -> None:
    """Notes an error if `path` is not a file, or not one of a known kind of map."""
    try:
        require_plain_file(path)
    except UnreadableError as error:
        found.error(path, 0, str(error))
        return
    if not is_osm_name(path.name) and not is_opendrive(path):
        found.error(
            path,
            0,
            "expected a map: OpenStreetMap (.osm, .osm.gz, .osm.bz2, .osm.pbf) or "
            "OpenDRIVE (.xodr, .xodr.gz)",
        )
