"""What physics needs to know of a body."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from autosim.config.descriptions import Motion, Vector3
from autosim.simulation.shapes import Box, PlacedShape

NO_OFFSET = (0.0, 0.0, 0.0)
"""[m] in B: at the origin."""


@dataclass(frozen=True, slots=True)
class RigidBody:
    """A rigid body of one or several shapes.

    `mass` [kg]; `centre_of_mass` [m] in B; `moments` of inertia [kg m²] about the axes of B through
    it. `friction` is its coefficient against the ground and other bodies.
    """

    shapes: tuple[PlacedShape, ...]
    mass: float
    moments: Vector3
    centre_of_mass: Vector3 = NO_OFFSET
    friction: float = 0.5
    motion: Motion = "dynamic"

    @property
    def low(self) -> Vector3:
        """The least x, y and z [m] in B that it reaches."""
        return _each_axis(min, [_end(each, -1.0) for each in self.shapes])

    @property
    def high(self) -> Vector3:
        """The most x, y and z [m] in B that it reaches."""
        return _each_axis(max, [_end(each, 1.0) for each in self.shapes])

    @property
    def reach(self) -> float:
        """How far [m] its furthest point is from the origin of B."""
        return max(each.shape.reach for each in self.shapes)

    @property
    def faces(self) -> Vector3:
        """Area [m²] of its shadow along the axes of B, for the resistance of the air."""
        (first,) = self.shapes
        return first.shape.faces


def box_body(
    size: Sequence[float],
    mass: float,
    *,
    centre_of_mass: Vector3 = NO_OFFSET,
    friction: float = 0.5,
    motion: Motion = "dynamic",
) -> RigidBody:
    """A homogeneous box of `size` [m] along the axes of B."""
    x, y, z = size
    box = Box((x, y, z))
    return RigidBody((PlacedShape(box),), mass, box.moments(mass), centre_of_mass, friction, motion)


def _each_axis(choose: Callable[[Iterable[float]], float], points: Iterable[Vector3]) -> Vector3:
    x, y, z = (choose(values) for values in zip(*points, strict=True))
    return x, y, z


def _end(placed: PlacedShape, sign: float) -> Vector3:
    x, y, z = (
        place + sign * half
        for place, half in zip(placed.position, placed.shape.half_extents, strict=True)
    )
    return x, y, z
