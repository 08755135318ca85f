"""Borders in plan between streets of different levels that lie side by side."""

from collections.abc import Mapping, Sequence

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Booleans, Floats
from autosim.world.geometry import overlays
from autosim.world.geometry.curves import to_left
from autosim.world.levels.adjacent_streets import SideClearance
from autosim.world.levels.axis_samples import SPACING, along_axis
from autosim.world.levels.level_division import LevelPiece, Levels
from autosim.world.streets.street_finding import Street

_BEYOND = 8.0
"""Distance [m] by which borders extend before and behind a street, and to its sides: farther than
the round ends of most carriageways reach, and any pavement."""

_REACH_UNDER = 1.0
"""Distance [m] by which a level reaches under the one that begins at its transition: as far as the
shapes of carriageways do."""

Borders = Mapping[tuple[int, int], BaseGeometry]
"""By street and level: the area beyond the street's borders with other levels."""


def find_borders(
    streets: Sequence[Street], levels: Levels, side_clearances: Mapping[int, SideClearance]
) -> Borders:
    """The borders of all streets.

    Args:
        streets: all streets.
        levels: the division of the streets into levels.
        side_clearances: of the streets that have less than their width.
    """
    found: dict[tuple[int, int], BaseGeometry] = {}
    for street, clearance in sorted(side_clearances.items()):
        for piece in levels.pieces[street]:
            beyond = beyond_borders(piece, streets[street], clearance)
            if not beyond.is_empty:
                key = (street, piece.level)
                found[key] = overlays.union(found[key], beyond) if key in found else beyond
    return found


def beyond_borders(piece: LevelPiece, street: Street, clearance: SideClearance) -> BaseGeometry:
    """The area beside a piece of a street that lies beyond its borders with other levels.

    Args:
        piece: of the street.
        street: the whole street.
        clearance: that of the street.
    """
    points, ahead = along_axis(street.points, clearance.s)
    # The round ends of a carriageway reach beyond the street.
    points = np.vstack([points[0] - _BEYOND * ahead[0], points, points[-1] + _BEYOND * ahead[-1]])
    ahead = np.vstack([ahead[:1], ahead, ahead[-1:]])
    left = to_left(ahead)
    is_inside = _is_inside(piece, clearance.s)
    strips: list[BaseGeometry] = []
    farthest = street.profile.width / 2.0 + _BEYOND
    for side, border in ((left, clearance.left_border), (-left, clearance.right_border)):
        reach = np.concatenate([border[:1], border, border[-1:]])
        is_own = is_inside | _goes_on(piece, clearance.s, border)
        reach = np.where(is_own, _grown(reach), np.inf)
        has_border = np.isfinite(reach)
        near = points + np.where(has_border, reach, 0.0)[:, None] * side
        far = points + farthest * side
        rows = np.flatnonzero(has_border[:-1] & has_border[1:])
        corners = np.stack([near[rows], near[rows + 1], far[rows + 1], far[rows]], axis=1)
        strips += shapely.get_parts(overlays.make_valid(shapely.polygons(corners))).tolist()
    return overlays.union_all(strips)


def _is_inside(piece: LevelPiece, s: Floats) -> Booleans:
    """Mask (n + 2,) of samples at `s` (n,), with one before and one behind, that are in a piece."""
    s = np.concatenate([s[:1] - _BEYOND, s, s[-1:] + _BEYOND])
    after = (s > piece.start - SPACING) | (piece.start <= 0.0)
    before = (s < piece.end + SPACING) | (piece.end >= s[-2])
    return np.asarray(after & before)


def _goes_on(piece: LevelPiece, s: Floats, border: Floats) -> Booleans:
    """Mask of samples as in `_is_inside` beside the part of a piece under the next level.

    Only those count before which the piece itself has a border: those of the next level may be
    borders with the piece's own level.
    """
    first = min(int(np.searchsorted(s, piece.start)), len(s) - 1)
    last = max(int(np.searchsorted(s, piece.end, side="right")) - 1, 0)
    reach = SPACING + _REACH_UNDER
    s = np.concatenate([s[:1] - _BEYOND, s, s[-1:] + _BEYOND])
    before = (s < piece.start) & (s > piece.start - reach) & np.isfinite(border[first])
    behind = (s > piece.end) & (s < piece.end + reach) & np.isfinite(border[last])
    return np.asarray(before | behind)


def _grown(border: Floats) -> Floats:
    """Borders (n,) extended by one sample at both ends."""
    padded = np.concatenate([[np.inf], border, [np.inf]])
    return np.asarray(np.minimum(border, np.minimum(padded[:-2], padded[2:])))
