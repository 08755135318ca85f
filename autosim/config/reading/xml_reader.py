"""Reads an XML file that may be hostile: no DOCTYPE, no entities, nothing fetched, bounded size."""

import re
import stat
from pathlib import Path
from typing import cast

from lxml import etree

from autosim.config.diagnostics import printable
from autosim.config.files.lookup import search_roots
from autosim.config.files.near_files import near_file

MAX_BYTES = 8 * 2**20
"""Largest size [bytes] of a configuration file: hundreds of times that of a shipped one."""

MAX_TAGS = 50_000
"""Largest number of tags in a file: it bounds the memory of the parsed tree."""

_PROLOG = re.compile(rb"\xef\xbb\xbf|\s+|<\?.*?\?>|<!--.*?-->", re.DOTALL)


class UnreadableError(Exception):
    """A file cannot be read as XML. `line` is 0 if the fault has none."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


def read_bytes(path: Path, limit: int = MAX_BYTES) -> bytes:
    """The content of a plain file.

    Raises:
        UnreadableError: the file is missing, no plain file, not readable, empty, or larger
            than `limit` bytes.
    """
    require_plain_file(path)
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror}") from error
    if not data:
        raise UnreadableError("the file is empty")
    if len(data) > limit:
        raise UnreadableError(f"the file is larger than {limit} bytes")
    return data


def require_plain_file(path: Path) -> None:
    """Makes sure that `path` is a file, and not a folder, a pipe or a device.

    Raises:
        UnreadableError: the path is none, or nothing is there.
    """
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        hint = near_file(path, search_roots()) if isinstance(error, FileNotFoundError) else ""
        raise UnreadableError(f"cannot be read: {reason}{printable(hint)}") from error
    if stat.S_ISDIR(mode):
        raise UnreadableError("is a folder, not a file")
    if not stat.S_ISREG(mode):
        raise UnreadableError("is not a plain file")


def parse_xml(data: bytes) -> etree._Element:
    """The root element of an XML document, without comments and processing instructions.

    Raises:
        UnreadableError: not UTF-8, not well-formed, with a DOCTYPE, or beyond the limits.
    """
    _require_text(data)
    _refuse_doctype(data)
    if data.count(b"<") > MAX_TAGS:
        raise UnreadableError(f"the file has more than {MAX_TAGS} tags")
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        reason = re.sub(r", line \d+, column \d+$", "", error.msg or "")
        message = f"not well-formed XML: {printable(reason, 200)}"
        raise UnreadableError(message, error.position[0]) from error


def line_of(node: etree._Element) -> int:
    """The line in which the tag of an element begins; 0 if the element comes from no file."""
    return cast("int | None", node.sourceline) or 0


def _require_text(data: bytes) -> None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"not UTF-8 text: byte 0x{data[error.start]:02x} at offset {error.start}"
        raise UnreadableError(message, line) from error
    if (zero := data.find(b"\0")) >= 0:
        line = data.count(b"\n", 0, zero) + 1
        raise UnreadableError(f"not a text file: zero byte at offset {zero}", line)


def _refuse_doctype(data: bytes) -> None:
    # A document type can stand only before the root element, behind what _PROLOG matches.
    position = 0
    while found := _PROLOG.match(data, position):
        position = found.end()
    if data.startswith(b"<!", position):
        line = data.count(b"\n", 0, position) + 1
        raise UnreadableError("a DOCTYPE (and its entities) is not allowed", line)
