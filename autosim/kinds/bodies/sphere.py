"""Spheres: rigid bodies that roll."""

from dataclasses import dataclass

from autosim.config.descriptions import Part
from autosim.kinds.bodies.part import part_kind, radius
from autosim.model.rigid_bodies.shapes import PlacedShape, Sphere


@dataclass(frozen=True, slots=True)
class SpherePart(Part):
    """A sphere of `radius` [m] about `position`."""

    radius: float


def _shapes(sphere: SpherePart) -> tuple[PlacedShape, ...]:
    return (PlacedShape(Sphere(sphere.radius)),)


KIND = part_kind(SpherePart, "Sphere", "A rigid sphere.", radius(), shapes=_shapes)
