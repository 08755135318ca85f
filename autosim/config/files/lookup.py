"""Looks files up in the search roots, and keeps the paths in files inside these."""

import os
import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from autosim.config.diagnostics import printable
from autosim.config.files.near_files import near_file
from autosim.errors import UserError

_PACKAGE = Path(__file__).resolve().parents[2]
_DRIVE_OR_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_PROJECT_FOLDERS = ("worlds", "robots")
Roots = tuple[Path, ...]


class PathError(UserError):
    """A path in a file is not allowed, or nothing is there."""


def search_roots() -> Roots:
    """The folders in which files are looked up, in this order.

    The folders of `$AUTOSIM_PATH`, the working directory, the checkout, and the defaults that
    are installed with the package. Missing folders are left out.
    """
    own = [Path(each) for each in os.environ.get("AUTOSIM_PATH", "").split(os.pathsep) if each]
    checkout = _PACKAGE.parent
    is_checkout = (checkout / "worlds").is_dir() and (checkout / "robots").is_dir()
    shipped = [checkout] if is_checkout else []
    return existing_folders([*own, Path("."), *shipped, _PACKAGE / "defaults"])


def existing_folders(folders: Iterable[Path]) -> Roots:
    """The existing ones of `folders`, resolved, each once, in their order."""
    return tuple(dict.fromkeys(each for each in map(_folder, folders) if each))


def require_inside(text: str) -> PurePosixPath:
    """The path that a file names, if it cannot lead out of a root.

    Raises:
        PathError: the path is empty or absolute, or holds `..`, a drive letter, a scheme, a
            backslash or a control character.
    """
    shown = printable(text)
    if not text.strip():
        raise PathError("expected a path, not nothing")
    if any(ord(each) < 32 for each in text):
        raise PathError(f"path '{shown}' holds a control character")
    if "\\" in text:
        raise PathError(f"path '{shown}' holds a backslash; write '/'")
    if _DRIVE_OR_SCHEME.match(text):
        raise PathError(f"path '{shown}' names a drive or a scheme; only files below a root")
    path = PurePosixPath(text)
    if path.is_absolute() or text.startswith("~"):
        raise PathError(f"path '{shown}' is absolute; write it relative to a root")
    if ".." in path.parts:
        raise PathError(f"path '{shown}' leads upwards ('..')")
    return path


def find_file(name: str | Path, roots: Roots) -> Path:
    """The file or folder that a configuration file names.

    Args:
        name: as written in the file, relative to one of `roots`.
        roots: resolved folders, tried in their order.

    Returns:
        The resolved path, which lies inside one of `roots` also after symbolic links.

    Raises:
        PathError: the path is not allowed, nothing is there, or it leads out of the roots.
    """
    path = require_inside(str(name))
    found = next((root / path for root in roots if _exists(root / path)), None)
    if found is None:
        places = ", ".join(str(root) for root in roots) or "no folder at all"
        hint = printable(near_file(path, roots))
        raise PathError(f"found no '{printable(str(name))}' in: {places}{hint}")
    return confine(found, roots)


def confine(path: Path, roots: Roots) -> Path:
    """`path` resolved, if it lies inside one of `roots` also after symbolic links.

    Raises:
        PathError: it leads out of the roots, or nothing is there.
    """
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise PathError(f"cannot follow '{printable(path.name)}'") from error
    if not any(target.is_relative_to(root) for root in roots):
        raise PathError(f"'{printable(path.name)}' leads out of its root by a link")
    return target


def locate(given: str | Path, roots: Roots | None = None) -> tuple[Path, Roots]:
    """The file that a user names, and the roots for the paths inside it.

    Args:
        given: any path, or one relative to one of the roots.
        roots: default `search_roots()`.

    Returns:
        The path (as given if it exists, else the one found), and the roots: first the file's own
        folder and, where it lies in the `worlds` or `robots` of a project, that project's.
    """
    roots = search_roots() if roots is None else existing_folders(roots)
    path = Path(given)
    if not _exists(path):
        try:
            path = find_file(path, roots)
        except PathError:
            return path, roots
    return path, existing_folders([path.parent, *_project(path), *roots])


def roots_of_new(file: Path) -> Roots:
    """The folders to which paths in a new file may be relative, in order of preference.

    The file's project and its own folder come first. The working directory comes last, since
    readers may have another one.
    """
    working = existing_folders([Path(".")])
    known = [each for each in search_roots() if each not in working]
    return existing_folders([*_project(file), file.parent, *known, *working])


def _project(path: Path) -> list[Path]:
    """The folder of the project that a file belongs to: it holds both worlds and robots."""
    folder = path.absolute().parent
    is_project = folder.name in _PROJECT_FOLDERS and all(
        (folder.parent / name).is_dir() for name in _PROJECT_FOLDERS
    )
    return [folder.parent] if is_project else []


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _folder(path: Path) -> Path | None:
    try:
        resolved = path.resolve(strict=True)
        return resolved if resolved.is_dir() else None
    except (OSError, RuntimeError, ValueError):
        return None
