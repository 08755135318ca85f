"""Ackermann steering: each wheel's angle from the one angle that an actuator commands."""

from math import copysign

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.jit import jitable
from autosim.portable import arctan2, tan


def ackermann_geometry(
    position: Floats, *, is_steering: Booleans, group: Integers
) -> tuple[Floats, Floats, Floats]:
    """Position of each wheel relative to the line that the turning centre lies on.

    The line goes through the mean of a group's wheels that do not steer (its fixed axle), or of
    all of them where all steer. The commanded angle is that of a bicycle's wheel on the
    vehicle's axis, at the mean of the steering wheels or, where all steer, at the foremost.

    Args:
        position: (n, 3) m in B.
        is_steering: (n,).
        group: (n,) number of the actuator; each group has its own turning centre.

    Returns:
        arm: (n,) m, each wheel ahead of the line; base: (n,) m, the bicycle's wheel ahead of
        it; side: (n,) m, each wheel to the left of the vehicle's axis.
    """
    arm, base = np.zeros(len(position)), np.zeros(len(position))
    for number in np.unique(group):
        members = group == number
        steered, fixed = members & is_steering, members & ~is_steering
        line = position[fixed if fixed.any() else members, 0].mean()
        arm[members] = position[members, 0] - line
        if steered.any():
            ahead = arm[steered]
            base[members] = ahead.mean() if fixed.any() else ahead.max()
    return arm, base, position[:, 1].copy()


@jitable
def wheel_angle(angle: float, arm: float, base: float, side: float) -> float:
    """Steering angle [rad] of a wheel so that its axle meets the turning centre.

    With the radius L / tan(angle) of the bicycle's turn, tan of the wheel's angle is
    arm / (radius - side). A vehicle whose base L is zero (a single wheel) takes the angle as it
    is. `arm`, `base`, `side` [m] as `ackermann_geometry` gives them.
    """
    if base == 0.0:
        return angle
    slope = tan(angle)
    sign = copysign(1.0, base)
    return arctan2(sign * arm * slope, sign * (base - side * slope))
