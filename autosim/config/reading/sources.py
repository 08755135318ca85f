"""An open configuration file: its tree and its faults."""

from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from autosim.config.diagnostics import Diagnostics, printable
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.reading.osm_names import is_misnamed_osm
from autosim.config.reading.validation import validate
from autosim.config.reading.xml_reader import (
    UnreadableError,
    line_of,
    parse_xml,
    read_bytes,
    require_plain_file,
)
from autosim.config.schema import Element

_START = 4096
"""Number of bytes at the start of a file that tell its kind."""


@dataclass(frozen=True, slots=True)
class Source:
    """A well-formed XML file; `data` is its content.

    Attributes:
        path: the file.
        root: root element of the parsed tree.
        faults: collects the faults of the file.
    """

    path: Path
    data: bytes
    root: etree._Element
    faults: Faults

    @property
    def tag(self) -> str:
        """The name of the root element."""
        return str(self.root.tag)


def open_source(path: Path, diagnostics: Diagnostics, expected: str = "") -> Source | None:
    """Reads and parses `path`; None, with a diagnostic, if it cannot.

    Args:
        path: of the file.
        diagnostics: receives the fault.
        expected: kinds of files of which it should be one, for the message about a file of text.
    """
    faults = Faults(path, diagnostics)
    try:
        require_plain_file(path)
        if is_misnamed_osm(path):
            message = "this is a map from OpenStreetMap: give it a name that ends in .osm"
            raise UnreadableError(message, 1)
        data = read_bytes(path)
        if kind := kind_of_text(path, data):
            message = f"is {kind}, not XML" + (f": expected {expected}" if expected else "")
            raise UnreadableError(message, 1)
        return Source(path, data, parse_xml(data), faults)
    except UnreadableError as error:
        faults.error(error.line, str(error))
        return None


def kind_of_text(path: Path, data: bytes) -> str:
    """The kind of a file of text that is not XML, in words; "" for XML, binary and empty files."""
    start = data[:_START].lstrip()
    if not start or start.startswith(b"<") or not start[:1].isascii() or b"\0" in start:
        return ""
    if path.suffix.lower() in (".csv", ".tsv"):
        return "a table"
    return "JSON" if start[:1] in b"{[" else "text"


def read_block(source: Source, element: Element) -> Block | None:
    """The file's root as `element`; None, with a diagnostic, if it is another element."""
    if source.tag != element.name:
        message = f"expected the root element <{element.name}>, not <{printable(source.tag)}>"
        source.faults.error(line_of(source.root), message)
        return None
    return validate(source.root, element, source.faults)
