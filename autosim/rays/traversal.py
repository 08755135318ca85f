"""The nearest triangle that a ray meets, found in a `Hierarchy`.

The test of a ray with a triangle is that of Woop, Benthin and Wald (2013): the corners are seen
along the ray, and neighbours compute the same number for the edge that they share, so that no ray
passes between them. Triangles are met from both sides.
"""

from math import sqrt

import numpy as np

from autosim.rays.hierarchy import WIDTH, Floats, Hierarchy, Rows
from autosim.simulation.jit import compilable, compiled

STACK = 256
"""Children that wait at most: three for each level."""

NOTHING = -1
"""The number of a triangle that is not there."""

_STEEP = 1e300
"""What stands for one through nothing."""

Ray = tuple[float, float, float, float, float, float]


@compiled
def cast(
    hierarchy: Hierarchy,
    origins: Floats,
    ends: Floats,
    begin: int,
    fractions: Floats,
    normals: Floats,
    numbers: Rows,
    progress: Rows,
) -> int:
    links, entries = np.empty(STACK, np.int64), np.empty(STACK)
    found = np.empty(1, np.int64)
    for i in range(begin, len(origins)):
        ox, oy, oz = origins[i, 0], origins[i, 1], origins[i, 2]
        dx, dy, dz = ends[i, 0] - ox, ends[i, 1] - oy, ends[i, 2] - oz
        fraction = nearest(hierarchy, ox, oy, oz, dx, dy, dz, 1.0, links, entries, found)
        if fraction < 0.0:
            progress[0] = i
            return found[0]
        fractions[i] = fraction
        numbers[i] = found[0]
    return NOTHING


@compilable
def nearest(
    hierarchy: Hierarchy,
    ox: float, oy: float, oz: float,
    dx: float, dy: float, dz: float,
    limit: float,
    links: Rows,
    entries: Floats,
    found: Rows,
) -> float:
    best = limit
    found[0] = NOTHING
    ax, ay, az = abs(dx), abs(dy), abs(dz)
    reach = ax + ay + az
    if not (0.0 < reach < np.inf and abs(ox) + abs(oy) + abs(oz) < np.inf):
        return best
    kz = 0 if ax >= ay and ax >= az else (1 if ay >= az else 2)
    kx = (kz + 1) % 3
    ky = (kz + 2) % 3
    d = (dx, dy, dz)
    o = (ox, oy, oz)
    sz = 1.0 / d[kz]
    sx, sy = d[kx] * sz, d[ky] * sz
    okx, oky, okz = o[kx], o[ky], o[kz]
    ix, iy, iz = _inverse(dx), _inverse(dy), _inverse(dz)
    near_x, near_y, near_z = (0 if ix > 0.0 else 3), (1 if iy > 0.0 else 4), (2 if iz > 0.0 else 5)
    far_x, far_y, far_z = 3 - near_x, 5 - near_y, 7 - near_z
    bounds, first, count, corners = hierarchy.bounds, hierarchy.first, hierarchy.count, hierarchy.corners
    links[0], entries[0] = 0, 0.0
    height = 1
    while height > 0:
        height -= 1
        if entries[height] >= best:
            continue
        link = links[height]
        number, child = count[link], first[link]
        if number < 0:
            found[0] = link
            return -1.0
        if number > 0:
            for t in range(child, child + number):
                az = corners[t, kz] - okz
                bz = corners[t, 3 + kz] - okz
                cz = corners[t, 6 + kz] - okz
                ax = corners[t, kx] - okx - sx * az
                bx = corners[t, 3 + kx] - okx - sx * bz
                cx = corners[t, 6 + kx] - okx - sx * cz
                ay = corners[t, ky] - oky - sy * az
                by = corners[t, 3 + ky] - oky - sy * bz
                cy = corners[t, 6 + ky] - oky - sy * cz
                u = cx * by - cy * bx
                v = ax * cy - ay * cx
                w = bx * ay - by * ax
                if (u < 0.0 or v < 0.0 or w < 0.0) and (u > 0.0 or v > 0.0 or w > 0.0):
                    continue
                det = u + v + w
                if det == 0.0:
                    continue
                share = (u * az + v * bz + w * cz) * sz / det
                if 0.0 < share < best:
                    best = share
                    found[0] = t
            continue
        base = height
        for k in range(WIDTH):
            tx = (bounds[child, near_x, k] - ox) * ix
            ty = (bounds[child, near_y, k] - oy) * iy
            tz = (bounds[child, near_z, k] - oz) * iz
            fx = (bounds[child, far_x, k] - ox) * ix
            fy = (bounds[child, far_y, k] - oy) * iy
            fz = (bounds[child, far_z, k] - oz) * iz
            enter = max(max(tx, ty), max(tz, 0.0))
            leave = min(min(fx, fy), min(fz, best))
            if enter <= leave:
                j = height
                while j > base and entries[j - 1] < enter:
                    entries[j], links[j] = entries[j - 1], links[j - 1]
                    j -= 1
                entries[j], links[j] = enter, child * WIDTH + k
                height += 1
        if height > STACK - WIDTH:
            break
    return best


@compilable
def _inverse(way: float) -> float:
    return 1.0 / way if abs(way) > 1e-300 else _STEEP
