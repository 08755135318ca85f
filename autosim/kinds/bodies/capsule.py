"""Capsules: cylinders with a half sphere at each end."""

from dataclasses import dataclass

from autosim.kinds.bodies.round_part import RoundPart, round_kind
from autosim.model.rigid_bodies.shapes import Capsule


@dataclass(frozen=True, slots=True)
class CapsulePart(RoundPart):
    """A capsule; its `length` [m] lies between the centres of its caps."""


KIND = round_kind(
    CapsulePart,
    Capsule,
    "A rigid cylinder with a half sphere at each end.",
    extent="Distance between the centres of its caps.",
)
