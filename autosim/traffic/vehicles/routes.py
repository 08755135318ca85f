"""Routes that vehicles are given: the streets that they are to take, one after the other."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from autosim.arrays import Integers


class Routes(NamedTuple):
    """Route k has `streets[starts[k]:starts[k + 1]]`, numbers as in `RoadNetwork.roads`."""

    streets: Integers
    starts: Integers

    @classmethod
    def of(cls, routes: Sequence[Sequence[int]]) -> "Routes":
        """The routes with these streets."""
        streets = [street for route in routes for street in route]
        ends = np.cumsum([0, *(len(route) for route in routes)])
        return cls(np.array(streets, dtype=np.int64), ends.astype(np.int64))
