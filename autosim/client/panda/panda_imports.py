"""The one place that imports Panda3D, so that its absence is one clear message.

`core` is the module `panda3d.core`. Panda3D has no types of its own; those of what is used of it
are in `typings/panda3d/core.pyi`.
"""

from autosim.client.panda.interrupts import without_interrupts
from autosim.client.panda.renderer_errors import RendererError
from autosim.system_limits import explain_shortage

__all__ = ["core"]


try:
    # A KeyboardInterrupt while Panda3D makes its classes ends the process with SIGSEGV.
    with without_interrupts():
        import panda3d.core as core
except ModuleNotFoundError as error:
    raise RendererError(
        "Panda3D is not installed: install autosim[client] to draw pictures"
    ) from error
except (ImportError, MemoryError) as error:
    reason = explain_shortage(error) or error
    raise RendererError(f"Panda3D is installed, but cannot be loaded: {reason}") from error
