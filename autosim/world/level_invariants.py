"""What must hold where streets lie above one another, and along every lane.

`missed_lane_rays`: of points at least every metre along all lanes, those with no floor within
0.5 m of the lane.
`min_clearance_m`: the least height of a carriageway over one that it crosses; left out where
nothing crosses.
"""

import numpy as np
import numpy.typing as npt

from autosim.world.curves import Floats, arc_lengths
from autosim.world.ground_index import GroundIndex
from autosim.world.relief import Heights
from autosim.world.roads import RoadNetwork

_REACH = 0.5


def level_invariants(
    roads: RoadNetwork, heights: Heights, index: GroundIndex
) -> tuple[tuple[str, float], ...]:
    """The invariants as (name, value) pairs.

    Args:
        roads: the finished lanes.
        heights: profiles and crossings.
        index: of the ground and the floors of all decks.
    """
    missed = ("missed_lane_rays", float(count_missed_lane_rays(roads, index)))
    clearance = _least_clearance(heights, index)
    return (missed,) if clearance is None else (missed, ("min_clearance_m", clearance))


def count_missed_lane_rays(roads: RoadNetwork, index: GroundIndex) -> int:
    """How many points along the lanes, at least one each metre, have no floor near them."""
    if not len(roads.points):
        return 0
    is_inner = np.ones(len(roads.points) - 1, dtype=np.bool_)
    is_inner[roads.starts[1:-1] - 1] = False
    starts, ends = roads.points[:-1][is_inner], roads.points[1:][is_inner]
    points = np.vstack([starts + share * (ends - starts) for share in (0.0, 1 / 3, 2 / 3)])
    gaps = np.abs(index.heights_at(points) - points[:, 2])
    return int((~(gaps < _REACH)).sum())


def _least_clearance(heights: Heights, index: GroundIndex) -> float | None:
    """The least difference [m] of the floors where streets cross."""
    crossings = heights.crossings
    if not len(crossings.upper):
        return None
    uppers = _places(heights, crossings.upper, crossings.upper_s)
    lowers = _places(heights, crossings.lower, crossings.lower_s)
    # Both where the upper one is: a slanting lower street lies elsewhere beside its axis.
    lowers[:, :2] = uppers[:, :2]
    is_apart = index.triangles_at(uppers) != index.triangles_at(lowers)
    gaps = index.heights_at(uppers[is_apart]) - index.heights_at(lowers[is_apart])
    return float(np.nanmin(gaps)) if len(gaps) else None


def _places(heights: Heights, streets: npt.NDArray[np.int64], s: Floats) -> Floats:
    """Points (n, 3) of the axes of streets (n,) at arc lengths (n,)."""
    return np.array([_place(heights, int(k), float(at)) for k, at in zip(streets, s, strict=True)])


def _place(heights: Heights, street: int, s: float) -> Floats:
    points = heights.streets[street].points
    stations = arc_lengths(points)
    x, y = (np.interp(s, stations, points[:, k]) for k in (0, 1))
    return np.array([x, y, float(heights.profiles[street].at(s))])
