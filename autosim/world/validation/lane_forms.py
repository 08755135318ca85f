"""Measures faults in the form of lanes that the ride test along their middles does not feel.

A turn from one street to another that lies metres lower is a wall. So is a carriageway beside the
lane at another height, which lifts or drops one wheel alone.
"""

from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.curves import to_left
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.validation.ride_test import REACH, LaneSamples, floors_near

WHEEL = 0.75
"""Distance [m] of a car's wheels from the middle of its lane: half a usual track width of 1.5 m."""

_CLEAR_OF_EDGE = 0.3
"""Distance [m] that the wheels keep from the edges of a narrow lane, where kerbs stand."""

_BATCH = 100_000
"""Number of samples handled at once: their candidates take some megabytes."""


@dataclass(frozen=True, slots=True)
class LaneForm:
    """The worst `value` of a measure along all lanes, and its `place` (3,) [m] in W."""

    value: float
    place: Floats


def steepest_lane(samples: LaneSamples) -> LaneForm | None:
    """Rise over run of the steepest half metre of all lanes; None without lanes.

    Args:
        samples: samples of the lanes.
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
    """The greatest difference [m] of the floor under a wheel from that under its lane's middle.

    A wheel without a floor within its reach counts as that reach. Ends of lanes at which no other
    lane begins or ends do not count: there the border of the map cuts a street, and the ground
    stands as a wall beyond a tunnel. None without lanes.

    Args:
        roads: the lanes.
        samples: samples of the lanes.
        index: index of the ground and the floors of bridges and tunnels.
    """
    if not len(samples.points):
        return None
    lane = np.repeat(np.arange(len(roads.widths)), np.diff(samples.starts))
    aside = np.clip(roads.widths / 2.0 - _CLEAR_OF_EDGE, 0.0, WHEEL)[lane]
    left = aside[:, None] * to_left(_ahead(samples))
    counts = ~np.isnan(samples.floors)
    counts[_open_ends(roads, samples)] = False
    worst = LaneForm(0.0, samples.points[0])
    for first in range(0, len(lane), _BATCH):
        rows = slice(first, first + _BATCH)
        for side in (left[rows], -left[rows]):
            wheels = samples.points[rows].copy()
            wheels[:, :2] += side
            steps = np.abs(floors_near(wheels, index) - samples.floors[rows])
            steps = np.where(counts[rows], np.nan_to_num(steps, nan=REACH), 0.0)
            highest = int(np.argmax(steps))
            if steps[highest] > worst.value:
                worst = LaneForm(float(steps[highest]), samples.points[first + highest])
    return worst


def _open_ends(roads: RoadNetwork, samples: LaneSamples) -> Integers:
    """Rows of the samples at ends of lanes where no other lane follows or leads there."""
    has_before = np.zeros(len(roads.widths), dtype=np.bool_)
    has_before[roads.successors] = True
    has_behind = np.diff(roads.successor_starts) > 0
    first, last = samples.starts[:-1][~has_before], samples.starts[1:][~has_behind] - 1
    return np.concatenate([first, last])


def _ahead(samples: LaneSamples) -> Floats:
    """Unit vectors (n, 2) along the lanes at their samples."""
    ahead: Floats = np.diff(samples.points[:, :2], axis=0, append=0.0)
    last = samples.starts[1:] - 1
    ahead[last] = ahead[last - 1]
    return np.asarray(ahead / np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9))
