"""The joints that links make between two bodies."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from autosim.arrays import Floats
from autosim.config.descriptions import Vector3

OfPoint = Callable[[Sequence[float]], Floats]
"""Takes a point (3,) [m] of a robot's frame to W."""


@dataclass(frozen=True, slots=True)
class BallJoint:
    """Holds two bodies together at `point` [m], about which they turn freely.

    Kinds of links make it in the robot's frame, engines take it in W.
    """

    point: Vector3

    def in_world(self, of_point: OfPoint) -> "BallJoint":
        """The same joint in W, of a robot that stands where `of_point` says."""
        x, y, z = of_point(self.point).tolist()
        return BallJoint((x, y, z))


Joint = BallJoint
