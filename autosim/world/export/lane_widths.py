"""Widths of OpenDRIVE lanes that put their middles on the centre lines of our lanes.

A lane of OpenDRIVE lies between borders that add up from the reference line outwards, so that its
middle depends on the widths of all lanes before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats
from autosim.world.export.reference_line import ReferenceLine
from autosim.world.lanes.roads import Lane

_EQUAL = 0.01
"""Difference [m] up to which a lane lies where its constant width puts it."""

_SAME_STATION = 1e-3
"""Distance [m] up to which a station is the end of the road: they are rounded to it."""

_NARROWEST = 0.5
"""Least width [m] of a lane that overlaps the one before it: readers reject widths below 0."""


@dataclass(frozen=True, slots=True)
class LaneWidth:
    """Width `values` (n,) [m] of a lane at `stations` (n,) [m], the first one 0; linear between."""

    stations: Floats
    values: Floats

    def extended(self, length: float) -> "LaneWidth":
        """The width on a road of that length [m]: behind its last station it stays as it is."""
        if self.stations[-1] >= length - _SAME_STATION:
            return self
        return LaneWidth(np.append(self.stations, length), np.append(self.values, self.values[-1]))


def lane_widths(line: ReferenceLine, lanes: Sequence[Lane]) -> list[LaneWidth]:
    """The widths of the lanes of a road.

    Args:
        line: the reference line: the middle of the first lane.
        lanes: from left to right.
    """
    start = np.zeros(1)
    found = [LaneWidth(start, np.array([lanes[0].width]))]
    border = LaneWidth(start, np.array([-lanes[0].width / 2.0]))
    for lane in lanes[1:]:
        stations, offsets = _placed(line, lane)
        inner = np.interp(stations, border.stations, border.values)
        widths = np.maximum(2.0 * (inner - offsets), _NARROWEST)
        if np.abs(inner - offsets - lane.width / 2.0).max() < _EQUAL:
            widths = np.full_like(widths, lane.width)
            found.append(LaneWidth(start, widths[:1]))
        else:
            found.append(LaneWidth(stations, widths).extended(line.length))
        border = LaneWidth(stations, inner - widths)
    return found


def _placed(line: ReferenceLine, lane: Lane) -> tuple[Floats, Floats]:
    """Stations (n,), ascending from 0, and offsets (n,) to the left of a lane's middle [m]."""
    stations, offsets = line.place(lane.centre_line[:, :2])
    stations, kept = np.unique(np.round(stations, 3), return_index=True)
    stations[0] = 0.0
    return stations, offsets[kept]
