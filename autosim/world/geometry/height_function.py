"""Functions of the place: how high a level is there, and whether it is uneven."""

from collections.abc import Callable

import numpy as np

from autosim.arrays import Booleans, Floats

IsUneven = Callable[[Floats], Booleans]
"""Maps points (n, 2) [m] in W to whether a level is uneven there (n,)."""


def nowhere_uneven(points: Floats) -> Booleans:
    """A level that is even everywhere: a plain."""
    return np.zeros(len(points), dtype=np.bool_)


def everywhere_uneven(points: Floats) -> Booleans:
    """A level that is uneven everywhere, such as one on hills."""
    return np.ones(len(points), dtype=np.bool_)


HeightFunction = Callable[[Floats], Floats]
"""Heights (n,) [m] of points (n, 2) [m] in W."""


def raised(height: HeightFunction, metres: float) -> HeightFunction:
    """The height function that lies `metres` above another one."""
    if not metres:
        return height
    return lambda points: height(points) + metres


def flat(points: Floats) -> Floats:
    """The height function of a plane at 0."""
    return np.zeros(len(points))
