"""The triangles on both sides of a curve, each corner with what a table says of it.

Each segment of the curve has a quad to the left and one to the right, whose outer corners are its
own fake boundary points. Where the curve turns, triangles fill the corner on the outside; on the
inside the quads overlap, and the depth test decides: what is nearer to the curve hides the rest.
So the nearest segment says where a place is, as if all of them had been measured.
"""

from typing import NamedTuple

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.tracks.curve import Curve

_WIDEST_TRIANGLE = 0.2
"""Largest angle [rad] of a triangle at an outer corner: its outer side then lies within half a
percent of the width from the arc that it stands for."""


class Ribbon(NamedTuple):
    """Triangles of the plane with values at their corners, between which they change linearly.

    corners: (n, 2) x, y [m]; values: (n, 4) distance along the curve [m], offset from it [m,
    positive left], cosine and sine of its heading; triangles: (m, 3) numbers of corners. The depth
    of a corner is the size of its offset.
    """

    corners: Floats
    values: Floats
    triangles: Integers


def ribbon_of(curve: Curve, *, width: float, extension: float) -> Ribbon:
    """The triangles around a curve.

    Args:
        curve: the curve.
        width: of the ribbon [m], half of it to each side.
        extension: length by which an open curve is extended straight at its start and its end [m].
    """
    quads = _quads(curve, 0.5 * width, extension)
    fans = _fans(curve, 0.5 * width)
    return Ribbon(
        np.vstack([quads.corners, fans.corners]),
        np.vstack([quads.values, fans.values]),
        np.vstack([quads.triangles, fans.triangles + len(quads.corners)]),
    )


def _quads(curve: Curve, half: float, extension: float) -> Ribbon:
    """Two quads for each segment, and for each extension."""
    before, after = curve.points, np.roll(curve.points, -1, axis=0)
    tangents_before, tangents_after = curve.tangents, np.roll(curve.tangents, -1, axis=0)
    directions, distances = curve.directions, curve.distances
    if not curve.is_closed:
        first, last = directions[:1], directions[-1:]
        before = np.vstack([before[:1] - extension * first, before])
        after = np.vstack([before[1:], curve.points[-1:] + extension * last])
        directions = np.vstack([first, directions, last])
        tangents_before = np.vstack([first, curve.tangents])
        tangents_after = np.vstack([curve.tangents, last])
        end = curve.length + extension
        distances = np.concatenate([[-extension], distances, [end]])
    across = half * np.column_stack([-directions[:, 1], directions[:, 0]])
    count = len(directions)
    corners = np.stack(
        [before, after, before + across, after + across, before - across, after - across], axis=1
    )
    values = np.zeros((count, 6, 4))
    values[:, 0::2, 0] = distances[:-1, None]
    values[:, 1::2, 0] = distances[1:, None]
    values[:, 2:4, 1], values[:, 4:6, 1] = half, -half
    values[:, 0::2, 2:] = tangents_before[:, None]
    values[:, 1::2, 2:] = tangents_after[:, None]
    pattern = np.array([[0, 1, 3], [0, 3, 2], [1, 0, 4], [1, 4, 5]])
    triangles = pattern + 6 * np.arange(count)[:, None, None]
    return Ribbon(corners.reshape(-1, 2), values.reshape(-1, 4), triangles.reshape(-1, 3))


def _fans(curve: Curve, half: float) -> Ribbon:
    """The triangles that fill the outer corners."""
    inner = slice(None) if curve.is_closed else slice(1, -1)
    points, tangents = curve.points[inner], curve.tangents[inner]
    into = np.roll(curve.directions, 1, axis=0) if curve.is_closed else curve.directions[:-1]
    out = curve.directions if curve.is_closed else curve.directions[1:]
    distances = curve.distances[:-1] if curve.is_closed else curve.distances[1:-1]
    turns = portable.arctan2(
        into[:, 0] * out[:, 1] - into[:, 1] * out[:, 0], (into * out).sum(axis=1)
    )
    counts = np.ceil(np.abs(turns) / _WIDEST_TRIANGLE).astype(np.int64)
    # A row for each triangle: the point that it is at, and which of that point's it is.
    at = np.repeat(np.arange(len(points)), counts)
    first = np.cumsum(counts) - counts
    number = np.arange(len(at)) - first[at]
    side = np.where(turns > 0.0, -1.0, 1.0)  # the outside: right of a turn to the left
    step = turns / np.maximum(counts, 1)
    corners = np.empty((len(at), 3, 2))
    corners[:, 0] = points[at]
    for corner in (1, 2):
        sine, cosine = portable.sin_cos((number + corner - 1) * step[at])
        left_x = -(into[at, 0] * sine + into[at, 1] * cosine)
        left_y = into[at, 0] * cosine - into[at, 1] * sine
        corners[:, corner] = points[at] + (half * side[at])[:, None] * np.column_stack(
            [left_x, left_y]
        )
    values = np.zeros((len(at), 3, 4))
    values[:, :, 0] = distances[at, None]
    values[:, 1:, 1] = (half * side[at])[:, None]
    values[:, :, 2:] = tangents[at, None]
    triangles = np.arange(3 * len(at)).reshape(-1, 3)
    return Ribbon(corners.reshape(-1, 2), values.reshape(-1, 4), triangles)
