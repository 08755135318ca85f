"""A first look at a map file before any parser sees it: its kind, its size, no DOCTYPE.

A file of a few bytes can make a parser that expands entities or unpacks without limit fill all
memory. So these checks look at the raw bytes.
"""

import bz2
import gzip
import os
import re
import zlib
from enum import Enum
from pathlib import Path
from typing import BinaryIO, cast

from autosim.config.diagnostics import Diagnostic
from autosim.config.reading.xml_reader import UnreadableError, require_plain_file

MAX_FILE_BYTES = 1 << 30
"""Largest number of bytes of a map file: that of a country, from which users cut a part first."""

MAX_UNPACKED_BYTES = 4 << 30
"""Largest number of bytes of a map's text when it is unpacked: a bomb has more."""

_CHUNK = 1 << 20
"""Number of bytes that are read at once: enough for speed, little memory."""

_OVERLAP = 64
"""Number of bytes of a chunk that are looked at again with the next: more than a mark is long."""

_PAGE_HEAD = 1000
"""Number of bytes at the beginning of a file in which a web page shows itself as one."""
_DECLARATION = re.compile(rb"<!(?:DOCTYPE|ENTITY)")
_DELETED = re.compile(rb"""action\s*=\s*["']delete["']""")
_WEB_PAGE = re.compile(rb"<!DOCTYPE html|<html\b", re.IGNORECASE)
_ROOT = re.compile(rb"<(osmChange|osm)\b[^>]*>")
_VERSION = re.compile(rb"""version\s*=\s*["']([^"']*)["']""")


class OsmKind(Enum):
    """Format of a map file."""

    XML = ".osm"
    GZIP = ".osm.gz"
    BZIP2 = ".osm.bz2"
    PBF = ".osm.pbf"


class UnusableFileError(Exception):
    """The file cannot be read at all; `finding` says why and where."""

    def __init__(self, finding: Diagnostic) -> None:
        super().__init__(finding)
        self.finding = finding


def error(path: Path, message: str, line: int = 0) -> UnusableFileError:
    """An `UnusableFileError` about `path`."""
    return UnusableFileError(Diagnostic(path, line, "error", message))


def kind_of(path: Path) -> OsmKind:
    """The kind that the file's name says.

    Raises:
        UnusableFileError: the name has none of the endings known.
    """
    name = path.name.lower()
    for kind in (OsmKind.GZIP, OsmKind.BZIP2, OsmKind.PBF, OsmKind.XML):
        if name.endswith(kind.value) or (kind is OsmKind.PBF and name.endswith(".pbf")):
            return kind
    endings = ", ".join(kind.value for kind in OsmKind)
    raise error(path, f"not a map file by its name; expected one of {endings}")


def open_xml(path: Path, kind: OsmKind) -> BinaryIO:
    """The XML text of a map file as bytes, unpacked as it is read."""
    # lxml reads the stream's name, and fails on one that is not valid Unicode.
    name = os.fsencode(path)
    if kind is OsmKind.GZIP:
        return cast(BinaryIO, gzip.open(name, "rb"))
    if kind is OsmKind.BZIP2:
        return cast(BinaryIO, bz2.open(name, "rb"))
    return open(name, "rb")


def check_size(path: Path) -> None:
    """Refuses a file that is missing, no plain file, empty or too large.

    Raises:
        UnusableFileError: the file is one of these.
    """
    try:
        require_plain_file(path)
    except UnreadableError as fault:
        raise error(path, str(fault)) from fault
    size = path.stat().st_size
    if size == 0:
        raise error(path, "the file is empty", 1)
    if size > MAX_FILE_BYTES:
        raise error(path, f"the file has {size} bytes, more than the limit of {MAX_FILE_BYTES}")


def check_xml(path: Path, kind: OsmKind) -> bool:
    """Refuses declarations, bombs and other roots than OSM; tells whether libosmium can read it.

    libosmium knows only version 0.6, and ignores that an editor marked an object as deleted.

    Returns:
        Whether the file is version 0.6 without deleted objects.

    Raises:
        UnusableFileError: the file must not be parsed.
    """
    is_plain = True
    total, tail, has_root = 0, b"", False
    try:
        with open_xml(path, kind) as stream:
            while chunk := stream.read(_CHUNK):
                text = tail + chunk
                _refuse_declaration(path, text)
                if not has_root:
                    is_plain, has_root = _check_root(path, text), True
                is_plain = is_plain and _DELETED.search(text) is None
                total += len(chunk)
                if total > MAX_UNPACKED_BYTES:
                    raise error(path, f"unpacks to more than {MAX_UNPACKED_BYTES} bytes")
                tail = chunk[-_OVERLAP:]
    except (EOFError, OSError, zlib.error) as fault:
        raise error(path, f"cannot be unpacked: {fault}") from fault
    return is_plain


def kind_of_content(head: bytes) -> OsmKind | None:
    """The packing of a file by its first bytes; None if they do not show it."""
    if head.startswith(b"\x1f\x8b"):
        return OsmKind.GZIP
    if head.startswith(b"BZh"):
        return OsmKind.BZIP2
    if b"OSMHeader" in head:
        return OsmKind.PBF
    return OsmKind.XML if head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<") else None


def is_cut(path: Path, kind: OsmKind) -> bool:
    """Whether XML that cannot be parsed was cut off: it ends before its root does."""
    tail = b""
    with open_xml(path, kind) as stream:
        while chunk := stream.read(_CHUNK):
            tail = (tail + chunk)[-_OVERLAP:]
    return b"</osm" not in tail


def refuse_other_packing(path: Path, kind: OsmKind) -> None:
    """Refuses a file whose packing is not that of its name.

    Raises:
        UnusableFileError: it has another packing, which the message names.
    """
    with path.open("rb") as stream:
        found = kind_of_content(stream.read(_OVERLAP)) or kind
    if found is not kind:
        raise error(path, f"holds {found.value}, and its name says {kind.value}: rename it")


def _refuse_declaration(path: Path, text: bytes) -> None:
    if _WEB_PAGE.search(text[:_PAGE_HEAD]):
        raise error(path, "this is a web page, not a map", 1)
    found = _DECLARATION.search(text)
    if found:
        line = text.count(b"\n", 0, found.start()) + 1
        raise error(path, "DOCTYPE and entity declarations are not accepted", line)


def _check_root(path: Path, head: bytes) -> bool:
    root = _ROOT.search(head)
    if root is None:
        is_json = head.lstrip()[:1] in (b"{", b"[")
        found_instead = "JSON; ask the server for XML" if is_json else "none"
        raise error(path, f"expected the root element <osm>, found {found_instead}", 1)
    line = head.count(b"\n", 0, root.start()) + 1
    if root[1] == b"osmChange":
        raise error(path, "this is a change file (osmChange), not a map", line)
    version = _VERSION.search(root[0])
    found = version[1].decode("utf-8", "replace") if version else "none"
    if found not in ("0.4", "0.5", "0.6"):
        raise error(path, f"expected OSM version 0.4, 0.5 or 0.6, found {found}", line)
    return found == "0.6"
