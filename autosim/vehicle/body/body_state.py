"""The rigid bodies that the vehicle model acts on, as arrays over all bodies of a world."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.descriptions import Part, Vector3
from autosim.kinds.kind import body_of
from autosim.model.environment.standard_atmosphere import AIR_DENSITY

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

    moved: (k,) int64, the numbers of those that forces move; nothing is computed of the others.
    mass: (n,) kg; inertia: (n, 3) kg m^2 about the centre of mass, principal along B's axes;
    centre_of_mass: (n, 3) m in B from the shape's centre; drag: (n, 3) kg/m, the aerodynamic
    force per squared speed along each of B's axes.
    """

    moved: Integers
    mass: Floats
    inertia: Floats
    centre_of_mass: Floats
    drag: Floats


def body_parameters(
    parts: Sequence[Part], *, air_density: float = AIR_DENSITY, moved: Integers | None = None
) -> BodyParameters:
    """The parameters of parts, in their order, of which forces move those `moved` (None: all).

    A body's drag is that of the sides of its box: 0.5 rho c A, along each axis of B by itself, in
    air of `air_density` [kg/m^3].
    """
    bodies = [body_of(part) for part in parts]
    faces = _rows(body.faces for body in bodies)
    return BodyParameters(
        np.arange(len(parts)) if moved is None else moved,
        np.array([body.mass for body in bodies], dtype=np.float64),
        _rows(body.moments for body in bodies),
        _rows(body.centre_of_mass for body in bodies),
        0.5 * air_density * np.array(DRAG_COEFFICIENTS) * faces,
    )


def _rows(vectors: Iterable[Vector3]) -> Floats:
    return np.array(list(vectors), dtype=np.float64).reshape(-1, 3)
