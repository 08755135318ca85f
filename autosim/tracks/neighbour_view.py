"""View of the nearest road users as a few numbers: the observation that policies learn from.

The same kernel looks for the cars of a fleet and for a car that a policy drives in the physics.
"""

from autosim import portable
from autosim.arrays import Floats
from autosim.jit import compiled, inlined

NEIGHBOUR_WIDTH = 6
"""Numbers of a road user: whether there is one, x, y, relative velocity x, y, and heading."""

NEIGHBOUR_RANGE = 50.0
"""Distance [m] up to which road users are seen; it counts as 1."""

RELATIVE_SPEED_UNIT = 10.0
"""Relative speed [m/s] that counts as 1."""

_SAME_LEVEL = 3.0
"""Difference in height [m] from which road users are on other levels and not seen."""

_X, _Y, _Z, _YAW, _SPEED_X, _SPEED_Y = 0, 1, 2, 3, 6, 7
"""Columns of a box, as in `autosim.traffic.road_users.B`."""


@compiled
def observe_neighbours(pose: Floats, boxes: Floats, own: int, view: Floats) -> None:
    """Writes the nearest of `boxes` as a car sees them.

    Args:
        pose: (5,) x, y, z [m], yaw [rad] and speed [m/s] of the car, in W.
        boxes: (n, 8 or more) road users in W, with the columns of `autosim.traffic.road_users.B`.
        own: the row among them that is the car itself; negative for none.
        view: (k `NEIGHBOUR_WIDTH`,) written: nearest first, zeros where there are fewer than k.
    """
    observe_neighbours_of(pose[0], pose[1], pose[2], pose[3], pose[4], boxes, own, view)


@inlined
def observe_neighbours_of(
    x: float,
    y: float,
    z: float,
    yaw: float,
    speed: float,
    boxes: Floats,
    own: int,
    view: Floats,
) -> None:
    """As `observe_neighbours`, with the pose as numbers."""
    sin, cos = portable.sin_cos(yaw)
    most = len(view) // NEIGHBOUR_WIDTH
    last, farthest = -1.0, NEIGHBOUR_RANGE * NEIGHBOUR_RANGE
    last_row = -1
    for place in range(most):
        # The next nearest after the last one; equal distances come in the order of the rows.
        found, least = -1, farthest
        for row in range(len(boxes)):
            dx, dy = boxes[row, _X] - x, boxes[row, _Y] - y
            square = dx * dx + dy * dy
            if row == own or square >= least or abs(boxes[row, _Z] - z) > _SAME_LEVEL:
                continue
            if square > last or (square == last and row > last_row):
                found, least = row, square
        first = place * NEIGHBOUR_WIDTH
        if found < 0:
            view[first:] = 0.0
            break
        last, last_row = least, found
        dx, dy = boxes[found, _X] - x, boxes[found, _Y] - y
        vx, vy = boxes[found, _SPEED_X] - cos * speed, boxes[found, _SPEED_Y] - sin * speed
        view[first] = 1.0
        view[first + 1] = (cos * dx + sin * dy) / NEIGHBOUR_RANGE
        view[first + 2] = (cos * dy - sin * dx) / NEIGHBOUR_RANGE
        view[first + 3] = (cos * vx + sin * vy) / RELATIVE_SPEED_UNIT
        view[first + 4] = (cos * vy - sin * vx) / RELATIVE_SPEED_UNIT
        view[first + 5] = portable.wrapped(boxes[found, _YAW] - yaw) / (0.5 * portable.TAU)
