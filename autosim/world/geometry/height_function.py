"""Functions of the place: how high something is, and whether it is level there."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from autosim.world.geometry.curves import Floats

Relief = Callable[[Floats], npt.NDArray[np.bool_]]
"""Tells of points (n, 2) whether the sheet is anything but level there."""


def no_relief(points: Floats) -> npt.NDArray[np.bool_]:
    """A level sheet."""
    return np.zeros(len(points), dtype=np.bool_)


def relief_everywhere(points: Floats) -> npt.NDArray[np.bool_]:
    """A sheet that is level nowhere."""
    return np.ones(len(points), dtype=np.bool_)


HeightFunction = Callable[[Floats], Floats]
"""Heights (n,) [m] of points (n, 2) in W."""


def flat(points: Floats) -> Floats:
    """The height function of a plane at 0."""
    return np.zeros(len(points))
