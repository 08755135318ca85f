"""Posts, masts, trees and parked cars on and beside pavements, which people go round."""

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from autosim import portable
from autosim.arrays import Floats, Integers32
from autosim.world.geometry.meshes import Mesh, Surface

_OBLONG = 1.5
"""Ratio of length to width from which on a stem is a row of posts: one as wide as it is long would
bar the pavement beside a parked car."""

_STEP = 1.2
"""Distance between the posts of a row, as a share of their radius: it leaves no gap."""


def posts_of(obstacles: Mesh) -> Floats:
    """The posts (n, 3): x, y and radius [m] of all stems among the obstacles of a world.

    A stem that is longer than wide, as a parked car, is a row of posts.
    """
    stems = obstacles.select(obstacles.surfaces == Surface.STEM)
    count = len(stems.vertices)
    if not count:
        return np.zeros((0, 3))
    a, b, c = stems.triangles.T
    links = np.ones(2 * len(a))
    pairs = (np.concatenate([a, b]), np.concatenate([b, c]))
    graph = csr_matrix((links, pairs), shape=(count, count))
    number, part = connected_components(graph, directed=False)
    places = stems.vertices[:, :2]
    low, high = _bounds(places, part, number)
    middles = (low + high) / 2.0
    angles = _long_axes(places - middles[part], part, number)
    sine, cosine = portable.sin_cos(angles)
    turned = places - middles[part]
    along = cosine[part] * turned[:, 0] + sine[part] * turned[:, 1]
    across = cosine[part] * turned[:, 1] - sine[part] * turned[:, 0]
    first, last = _bounds(np.column_stack([along, across]), part, number)
    length, width = (last - first).T / 2.0
    is_oblong = length > _OBLONG * width
    single = np.column_stack([middles, (high - low).max(axis=1) / 2.0])[~is_oblong]
    return np.vstack([single, *(
        _row(middles[k], (cosine[k], sine[k]), length[k], width[k])
        for k in np.flatnonzero(is_oblong).tolist()
    )])  # fmt: skip


def _bounds(places: Floats, part: Integers32, number: int) -> tuple[Floats, Floats]:
    low, high = np.full((number, 2), np.inf), np.full((number, 2), -np.inf)
    np.minimum.at(low, part, places)
    np.maximum.at(high, part, places)
    return low, high


def _long_axes(gaps: Floats, part: Integers32, number: int) -> Floats:
    """The direction [rad] (n,) in which each stem is longest, from its points about its middle."""
    x, y = gaps.T
    # Twice the mixed moment, and the difference of the other two.
    mixed, difference = np.zeros(number), np.zeros(number)
    np.add.at(mixed, part, 2.0 * x * y)
    np.add.at(difference, part, x * x - y * y)
    return portable.arctan2(mixed, difference) / 2.0


def _row(middle: Floats, ahead: tuple[float, float], length: float, width: float) -> Floats:
    """Posts from end to end of an oblong of half a `length` and `width` [m]."""
    reach = length - width
    count = int(np.ceil(2.0 * reach / (_STEP * width))) + 1
    at = np.linspace(-reach, reach, count)
    x, y = (middle[k] + at * ahead[k] for k in (0, 1))
    return np.column_stack([x, y, np.full(count, width)])
