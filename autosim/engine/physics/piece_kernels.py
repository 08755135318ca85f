"""The compiled parts of cutting a tile into pieces."""

from math import sqrt

import numpy as np

from autosim.arrays import Floats, Floats32, Integers, Integers32
from autosim.jit import compiled

Triangles = Integers32
Rows = Integers
Distances = Floats32


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
def bounds(boxes: Floats, rows: Rows) -> tuple[Floats, Floats]:
    """The box, low and high (3,) both, around `rows` (n,) of boxes (m, 6); n > 0."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for row in rows:
        for k in range(3):
            low[k] = min(low[k], boxes[row, k])
            high[k] = max(high[k], boxes[row, k + 3])
    return low, high


@compiled
def touching(boxes: Floats, rows: Rows, low: Floats, high: Floats) -> Rows:
    """The `rows` (n,) of boxes (m, 6) that touch the box from `low` to `high`, (k,), k <= 3."""
    found = np.empty(len(rows), np.int64)
    count = 0
    for row in rows:
        is_near = True
        for k in range(len(low)):
            if boxes[row, k] > high[k] or boxes[row, k + 3] < low[k]:
                is_near = False
                break
        if is_near:
            found[count] = row
            count += 1
    return found[:count]


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


@compiled
def nearest_places(
    places: Floats, to_tiles: Distances, limit: float, tiles: Rows, starts: Rows, boxes: Floats
) -> Floats:
    """Distances (n,) [m] of boxes from the nearest position; infinite beyond `limit`.

    Args:
        places: (m, 2) m in W.
        to_tiles: (m, tiles) m, how far places are from tiles: not further than from what is in
            them.
        limit: [m].
        tiles: (k,) numbers of tiles.
        starts: (k + 1,) where in `boxes` those of each begin.
        boxes: (n, 4) x_min, y_min, x_max, y_max [m] in W.
    """
    nearest = np.full(len(boxes), np.inf)
    for i in range(len(tiles)):
        for j in range(len(places)):
            if to_tiles[j, tiles[i]] > limit:
                continue
            x, y = places[j, 0], places[j, 1]
            for k in range(starts[i], starts[i + 1]):
                dx = max(boxes[k, 0] - x, x - boxes[k, 2], 0.0)
                dy = max(boxes[k, 1] - y, y - boxes[k, 3], 0.0)
                distance = sqrt(dx * dx + dy * dy)
                if distance <= limit and distance < nearest[k]:
                    nearest[k] = distance
    return nearest


@compiled
def has_moved(positions: Floats, places: Floats, stride: float) -> bool:
    """Whether any of `positions` (n, 3) [m] is further from its place (n, 2) than `stride` [m].

    Along x or along y.
    """
    for i in range(len(positions)):
        for k in range(2):
            if abs(positions[i, k] - places[i, k]) > stride:
                return True
    return False
