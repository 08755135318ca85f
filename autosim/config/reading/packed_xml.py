"""The text of large XML files that may be packed by gzip: bounded size, no declarations."""

import re
from pathlib import Path

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
