"""Drawn pictures as NumPy arrays."""

from typing import Any

import numpy as np
import numpy.typing as npt

from autosim.client.errors import RendererError

Pixels = npt.NDArray[np.uint8]
_ROWS = 64
"""So many at a time stay in the processor's cache from one pass over them to the next."""


def read_pixels(texture: Any) -> Pixels:
    """The picture (height, width, 4) uint8 RGBA, rows from the top, of a texture kept in memory.

    The texture is of four bytes a pixel (blue, green, red, alpha).

    Raises:
        RendererError: nothing has been drawn into it.
    """
    if not texture.hasRamImage():
        raise RendererError("nothing was drawn: the picture holds no pixels")
    height, width = texture.getYSize(), texture.getXSize()
    bgra = np.frombuffer(texture.getRamImage(), dtype=">u4").reshape(height, width)[::-1]
    # Words read from one end and written from the other swap red and blue in one pass, several
    # times faster than copying channels.
    rgba = np.empty((height, width), dtype="<u4")
    for row in range(0, height, _ROWS):
        rows = slice(row, row + _ROWS)
        np.right_shift(bgra[rows], 8, out=rgba[rows])
        rgba[rows] |= 0xFF000000
    return rgba.view(np.uint8).reshape(height, width, 4)
