"""OpenStreetMap files are known by their names; what is in them is not this package's business."""

import re
from pathlib import Path

from autosim.config.diagnostics import Diagnostics, name_as_text
from autosim.config.xml_reader import UnreadableError, require_plain_file

OSM_SUFFIXES = (".osm", ".osm.gz", ".osm.bz2", ".osm.pbf")


_ROOT = re.compile(rb"<osm[\s>]")
_HEAD = 1000


def is_osm_name(name: str) -> bool:
    """Whether a file called `name` is an OpenStreetMap file."""
    return name.lower().endswith(OSM_SUFFIXES)


def require_osm(path: Path, found: Diagnostics) -> None:
    """Notes errors where `path` is no file, or not called as an OpenStreetMap file is."""
    try:
        require_plain_file(path)
    except UnreadableError as error:
        found.error(path, 0, str(error))
    if not is_osm_name(path.name):
        found.error(path, 0, "expected the name of an OpenStreetMap file (.osm, .osm.gz, …)")


def is_misnamed_osm(path: Path) -> bool:
    """Whether a file holds an OpenStreetMap map and has another name: some servers send `map`."""
    try:
        with path.open("rb") as file:
            return not is_osm_name(path.name) and bool(_ROOT.search(file.read(_HEAD)))
    except OSError:
        return False


def map_name(path: Path) -> str:
    """What the world of a map is called: its file up to the first dot, as text to be shown."""
    return name_as_text(path).split(".")[0]
