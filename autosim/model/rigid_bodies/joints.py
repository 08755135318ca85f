"""The joints that links make between two bodies."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Literal

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


@dataclass(frozen=True, slots=True)
class TreeJoint:
    """Hangs a child on its parent, free in one way at most; so the bodies make a tree.

    Its `freedom` is to turn about the `axis` (a unit vector) through `point` [m], to slide along
    it, or none. Its position, an angle [rad] or a way [m] of the child, is 0 as it is built, and
    stays from `lower` to `upper`. `damping` [N m s/rad] or [N s/m] brakes it.

    Kinds of links make it in the robot's frame, engines take it in W.
    """

    freedom: Literal["turn", "slide", "none"]
    point: Vector3
    axis: Vector3 = (0.0, 0.0, 1.0)
    lower: float = -inf
    upper: float = inf
    damping: float = 0.0

    def in_world(self, of_point: OfPoint) -> "TreeJoint":
        """The same joint in W, of a robot that stands where `of_point` says."""
        x, y, z = of_point(self.point).tolist()
        east, north, up = (of_point(self.axis) - of_point((0.0, 0.0, 0.0))).tolist()
        return replace(self, point=(x, y, z), axis=(east, north, up))


Joint = BallJoint | TreeJoint


@dataclass(frozen=True, slots=True)
class Hanging:
    """The body number `child` hangs by `joint` on the body number `parent`."""

    joint: TreeJoint
    parent: int
    child: int
