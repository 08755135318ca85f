"""Identifies OpenStreetMap files by their names; `autosim.world` reads their content."""

import re
from pathlib import Path

OSM_SUFFIXES = (".osm", ".osm.gz", ".osm.bz2", ".osm.pbf")

_ROOT = re.compile(rb"<osm[\s>]")

_HEAD = 1000
"""Number of bytes of a file in which its root element begins."""


def is_osm_name(name: str) -> bool:
    """Whether a file called `name` is an OpenStreetMap file."""
    return name.lower().endswith(OSM_SUFFIXES)


def is_misnamed_osm(path: Path) -> bool:
    """Whether a file holds an OpenStreetMap map under another name: some servers send `map`."""
    try:
        with path.open("rb") as file:
            return not is_osm_name(path.name) and bool(_ROOT.search(file.read(_HEAD)))
    except OSError:
        return False
