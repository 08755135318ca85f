"""Cylinders: rigid bodies with two flat ends."""

from dataclasses import dataclass

from autosim.kinds.bodies.round_part import RoundPart, round_kind
from autosim.model.rigid_bodies.shapes import Cylinder


@dataclass(frozen=True, slots=True)
class CylinderPart(RoundPart):
    """A cylinder; its `length` [m] lies between its ends."""


KIND = round_kind(CylinderPart, Cylinder, "A rigid cylinder.", extent="Distance between its ends.")
