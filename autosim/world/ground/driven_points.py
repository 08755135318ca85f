"""Places vertices inside the carriageway of a level: along axes and lanes, and at transitions.

Without them triangles would reach from one border to the other, and a wheel would meet edges whose
heights do not follow its street. Where a street far above or below passes close by, lanes get
vertices on both sides too, so that no triangle reaches from a lane's middle over the edge.
"""

import numpy as np
import numpy.typing as npt
import shapely
from scipy.spatial import cKDTree

from autosim.arrays import Floats
from autosim.world.geometry import overlays
from autosim.world.geometry.curves import to_left
from autosim.world.geometry.height_function import IsUneven
from autosim.world.geometry.polylines import Polylines
from autosim.world.ground.ground_under_structures import transition_points
from autosim.world.levels.level_division import GROUND
from autosim.world.surfaces.carriageway_shapes import StreetMap

_SPACING = 2.5
"""Distance [m] between points along an axis or a lane: about the wheelbase of a car."""

_PITCH = 1.25
"""Spacing [m] of the lattice to which points are rounded: half of `_SPACING`, so that points of
neighbouring lines coincide or keep apart."""

_APART = 1.0
"""Distance [m] that lattice points keep from the exact points of transitions."""

_FROM_AXIS = 6.0
"""Distance [m] from a cliff within which a lane passes it: two lanes."""

_CLOSE = 0.6
"""Distance [m] within which two exact points make triangles that are too small: one is left out."""

_ASIDE = 0.9
"""Distance [m] from a lane's middle of the points beside it: a little farther than the wheels."""


def driven_points(town: StreetMap, level: int, is_uneven: IsUneven) -> Floats:
    """Points (n, 2) [m] along the axes and the lanes of a level, where it is uneven.

    They are rounded to a lattice, so that no two of them are close. Two kinds are exact instead:
    points on the lines of the ground's transitions, and points on and beside lanes that pass
    cliffs, where the surface leans.

    Args:
        town: streets and lanes.
        level: its number.
        is_uneven: tells where the level is uneven.
    """
    axes = [piece.line for piece in town.levels.on(level)]
    lanes = [span.points for span in town.spans if span.level == level]
    driven = Polylines.of([*axes, *lanes]).shapes()
    points = shapely.get_coordinates(overlays.segmentize(driven, _SPACING))
    points = points[is_uneven(points)]
    at_cliffs = _at_cliffs(driven[len(axes) :], town.cliffs)
    points = np.unique(np.round(points / _PITCH), axis=0) * _PITCH
    transitions = (
        _distinct(transition_points(town.levels.transitions)) if level == GROUND else points[:0]
    )
    exact = np.vstack([transitions, _apart_from(transitions, at_cliffs, _APART)])
    return np.vstack([exact, _apart_from(exact, _apart_from(transitions, points, _APART), _CLOSE)])


def _distinct(points: Floats) -> Floats:
    """Points (n, 2) in their order without repetitions; a way that turns back repeats some."""
    _, first = np.unique(points, axis=0, return_index=True)
    return points[np.sort(first)]


def _apart_from(others: Floats, points: Floats, distance: float) -> Floats:
    """The points (n, 2) that are farther than `distance` [m] from each of `others` (m, 2)."""
    if not len(others) or not len(points):
        return points
    gaps, _ = cKDTree(others).query(points, distance_upper_bound=2.0 * distance)
    return np.asarray(points[gaps > distance])


def _at_cliffs(lanes: npt.NDArray[np.object_], cliffs: Floats) -> Floats:
    """Points (n, 2) along lanes and on both sides of them, where they pass cliffs."""
    if not len(cliffs) or not len(lanes):
        return np.zeros((0, 2))
    points, of = shapely.get_coordinates(overlays.segmentize(lanes, _PITCH), return_index=True)
    gaps, _ = cKDTree(cliffs).query(points, distance_upper_bound=_FROM_AXIS)
    rows = np.flatnonzero(np.isfinite(gaps))
    goes_on = of[1:] == of[:-1]
    before = rows - np.concatenate([[False], goes_on])[rows]
    ahead = points[rows + np.concatenate([goes_on, [False]])[rows]] - points[before]
    ahead /= np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)
    aside = _ASIDE * to_left(ahead)
    return _thinned(np.vstack([points[rows], points[rows] + aside, points[rows] - aside]))


def _thinned(points: Floats) -> Floats:
    """Points (n, 2) without those that are closer than `_CLOSE` to an earlier one that stays."""
    if not len(points):
        return points
    pairs = cKDTree(points).query_pairs(_CLOSE, output_type="ndarray")
    is_kept = np.ones(len(points), dtype=np.bool_)
    for first, second in pairs[np.lexsort(pairs.T[::-1])].tolist():
        if is_kept[first]:
            is_kept[second] = False
    return np.asarray(points[is_kept])
