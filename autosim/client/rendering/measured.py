"""Measurements of a camera at each pixel: depth, class, instance and normal."""

from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats32, Integers32
from autosim.jit import compiled


@dataclass(frozen=True, slots=True)
class Measured:
    """The measured pictures of one camera at one moment, (height, width), rows from the top.

    depths: float32 [m] along the view axis, inf where there is nothing; normals: (height, width, 3)
    float32, unit vectors in the camera's frame (x forward, y left, z up), NaN where there is
    nothing; classes: int32, numbers of `semantic_classes`; instances: int32, 0 where there is none.
    """

    depths: Floats32
    normals: Floats32
    classes: Integers32
    instances: Integers32


def unpacked(pixels: Floats32, *, steps: int, sky: int) -> Measured:
    """Output of the shader of `label_shader` has drawn.

    Args:
        pixels: (height, width, 4) depth, normal, class and instance, rows from the top; a depth of
            0 is nothing.
        steps: number of steps along an axis of the folded normal.
        sky: the class of nothing.
    """
    height, width = pixels.shape[:2]
    measured = Measured(
        depths=np.empty((height, width), dtype=np.float32),
        normals=np.empty((height, width, 3), dtype=np.float32),
        classes=np.empty((height, width), dtype=np.int32),
        instances=np.empty((height, width), dtype=np.int32),
    )
    _unpack(
        pixels.reshape(-1, 4),
        steps,
        sky,
        measured.depths.reshape(-1),
        measured.normals.reshape(-1, 3),
        measured.classes.reshape(-1),
        measured.instances.reshape(-1),
    )
    return measured


@compiled
def _unpack(
    pixels: Floats32,
    steps: int,
    sky: int,
    depths: Floats32,
    normals: Floats32,
    classes: Integers32,
    instances: Integers32,
) -> None:
    for k in range(len(pixels)):
        depth = pixels[k, 0]
        if depth <= 0.0:
            depths[k] = np.inf
            normals[k] = np.nan
            classes[k] = sky
            instances[k] = 0
            continue
        depths[k] = depth
        classes[k] = int(pixels[k, 2])
        instances[k] = int(pixels[k, 3])
        packed = int(pixels[k, 1])
        x = 2.0 * (packed // (steps + 1)) / steps - 1.0
        y = 2.0 * (packed % (steps + 1)) / steps - 1.0
        z = 1.0 - abs(x) - abs(y)
        if z < 0.0:
            folded = x
            x = (1.0 - abs(y)) * (1.0 if folded >= 0.0 else -1.0)
            y = (1.0 - abs(folded)) * (1.0 if y >= 0.0 else -1.0)
        length = np.sqrt(x * x + y * y + z * z)
        normals[k, 0] = x / length
        normals[k, 1] = y / length
        normals[k, 2] = z / length
