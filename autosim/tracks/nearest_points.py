"""Exact positions along a curve: slow, for judging runs and for making tracks."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats
from autosim.jit import compiled
from autosim.tracks.curve import Curve


class NearestPoints(NamedTuple):
    """Positions of n points: arrays (n,).

    distance: along the curve [m]; offset: from it [m], positive left, with no bound.
    """

    distance: Floats
    offset: Floats


def nearest_points(curve: Curve, places: npt.ArrayLike) -> NearestPoints:
    """The nearest point of a curve to each place (n, 2) [m]."""
    wanted = np.asarray(places, dtype=np.float64).reshape(-1, 2)
    found = NearestPoints(np.empty(len(wanted)), np.empty(len(wanted)))
    starts = curve.points[: len(curve.directions)]
    ends = np.roll(curve.tangents, -1, axis=0)[: len(curve.directions)]
    _find(
        starts,
        curve.directions,
        curve.lengths,
        curve.distances,
        curve.tangents,
        ends,
        wanted,
        found.distance,
        found.offset,
    )
    return found


@compiled
def _find(
    starts: Floats,
    directions: Floats,
    lengths: Floats,
    distances: Floats,
    tangents: Floats,
    end_tangents: Floats,
    places: Floats,
    along: Floats,
    across: Floats,
) -> None:
    for i in range(len(places)):
        least = np.inf
        for k in range(len(starts)):
            dx, dy = places[i, 0] - starts[k, 0], places[i, 1] - starts[k, 1]
            ux, uy = directions[k, 0], directions[k, 1]
            station = min(max(dx * ux + dy * uy, 0.0), lengths[k])
            dx, dy = dx - station * ux, dy - station * uy
            square = dx * dx + dy * dy
            if square < least:
                least = square
                # At a corner the side is that of the mean direction.
                share = station / lengths[k]
                tx = (1.0 - share) * tangents[k, 0] + share * end_tangents[k, 0]
                ty = (1.0 - share) * tangents[k, 1] + share * end_tangents[k, 1]
                side = 1.0 if tx * dy - ty * dx >= 0.0 else -1.0
                along[i], across[i] = distances[k] + station, side * np.sqrt(square)
