"""The shapes that bodies are made of, and what follows from them alone.

Every kind of part is made of these, so physics, rays and pictures need to know no more. A shape has
its centre at its origin, and its axes are those of B unless it is placed otherwise in its body.
"""

from dataclasses import dataclass

from autosim import portable
from autosim.config.descriptions import Vector3

Quaternion = tuple[float, float, float, float]

UNTURNED: Quaternion = (0.0, 0.0, 0.0, 1.0)
"""(x, y, z, w), without a unit: the axes of the shape are those of the body."""


@dataclass(frozen=True, slots=True)
class Box:
    """A box; `size` [m] is its full extent along x, y and z."""

    size: Vector3

    @property
    def half_extents(self) -> Vector3:
        """How far [m] it reaches along x, y and z."""
        x, y, z = self.size
        return x / 2.0, y / 2.0, z / 2.0

    @property
    def reach(self) -> float:
        """How far [m] its furthest point is from its centre."""
        return float(portable.length(self.size)) / 2.0

    @property
    def faces(self) -> Vector3:
        """Area [m²] of its shadow along x, y and z."""
        x, y, z = self.size
        return y * z, x * z, x * y

    @property
    def volume(self) -> float:
        """[m³]."""
        x, y, z = self.size
        return x * y * z

    def moments(self, mass: float) -> Vector3:
        """Principal moments of inertia [kg m²] when it is homogeneous, of `mass` [kg]."""
        x, y, z = (side * side for side in self.size)
        total = x + y + z
        share = mass / 12.0
        return share * (total - x), share * (total - y), share * (total - z)


Shape = Box


@dataclass(frozen=True, slots=True)
class PlacedShape:
    """A shape in a body.

    `position` [m] in B of its centre; `orientation` (x, y, z, w) turns the shape's axes into B's.
    """

    shape: Shape
    position: Vector3 = (0.0, 0.0, 0.0)
    orientation: Quaternion = UNTURNED
