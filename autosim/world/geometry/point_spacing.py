"""Points that keep a distance from others."""

import numpy as np
from scipy.spatial import cKDTree

from autosim.arrays import Floats


def apart_from(others: Floats, points: Floats, distance: float) -> Floats:
    """The points (n, 2) that are farther than `distance` [m] from each of `others` (m, 2)."""
    if not len(others) or not len(points):
        return points
    gaps, _ = cKDTree(others).query(points, distance_upper_bound=2.0 * distance)
    return np.asarray(points[gaps > distance])


def thinned(points: Floats, distance: float) -> Floats:
    """Points (n, 2) without those within `distance` [m] of an earlier one that is kept."""
    if not len(points):
        return points
    pairs = cKDTree(points).query_pairs(distance, output_type="ndarray")
    is_kept = np.ones(len(points), dtype=np.bool_)
    for first, second in pairs[np.lexsort(pairs.T[::-1])].tolist():
        if is_kept[first]:
            is_kept[second] = False
    return np.asarray(points[is_kept])
