"""Rays against all boxes of a world. The physics' rays see meshes alone (wheels need it so)."""

from math import sqrt

import numpy as np

from autosim.vehicle.bodies import Floats, Ints
from autosim.vehicle.frames import rotation_matrix, to_body
from autosim.vehicle.jit import compiled


@compiled
def cast_at_boxes(
    origins: Floats,
    ends: Floats,
    ray_robots: Ints,
    positions: Floats,
    orientations: Floats,
    half_sizes: Floats,
    box_robots: Ints,
    fractions: Floats,
) -> None:
    """Finds how far each ray gets before it meets a box of another robot.

    A ray that begins inside a box has met it at once.

    Args:
        origins: (n, 3) m in W.
        ends: (n, 3) m in W.
        ray_robots: (n,) number of the robot that casts each ray; its own boxes are passed.
        positions: (m, 3) m in W of the boxes' centres.
        orientations: (m, 4) quaternions (x, y, z, w) of R_WB.
        half_sizes: (m, 3) m along B's axes.
        box_robots: (m,) number of the robot that each box belongs to.
        fractions: (n,) written: of each ray's length up to the nearest box, 1 without one.
    """
    R = np.empty((3, 3))
    fractions[:] = 1.0
    for box in range(len(positions)):
        rotation_matrix(orientations[box], R)
        h, p = half_sizes[box], positions[box]
        radius = sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2])
        for ray in range(len(origins)):
            if ray_robots[ray] == box_robots[box] or _misses(origins[ray], ends[ray], p, radius):
                continue
            hit = _box_fraction(origins[ray], ends[ray], p, R, h)
            fractions[ray] = min(fractions[ray], hit)


@compiled
def _misses(origin: Floats, end: Floats, centre: Floats, radius: float) -> bool:
    """Whether the segment stays outside a sphere: a cheap test that most pairs end with."""
    along = squared = length = 0.0
    for k in range(3):
        d, m = end[k] - origin[k], centre[k] - origin[k]
        along += d * m
        squared += m * m
        length += d * d
    nearest = min(max(along, 0.0), length)
    if length == 0.0:
        return squared > radius * radius
    return squared - nearest * (2.0 * along - nearest) / length > radius * radius


@compiled
def _box_fraction(origin: Floats, end: Floats, centre: Floats, R: Floats, half: Floats) -> float:
    """Where the segment enters the box, 1 where it does not (slab method, Kay and Kajiya 1986)."""
    start = to_body(R, origin[0] - centre[0], origin[1] - centre[1], origin[2] - centre[2])
    way = to_body(R, end[0] - origin[0], end[1] - origin[1], end[2] - origin[2])
    enter, leave = 0.0, 1.0
    for k in range(3):
        if way[k] == 0.0:
            if abs(start[k]) > half[k]:
                return 1.0
            continue
        a, b = (-half[k] - start[k]) / way[k], (half[k] - start[k]) / way[k]
        enter, leave = max(enter, min(a, b)), min(leave, max(a, b))
    return enter if enter <= leave else 1.0
