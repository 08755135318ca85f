"""Drawn pictures as NumPy arrays."""

from typing import Any

import numpy as np
import numpy.typing as npt

from autosim.client.errors import RendererError

Pixels = npt.NDArray[np.uint8]


def read_pixels(texture: Any) -> Pixels:
    """The picture (height, width, 4) uint8 RGBA, rows from the top, of a texture kept in memory.

    Raises:
        RendererError: nothing has been drawn into it.
    """
    if not texture.hasRamImage():
        raise RendererError("nothing was drawn: the picture holds no pixels")
    raw = np.frombuffer(texture.getRamImage(), dtype=np.uint8)
    height, width = texture.getYSize(), texture.getXSize()
    bgra = raw.reshape(height, width, -1)[::-1]
    picture = np.empty((height, width, 4), dtype=np.uint8)
    picture[..., 0] = bgra[..., 2]
    picture[..., 1] = bgra[..., 1]
    picture[..., 2] = bgra[..., 0]
    picture[..., 3] = 255
    return picture
