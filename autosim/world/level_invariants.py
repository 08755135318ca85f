"""What must hold where streets lie above one another, and along every lane.

`missed_lane_rays`: of points every metre along all lanes, those with no floor within 0.5 m of the
lane.
`min_clearance_m`: the least height of a carriageway over one that it crosses; left out where
nothing crosses.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from autosim.world.compiled import Mesh
from autosim.world.curves import Floats, arc_lengths, resample
from autosim.world.decks import Deck
from autosim.world.ground_index import GroundIndex
from autosim.world.meshes import joined
from autosim.world.relief import Heights
from autosim.world.roads import RoadNetwork

_STEP = 1.0
_REACH = 0.5


def level_invariants(
    roads: RoadNetwork, heights: Heights, ground: Mesh, decks: Sequence[Deck]
) -> tuple[tuple[str, float], ...]:
    """The invariants as (name, value) pairs.

    Args:
        roads: the finished lanes.
        heights: profiles and crossings.
        ground: the ground's mesh.
        decks: bridges and tunnels.
    """
    index = GroundIndex.build(joined([ground, *(deck.floor for deck in decks)]))
    missed = ("missed_lane_rays", float(count_missed_lane_rays(roads, index)))
    clearance = _least_clearance(heights, index)
    return (missed,) if clearance is None else (missed, ("min_clearance_m", clearance))


def count_missed_lane_rays(roads: RoadNetwork, index: GroundIndex) -> int:
    """How many points along the lanes, one each metre, have no floor near their height."""
    if not len(roads.lanes):
        return 0
    points = np.vstack([resample(lane.centre_line, _STEP) for lane in roads.lanes])
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
