"""Base of cylinders and capsules: a radius, and a length along an axis."""

from dataclasses import dataclass
from typing import TypeVar

from autosim.config.descriptions import Part, Vector3
from autosim.kinds.bodies.part import axis, length, part_kind, radius
from autosim.kinds.kind import PartKind
from autosim.model.quaternions import turn_z_to
from autosim.model.rigid_bodies.shapes import Capsule, Cylinder, PlacedShape


@dataclass(frozen=True, slots=True)
class RoundPart(Part):
    """A body of `radius` and `length` [m] about `position`, along the unit vector `axis` in B."""

    radius: float
    length: float
    axis: Vector3 = (0.0, 0.0, 1.0)


RoundT = TypeVar("RoundT", bound=RoundPart)


def round_kind(
    record: type[RoundT], shape: type[Capsule] | type[Cylinder], description: str, *, extent: str
) -> PartKind[RoundT]:
    """Their kind: its element has the name of their `shape`; `extent` says its length."""

    def shapes(part: RoundT) -> tuple[PlacedShape, ...]:
        turned = turn_z_to(part.axis)
        return (PlacedShape(shape(part.radius, part.length), orientation=turned),)

    return part_kind(
        record,
        shape.__name__,
        description,
        radius(),
        length(extent),
        axis(),
        shapes=shapes,
    )
