"""Paints the lines of a map of lanelets, and the stripes of its crosswalks."""

from collections.abc import Iterator, Sequence

import numpy as np
import shapely

from autosim import portable
from autosim.arrays import Floats
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.lanelets.lanelet_borders import at_shares, length_of_line, shares_of
from autosim.world.lanelets.lanelet_records import LaneletMark
from autosim.world.markings.patches import Patches, laid
from autosim.world.opendrive.road_paint import zebra

_DASH, _GAP = 3.0, 6.0
"""Length [m] of dashes and of the gaps between them."""

_APART = 0.12
"""Distance [m] between the two parts of a double line."""

_STEP = 2.0
"""Greatest length [m] of a piece of a line."""

_LEAST = 0.05
"""Length [m] of the shortest line that is painted."""


def paint_lanelets(
    marks: Sequence[LaneletMark], crosswalks: Sequence[shapely.Polygon], road: GroundIndex
) -> Mesh:
    """Makes all painted lines, which are drawn and do not collide.

    Args:
        marks: the lines.
        crosswalks: in plan, with heights.
        road: index of all floors, on which the paint lies.
    """
    parts = [patches for mark in marks for patches in _patches(mark)]
    parts += [zebra(each) for each in crosswalks]
    return laid(Patches.joined(parts), road)


def _patches(mark: LaneletMark) -> Iterator[Patches]:
    length = length_of_line(mark.points)
    if length < _LEAST:
        return
    surface = Surface.PAINT_YELLOW if mark.is_yellow else Surface.PAINT
    for k, is_solid in enumerate(mark.parts):
        offset = mark.shift - (k - (len(mark.parts) - 1) / 2.0) * (mark.width + _APART)
        period, dash = (length, length) if is_solid else (_DASH + _GAP, _DASH)
        quads = [
            _quads(mark.points, start / length, min(start + dash, length) / length, offset, mark)
            for start in np.arange(0.0, length - _LEAST, period).tolist()
        ]
        if quads:
            yield Patches.of(np.concatenate(quads), surface)


def _quads(line: Floats, first: float, last: float, offset: float, mark: LaneletMark) -> Floats:
    """The corners (n, 4, 3) of a piece of a line between two shares of its length."""
    own = shares_of(line)
    count = max(int(np.ceil((last - first) * length_of_line(line) / _STEP - 1e-9)), 1)
    inner = own[(own > first + 1e-6) & (own < last - 1e-6)]
    shares = np.unique(np.concatenate([np.linspace(first, last, count + 1), inner]))
    points = at_shares(line, shares)
    steps = np.diff(points[:, :2], axis=0)
    steps /= np.maximum(portable.hypot(*steps.T), 1e-9)[:, None]
    tangents = np.vstack([steps[:1], steps[:-1] + steps[1:], steps[-1:]])
    tangents /= np.maximum(portable.hypot(*tangents.T), 1e-9)[:, None]
    left = np.column_stack([-tangents[:, 1], tangents[:, 0], np.zeros(len(points))])
    low, high = (points + left * (offset + half) for half in (-mark.width / 2.0, mark.width / 2.0))
    return np.stack([low[:-1], low[1:], high[1:], high[:-1]], axis=1)
