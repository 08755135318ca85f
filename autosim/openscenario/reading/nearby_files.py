"""Finds files and folders that a scenario names by paths of another machine."""

from pathlib import Path

_MAX_PARENTS = 5
"""Most folders above a scenario in which its files are looked for."""


def find_near(scenario: Path, name: str) -> Path | None:
    """The file or folder that a scenario names, or None.

    It lies where the scenario states it. Else its last parts are looked for in the folder of the
    scenario and those above it, the longest first, and its name in the folders of that folder.

    Args:
        scenario: path of the scenario.
        name: as in the scenario; with slashes of either kind.
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
    return near[0] if near else None
