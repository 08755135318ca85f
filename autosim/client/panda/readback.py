"""Drawn pictures as NumPy arrays."""

import numpy as np

from autosim.arrays import Bytes, Floats32
from autosim.client.panda.panda_imports import core
from autosim.client.panda.renderer_errors import RendererError

Pixels = Bytes
_ROWS = 64
"""So many at a time stay in the processor's cache from one pass over them to the next."""
_OPAQUE = 0xFF
"""Alpha, the first byte of a word."""


def read_depths(texture: core.Texture) -> Floats32 | None:
    """The depth buffer (height, width), 0 to 1, rows from the top, of a texture kept in memory.

    None where nothing has been drawn into it, or the driver gives it in another form.
    """
    has_floats = texture.hasRamImage() and texture.getComponentType() == core.Texture.TFloat
    if not has_floats or texture.getNumComponents() != 1:
        return None
    values = np.frombuffer(memoryview(texture.getRamImage()), dtype=np.float32)
    return values.reshape(texture.getYSize(), texture.getXSize())[::-1]


def read_floats(texture: core.Texture) -> Floats32:
    """Four floats a pixel (height, width, 4), rows from the top, of a texture kept in memory.

    Raises:
        RendererError: nothing has been drawn into it, or the driver gives it in another form.
    """
    if not texture.hasRamImage():
        raise RendererError("nothing was drawn: the picture holds no pixels")
    is_as_asked = texture.getComponentType() == core.Texture.TFloat
    if not is_as_asked or texture.getNumComponents() != 4:
        raise RendererError("the driver keeps no four floats a pixel: it cannot measure")
    values = np.frombuffer(memoryview(texture.getRamImage()), dtype=np.float32)
    rows = values.reshape(texture.getYSize(), texture.getXSize(), 4)[::-1]
    # As of bytes, blue, green and red come in this order.
    return np.ascontiguousarray(rows[..., [2, 1, 0, 3]])


def read_pixels(texture: core.Texture) -> Pixels:
    """The picture (height, width, 4) uint8 RGBA, rows from the top, of a texture kept in memory.

    The texture is of four bytes a pixel (blue, green, red, alpha).

    Raises:
        RendererError: nothing has been drawn into it.
    """
    if not texture.hasRamImage():
        raise RendererError("nothing was drawn: the picture holds no pixels")
    height, width = texture.getYSize(), texture.getXSize()
    bgra = np.frombuffer(memoryview(texture.getRamImage()), dtype=">u4").reshape(height, width)[
        ::-1
    ]
    # Words read from one end and written from the other are alpha, red, green and blue: one byte
    # further on, each pixel ends with the alpha of the next. One pass less than to shift them.
    argb = np.empty(height * width + 1, dtype="<u4")
    words = argb[:-1].reshape(height, width)
    for row in range(0, height, _ROWS):
        rows = slice(row, row + _ROWS)
        words[rows] = bgra[rows]
        words[rows] |= _OPAQUE
    argb[-1] = _OPAQUE
    return argb.view(np.uint8)[1:-3].reshape(height, width, 4)
