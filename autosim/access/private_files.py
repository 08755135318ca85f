"""Files that only this user may read: tokens and keys."""

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from autosim.errors import UserError


class AccessError(UserError):
    """A token or key cannot be stored, found or trusted; the message says what to do."""


def state_folder() -> Path:
    """`$XDG_STATE_HOME/autosim`, by default below `~/.local/state`.

    Raises:
        AccessError: this user has no home.
    """
    base = os.environ.get("XDG_STATE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".local" / "state") / "autosim"
    except RuntimeError as fault:
        raise AccessError(
            "this user has no home to keep the server's token in: name a folder in $XDG_STATE_HOME"
        ) from fault


def write_private(file: Path, content: bytes) -> None:
    """Writes a file that only this user may read, in a folder that only this user may open.

    The file is written whole or not at all.

    Raises:
        AccessError: it cannot be written.
    """
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.parent.chmod(0o700)
        _replace(file, content)
    except OSError as error:
        raise AccessError(
            f"{error.filename or file}: error: {error.strerror}: who may use the server is kept "
            "there; name another folder in $XDG_STATE_HOME"
        ) from error


def write_private_file(file: Path, content: bytes) -> None:
    """Writes a file that only this user may read, in any folder; whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    _replace(file, content)


def _replace(file: Path, content: bytes) -> None:
    # Other users cannot read a file of mkstemp.
    descriptor, part = tempfile.mkstemp(dir=file.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        os.replace(part, file)
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise


def read_private(file: Path) -> bytes | None:
    """The content of a file that only this user may read; None if there is no file.

    Raises:
        AccessError: the file cannot be read, or others can read or change it.
    """
    try:
        with file.open("rb") as stream:
            status = os.fstat(stream.fileno())
            is_open = stat.S_IMODE(status.st_mode) & 0o077
            if is_open or status.st_uid not in (os.geteuid(), 0):
                raise AccessError(
                    f"{file}: error: others than you can read it, or have written it, so it proves "
                    "nothing: chmod 600, or make a new one"
                )
            return stream.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise AccessError(f"{file}: error: {error.strerror}") from error
