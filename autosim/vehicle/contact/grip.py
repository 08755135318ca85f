"""The friction of the ground under each wheel."""

from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats32
from autosim.jit import jitable, read_only


class Grip(NamedTuple):
    """Friction of the surfaces below wheels, 1 on dry asphalt.

    frictions: (n,) of the ground's triangles, which are the first that rays meet; empty where that
    of asphalt is everywhere. asphalt: of all others, which are those of bridges and tunnels.
    """

    frictions: Floats32
    asphalt: float


ASPHALT = Grip(read_only(np.zeros(0, dtype=np.float32)), 1.0)
"""Dry asphalt everywhere."""


@jitable
def friction_of(grip: Grip, triangle: int) -> float:
    """The friction of the triangle of that number."""
    return float(grip.frictions[triangle]) if triangle < len(grip.frictions) else grip.asphalt
