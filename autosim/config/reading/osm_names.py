"""Identifies OpenStreetMap files by their names; `autosim.world` reads their content."""

import re
from pathlib import Path

from autosim.config.diagnostics import Diagnostics, name_as_text
from autosim.config.reading.xml_reader import UnreadableError, require_plain_file

OSM_SUFFIXES = (".osm", ".osm.gz", ".osm.bz2", ".osm.pbf")


_ROOT = re.compile(rb"<osm[\s>]")

_HEAD = 1000
"""Number of bytes of a file in which its root element begins."""


def is_osm_name(name: str) -> bool:
    """Whether a file called `name` is an OpenStreetMap file."""
    return name.lower().endswith(OSM_SUFFIXES)


def require_osm(path: Path, found: Diagnostics) -> None:
    """Adds an error if `path` is not a file or lacks the name of an OpenStreetMap file."""
    try:
        require_plain_file(path)
    except UnreadableError as error:
        found.error(path, 0, str(error))
    if not is_osm_name(path.name):
        found.error(path, 0, "expected the name of an OpenStreetMap file (.osm, .osm.gz, …)")


def is_misnamed_osm(path: Path) -> bool:
    """Whether a file holds an OpenStreetMap map under another name: some servers send `map`."""
    try:
        with path.open("rb") as file:
            return not is_osm_name(path.name) and bool(_ROOT.search(file.read(_HEAD)))
    except OSError:
        return False


def map_name(path: Path) -> str:
    """The name of a map's world: that of its file up to the first dot, as text to show."""
    return name_as_text(path).split(".")[0]
