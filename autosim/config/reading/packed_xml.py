"""Large XML files that may be packed by gzip: bounded size, no declarations, read in passing."""

import io
import re
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from autosim.config.diagnostics import printable
from autosim.config.reading.map_kinds import READ_ERRORS, unpacked
from autosim.config.reading.xml_reader import UnreadableError, require_plain_file

_DECLARATION = re.compile(rb"<!(?:DOCTYPE|ENTITY)")


def packed_xml(path: Path, most: int) -> bytes:
    """The text of a file, unpacked.

    Raises:
        UnreadableError: it cannot be read or unpacked, is empty, has more than `most` bytes or
            declares a document type or entities.
    """
    require_plain_file(path)
    try:
        data = unpacked(path, most + 1)
    except READ_ERRORS as error:
        raise UnreadableError(f"cannot be read: {error}") from error
    if not data:
        raise UnreadableError("the file is empty")
    if len(data) > most:
        raise UnreadableError(f"the file has more than {most} bytes")
    declaration = _DECLARATION.search(data)
    if declaration:
        line = data.count(b"\n", 0, declaration.start()) + 1
        raise UnreadableError("DOCTYPE and entity declarations are not accepted", line)
    return data


def children_of_root(data: bytes, root: str) -> Iterator[tuple[str, etree._Element]]:
    """Each child of the root element, with its name without a namespace, emptied after its use.

    Args:
        data: the text of the file.
        root: name of the root element.

    Raises:
        UnreadableError: another root element, or not well-formed XML.
    """
    events = etree.iterparse(
        io.BytesIO(data),
        events=("start", "end"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    depth = 0
    try:
        for event, node in events:
            if event == "start":
                if not depth and _local_name(node) != root:
                    name = printable(_local_name(node), 40)
                    raise UnreadableError(f"expected the root element <{root}>, not <{name}>", 1)
                depth += 1
                continue
            depth -= 1
            if depth == 1:
                yield _local_name(node), node
                node.clear(keep_tail=False)
    except etree.XMLSyntaxError as error:
        reason = re.sub(r", line \d+, column \d+.*$", "", error.msg or "")
        message = f"not well-formed XML: {printable(reason, 200)}"
        raise UnreadableError(message, error.position[0]) from error


def _local_name(node: etree._Element) -> str:
    return str(node.tag).rpartition("}")[2]
