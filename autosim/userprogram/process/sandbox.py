"""The sandbox of a user program: bubblewrap gives it namespaces of its own.

It sees the file system read-only and an empty /tmp, no network, no other process, and no device.
What it needs of the simulation comes through descriptors that it inherits.
"""

import shutil
import sys
from pathlib import Path

from autosim.errors import UserError

_PACKAGE = Path(__file__).resolve().parents[2]


class SandboxError(UserError):
    """A program that is to run in a sandbox cannot."""


def sandbox_command(program: Path) -> list[str]:
    """The beginning of the command that runs `program`.

    Raises:
        SandboxError: bubblewrap is not installed.
    """
    bubblewrap = shutil.which("bwrap")
    if bubblewrap is None:
        raise SandboxError(
            'isolation="sandbox" needs bubblewrap, which is not installed (its program is bwrap)'
        )
    # What the program and Python itself are read from may lie below /tmp.
    folders = (program.parent, Path(sys.prefix), Path(sys.base_prefix), _PACKAGE.parent)
    kept = [word for folder in folders for word in ("--ro-bind", str(folder), str(folder))]
    return [
        bubblewrap,
        *("--ro-bind", "/", "/"),
        *("--dev", "/dev"),
        *("--proc", "/proc"),
        *("--tmpfs", "/tmp"),
        *kept,
        "--unshare-all",
        "--die-with-parent",
        *("--cap-drop", "ALL"),
    ]
