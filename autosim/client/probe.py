"""Tries one display module and says how it went: run as a program by `renderer.probe_module`.

Prints one JSON object with `reason`, "" when the module starts and draws what it is told to.
"""

import json
import sys

import numpy as np

from autosim.client.errors import RendererError
from autosim.client.panda import core
from autosim.client.readback import read_pixels
from autosim.client.renderer import Renderer


def try_module(module: str) -> str:
    """Why `module` does not draw, "" when it does."""
    try:
        renderer = Renderer(module)
        colour = _drawn_colour(renderer)
        renderer.close()
    except RendererError as error:
        return str(error).removeprefix(f"{module}: ")
    if abs(colour - np.array([255, 128, 0])).max() > 2:
        return f"it draws the colour {colour.tolist()} where (255, 128, 0) is meant"
    return ""


def _drawn_colour(renderer: Renderer) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    buffer = renderer.make_buffer("probe", 32, 32)
    texture = core.Texture("probe")
    buffer.addRenderTexture(texture, core.GraphicsOutput.RTMCopyRam)
    buffer.setClearColorActive(True)
    buffer.setClearColor(core.LColor(1.0, 0.5, 0.0, 1.0))
    renderer.engine.renderFrame()
    return read_pixels(texture)[16, 16, :3].astype(np.int64)


if __name__ == "__main__":
    print(json.dumps({"reason": try_module(sys.argv[1])}))
