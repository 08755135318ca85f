"""What of a lane's own form a ball that rolls along its middle may not feel.

A turn that changes from one street to another that lies metres lower is a wall, and so is what
stands or falls away under one wheel alone: a carriageway beside the lane at another height.
"""

from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.curves import to_left
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.validation.ride_test import REACH, LaneSamples, floors_near

WHEEL = 0.75
"""How far [m] beside the middle of a lane the wheels of a car roll."""

_CLEAR_OF_EDGE = 0.3
_LOT = 100_000


@dataclass(frozen=True, slots=True)
class LaneForm:
    """The worst of some measure along all lanes: its `value`, at `place` (3,) [m] in W."""

    value: float
    place: Floats


def steepest_lane(samples: LaneSamples) -> LaneForm | None:
    """Rise over run of the steepest half metre of all lanes; None without lanes.

    Args:
        samples: of the lanes.
    """
    rows = np.flatnonzero(samples.steps)
    if not len(rows):
        return None
    rises = np.abs(samples.points[rows + 1, 2] - samples.points[rows, 2])
    slopes = rises / samples.steps[rows]
    worst = int(np.argmax(slopes))
    return LaneForm(float(slopes[worst]), samples.points[rows[worst]])


def worst_side_step(
    roads: RoadNetwork, samples: LaneSamples, index: GroundIndex
) -> LaneForm | None:
    """How much [m] higher or lower than a lane's middle the floor is under a wheel beside it.

    Where there is none within reach of a wheel, it counts as that reach. None without lanes.

    Args:
        roads: the lanes.
        samples: of them.
        index: of the ground and the floors of bridges and tunnels.
    """
    if not len(samples.points):
        return None
    lane = np.repeat(np.arange(len(roads.widths)), np.diff(samples.starts))
    aside = np.clip(roads.widths / 2.0 - _CLEAR_OF_EDGE, 0.0, WHEEL)[lane]
    left = aside[:, None] * to_left(_ahead(samples))
    worst = LaneForm(0.0, samples.points[0])
    for first in range(0, len(lane), _LOT):
        rows = slice(first, first + _LOT)
        for side in (left[rows], -left[rows]):
            wheels = samples.points[rows].copy()
            wheels[:, :2] += side
            steps = np.abs(floors_near(wheels, index) - samples.floors[rows])
            steps = np.where(np.isnan(samples.floors[rows]), 0.0, np.nan_to_num(steps, nan=REACH))
            highest = int(np.argmax(steps))
            if steps[highest] > worst.value:
                worst = LaneForm(float(steps[highest]), samples.points[first + highest])
    return worst


def _ahead(samples: LaneSamples) -> Floats:
    """Unit vectors (n, 2) along the lanes at their samples."""
    ahead: Floats = np.diff(samples.points[:, :2], axis=0, append=0.0)
    last = samples.starts[1:] - 1
    ahead[last] = ahead[last - 1]
    return np.asarray(ahead / np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9))
