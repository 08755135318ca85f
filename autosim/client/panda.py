"""The one place that imports Panda3D, so that its absence is one clear message.

Panda3D has no type information that mypy could use: `core` is untyped on purpose.
"""

from typing import Any

from autosim.client.errors import RendererError

try:
    import panda3d.core as _core
except ImportError as error:
    raise RendererError(
        "Panda3D is not installed: install autosim[client] to draw pictures"
    ) from error

core: Any = _core
"""The module `panda3d.core`."""
