"""View of the lane ahead as a few numbers: the observation that policies learn from.

The same kernel looks for the one car of an environment and for the thousand of a fleet, so what is
learned with the one drives the other.
"""

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.jit import compiled, inlined
from autosim.tracks.lane_paths import SPACING, PathArrays

AHEAD = (5.0, 10.0, 20.0, 35.0, 50.0)
"""Distances [m] ahead at which the path is seen: the nearest steers, the farthest is what a car
needs to brake from 70 km/h."""

OFFSET, HEADING_SIN, HEADING_COS, SPEED, LIMIT, STEERING, BEARINGS = range(7)
"""Places of the numbers in a row: offset in half widths of the lane; sine and cosine of the heading
against the path; speed and speed limit in `SPEED_UNIT`; last steering in [-1, 1]; then for each
distance ahead the sine of the bearing of the path there, and for each the sine of its heading."""

WIDTH = BEARINGS + 2 * len(AHEAD)
"""Size of the view."""

SPEED_UNIT = 20.0
"""[m/s] that count as 1: faster than most streets of towns allow."""

STATION, SIDE, HALF, ALLOWED, HEADING_ERROR = range(5)
"""Indices of the additional numbers: station [m] along the path, offset [m] to the left, half the
lane's width [m], speed limit [m/s], heading against the path [rad]."""

PLACES = 5
"""Number of additional numbers."""

_SEARCHED = 12
"""Points on each side of the last one among which the nearest is looked for: 24 m, more than a car
goes in a tenth of a second."""

_FARTHEST_SIDE = 2.0
"""Number of half widths of the lane beyond which all offsets look the same to a car."""


@compiled
def observe_lane(
    paths: PathArrays,
    path: Integers,
    rows: Integers,
    poses: Floats,
    steering: Floats,
    views: Floats,
    places: Floats,
) -> None:
    """Writes what cars see.

    Args:
        paths: that they follow.
        path: (n,) the number of each car's.
        rows: (n,) of the nearest point of each car, brought up to date; negative: look at all.
        poses: (n, 4) x, y [m], yaw [rad] in W, and speed [m/s].
        steering: (n,) the last commands, in [-1, 1].
        views: (n, `WIDTH`), written.
        places: (n, `PLACES`), written.
    """
    for car in range(len(path)):
        observe_lane_of(paths, path, rows, poses, steering, views, places, car)


@inlined
def observe_lane_of(
    paths: PathArrays,
    path: Integers,
    rows: Integers,
    poses: Floats,
    steering: Floats,
    views: Floats,
    places: Floats,
    car: int,
) -> None:
    """As `observe_lane`, for one car."""
    first, last = paths.starts[path[car]], paths.starts[path[car] + 1] - 1
    x, y, yaw, speed = poses[car, 0], poses[car, 1], poses[car, 2], poses[car, 3]
    low, high = first, last
    if rows[car] >= 0:
        low, high = max(first, rows[car] - _SEARCHED), min(last, rows[car] + _SEARCHED)
    nearest, least = low, 1e300
    for row in range(low, high + 1):
        dx, dy = x - paths.points[row, 0], y - paths.points[row, 1]
        if dx * dx + dy * dy < least:
            nearest, least = row, dx * dx + dy * dy
    rows[car] = nearest
    heading = paths.headings[nearest]
    sin, cos = portable.sin_cos(heading)
    dx, dy = x - paths.points[nearest, 0], y - paths.points[nearest, 1]
    along, side = cos * dx + sin * dy, cos * dy - sin * dx
    half = paths.half_widths[nearest]
    own_sin, own_cos = portable.sin_cos(yaw)
    sin_awry, cos_awry = own_sin * cos - own_cos * sin, own_cos * cos + own_sin * sin
    places[car, STATION] = (nearest - first) * SPACING + along
    places[car, SIDE], places[car, HALF] = side, half
    places[car, ALLOWED] = paths.limits[nearest]
    places[car, HEADING_ERROR] = portable.arctan2(sin_awry, cos_awry)
    views[car, OFFSET] = min(max(side / half, -_FARTHEST_SIDE), _FARTHEST_SIDE)
    views[car, HEADING_SIN], views[car, HEADING_COS] = sin_awry, cos_awry
    views[car, SPEED] = speed / SPEED_UNIT
    views[car, LIMIT] = paths.limits[nearest] / SPEED_UNIT
    views[car, STEERING] = steering[car]
    for number in range(len(AHEAD)):
        row = min(last, nearest + int((AHEAD[number] + along) / SPACING))
        dx, dy = paths.points[row, 0] - x, paths.points[row, 1] - y
        distance = max(portable.hypot(dx, dy), 1e-6)
        ahead_sin, ahead_cos = portable.sin_cos(paths.headings[row])
        views[car, BEARINGS + number] = (own_cos * dy - own_sin * dx) / distance
        turned = own_cos * ahead_sin - own_sin * ahead_cos
        views[car, BEARINGS + len(AHEAD) + number] = turned
