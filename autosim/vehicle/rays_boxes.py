"""Rays against all boxes of a world. The physics' rays see meshes alone (wheels need it so)."""

from math import sqrt

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.simulation.jit import compilable, compiled
from autosim.vehicle.frames import Triple, dot, minus, read, rotation_matrix, times, to_body


@compiled
def cast_at_boxes(
    origins: Floats,
    ends: Floats,
    ray_robots: Integers,
    positions: Floats,
    orientations: Floats,
    half_sizes: Floats,
    box_robots: Integers,
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
        h, p = read(half_sizes[box]), read(positions[box])
        radius = sqrt(dot(h, h))
        for ray in range(len(origins)):
            origin, end = read(origins[ray]), read(ends[ray])
            if ray_robots[ray] == box_robots[box] or _misses(origin, end, p, radius):
                continue
            hit = _box_fraction(origin, end, p, R, h)
            fractions[ray] = min(fractions[ray], hit)


@compilable
def _misses(origin: Triple, end: Triple, centre: Triple, radius: float) -> bool:
    """Whether the segment stays outside a sphere: a cheap test that most pairs end with."""
    way, there = minus(end, origin), minus(centre, origin)
    along, squared = dot(way, there), dot(way, way)
    share = min(max(along / squared, 0.0), 1.0) if squared > 0.0 else 0.0
    apart = minus(there, times(share, way))
    return dot(apart, apart) > radius * radius


@compilable
def _box_fraction(origin: Triple, end: Triple, centre: Triple, R: Floats, half: Triple) -> float:
    """Where the segment enters the box, 1 where it does not (slab method, Kay and Kajiya 1986)."""
    start, way = to_body(R, minus(origin, centre)), to_body(R, minus(end, origin))
    enter, leave = 0.0, 1.0
    for k in range(3):
        if way[k] == 0.0:
            if abs(start[k]) > half[k]:
                return 1.0
            continue
        a, b = (-half[k] - start[k]) / way[k], (half[k] - start[k]) / way[k]
        enter, leave = max(enter, min(a, b)), min(leave, max(a, b))
    return enter if enter <= leave else 1.0
