"""Hinges."""

from dataclasses import dataclass

from autosim.kinds.bodies.axis_links import AxisLink, axis_link_kind


@dataclass(frozen=True, slots=True)
class RevoluteLink(AxisLink):
    """A hinge: the child turns about the axis."""


KIND = axis_link_kind(
    RevoluteLink,
    "turn",
    "A hinge: the child turns about an axis that it shares with the parent. Its angle is positive "
    "counter-clockwise for an observer at whom the axis points, and counts full turns.",
)
"""The fields are the angle, the speed of its change, and the torque of its motor on the child."""
