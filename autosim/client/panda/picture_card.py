"""A finished picture that fills a window."""

import numpy as np

from autosim.client.panda.panda_imports import core
from autosim.client.panda.readback import Pixels


class PictureCard:
    """A card in front of all else in an `output`, with a picture on it."""

    def __init__(self, output: core.GraphicsOutput) -> None:
        self._texture = core.Texture("card")
        self._texture.setMinfilter(core.SamplerState.FTLinear)
        root = core.NodePath("card")
        maker = core.CardMaker("card")
        maker.setFrameFullscreenQuad()
        card = root.attachNewNode(maker.generate())
        card.setTexture(self._texture)
        card.setDepthTest(False)
        card.setDepthWrite(False)
        lens = core.OrthographicLens()
        lens.setFilmSize(2.0, 2.0)
        lens.setNearFar(-1.0, 1.0)
        output.removeAllDisplayRegions()
        output.makeDisplayRegion().setCamera(root.attachNewNode(core.Camera("card", lens)))
        self._root = root

    def show(self, pixels: Pixels) -> None:
        """Puts a picture (height, width, 4) uint8 RGBA, rows from the top, on the card."""
        height, width = pixels.shape[:2]
        if (self._texture.getXSize(), self._texture.getYSize()) != (width, height):
            form = core.Texture.FRgba8
            self._texture.setup2dTexture(width, height, core.Texture.TUnsignedByte, form)
        # Panda3D keeps blue, green and red in this order, rows from the bottom.
        self._texture.setRamImage(np.ascontiguousarray(pixels[::-1, :, [2, 1, 0, 3]]).tobytes())
