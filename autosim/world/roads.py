"""The network of lanes: where a vehicle may drive, and how lanes follow one another."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class Lane(Protocol):
    """One lane of one road: a curve with two maps.

    `centre_line` is (n, 3) float64 [m] in W, in driving direction; `width` [m];
    `speed_limit` [m/s]; `successors` are the indices of the lanes that may follow.
    """

    index: int
    road: int
    centre_line: Floats
    width: float
    speed_limit: float
    highway: str
    successors: tuple[int, ...]

    @property
    def length(self) -> float:
        """Arc length of the centre line [m]."""

    def position(self, s: float, t: float = 0.0) -> Floats:
        """Point (3,) in W at `s` [m] along the lane and `t` [m] to its left."""

    def heading(self, s: float) -> float:
        """Direction of driving [rad], counter-clockwise from east, at `s` [m]."""

    def local_coordinates(self, point: Floats) -> tuple[float, float]:
        """(s, t) [m] of the nearest point of the lane to `point` (2,) or (3,) in W."""


@dataclass(frozen=True, slots=True)
class RoadNetwork:
    """All lanes of a world, with successors through junctions. (To be completed.)"""

    lanes: tuple[Lane, ...]
