"""Optical flow: how far what a pixel shows has moved in the picture since the last one."""

import numpy as np

from autosim.arrays import Floats, Floats32
from autosim.client.cameras.cameras import Pose
from autosim.kinds.sensors.lens import Lens

_BEHIND = 1e-3
"""[m] before a camera at the least: what is nearer is seen by nobody."""


def optical_flow(
    depths: Floats32, moved: Floats32, *, lens: Lens, now: Pose, before: Pose
) -> Floats32:
    """The flow at each pixel.

    Args:
        depths: (height, width) [m] along the view axis; inf where nothing is: it is as far as the
            sky, and moves as the camera turns.
        moved: (height, width, 3) [m] where each place was less where it is, along the axes of the
            camera of now (forward, left, up).
        lens: of the pictures.
        now: where the camera is.
        before: where it was.

    Returns:
        (height, width, 2) [pixels] to the right and downwards: where it is less where it was; NaN
        where the lens shows nothing, or what was behind the camera.
    """
    height, width = depths.shape
    u, v = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    pixels = np.column_stack([u.ravel(), v.ravel()])
    depth = depths.reshape(-1).astype(np.float64)
    is_far = np.isinf(depth)
    depth[is_far] = 1.0
    places = lens.places(pixels, depth)
    way = moved.reshape(-1, 3).astype(np.float64)
    places += np.where(is_far[:, None], 0.0, np.column_stack([-way[:, 1], way[:, 0], way[:, 2]]))
    turned = places @ now.rotation.T
    turned[~is_far] += now.position - before.position
    seen = turned @ before.rotation
    flow = pixels - _shown(lens, seen)
    flow32: Floats32 = flow.reshape(height, width, 2).astype(np.float32)
    return flow32


def _shown(lens: Lens, seen: Floats) -> Floats:
    """Where (n, 2) [pixels] places (n, 3), right, forward and up of a camera, are shown."""
    ahead = np.where(seen[:, 1] > _BEHIND, seen[:, 1], np.nan)
    return lens.shown(np.column_stack([seen[:, 0], -seen[:, 2], ahead]))
