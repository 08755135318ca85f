"""Optical flow: how far what a pixel shows has moved in the picture since the last one."""

from functools import lru_cache

import numpy as np

from autosim.arrays import Floats, Floats32
from autosim.client.cameras.camera_rigs import CameraPose
from autosim.jit import compiled, read_only
from autosim.kinds.sensors.perception.lens import Lens

_BEHIND = 1e-3
"""[m] before a camera at the least: nearer points are not visible."""

_MOST_LENSES = 16
"""Number of lenses whose directions are kept: more cameras draw flow in no simulation so far."""


def optical_flow(
    depths: Floats32, moved: Floats32, *, lens: Lens, now: CameraPose, before: CameraPose
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
    pixels, ways = _looks(lens)
    seen = np.empty((len(ways), 3))
    _seen_before(
        np.ascontiguousarray(depths).reshape(-1),
        np.ascontiguousarray(moved).reshape(-1, 3),
        ways,
        lens.is_parallel,
        before.rotation.T @ now.rotation,
        before.rotation.T @ (now.position - before.position),
        seen,
    )
    flow: Floats32 = (pixels - lens.shown(seen)).reshape(height, width, 2).astype(np.float32)
    return flow


@lru_cache(maxsize=_MOST_LENSES)
def _looks(lens: Lens) -> tuple[Floats, Floats]:
    """The middles (n, 2) of all pixels, and the directions (n, 2) in which they look.

    Of a parallel projection the places [m] to the right and downwards.
    """
    u, v = np.meshgrid(np.arange(lens.width) + 0.5, np.arange(lens.height) + 0.5)
    pixels = np.column_stack([u.ravel(), v.ravel()])
    places = lens.places(pixels, np.ones(len(pixels)))
    ways = np.column_stack([places[:, 0], -places[:, 2]])
    return read_only(pixels), read_only(ways)


@compiled
def _seen_before(
    depths: Floats32,
    moved: Floats32,
    ways: Floats,
    is_parallel: bool,
    rotation: Floats,
    shift: Floats,
    seen: Floats,
) -> None:
    """Previous positions (n, 3) of what pixels show: right of, below and ahead of the camera.

    Args:
        depths: as of `optical_flow`, (n,).
        moved: the same, (n, 3).
        ways: where pixels look, of `_looks`.
        is_parallel: of the lens.
        rotation: (3, 3) from the camera's axes of now to those of before (right, forward, up).
        shift: (3,) [m] where the camera is now, along its axes of before.
        seen: is written.
    """
    for k in range(len(depths)):
        depth, is_far = float(depths[k]), np.isinf(depths[k])
        if is_far:
            depth = 1.0
        scale = 1.0 if is_parallel else depth
        x, y, z = ways[k, 0] * scale, depth, -ways[k, 1] * scale
        if not is_far:
            x, y, z = x - moved[k, 1], y + moved[k, 0], z + moved[k, 2]
        far = 0.0 if is_far else 1.0
        right = rotation[0, 0] * x + rotation[0, 1] * y + rotation[0, 2] * z + far * shift[0]
        ahead = rotation[1, 0] * x + rotation[1, 1] * y + rotation[1, 2] * z + far * shift[1]
        up = rotation[2, 0] * x + rotation[2, 1] * y + rotation[2, 2] * z + far * shift[2]
        seen[k, 0], seen[k, 1] = right, -up
        seen[k, 2] = ahead if ahead > _BEHIND else np.nan
