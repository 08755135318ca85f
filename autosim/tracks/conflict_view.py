"""View of the road users that are, or soon will be, in the way ahead: what policies learn from.

The places of road users are foreseen at constant velocity. In each of a few periods the first point
of the car's own path counts at which a road user is in its way, whichever that is: so the numbers
of a leader, of crossing and of oncoming vehicles do not depend on how many others are near.
"""

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.jit import compiled, inlined
from autosim.tracks.lane_paths import SPACING, PathArrays

PERIODS = ((0.0, 0.0), (0.5, 1.0), (1.5, 2.0), (2.5, 3.0))
"""Times [s] that are looked at, by period: vehicles at 36 km/h take 0.7 s to cross a path."""

CONFLICT_WIDTH = 3
"""Numbers of a period: how near the conflict is, from 0 for none within `CONFLICT_RANGE` to 1 at
the bonnet; the speed of the other along the path, relative to the car's; and the sine at which it
crosses, positive from the right, which goes first where no sign says otherwise."""

WIDTH = CONFLICT_WIDTH * len(PERIODS)
"""Size of the view."""

CONFLICT_RANGE = 44.0
"""Length [m] of the path ahead in which conflicts are looked for."""

HALF_LENGTH, HALF_CAR = 2.23, 0.87
"""Half of the length and width [m] of the car that AutoSim ships."""

SIDE_ROOM = 0.3
"""Distance [m] beside a vehicle within which others are in its way."""

_RELATIVE_SPEED_UNIT = 10.0
"""Relative speed [m/s] that counts as 1."""

_ALONG = 0.7
"""Cosine of the angle of two headings from which a road user behind follows the car."""

_SAME_LEVEL = 3.0
"""Difference in height [m] from which road users are on other levels and not seen."""

_X, _Y, _Z, _YAW, _HALF_LENGTH, _HALF_WIDTH, _SPEED_X, _SPEED_Y = range(8)
"""Columns of a box, as in `autosim.traffic.road_users.B`."""


@compiled
def observe_conflicts(
    paths: PathArrays,
    path: int,
    row: int,
    station: float,
    pose: Floats,
    boxes: Floats,
    own: int,
    view: Floats,
) -> None:
    """Writes the conflicts ahead of a car on its path.

    Args:
        paths: all paths.
        path: number of the car's path.
        row: the nearest point of the car, counted over all paths.
        station: [m] of the car along its path.
        pose: (5,) x, y, z [m], yaw [rad] and speed [m/s] of the car, in W.
        boxes: (n, 8 or more) road users in W, with the columns of `autosim.traffic.road_users.B`.
        own: the row among them that is the car itself; negative for none.
        view: (`WIDTH`,) written.
    """
    observe_conflicts_of(paths, path, row, station, pose[2], pose[4], boxes, own, view)


@inlined
def observe_conflicts_of(
    paths: PathArrays,
    path: int,
    row: int,
    station: float,
    z: float,
    speed: float,
    boxes: Floats,
    own: int,
    view: Floats,
) -> None:
    """As `observe_conflicts`, with height and speed as numbers."""
    begin, end = paths.starts[path], paths.starts[path + 1]
    last = min(end - 1, row + int((CONFLICT_RANGE + HALF_LENGTH) / SPACING))
    x, y = paths.points[row, 0], paths.points[row, 1]
    own_sin, own_cos = portable.sin_cos(paths.headings[row])
    nearest = np.empty(len(PERIODS))
    nearest[:] = CONFLICT_RANGE
    view[:] = 0.0
    for other in range(len(boxes)):
        dx, dy = boxes[other, _X] - x, boxes[other, _Y] - y
        vx, vy = boxes[other, _SPEED_X], boxes[other, _SPEED_Y]
        reach = CONFLICT_RANGE + 8.0 + PERIODS[-1][1] * np.sqrt(vx * vx + vy * vy)
        if other == own or dx * dx + dy * dy > reach * reach:
            continue
        if abs(boxes[other, _Z] - z) > _SAME_LEVEL:
            continue
        sin, cos = portable.sin_cos(boxes[other, _YAW])
        is_follower = own_cos * dx + own_sin * dy < 0.0 and own_cos * cos + own_sin * sin > _ALONG
        for period in range(len(PERIODS)):
            if is_follower:
                break
            for number in range(2 if period else 1):
                time = PERIODS[period][number]
                there_x, there_y = boxes[other, _X] + time * vx, boxes[other, _Y] + time * vy
                found = first_row_within(
                    paths, row + 1, last, boxes[other], sin, cos, there_x, there_y
                )
                if found < 0:
                    continue
                gap = max((found - begin) * SPACING - station - HALF_LENGTH, 0.0)
                if gap < nearest[period]:
                    nearest[period] = gap
                    ahead_sin, ahead_cos = portable.sin_cos(paths.headings[found])
                    along = ahead_cos * vx + ahead_sin * vy
                    first = CONFLICT_WIDTH * period
                    view[first] = 1.0 - gap / CONFLICT_RANGE
                    view[first + 1] = (along - speed) / _RELATIVE_SPEED_UNIT
                    view[first + 2] = ahead_cos * sin - ahead_sin * cos


@inlined
def first_row_within(
    paths: PathArrays,
    first: int,
    last: int,
    box: Floats,
    sin: float,
    cos: float,
    x: float,
    y: float,
) -> int:
    """The first point of a path that a box at x, y [m] is in the way of; -1 for none.

    `sin` and `cos` are those of the box's yaw.
    """
    long = box[_HALF_LENGTH] + 0.5 * SPACING
    wide = box[_HALF_WIDTH] + HALF_CAR + SIDE_ROOM
    found = -1
    for row in range(first, last + 1):
        dx, dy = paths.points[row, 0] - x, paths.points[row, 1] - y
        is_within = abs(cos * dx + sin * dy) < long and abs(cos * dy - sin * dx) < wide
        if is_within and abs(paths.points[row, 2] - box[_Z]) < _SAME_LEVEL:
            found = row
            break
    return found
