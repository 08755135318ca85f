"""The files that a server may run as user programs: those in folders of programs.

A server runs code that a world file or a client names. Such a name is therefore no free path: it
names a file below the folder `userprograms` of one of the roots. The server runs nothing else, be
it a library, a virtual environment or a file that someone else left there.
"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from autosim.config.diagnostics import printable
from autosim.config.files.lookup import PathError, Roots, confine, existing_folders, require_inside
from autosim.config.files.near_files import near_file

PROGRAM_FOLDER = "userprograms"
_ENDING = ".py"
_MARK_OF_ENVIRONMENT = "pyvenv.cfg"
"""A folder that holds it is a virtual environment of Python."""


def find_program(name: str, roots: Roots) -> Path:
    """The file of a user program.

    Args:
        name: below a program folder, such as `driver.py`; `userprograms/` may stand before it.
        roots: resolved folders; the folder `userprograms` of each is searched, in their order.

    Returns:
        The resolved path, inside a program folder also after symbolic links.

    Raises:
        PathError: the name is not allowed, or it is not a file in a program folder.
    """
    path = _below_folder(name)
    folders = program_folders(roots)
    shown = printable(name)
    found = next((folder / path for folder in folders if (folder / path).is_file()), None)
    if found is None:
        raise PathError(f"there is no user program '{shown}'{_advice(path, roots, folders)}")
    file = confine(found, folders)
    if not _is_program(file, folders):
        raise PathError(
            f"'{shown}' is not a user program: programs end in {_ENDING} and are neither in a "
            "hidden folder nor in a virtual environment"
        )
    return file


def program_name(name: str) -> str:
    """The name in files and reports of the program that `find_program` finds by `name`.

    Raises:
        PathError: the name is not allowed.
    """
    return f"{PROGRAM_FOLDER}/{_below_folder(name)}"


def program_names(roots: Roots) -> list[str]:
    """The programs directly in the program folders, by `program_name`."""
    files = (file for folder in program_folders(roots) for file in sorted(folder.glob("*.py")))
    return list(dict.fromkeys(f"{PROGRAM_FOLDER}/{file.name}" for file in files))


def program_folders(roots: Roots) -> Roots:
    """The program folder of each root, if it lies inside the roots."""
    folders = existing_folders(root / PROGRAM_FOLDER for root in roots)
    return tuple(folder for folder in folders if any(folder.is_relative_to(root) for root in roots))


def _below_folder(name: str) -> PurePosixPath:
    path = require_inside(name)
    is_long = len(path.parts) > 1 and path.parts[0] == PROGRAM_FOLDER
    return path.relative_to(PROGRAM_FOLDER) if is_long else path


def _is_program(file: Path, folders: Roots) -> bool:
    folder = next(each for each in folders if file.is_relative_to(each))
    inside = file.relative_to(folder)
    places = [folder.joinpath(*inside.parts[:count]) for count in range(1, len(inside.parts))]
    return (
        file.suffix == _ENDING
        and not any(part.startswith(".") for part in inside.parts)
        and not any((place / _MARK_OF_ENVIRONMENT).exists() for place in places)
    )


def _advice(path: PurePosixPath, roots: Roots, folders: Roots) -> str:
    """The advice for a program that is not found."""
    hint = printable(near_file(path, folders))
    if hint:
        return hint
    elsewhere = next(_files(path, roots), None)
    if elsewhere is not None:
        place = elsewhere.parent / PROGRAM_FOLDER
        return f": '{elsewhere}' is not run from there; put it into '{place}'"
    places = ", ".join(map(str, folders)) or f"no folder {PROGRAM_FOLDER} at all"
    return f" in: {places}"


def _files(path: PurePosixPath, roots: Roots) -> Iterator[Path]:
    return (root / path for root in roots if (root / path).is_file())
