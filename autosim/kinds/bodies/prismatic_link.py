"""Slides."""

from dataclasses import dataclass

from autosim.kinds.bodies.axis_links import AxisLink, axis_link_kind


@dataclass(frozen=True, slots=True)
class PrismaticLink(AxisLink):
    """A slide: the child moves along the axis, and does not turn against the parent."""


KIND = axis_link_kind(
    PrismaticLink,
    "slide",
    "A slide: the child moves along an axis of the parent, and does not turn against it. Its way "
    "is positive where the axis points.",
)
"""The fields are the way, the speed of its change, and the force of its motor on the child."""
