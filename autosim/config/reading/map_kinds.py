"""Identifies the kinds of map files, by their content and names."""

import gzip
import re
import zlib
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from autosim.config.diagnostics import Diagnostics, name_as_text
from autosim.config.reading.osm_names import OSM_SUFFIXES, is_osm_name
from autosim.config.reading.xml_reader import UnreadableError, require_plain_file

OPENDRIVE_SUFFIXES = (".xodr", ".xodr.gz")

MAP_SUFFIXES = (*OSM_SUFFIXES, *OPENDRIVE_SUFFIXES)
"""Endings of the names of map files."""

READ_ERRORS = (EOFError, OSError, zlib.error)
"""Errors of `unpacked`."""

_ROOT = re.compile(rb"<(?:\w+:)?OpenDRIVE[\s>]")
_COMMONROAD = re.compile(rb"<commonRoad[\s>]")

_HEAD = 4000
"""Number of bytes of a file in which its root element begins, behind a licence in a comment."""


_LANELET = re.compile(rb"""<tag\b[^>]*\bv=["']lanelet["']""")
"""A tag of a relation that is a lanelet: OpenStreetMap's own data does not have it."""

_CHUNK, _OVERLAP = 1 << 20, 200
"""Number of bytes that are searched at once, and that of those searched again with the next."""


class MapKind(Enum):
    """Format of a map file, with its name."""

    OPENSTREETMAP = "OpenStreetMap"
    OPENDRIVE = "OpenDRIVE"
    LANELET2 = "Lanelet2"
    COMMONROAD = "CommonRoad"


def map_kind(path: Path) -> MapKind:
    """The format of a map file; OpenStreetMap if it is not another one."""
    if is_opendrive(path):
        return MapKind.OPENDRIVE
    if is_commonroad(path):
        return MapKind.COMMONROAD
    return MapKind.LANELET2 if is_lanelet2(path) else MapKind.OPENSTREETMAP


def is_commonroad(path: Path) -> bool:
    """Whether a file is CommonRoad XML by its content."""
    return _has_root(path, _COMMONROAD)


def _has_root(path: Path, root: re.Pattern[bytes]) -> bool:
    """Whether the root element of a file is at its beginning."""
    try:
        # A pipe would never end.
        return path.is_file() and bool(root.search(unpacked(path, _HEAD)))
    except READ_ERRORS:
        return False


def is_lanelet2(path: Path) -> bool:
    """Whether a file of nodes, ways and relations holds lanelets."""
    if not path.name.lower().endswith((".osm", ".osm.gz")):
        return False
    try:
        state = path.stat()
        return path.is_file() and _has_lanelet(path, state.st_mtime_ns, state.st_size)
    except READ_ERRORS:
        return False


@lru_cache(maxsize=64)
def _has_lanelet(path: Path, changed: int, size: int) -> bool:
    """Whether a file that last changed at `changed` [ns] has a lanelet: relations come last."""
    return any(_LANELET.search(chunk) for chunk in _chunks(path))


def _chunks(path: Path) -> Iterator[bytes]:
    """The content of a file, unpacked, in pieces that overlap."""
    rest = b""
    with _opened(path) as stream:
        while chunk := stream.read(_CHUNK):
            yield rest + chunk
            rest = chunk[-_OVERLAP:]


def is_opendrive(path: Path) -> bool:
    """Whether a file is OpenDRIVE by its name or its content."""
    return path.name.lower().endswith(OPENDRIVE_SUFFIXES) or _has_root(path, _ROOT)


def unpacked(path: Path, count: int) -> bytes:
    """The first `count` bytes of a file, unpacked if it is packed by gzip.

    Raises:
        EOFError, OSError, zlib.error: it cannot be read or unpacked.
    """
    with _opened(path) as stream:
        return stream.read(count)


def _opened(path: Path) -> BinaryIO | gzip.GzipFile:
    """A file, opened to read what it holds unpacked."""
    with path.open("rb") as plain:
        is_packed = plain.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rb") if is_packed else path.open("rb")


def is_map_name(name: str) -> bool:
    """Whether a file called `name` is a map."""
    return name.lower().endswith(MAP_SUFFIXES)


def map_ending(name: str) -> str:
    """The part of a file's name that says what kind of map it is; "" for none."""
    found = (each for each in MAP_SUFFIXES if name.lower().endswith(each))
    ending = max(found, key=len, default="")
    return name[len(name) - len(ending) :] if ending else ""


def map_name(path: Path) -> str:
    """The name of a map's world: that of its file up to the first dot, as text to show."""
    return name_as_text(path).split(".")[0]


def is_map_file(path: Path) -> bool:
    """Whether a file is a map by its name or its content, and not a world file."""
    if is_map_name(path.name) or path.name.endswith(".pbf"):
        return True
    return is_opendrive(path) or is_commonroad(path)


def require_map(path: Path, found: Diagnostics) -> None:
    """Adds an error if `path` is not a file, or not one of a known kind of map."""
    try:
        require_plain_file(path)
    except UnreadableError as error:
        found.error(path, 0, str(error))
        return
    if not (is_osm_name(path.name) or is_opendrive(path) or is_commonroad(path)):
        found.error(
            path,
            0,
            "expected a map: OpenStreetMap (.osm, .osm.gz, .osm.bz2, .osm.pbf), Lanelet2 (.osm, "
            ".osm.gz), OpenDRIVE (.xodr, .xodr.gz) or CommonRoad (.xml)",
        )
