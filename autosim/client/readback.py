"""Drawn pictures as NumPy arrays."""

from typing import Any

import numpy as np
import numpy.typing as npt

from autosim.client.errors import RendererError

Pixels = npt.NDArray[np.uint8]


def read_pixels(texture: Any) -> Pixels:
    """The picture (height, width, 4) uint8 RGBA, rows from the top, of a texture kept in memory.

    The texture is of four bytes a pixel (blue, green, red, alpha).

    Raises:
        RendererError: nothing has been drawn into it.
    """
    if not texture.hasRamImage():
        raise RendererError("nothing was drawn: the picture holds no pixels")
    height, width = texture.getYSize(), texture.getXSize()
    bgra = np.frombuffer(texture.getRamImage(), dtype="<u4").reshape(height, width)[::-1]
    # Turning whole words swaps red and blue several times faster than copying channels:
    # blue, green, red, alpha; alpha, red, green, blue; red, green, blue, 255.
    rgba = bgra.byteswap()
    rgba >>= 8
    rgba |= 0xFF000000
    return rgba.view(np.uint8).reshape(height, width, 4)
