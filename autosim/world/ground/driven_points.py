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
from autosim.world.geometry.point_spacing import apart_from, thinned
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
    transitions = _at_transitions(town) if level == GROUND else points[:0]
    exact = np.vstack([transitions, apart_from(transitions, at_cliffs, _APART)])
    return np.vstack([exact, apart_from(exact, apart_from(transitions, points, _APART), _CLOSE)])


def wheel_tracks(town: StreetMap, level: int, is_uneven: IsUneven) -> Floats:
    """Points (n, 2) [m] along the lanes of a level and on both sides of them, where it is uneven.

    They lie every 1.25 m, those at the sides just outside the wheels.

    Args:
        town: streets and lanes.
        level: its number.
        is_uneven: tells where the level is uneven.
    """
    lanes = [span.points for span in town.spans if span.level == level]
    if not lanes:
        return np.zeros((0, 2))
    points, ahead = _along(Polylines.of(lanes).shapes())
    chosen = is_uneven(points)
    return _with_sides(points[chosen], ahead[chosen])


def _at_transitions(town: StreetMap) -> Floats:
    """Points (n, 2) on the lines of the ground's transitions, each on the transition's own street.

    A line may reach over the border with a street beside it, into the lanes of that street.
    """
    found = [np.zeros((0, 2))]
    for transition in town.levels.transitions:
        points = transition_points([transition])
        for level in (transition.owner, transition.level):
            beyond = town.borders.get((transition.street, level))
            if beyond is not None:
                points = points[~shapely.contains_xy(beyond, points)]
        found.append(points)
    return _distinct(np.vstack(found))


def _distinct(points: Floats) -> Floats:
    """Points (n, 2) in their order without repetitions; a way that turns back repeats some."""
    _, first = np.unique(points, axis=0, return_index=True)
    return points[np.sort(first)]


def _at_cliffs(lanes: npt.NDArray[np.object_], cliffs: Floats) -> Floats:
    """Points (n, 2) along lanes and on both sides of them, where they pass cliffs."""
    if not len(cliffs) or not len(lanes):
        return np.zeros((0, 2))
    points, ahead = _along(lanes)
    gaps, _ = cKDTree(cliffs).query(points, distance_upper_bound=_FROM_AXIS)
    chosen = np.isfinite(gaps)
    return thinned(_with_sides(points[chosen], ahead[chosen]), _CLOSE)


def _along(lanes: npt.NDArray[np.object_]) -> tuple[Floats, Floats]:
    """Points (n, 2) [m] every `_PITCH` along lanes, and unit vectors (n, 2) ahead there."""
    points, of = shapely.get_coordinates(overlays.segmentize(lanes, _PITCH), return_index=True)
    goes_on = of[1:] == of[:-1]
    rows = np.arange(len(points))
    before = rows - np.concatenate([[False], goes_on])
    ahead = points[rows + np.concatenate([goes_on, [False]])] - points[before]
    return points, ahead / np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)


def _with_sides(points: Floats, ahead: Floats) -> Floats:
    """Points (3 n, 2): those of lanes (n, 2) and those beside them."""
    aside = _ASIDE * to_left(ahead)
    return np.vstack([points, points + aside, points - aside])
