"""Draws triangles into texels with the depth test, as a graphics card does, but without one.

The same input gives the same bits on every processor. A texel belongs to a triangle if its middle
does; of several triangles the one counts whose offset is smallest there.
"""

from math import ceil, floor
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Floats32, Integers
from autosim.jit import compiled, jitable
from autosim.tracks.ribbon import Ribbon

_EDGE = 1e-9
"""Distance [texels] outside a triangle at which the middle of a texel may lie: rounding must not
leave a gap between two triangles."""

_FLAT = 1e-12
"""Twice the area [texels²] below which a triangle covers nothing."""


class Square(NamedTuple):
    """Position of the texels of a table.

    The middle of texel (row, column) is at x = west + (column + 0.5) / per_metre,
    y = south + (row + 0.5) / per_metre.
    """

    west: float
    """Left edge [m]."""
    south: float
    """Lower edge [m]."""
    per_metre: float
    """Number of texels per metre."""
    length: float
    """Of a closed curve [m], at which distances begin again; 0 of an open one."""


def draw(ribbon: Ribbon, square: Square, values: Floats32) -> None:
    """Draws a ribbon.

    Args:
        ribbon: triangles with four values at each corner.
        square: where the texels lie.
        values: (size, size, 5), overwritten: the four, and 1 where a triangle is, -1 where none is
            (and the four are 0).
    """
    corner = np.array([square.west, square.south])
    places = (ribbon.corners - corner) * square.per_metre - 0.5
    _draw(places, ribbon.values, ribbon.triangles, values)


@compiled
def _draw(places: Floats, given: Floats, triangles: Integers, values: Floats32) -> None:
    """Draws triangles whose corners are at `places` (n, 2): column and row [texels]."""
    rows, columns = values.shape[0], values.shape[1]
    for row in range(rows):
        for column in range(columns):
            values[row, column, 0] = 0.0
            values[row, column, 1] = 0.0
            values[row, column, 2] = 0.0
            values[row, column, 3] = 0.0
            values[row, column, 4] = -1.0
    planes = np.empty((4, 3))
    edges = np.empty((3, 3))
    for t in range(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        area = _set_edges(places, a, b, c, edges)
        if abs(area) < _FLAT:
            continue
        for k in range(4):
            _set_plane(edges, given[a, k], given[b, k], given[c, k], planes[k])
        top = max(places[a, 1], places[b, 1], places[c, 1])
        bottom = min(places[a, 1], places[b, 1], places[c, 1])
        for row in range(max(0, ceil(bottom - _EDGE)), min(rows - 1, floor(top + _EDGE)) + 1):
            first, last = _span(edges, row, columns)
            _fill(values[row], planes, row, first, last)


@jitable
def _set_edges(places: Floats, a: int, b: int, c: int, edges: Floats) -> float:
    """Writes into `edges` (3, 3) the barycentric coordinates, each e0 + e1 column + e2 row.

    Returns:
        twice the area [texels²].
    """
    ax, ay, bx, by = places[a, 0], places[a, 1], places[b, 0], places[b, 1]
    cx, cy = places[c, 0], places[c, 1]
    area: float = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    if abs(area) < _FLAT:
        return area
    share = 1.0 / area
    edges[0, 0], edges[0, 1], edges[0, 2] = (bx * cy - by * cx), by - cy, cx - bx
    edges[1, 0], edges[1, 1], edges[1, 2] = (cx * ay - cy * ax), cy - ay, ax - cx
    edges[2, 0], edges[2, 1], edges[2, 2] = (ax * by - ay * bx), ay - by, bx - ax
    for k in range(3):
        for i in range(3):
            edges[k, i] *= share
    return area


@jitable
def _set_plane(edges: Floats, a: float, b: float, c: float, plane: Floats) -> None:
    """Writes into `plane` (3,) the value between the corners: p0 + p1 column + p2 row."""
    for i in range(3):
        plane[i] = a * edges[0, i] + b * edges[1, i] + c * edges[2, i]


@jitable
def _span(edges: Floats, row: int, columns: int) -> tuple[int, int]:
    """First and last column of a row that lie in the triangle; none where the last is less."""
    left, right = 0.0, columns - 1.0
    for k in range(3):
        level, slope = edges[k, 0] + edges[k, 2] * row, edges[k, 1]
        if slope > 0.0:
            left = max(left, -level / slope - _EDGE)
        elif slope < 0.0:
            right = min(right, -level / slope + _EDGE)
        elif level < -_EDGE:
            return 0, -1
    if not left <= right:
        return 0, -1
    return ceil(left), floor(right)


@jitable
def _fill(texels: Floats32, planes: Floats, row: int, first: int, last: int) -> None:
    """Writes the texels (columns, 5) of a row from `first` to `last` that nothing nearer has."""
    offset, distance = planes[1], planes[0]
    offset_0, offset_1 = offset[0] + offset[2] * row, offset[1]
    distance_0, distance_1 = distance[0] + distance[2] * row, distance[1]
    cosine_0, cosine_1 = planes[2, 0] + planes[2, 2] * row, planes[2, 1]
    sine_0, sine_1 = planes[3, 0] + planes[3, 2] * row, planes[3, 1]
    for column in range(first, last + 1):
        here = offset_0 + offset_1 * column
        if texels[column, 4] < 0.0 or abs(here) < abs(texels[column, 1]):
            texels[column, 0] = distance_0 + distance_1 * column
            texels[column, 1] = here
            texels[column, 2] = cosine_0 + cosine_1 * column
            texels[column, 3] = sine_0 + sine_1 * column
            texels[column, 4] = 1.0
