"""Finds files and folders that a scenario names by paths of another machine."""

from pathlib import Path

_MAX_PARENTS = 5
"""Most folders above a scenario in which its files are looked for."""


def find_near(scenario: Path, name: str, search: Path | None = None) -> Path | None:
    """The file or folder that a scenario names, or None.

    It lies where the scenario states it. Else its last parts are looked for in the folder of the
    scenario and those above it, the longest first, and its name in the folders of that folder.

    Args:
        scenario: path of the scenario.
        name: as in the scenario; with slashes of either kind.
        search: folder in which, and in whose folders, it is looked for last.
    """
    text = name.replace("\\", "/")
    stated = Path(text) if Path(text).is_absolute() else scenario.parent / text
    if stated.exists():
        return stated
    parts = [each for each in text.split("/") if each not in ("", ".", "..")]
    folders = [scenario.resolve().parent, *scenario.resolve().parents[1 : _MAX_PARENTS + 1]]
    for start in range(len(parts)):
        for folder in folders:
            found = folder.joinpath(*parts[start:])
            if found.exists():
                return found
    if not parts:
        return None
    near = sorted(folders[0].glob(f"*/{parts[-1]}")) + sorted(folders[0].glob(f"*/*/{parts[-1]}"))
    if not near and search is not None and search.is_dir():
        near = _find_below(search, parts)
    return near[0] if near else None


def _find_below(search: Path, parts: list[str]) -> list[Path]:
    """Files or folders below a folder, of which the last parts agree; the most parts first."""
    found = sorted(search.rglob(parts[-1]))
    for start in range(len(parts)):
        tail = tuple(parts[start:])
        same = [each for each in found if each.parts[-len(tail) :] == tail]
        if same:
            return same
    return found
