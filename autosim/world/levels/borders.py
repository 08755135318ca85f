"""Borders in plan between streets of different levels that lie beside one another."""

from collections.abc import Mapping, Sequence

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Booleans, Floats
from autosim.world.geometry.curves import to_left
from autosim.world.levels.adjacent_streets import SideClearance
from autosim.world.levels.axis_samples import SPACING, along_axis
from autosim.world.levels.levels import LevelPiece, Levels
from autosim.world.streets.streets import Street

_BEYOND = 8.0


Borders = Mapping[tuple[int, int], BaseGeometry]
"""By street and level, what lies beyond the street's borders with other levels there."""


def find_borders(
    streets: Sequence[Street], levels: Levels, rooms: Mapping[int, SideClearance]
) -> Borders:
    """The borders of all streets that have some.

    Args:
        streets: all streets.
        levels: their pieces.
        rooms: of the streets that have less than their width.
    """
    found: dict[tuple[int, int], BaseGeometry] = {}
    for street, room in sorted(rooms.items()):
        for piece in levels.pieces[street]:
            beyond = beyond_borders(piece, streets[street], room)
            if not beyond.is_empty:
                key = (street, piece.level)
                found[key] = shapely.union(found[key], beyond) if key in found else beyond
    return found


def beyond_borders(piece: LevelPiece, street: Street, room: SideClearance) -> BaseGeometry:
    """What of a piece of a street and beside it lies beyond its borders with other levels.

    Args:
        piece: of the street.
        street: with its axis.
        room: what the street has to its sides.
    """
    points, ahead = along_axis(street.points, room.s)
    # The round ends of a carriageway reach beyond the street.
    points = np.vstack([points[0] - _BEYOND * ahead[0], points, points[-1] + _BEYOND * ahead[-1]])
    ahead = np.vstack([ahead[:1], ahead, ahead[-1:]])
    left = to_left(ahead)
    is_inside = _is_inside(piece, room.s)
    strips: list[BaseGeometry] = []
    farthest = street.profile.width / 2.0 + _BEYOND
    for side, border in ((left, room.left_border), (-left, room.right_border)):
        reach = np.concatenate([border[:1], border, border[-1:]])
        reach = np.where(is_inside, _grown(reach), np.inf)
        has_border = np.isfinite(reach)
        near = points + np.where(has_border, reach, 0.0)[:, None] * side
        far = points + farthest * side
        rows = np.flatnonzero(has_border[:-1] & has_border[1:])
        corners = np.stack([near[rows], near[rows + 1], far[rows + 1], far[rows]], axis=1)
        strips += shapely.get_parts(shapely.make_valid(shapely.polygons(corners))).tolist()
    return shapely.union_all(strips)


def _is_inside(piece: LevelPiece, s: Floats) -> Booleans:
    """Which of the samples at `s` (n,), and one more before and behind them, are about a piece."""
    s = np.concatenate([s[:1] - _BEYOND, s, s[-1:] + _BEYOND])
    after = (s > piece.start - SPACING) | (piece.start <= 0.0)
    before = (s < piece.end + SPACING) | (piece.end >= s[-2])
    return np.asarray(after & before)


def _grown(border: Floats) -> Floats:
    """Borders that go on by one sample at both ends."""
    padded = np.concatenate([[np.inf], border, [np.inf]])
    return np.asarray(np.minimum(border, np.minimum(padded[:-2], padded[2:])))
