"""Tries one display module and reports the result: run as a program by `display_modules.py`.

Prints one JSON object with `reason`, "" if the module starts and draws. It does without NumPy,
whose import would be half of its time.
"""

import json
import sys

from autosim.client.panda.panda_imports import core
from autosim.client.panda.renderer import Renderer
from autosim.client.panda.renderer_errors import RendererError

_EDGE = 32
"""[pixels] Edge of the picture that a display module draws to be tried."""

_MEANT = (255, 128, 0)
"""Colour (sRGB, 0..255) of the tried picture: each of its numbers is another one, so that swapped
channels show."""


def try_module(module: str) -> str:
    """Why `module` does not draw, "" when it does."""
    try:
        renderer = Renderer(module)
        colour = _drawn_colour(renderer)
        renderer.close()
    except RendererError as error:
        return str(error).removeprefix(f"{module}: ")
    if any(abs(value - meant) > 2 for value, meant in zip(colour, _MEANT, strict=True)):
        return f"it draws the colour {colour} where {_MEANT} is meant"
    return ""


def _drawn_colour(renderer: Renderer) -> tuple[int, int, int]:
    """Red, green and blue in the middle of a picture of one colour."""
    buffer = renderer.make_buffer("probe", _EDGE, _EDGE)
    texture = core.Texture("probe")
    buffer.addRenderTexture(texture, core.GraphicsOutput.RTMCopyRam)
    buffer.setClearColorActive(True)
    buffer.setClearColor(core.LColor(1.0, 0.5, 0.0, 1.0))
    renderer.engine.renderFrame()
    if not texture.hasRamImage():
        raise RendererError("nothing was drawn: the picture holds no pixels")
    # Of four bytes a pixel: blue, green, red, alpha.
    middle = 4 * (_EDGE // 2 * _EDGE + _EDGE // 2)
    blue, green, red = bytes(texture.getRamImage())[middle : middle + 3]
    return red, green, blue


if __name__ == "__main__":
    print(json.dumps({"reason": try_module(sys.argv[1])}))
