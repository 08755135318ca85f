"""The rigid bodies that the vehicle model acts on, as arrays over all bodies of a world."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats
from autosim.config.descriptions import BoxPart

AIR_DENSITY = 1.2041
"""Density of dry air at 20 °C and 101.325 kPa [kg/m^3]."""

DRAG_COEFFICIENTS = (0.35, 1.05, 1.05)
"""Ratios of the drag along B's axes to dynamic pressure and area: x of a passenger car, y and z of
a cuboid. Source: Hucho, Aerodynamics of Road Vehicles, 4th ed., 1998, table 1.1 and figure 2.21."""


class BodyState(NamedTuple):
    """Poses and velocities of n bodies, each array float64 and written in place every step.

    positions: (n, 3) m in W of the shape's centre (the origin of B); orientations: (n, 4)
    quaternion (x, y, z, w) of R_WB; velocities: (n, 3) m/s in W of the shape's centre;
    angular_velocities: (n, 3) rad/s in W.
    """

    positions: Floats
    orientations: Floats
    velocities: Floats
    angular_velocities: Floats

    @classmethod
    def at_rest(cls, count: int) -> "BodyState":
        """`count` bodies at the origin of W, unturned and still."""
        orientations = np.zeros((count, 4))
        orientations[:, 3] = 1.0
        return cls(np.zeros((count, 3)), orientations, np.zeros((count, 3)), np.zeros((count, 3)))


class BodyParameters(NamedTuple):
    """The constant properties of n bodies.

    mass: (n,) kg; inertia: (n, 3) kg m^2 about the centre of mass, principal along B's axes;
    centre_of_mass: (n, 3) m in B from the shape's centre; drag: (n, 3) kg/m, the aerodynamic
    force per squared speed along each of B's axes.
    """

    mass: Floats
    inertia: Floats
    centre_of_mass: Floats
    drag: Floats


def box_inertia(size: npt.ArrayLike, mass: npt.ArrayLike) -> Floats:
    """Principal moments [kg m^2] of homogeneous boxes: size (..., 3) m, mass (...) kg."""
    squares = np.asarray(size, dtype=np.float64) ** 2
    others = squares.sum(axis=-1, keepdims=True) - squares
    inertia: Floats = np.asarray(mass, dtype=np.float64)[..., None] / 12.0 * others
    return inertia


def body_parameters(parts: Sequence[BoxPart]) -> BodyParameters:
    """The parameters of box-shaped parts, in their order.

    A box's drag is that of its face: 0.5 rho c A, along each axis of B by itself.
    """
    size = np.array([part.size for part in parts], dtype=np.float64).reshape(-1, 3)
    mass = np.array([part.mass for part in parts], dtype=np.float64)
    centre = np.array([part.centre_of_mass for part in parts], dtype=np.float64).reshape(-1, 3)
    faces = size[:, (1, 0, 0)] * size[:, (2, 2, 1)]
    # Choosing columns loses C's order; kernels would be compiled again for another order.
    drag = np.ascontiguousarray(0.5 * AIR_DENSITY * np.array(DRAG_COEFFICIENTS) * faces)
    return BodyParameters(mass, box_inertia(size, mass), centre, drag)
