"""Capsules: cylinders with a half sphere at each end."""

from dataclasses import dataclass

from autosim.config.descriptions import Part, Vector3
from autosim.kinds.bodies.part import axis, length, part_kind, radius
from autosim.simulation.rigid_bodies.shapes import Capsule, PlacedShape
from autosim.simulation.turns import turn_z_to


@dataclass(frozen=True, slots=True)
class CapsulePart(Part):
    """A capsule of `radius` [m] about `position`.

    `length` [m] lies between the centres of its caps. `axis` is a unit vector in B.
    """

    radius: float
    length: float
    axis: Vector3 = (0.0, 0.0, 1.0)


def _shapes(capsule: CapsulePart) -> tuple[PlacedShape, ...]:
    shape = Capsule(capsule.radius, capsule.length)
    return (PlacedShape(shape, orientation=turn_z_to(capsule.axis)),)


KIND = part_kind(
    CapsulePart,
    "Capsule",
    "A rigid cylinder with a half sphere at each end.",
    radius(),
    length("Distance between the centres of its caps."),
    axis(),
    shapes=_shapes,
)
