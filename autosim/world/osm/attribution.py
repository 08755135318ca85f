"""The owner and licence of a map's data: those that its file names, else OpenStreetMap's."""

import re
import zlib
from pathlib import Path

from autosim.world.osm.osm_sniff import OsmKind, UnusableFileError, kind_of, open_xml

OPENSTREETMAP = "© OpenStreetMap contributors, ODbL 1.0"

_HEAD = 4096
"""Number of characters of a file in which its root element begins: only comments come before."""
_ROOT = re.compile(r"<osm\b([^>]*)>")
_ATTRIBUTE = re.compile(r"""([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_LICENCES = (("odbl", "ODbL 1.0"), ("by-sa/2.0", "CC BY-SA 2.0"))


def attribution_of(path: Path) -> str:
    """Owner and licence of a map, as the root of its file names them.

    A file without an owner counts as OpenStreetMap's: tools that cut extracts drop the owner.

    Args:
        path: of a map file. A PBF file cannot name an owner.
    """
    said = _root_attributes(path)
    owner, licence = said.get("copyright", ""), said.get("license", "")
    if not owner:
        return OPENSTREETMAP
    names = [name for mark, name in _LICENCES if mark in licence.lower()]
    return ", ".join(part for part in (f"© {owner}", *(names or [licence])) if part)


def _root_attributes(path: Path) -> dict[str, str]:
    try:
        kind = kind_of(path)
        if kind is OsmKind.PBF:
            return {}
        with open_xml(path, kind) as stream:
            head = stream.read(_HEAD).decode("utf-8", "replace")
    except (UnusableFileError, EOFError, OSError, zlib.error):
        return {}
    root = _ROOT.search(head)
    found = _ATTRIBUTE.findall(root[1]) if root else []
    return {name: first or second for name, first, second in found}
