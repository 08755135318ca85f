"""Functions of the place: how high something is, and whether it is level there."""

from collections.abc import Callable

import numpy as np

from autosim.arrays import Booleans, Floats

Relief = Callable[[Floats], Booleans]
"""Tells of points (n, 2) whether the level is anything but level there."""


def no_relief(points: Floats) -> Booleans:
    """A level level."""
    return np.zeros(len(points), dtype=np.bool_)


def relief_everywhere(points: Floats) -> Booleans:
    """A level that is level nowhere."""
    return np.ones(len(points), dtype=np.bool_)


HeightFunction = Callable[[Floats], Floats]
"""Heights (n,) [m] of points (n, 2) in W."""


def flat(points: Floats) -> Floats:
    """The height function of a plane at 0."""
    return np.zeros(len(points))
