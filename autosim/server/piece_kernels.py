"""The compiled parts of cutting a tile into pieces."""

from math import sqrt

import numpy as np
import numpy.typing as npt

from autosim.simulation.jit import compiled
from autosim.vehicle.bodies import Floats

Triangles = npt.NDArray[np.int32]
Rows = npt.NDArray[np.int64]


@compiled
def triangle_boxes(vertices: Floats, triangles: Triangles, first: int, last: int) -> Floats:
    """The boxes (n, 6) of the triangles [first, last): least x, y, z and largest x, y, z [m]."""
    boxes = np.empty((last - first, 6))
    for i in range(last - first):
        a, b, c = triangles[first + i, 0], triangles[first + i, 1], triangles[first + i, 2]
        for k in range(3):
            p, q, r = vertices[a, k], vertices[b, k], vertices[c, k]
            boxes[i, k] = min(p, q, r)
            boxes[i, k + 3] = max(p, q, r)
    return boxes


@compiled
def touching(boxes: Floats, low: Floats, high: Floats) -> Rows:
    """The rows of boxes (n, 6) that touch the box from `low` to `high`, (k,) both, k <= 3."""
    rows = np.empty(len(boxes), np.int64)
    count = 0
    for i in range(len(boxes)):
        is_near = True
        for k in range(len(low)):
            if boxes[i, k] > high[k] or boxes[i, k + 3] < low[k]:
                is_near = False
                break
        if is_near:
            rows[count] = i
            count += 1
    return rows[:count]


@compiled
def distances_to(points: Floats, edges: Floats) -> Floats:
    """Distances (n,) [m] of points (n, 3) to the nearest of edges (m, 2, 3); infinite without."""
    found = np.empty(len(points))
    for i in range(len(points)):
        least = np.inf
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        for j in range(len(edges)):
            ax, ay, az = edges[j, 0, 0], edges[j, 0, 1], edges[j, 0, 2]
            ux, uy, uz = edges[j, 1, 0] - ax, edges[j, 1, 1] - ay, edges[j, 1, 2] - az
            length = ux * ux + uy * uy + uz * uz
            along = (x - ax) * ux + (y - ay) * uy + (z - az) * uz
            share = min(max(along / length, 0.0), 1.0) if length > 0.0 else 0.0
            dx, dy, dz = x - ax - share * ux, y - ay - share * uy, z - az - share * uz
            least = min(least, dx * dx + dy * dy + dz * dz)
        found[i] = sqrt(least)
    return found
