"""The one place that imports Panda3D, so that its absence is one clear message.

`core` is the module `panda3d.core`. Panda3D has no types of its own; those of what is used of it
are in `typings/panda3d/core.pyi`.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from autosim.client.panda.errors import RendererError
from autosim.system_limits import explain_shortage

__all__ = ["core"]


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Inside, Ctrl-C is noted; it counts at the end."""
    noted: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        # Ctrl-C counts in the main thread alone.
        yield
        return
    usual = signal.signal(signal.SIGINT, lambda number, frame: noted.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
    if noted:
        signal.raise_signal(signal.SIGINT)


try:
    # A KeyboardInterrupt while Panda3D makes its classes ends the process with SIGSEGV.
    with _without_interrupts():
        import panda3d.core as core
except ModuleNotFoundError as error:
    raise RendererError(
        "Panda3D is not installed: install autosim[client] to draw pictures"
    ) from error
except (ImportError, MemoryError) as error:
    reason = explain_shortage(error) or error
    raise RendererError(f"Panda3D is installed, but cannot be loaded: {reason}") from error
