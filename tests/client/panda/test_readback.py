"""Pictures that were drawn become arrays: red first, the upper row first, opaque."""

import numpy as np
import pytest

pytest.importorskip("panda3d")

from autosim.client.panda.panda_imports import core
from autosim.client.panda.readback import read_pixels


@pytest.mark.parametrize("height", [1, 64, 65, 200])
def test_pixels_are_rgb_from_the_top_and_opaque(height):
    rgba = np.random.default_rng(3).integers(0, 256, (height, 7, 4), dtype=np.uint8)
    texture = core.Texture("picture")
    texture.setup2dTexture(7, height, core.Texture.TUnsignedByte, core.Texture.FRgba8)
    texture.setRamImage(rgba[::-1, :, [2, 1, 0, 3]].tobytes())
    read = read_pixels(texture)
    assert np.array_equal(read[..., :3], rgba[..., :3])
    assert (read[..., 3] == 255).all()
    assert read.flags.writeable
