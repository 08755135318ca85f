"""Pictures that lie on surfaces, whatever they were made of."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PIL import Image

from autosim.arrays import Bytes, Floats

Pixels = Bytes
MOST_PIXELS = 2048
"""Edge [pixels] of the largest picture that is kept; a larger one is made smaller."""


class TextureImageError(Exception):
    """A file is not a readable picture; the message names it."""


@dataclass(frozen=True, slots=True, eq=False)
class TextureImage:
    """A texture's content: the same object is the same texture.

    pixels: (height, width, 4) uint8 RGBA, first row at the bottom; the fourth channel is matness
    (255 is matt, less reflects the sky).
    """

    name: str
    """Label of the texture in the graphics library."""
    pixels: Pixels
    mean: Floats = field(init=False)
    """(4,) in 0..1: what is left of the picture from afar."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", self.pixels.mean(axis=(0, 1)) / 255.0)


def read_texture_image(file: Path) -> TextureImage:
    """A matt picture from a file, read by Pillow.

    Raises:
        TextureImageError: the file is not a picture, or is too large.
    """
    try:
        with Image.open(file) as opened:
            opened.draft("RGB", (MOST_PIXELS, MOST_PIXELS))
            opened.thumbnail((MOST_PIXELS, MOST_PIXELS))
            pixels = np.asarray(opened.convert("RGBA"))[::-1].copy()
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise TextureImageError(f"{file}: not a readable picture: {error}") from error
    pixels[..., 3] = 255
    return TextureImage(file.name, pixels)
