"""Physical description of a body: its shapes and its mass distribution."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.config.descriptions import Motion, Vector3
from autosim.model.quaternions import matrix_of
from autosim.model.rigid_bodies.mass import MassProperties, mass_properties
from autosim.model.rigid_bodies.shapes import (
    UNTURNED,
    Box,
    Cylinder,
    MeshShape,
    PlacedShape,
    Shape,
    Sphere,
)


@dataclass(frozen=True, slots=True)
class RigidBody:
    """A rigid body of one or several shapes.

    `friction` is its coefficient against the ground; between two bodies that is the product of
    both. The same holds for `restitution`, the share of its speed with which it bounces back.
    """

    shapes: tuple[PlacedShape, ...]
    mass_properties: MassProperties
    """Mass [kg], centre of mass [m] and moments of inertia [kg m²] in B."""
    friction: float = 0.5
    restitution: float = 0.0
    motion: Motion = "dynamic"
    """`static`: never moves; `kinematic`: moved by the simulation alone; `dynamic`: by forces."""

    @property
    def mass(self) -> float:
        """[kg]."""
        return self.mass_properties.mass

    @property
    def centre_of_mass(self) -> Vector3:
        """[m] in B."""
        return self.mass_properties.centre_of_mass

    @property
    def moments(self) -> Vector3:
        """Moments of inertia [kg m²] about the axes of B through the centre of mass."""
        return self.mass_properties.moments

    @property
    def low(self) -> Vector3:
        """The least x, y and z [m] in B that it reaches."""
        return _each_axis(min, [point for each in self.shapes for point in _ends(each)])

    @property
    def high(self) -> Vector3:
        """The most x, y and z [m] in B that it reaches."""
        return _each_axis(max, [point for each in self.shapes for point in _ends(each)])

    @property
    def reach(self) -> float:
        """Distance [m] of its furthest point from the origin of B, or a little more."""
        return max(float(portable.length(each.position)) + each.shape.reach for each in self.shapes)

    @property
    def faces(self) -> Vector3:
        """Area [m²] along the axes of B of the sides of the box around it, against the air."""
        x, y, z = (high - low for low, high in zip(self.low, self.high, strict=True))
        return y * z, x * z, x * y


def homogeneous(
    *shapes: PlacedShape,
    mass: float,
    centre_of_mass: Vector3 | None = None,
    friction: float = 0.5,
    restitution: float = 0.0,
    motion: Motion = "dynamic",
) -> RigidBody:
    """A body of the same density everywhere, but for its `centre_of_mass` [m] if that is given."""
    properties = mass_properties(shapes, mass, centre_of_mass=centre_of_mass)
    return RigidBody(shapes, properties, friction, restitution, motion)


def box_body(
    size: Sequence[float],
    mass: float,
    *,
    centre_of_mass: Vector3 | None = None,
    friction: float = 0.5,
    motion: Motion = "dynamic",
) -> RigidBody:
    """A box of `size` [m] along the axes of B."""
    x, y, z = size
    return homogeneous(
        PlacedShape(Box((x, y, z))),
        mass=mass,
        centre_of_mass=centre_of_mass,
        friction=friction,
        motion=motion,
    )


def _each_axis(choose: Callable[[Iterable[float]], float], points: Iterable[Vector3]) -> Vector3:
    x, y, z = (choose(values) for values in zip(*points, strict=True))
    return x, y, z


def _ends(placed: PlacedShape) -> tuple[Vector3, Vector3]:
    """The least and the most x, y and z [m] in B that a shape reaches."""
    shape = placed.shape
    low, high = np.array(shape.low), np.array(shape.high)
    if placed.orientation != UNTURNED:
        low, high = _turned_ends(shape, matrix_of(placed.orientation))
    place = np.array(placed.position)
    (a, b, c), (d, e, f) = (place + low).tolist(), (place + high).tolist()
    return (a, b, c), (d, e, f)


def _turned_ends(shape: Shape, R: Floats) -> tuple[Floats, Floats]:
    """The same of a shape about the origin that is turned by R (3, 3)."""
    if isinstance(shape, MeshShape):
        turned = portable.dot(shape.vertices[:, None, :], R)
        return turned.min(axis=0), turned.max(axis=0)
    if isinstance(shape, Box):
        half = portable.dot(np.abs(R), np.array(shape.high))
    elif isinstance(shape, Sphere):
        half = np.full(3, shape.radius)
    else:
        along = np.abs(R[:, 2])
        aside = np.sqrt(np.maximum(1.0 - along * along, 0.0))
        rim = aside if isinstance(shape, Cylinder) else np.ones(3)
        half = shape.length / 2.0 * along + shape.radius * rim
    return -half, half
