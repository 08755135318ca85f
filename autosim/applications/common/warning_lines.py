"""Shortens the warnings of a world for its user: each kind once."""

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from autosim.config.diagnostics import Diagnostic

MOST_KINDS = 6
"""Number of kinds that are shown: they leave room on a screen for what follows."""

_VALUES = re.compile(r"-?\d+(\.\d+)?|\(.*?\)")
"""Parts of a message in which warnings of one kind differ."""

_CUT = re.compile(r"of its \d+ (nodes|ways) are not in the file|ways have missing nodes")
"""Messages about objects at the border of an extract: every extract that is cut from a larger map
has them."""


def shortened_warnings(warnings: Iterable[Diagnostic], osm: Path) -> tuple[list[Diagnostic], str]:
    """The messages to show in place of all warnings, of which `autosim check` lists each.

    Of each kind of warning the first is shown, with the number of the others. Objects that the
    border of an extract cuts are normal: they make one note.

    Args:
        warnings: those of the world.
        osm: the map.

    Returns:
        the warnings to show, and the note, "" for none.
    """
    kinds: dict[tuple[Path, str], list[Diagnostic]] = {}
    cut = 0
    for each in warnings:
        if _CUT.search(each.message):
            cut += 1
        else:
            kinds.setdefault((each.file, _VALUES.sub("#", each.message)), []).append(each)
    shown = [_first_of(same) for same in list(kinds.values())[:MOST_KINDS]]
    left = sum(len(same) for same in list(kinds.values())[MOST_KINDS:])
    if left:
        shown.append(Diagnostic(osm, 0, "warning", f"{left} more warnings; autosim check {osm}"))
    note = f"{cut} ways and areas reach beyond the extract, and are left out or cut" if cut else ""
    return shown, note


def _first_of(same: list[Diagnostic]) -> Diagnostic:
    others = len(same) - 1
    text = f" (and {others} more such warnings; autosim check lists them)" if others else ""
    return replace(same[0], message=f"{same[0].message}{text}")
