"""Where a sheet has vertices inside its carriageway: along what is driven, and at its joints.

With the borders alone triangles would reach across the carriageway, and a wheel would meet their
edges at heights that are none of its street's. Where a street far above or below is near, there are
vertices on both sides of each lane, so that no triangle reaches from its middle over the edge.
"""

import numpy as np
import numpy.typing as npt
import shapely
from scipy.spatial import cKDTree

from autosim.world.carriageways import StreetMap
from autosim.world.curves import Floats
from autosim.world.ground_relief import joint_points
from autosim.world.levels import GROUND
from autosim.world.triangulation import Relief

_SPACING = 2.5
_PITCH = 1.25
_APART = 1.0
_FROM_AXIS = 6.0


def driven_points(town: StreetMap, sheet: int, relief: Relief) -> Floats:
    """Points (n, 2) [m] along the axes and the lanes of a sheet, where it is uneven.

    They are rounded to a lattice, so that no two of them are near each other; on the ground those
    on the lines of its joints are exact.

    Args:
        town: streets and lanes.
        sheet: its number.
        relief: where the sheet is anything but level.
    """
    lines = [piece.line for piece in town.levels.on(sheet)]
    lines += [span.points for span in town.spans if span.sheet == sheet]
    shapes = np.array([shapely.LineString(line) for line in lines], dtype=object)
    points = shapely.get_coordinates(shapely.segmentize(shapes, _SPACING))
    points = points[relief(points)]
    points = np.vstack([points, _beside_cliffs(shapes, town.flanks.cliffs)])
    points = np.unique(np.round(points / _PITCH), axis=0) * _PITCH
    joints = joint_points(town.levels.joints) if sheet == GROUND else points[:0]
    if len(joints) and len(points):
        gaps, _ = cKDTree(joints).query(points)
        points = points[gaps > _APART]
    return np.vstack([joints, points])


def _beside_cliffs(lines: npt.NDArray[np.object_], cliffs: Floats) -> Floats:
    """Points (n, 2) along `lines` and at both sides of them, where they pass cliffs."""
    if not len(cliffs):
        return cliffs
    points, of = shapely.get_coordinates(shapely.segmentize(lines, _PITCH), return_index=True)
    gaps, _ = cKDTree(cliffs).query(points, distance_upper_bound=_FROM_AXIS)
    ahead = np.gradient(points, axis=0)
    is_inner = np.concatenate([[False], (of[2:] == of[1:-1]) & (of[1:-1] == of[:-2]), [False]])
    rows = np.flatnonzero(np.isfinite(gaps) & is_inner)
    ahead = ahead[rows] / np.maximum(np.linalg.norm(ahead[rows], axis=1, keepdims=True), 1e-9)
    aside = _PITCH * np.column_stack([-ahead[:, 1], ahead[:, 0]])
    return np.vstack([points[rows], points[rows] + aside, points[rows] - aside])
