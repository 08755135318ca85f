"""Warnings of a map as users see them: each kind once."""

from pathlib import Path

from autosim.applications.common.warning_lines import MOST_KINDS, shortened_warnings
from autosim.config.diagnostics import Diagnostic

OSM = Path("town.osm.pbf")


def shown(*messages: str) -> list[str]:
    found = [Diagnostic(OSM, 0, "warning", each) for each in messages]
    warnings, note = shortened_warnings(found, OSM)
    return [*map(str, warnings), *([note] if note else [])]


def test_what_the_border_of_an_extract_cuts_is_one_note() -> None:
    cut = [f"way {n}: 1 of its {n} nodes are not in the file; left out" for n in range(2, 50)]
    cut.append("relation 3: 2 of its 9 ways are not in the file (way 5 …); the area is the rest")
    (line,) = shown(*cut)
    assert line == "49 ways and areas reach beyond the extract, and are left out or cut"


def test_warnings_of_one_kind_are_shown_once_with_their_number() -> None:
    one, other = shown("way 7: no width", "way 8: no width", "way 9: no width", "no side stated")
    assert "way 7: no width (and 2 more such warnings" in one
    assert other == "town.osm.pbf: warning: no side stated"


def test_of_many_kinds_the_first_are_shown() -> None:
    lines = shown(*(f"{'odd ' * n}thing" for n in range(MOST_KINDS + 3)))
    assert len(lines) == MOST_KINDS + 1
    assert "3 more warnings; autosim check town.osm.pbf" in lines[-1]
