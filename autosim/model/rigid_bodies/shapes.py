"""The shapes that bodies are made of, and what follows from them alone.

Every kind of part is made of these, so physics, rays and pictures need to know no more. A shape has
its centre at its origin. Those with an axis have it along z.
"""

from dataclasses import dataclass
from math import pi

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers32
from autosim.config.descriptions import Vector3

Quaternion = tuple[float, float, float, float]

UNTURNED: Quaternion = (0.0, 0.0, 0.0, 1.0)
"""(x, y, z, w), without a unit: the axes of the shape are those of the body."""


@dataclass(frozen=True, slots=True)
class Box:
    """A box; `size` [m] is its full extent along x, y and z."""

    size: Vector3

    @property
    def low(self) -> Vector3:
        """The least x, y and z [m] that it reaches."""
        x, y, z = self.size
        return -x / 2.0, -y / 2.0, -z / 2.0

    @property
    def high(self) -> Vector3:
        """The most x, y and z [m] that it reaches."""
        x, y, z = self.size
        return x / 2.0, y / 2.0, z / 2.0

    @property
    def reach(self) -> float:
        """Distance [m] of its furthest point from its origin."""
        return float(portable.length(self.size)) / 2.0

    @property
    def volume(self) -> float:
        """[m³]."""
        x, y, z = self.size
        return x * y * z

    def moments(self, mass: float) -> Vector3:
        """Moments of inertia [kg m²] about its axes when it is homogeneous, of `mass` [kg]."""
        x, y, z = (side * side for side in self.size)
        total = x + y + z
        share = mass / 12.0
        return share * (total - x), share * (total - y), share * (total - z)


@dataclass(frozen=True, slots=True)
class Sphere:
    """A sphere of `radius` [m]; its properties as those of a `Box`."""

    radius: float

    @property
    def low(self) -> Vector3:  # noqa: D102 -- as of `Box`
        return -self.radius, -self.radius, -self.radius

    @property
    def high(self) -> Vector3:  # noqa: D102
        return self.radius, self.radius, self.radius

    @property
    def reach(self) -> float:  # noqa: D102
        return self.radius

    @property
    def volume(self) -> float:  # noqa: D102
        return _ball(self.radius)

    def moments(self, mass: float) -> Vector3:  # noqa: D102
        moment = 0.4 * mass * self.radius * self.radius
        return moment, moment, moment


@dataclass(frozen=True, slots=True)
class Cylinder:
    """A cylinder of `radius` and `length` [m]; its properties as those of a `Box`."""

    radius: float
    length: float

    @property
    def low(self) -> Vector3:  # noqa: D102
        return -self.radius, -self.radius, -self.length / 2.0

    @property
    def high(self) -> Vector3:  # noqa: D102
        return self.radius, self.radius, self.length / 2.0

    @property
    def reach(self) -> float:  # noqa: D102
        return float(portable.hypot(self.radius, self.length / 2.0))

    @property
    def volume(self) -> float:  # noqa: D102
        return pi * self.radius * self.radius * self.length

    def moments(self, mass: float) -> Vector3:  # noqa: D102
        square = self.radius * self.radius
        across = mass * (3.0 * square + self.length * self.length) / 12.0
        return across, across, 0.5 * mass * square


@dataclass(frozen=True, slots=True)
class Capsule:
    """A cylinder with a half sphere at each end; `length` [m] lies between their centres.

    Its properties are those of a `Box`.
    """

    radius: float
    """Radius [m] of the cylinder and of the half spheres."""
    length: float

    @property
    def low(self) -> Vector3:  # noqa: D102
        return -self.radius, -self.radius, -self.reach

    @property
    def high(self) -> Vector3:  # noqa: D102
        return self.radius, self.radius, self.reach

    @property
    def reach(self) -> float:  # noqa: D102
        return self.length / 2.0 + self.radius

    @property
    def volume(self) -> float:  # noqa: D102
        return pi * self.radius * self.radius * self.length + _ball(self.radius)

    def moments(self, mass: float) -> Vector3:  # noqa: D102
        r, h = self.radius, self.length
        ends = mass * _ball(r) / self.volume
        across, _, along = Cylinder(r, h).moments(mass - ends)
        # A half sphere's centre of mass lies 3/8 r before its flat face.
        across += ends * (0.4 * r * r + 0.25 * h * h + 0.375 * h * r)
        return across, across, along + 0.4 * ends * r * r


@dataclass(frozen=True, slots=True, eq=False)
class MeshShape:
    """Triangles, the surface of something.

    `vertices` (n, 3) [m]; `triangles` (m, 3), counter-clockwise from outside. `is_convex`: they are
    the hull of a solid. Others have no volume: only what is static may have such a shape.
    """

    vertices: Floats
    triangles: Integers32
    is_convex: bool

    @property
    def low(self) -> Vector3:  # noqa: D102
        x, y, z = self.vertices.min(axis=0).tolist()
        return x, y, z

    @property
    def high(self) -> Vector3:  # noqa: D102
        x, y, z = self.vertices.max(axis=0).tolist()
        return x, y, z

    @property
    def reach(self) -> float:  # noqa: D102
        return float(np.sqrt(portable.dot(self.vertices, self.vertices)).max())


Shape = Box | Sphere | Cylinder | Capsule | MeshShape
Solid = Box | Sphere | Cylinder | Capsule


@dataclass(frozen=True, slots=True)
class PlacedShape:
    """A shape in a body.

    `position` [m] in B of its origin; `orientation` (x, y, z, w) turns the shape's axes into B's.
    """

    shape: Shape
    position: Vector3 = (0.0, 0.0, 0.0)
    orientation: Quaternion = UNTURNED


def _ball(radius: float) -> float:
    return 4.0 / 3.0 * pi * radius * radius * radius
