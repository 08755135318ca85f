"""Cylinders: rigid bodies with two flat ends."""

from dataclasses import dataclass

from autosim.config.descriptions import Part, Vector3
from autosim.kinds.bodies.part import axis, length, part_kind, radius
from autosim.simulation.rigid_bodies.shapes import Cylinder, PlacedShape
from autosim.simulation.turns import turn_z_to


@dataclass(frozen=True, slots=True)
class CylinderPart(Part):
    """A cylinder of `radius` and `length` [m] about `position`.

    `axis` is a unit vector in B.
    """

    radius: float
    length: float
    axis: Vector3 = (0.0, 0.0, 1.0)


def _shapes(cylinder: CylinderPart) -> tuple[PlacedShape, ...]:
    shape = Cylinder(cylinder.radius, cylinder.length)
    return (PlacedShape(shape, orientation=turn_z_to(cylinder.axis)),)


KIND = part_kind(
    CylinderPart,
    "Cylinder",
    "A rigid cylinder.",
    radius(),
    length("Distance between its ends."),
    axis(),
    shapes=_shapes,
)
