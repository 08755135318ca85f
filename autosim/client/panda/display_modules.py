"""Panda3D's display modules, and how one is tried.

A module that cannot start may end its whole process (a driver's abort, an X server's refusal), so
each is first tried in a separate process. That takes about as long as reading a world: a command
that will need pictures begins with it early (`EarlyProbe`). Nothing here imports Panda3D.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from types import TracebackType

from autosim.client.panda.renderer_errors import RendererError

DISPLAY_MODULES = ("pandagl", "p3headlessgl", "p3tinydisplay")
Probe = Callable[[str], str]
"""Tries a module and returns why it does not start, "" when it does."""
_PROBE_SECONDS = 30.0
"""Time [s] after which a module counts as dead: a slow software renderer starts within some
seconds."""


def has_panda3d() -> bool:
    """Whether Panda3D is installed; it comes with the extra `autosim[client]`."""
    return find_spec("panda3d") is not None


def has_screen() -> bool:
    """Whether there is a screen to open a window on."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY"))


def modules_to_try(module: str | None, *, onscreen: bool) -> tuple[str, ...]:
    """The display module asked for, else all that may do, the best first.

    Raises:
        RendererError: there is none of that name.
    """
    if module is None:
        return DISPLAY_MODULES if onscreen and has_screen() else DISPLAY_MODULES[1:]
    if module not in DISPLAY_MODULES:
        names = ", ".join(DISPLAY_MODULES)
        raise RendererError(f"there is no renderer '{module}': choose one of {names}")
    return (module,)


def probe_module(module: str) -> str:
    """Why `module` does not start, tried in a separate process; "" when it does."""
    return _reason(_begin(module))


class EarlyProbe:
    """A `Probe` that tries the module to be taken first from now on, and is asked for it later.

    A context manager: at its end no process is left.

    Args:
        module: the one asked for, None for any.
        onscreen: a window is wanted.

    Raises:
        RendererError: there is no module of that name.
    """

    def __init__(self, module: str | None, *, onscreen: bool) -> None:
        self._module = modules_to_try(module, onscreen=onscreen)[0]
        self._process = _begin(self._module)
        self._found: str | None = None

    def __call__(self, module: str) -> str:
        """Why `module` does not start, "" when it does."""
        if module != self._module:
            return probe_module(module)
        if self._found is None:
            self._found = _reason(self._process)
        return self._found

    def __enter__(self) -> "EarlyProbe":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _end(self._process)


def _begin(module: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-P", "-m", "autosim.client.panda.display_probe", module]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def _reason(process: "subprocess.Popen[str]") -> str:
    try:
        answer, _ = process.communicate(timeout=_PROBE_SECONDS)
    except subprocess.TimeoutExpired:
        return f"it did not answer within {_PROBE_SECONDS:.0f} s"
    finally:
        _end(process)
    if process.returncode < 0:
        return f"it ended the process with signal {-process.returncode}"
    try:
        return str(json.loads(answer)["reason"])
    except (ValueError, KeyError):
        return f"it ended the process with exit code {process.returncode}"


def _end(process: "subprocess.Popen[str]") -> None:
    """Frees what a trial holds, whether it has ended or not."""
    process.kill()
    process.communicate()
