"""Suggests an existing file for a path that leads to nothing."""

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice
from pathlib import Path, PurePath

_MOST_NAMES = 500
"""Largest number of names in a folder that are compared: each takes time, and a message is
waiting."""

_LIKENESS = 0.7
"""Least ratio of likeness (difflib) of two names. Chosen: `imprezza.xml` is like `impreza.xml`, and
`driver.py` unlike `convoy.py`."""


def near_file(path: PurePath, roots: Iterable[Path]) -> str:
    """`; did you mean 'x'?` with a file whose path is like `path`, or "" if there is none.

    Args:
        path: of no file; absolute, or relative to one of `roots`.
        roots: resolved folders; for a relative `path` only files inside them are suggested.
    """
    if path.is_absolute():
        roots, parts = [Path(path.anchor)], path.parts[1:]
    else:
        parts = path.parts
    for root in roots:
        found = _follow(root, parts)
        if found is not None:
            shown = found if path.is_absolute() else found.relative_to(root)
            return f"; did you mean '{shown}'?"
    return ""


def _follow(root: Path, parts: tuple[str, ...]) -> Path | None:
    """The file below `root` with these names, or with names that are like them."""
    place = root
    for part in parts:
        near = (
            [part]
            if _exists(place / part)
            else get_close_matches(part, _names_in(place), n=1, cutoff=_LIKENESS)
        )
        if not near or not (place / near[0]).resolve().is_relative_to(root):
            return None
        place = place / near[0]
    return place


def _names_in(folder: Path) -> list[str]:
    try:
        return sorted(each.name for each in islice(folder.iterdir(), _MOST_NAMES))
    except OSError:
        return []


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
