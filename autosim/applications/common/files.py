"""Writing a file so that it is there whole or not at all."""

import io
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from PIL import Image

from autosim.errors import UserError


def require_suffix(path: Path, suffixes: tuple[str, ...]) -> None:
    """Makes sure that a file's name has one of some endings.

    Raises:
        UserError: it has another one.
    """
    if path.suffix.lower() not in suffixes:
        raise UserError(f"{path}: expected a name that ends in {' or '.join(suffixes)}")


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file, with its folder where that is missing; what was there before is replaced.

    Raises:
        UserError: it cannot be written; the file is as it was before.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, content)
    except OSError as fault:
        raise UserError(f"{path} cannot be written: {fault.strerror or fault}") from fault


def write_picture(path: Path, picture: Image.Image) -> None:
    """Writes a picture as PNG.

    Raises:
        UserError: it cannot be written; the file is as it was before.
    """
    stream = io.BytesIO()
    picture.save(stream, "PNG")
    write_whole(path, stream.getvalue())


def _replace(path: Path, content: bytes) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
