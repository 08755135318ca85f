"""Entry of rays into solids: exact, in the solid's own axes.

All of these return the share of the way, 0 for a ray that begins inside, 1 for one that misses.
"""

from math import sqrt

from autosim.jit import jitable
from autosim.model.vector_kernels import Triple, dot, vec_add, vec_scale, vec_sub


@jitable
def enter_box(start: Triple, way: Triple, half: Triple) -> float:
    """Of a box with these `half` extents [m] (slab method, Kay and Kajiya 1986)."""
    enter, leave = 0.0, 1.0
    for k in range(3):
        if way[k] == 0.0:
            if abs(start[k]) > half[k]:
                return 1.0
            continue
        a, b = (-half[k] - start[k]) / way[k], (half[k] - start[k]) / way[k]
        enter, leave = max(enter, min(a, b)), min(leave, max(a, b))
    return enter if enter <= leave else 1.0


@jitable
def enter_sphere(start: Triple, way: Triple, radius: float) -> float:
    """Of a sphere about the origin, from the point of the ray that is nearest to its centre."""
    if dot(start, start) <= radius * radius:
        return 0.0
    squared = dot(way, way)
    if squared == 0.0:
        return 1.0
    share = -dot(start, way) / squared
    nearest = vec_add(start, vec_scale(share, way))
    rest = radius * radius - dot(nearest, nearest)
    if rest < 0.0:
        return 1.0
    enter = share - sqrt(rest / squared)
    return enter if 0.0 <= enter <= 1.0 else 1.0


@jitable
def enter_cylinder(start: Triple, way: Triple, radius: float, half: float) -> float:
    """Of a cylinder about z that reaches `half` [m] up and down."""
    x, y, z = start
    enter, leave = 0.0, 1.0
    squared = way[0] * way[0] + way[1] * way[1]
    if squared > 0.0:
        share = -(x * way[0] + y * way[1]) / squared
        across, aside = x + share * way[0], y + share * way[1]
        rest = radius * radius - across * across - aside * aside
        if rest < 0.0:
            return 1.0
        width = sqrt(rest / squared)
        enter, leave = max(enter, share - width), min(leave, share + width)
    elif x * x + y * y > radius * radius:
        return 1.0
    if way[2] != 0.0:
        a, b = (-half - z) / way[2], (half - z) / way[2]
        enter, leave = max(enter, min(a, b)), min(leave, max(a, b))
    elif abs(z) > half:
        return 1.0
    return enter if enter <= leave else 1.0


@jitable
def enter_capsule(start: Triple, way: Triple, radius: float, half: float) -> float:
    """Of a capsule about z whose caps are centred `half` [m] up and down."""
    top, bottom = vec_sub(start, (0.0, 0.0, half)), vec_add(start, (0.0, 0.0, half))
    caps = min(enter_sphere(top, way, radius), enter_sphere(bottom, way, radius))
    return min(caps, enter_cylinder(start, way, radius, half))
