"""Describes where the code of a node failed: file, line and exception."""

import linecache
import os
import sys
import sysconfig
import traceback
from pathlib import Path

import autosim
from autosim.errors import UserError

NODE_FAULTS = (Exception, SystemExit)
"""Exceptions of a node's code that do not end the bench; Ctrl+C is not among them."""

_PACKAGES = (Path(autosim.__file__).resolve().parent, Path(__file__).resolve().parents[1])
_LIBRARIES = tuple(
    str(Path(sysconfig.get_path(name)).resolve()) for name in ("stdlib", "purelib", "platlib")
)


def fault_in_words(error: BaseException) -> str:
    """One line: file, line and function of the user's code, its text, and the exception."""
    if isinstance(error, UserError):
        return str(error)
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_shown(error.filename)}:{error.lineno}: {type(error).__name__}: {error.msg}"
    frames = [
        each
        for each in traceback.extract_tb(error.__traceback__)
        if not each.filename.startswith("<")
    ]
    if not frames:
        return said
    own = [each for each in frames if _is_users(each.filename)]
    place = (own or frames)[-1]
    line = linecache.getline(place.filename, place.lineno or 0).strip()
    code = f" ({line})" if line else ""
    return f"{_shown(place.filename)}:{place.lineno}, in {place.name}{code}: {said}"


def write_traceback(error: BaseException, node: str, folder: Path | None) -> None:
    """Writes the traceback of a node's error to `NODE.log` in the folder for results."""
    if folder and not isinstance(error, UserError):
        with (folder / f"{node}.log").open("a", errors="replace") as log:
            traceback.print_exception(error, file=log)


def _is_users(filename: str) -> bool:
    """Whether a file belongs neither to AutoSim nor to Python and its libraries."""
    path = Path(filename).resolve()
    is_ours = any(path.is_relative_to(package) for package in _PACKAGES)
    return not (is_ours or str(path).startswith(_LIBRARIES))


def _shown(filename: str) -> str:
    """A path as users know it: relative to the working directory where it is below that."""
    path = Path(filename)
    try:
        return os.fspath(path.resolve().relative_to(Path.cwd()))
    except (ValueError, OSError):
        return filename


def print_traceback(error: BaseException) -> None:
    """Prints the traceback of a node's error where the node's output goes."""
    if not isinstance(error, UserError):
        traceback.print_exception(error, file=sys.stderr)
