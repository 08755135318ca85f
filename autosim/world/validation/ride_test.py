"""The ride test: rides every lane at 15 m/s and measures the wheel lift.

The wheel is a point that is pushed along the middle of the lane. It falls freely where the street
falls away under it, and it lands without a bounce. A crest or a kink of the mesh can do no more to
a real wheel. At 15 m/s the wheel stays on a crest of a radius above v² / g = 23 m, and a kink of
the angle a lifts it by (v a)² / 2 g.

On connectors, the turns through junctions, it is no faster than the grip of tyres allows.

The test rides all lanes at once, in stretches that begin with a run-up, and also each link from a
lane to a successor.
"""

from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.config.world_settings import GRAVITY
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.curves import points_at
from autosim.world.lanes.roads import RoadNetwork

SPEED = 15.0
"""Speed [m/s] of the ride: 54 km/h, a little more than the limit in towns."""

GRIP = 0.8
"""Friction coefficient of tyres on dry asphalt, which bounds the speed in turns."""

SPACING = 0.5
"""Greatest distance [m] from one sample of a lane to the next: shorter than any edge of the
mesh."""

REACH = 0.5
"""Distance [m] above or below a lane within which a floor carries it."""

_STRETCHES_BATCH, _POINTS_BATCH = 2000, 100_000
"""Number of stretches, and of points, handled at once: temporary arrays take some megabytes."""


@dataclass(frozen=True, slots=True)
class _Stretches:
    """Lengths of stretches in samples, which are at most `SPACING` apart."""

    length: int = 80
    """Number of samples of a stretch, 40 m: short ones fill the arrays better."""

    run_up: int = 24
    """Number of samples before a stretch, 12 m, on which the wheel settles on the street."""

    before_link: int = 24
    """Number of samples before a link: a run-up."""

    after_link: int = 32
    """Number of samples behind a link, 16 m: a wheel in the air has landed by then."""

    beyond: int = 12
    """Number of samples, 6 m, of the path behind the highest place that a diagnosis gets."""


_STRETCHES = _Stretches()

_TINY = 1e-6
"""Curvature [1/m] below which a lane is straight."""

_LEAST_CHORD = 0.1
"""Length [m] that a piece of a lane has at least where its curvature is found: rounding of shorter
ones would look like bends."""

_LEAST_STEP = 1e-3
"""Least step [m] from sample to sample: a last sample has no step."""


@dataclass(frozen=True, slots=True)
class LaneSamples:
    """Points along all lanes, lane after lane, at equal distances on each.

    Attributes:
        points: (n, 3) [m] in W on the centre lines.
        floors: (n,) [m] height of the highest floor within `REACH` of the lane, NaN for none.
        steps: (n,) [m] in plan to the next point of the lane, 0 at its last.
        speeds: (n,) [m/s] of the wheel.
        starts: lane k owns the rows `starts[k]:starts[k + 1]`.
    """

    points: Floats
    floors: Floats
    steps: Floats
    speeds: Floats
    starts: Integers


@dataclass(frozen=True, slots=True)
class WheelLift:
    """The greatest height of the wheel over the street.

    Attributes:
        height: the height [m].
        place: where it was, (3,) [m] in W.
        path: (n, 3) [m] in W, the floor along which the wheel came, to that place and a little
            farther.
        leaves: the row of `path` at which the wheel left the floor.
    """

    height: float
    place: Floats
    path: Floats
    leaves: int


def sample_lanes(roads: RoadNetwork, index: GroundIndex) -> LaneSamples:
    """Samples all lanes at least every half metre.

    Args:
        roads: the lanes.
        index: index of the ground and the floors of bridges and tunnels.
    """
    if not len(roads.points):
        none = np.zeros(0)
        return LaneSamples(np.zeros((0, 3)), none, none, none, np.zeros(1, np.int64))
    points, steps, speeds, starts = _sampled(roads)
    return LaneSamples(points, floors_near(points, index), steps, speeds, starts)


def _sampled(roads: RoadNetwork) -> tuple[Floats, Floats, Floats, Integers]:
    """Points, steps, speeds and starts of `LaneSamples`."""
    lengths = roads.lengths()
    pieces = np.maximum(np.ceil(lengths / SPACING).astype(np.int64), 1)
    counts = pieces + 1
    starts = np.concatenate([[0], np.cumsum(counts)])
    of = np.repeat(np.arange(len(counts)), counts)
    step = np.arange(starts[-1]) - starts[of]
    spacing = lengths / pieces
    # One long curve of all lanes, with a gap of 1 m before each.
    offsets = np.concatenate([[0.0], np.cumsum(lengths + 1.0)])[:-1]
    along = roads.stations + np.repeat(offsets, np.diff(roads.starts))
    at = offsets[of] + step * spacing[of]
    points = points_at(roads.points, along, at)
    speeds = np.interp(at, along, _speeds(roads))
    steps = np.where(step < pieces[of], spacing[of], 0.0)
    return points, steps, speeds, starts


def _speeds(roads: RoadNetwork) -> Floats:
    """Speed [m/s] (p,) of the wheel at each point of the lanes."""
    turns = np.abs(portable.wrapped(np.diff(roads.tangents)))
    bends = np.concatenate(
        [[0.0], turns / np.maximum(np.diff(roads.stations), _LEAST_CHORD), [0.0]]
    )
    bends[roads.starts] = 0.0  # from the end of a lane to the beginning of the next in the list
    curvature = np.maximum(bends[:-1], bends[1:])
    fastest = np.sqrt(GRIP * GRAVITY / np.maximum(curvature, _TINY))
    is_connector = np.repeat(roads.connectors, np.diff(roads.starts))
    return np.where(is_connector, np.minimum(fastest, SPEED), SPEED)


def floors_near(points: Floats, index: GroundIndex) -> Floats:
    """The highest floor (n,) [m] within `REACH` of points (n, 3); NaN for none.

    Args:
        points: [m] in W.
        index: index of the ground and the floors of bridges and tunnels.
    """
    floors = np.full(len(points), -np.inf)
    for first in range(0, len(points), _POINTS_BATCH):
        rows, _, heights = index.hits(points[first : first + _POINTS_BATCH])
        near = np.abs(heights - points[rows + first, 2]) < REACH
        np.maximum.at(floors, rows[near] + first, heights[near])
    return np.where(np.isfinite(floors), floors, np.nan)


def worst_wheel_lift(roads: RoadNetwork, samples: LaneSamples) -> WheelLift | None:
    """The greatest wheel lift on all lanes and links; None without lanes.

    Args:
        roads: the lanes.
        samples: samples of the lanes.
    """
    stretches = [*_along_lanes(samples.starts), *_over_links(roads, samples.starts)]
    if not stretches:
        return None
    size = _STRETCHES_BATCH
    batches = [rows[k : k + size] for rows in stretches for k in range(0, len(rows), size)]
    return max((_ride(samples, rows) for rows in batches), key=lambda lift: lift.height)


def _along_lanes(starts: Integers) -> list[Integers]:
    """Rows (m, count) of the samples of overlapping stretches of lanes; -1 past the end."""
    counts = np.diff(starts)
    pieces = np.maximum(
        np.ceil((counts - _STRETCHES.run_up) / _STRETCHES.length).astype(np.int64), 1
    )
    of = np.repeat(np.arange(len(counts)), pieces)
    number = np.arange(len(of)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    begin = starts[of] + number * _STRETCHES.length
    rows = begin[:, None] + np.arange(_STRETCHES.length + _STRETCHES.run_up)
    return [np.where(rows < starts[of + 1, None], rows, -1)] if len(of) else []


def _over_links(roads: RoadNetwork, starts: Integers) -> list[Integers]:
    """Rows (m, count) of the end of each lane and the beginning of each of its successors."""
    lanes = np.repeat(np.arange(len(starts) - 1), np.diff(roads.successor_starts))
    following = roads.successors.astype(np.int64)
    if not len(lanes):
        return []
    # The last sample of a lane is the first of its successor.
    before = starts[lanes + 1, None] - 1 + np.arange(-_STRETCHES.before_link, 0)
    before = np.where(before >= starts[lanes, None], before, -1)
    after = starts[following, None] + np.arange(_STRETCHES.after_link)
    after = np.where(after < starts[following + 1, None], after, -1)
    return [np.hstack([before, after])]


def _ride(samples: LaneSamples, rows: Integers) -> WheelLift:
    """Largest wheel lift on the samples `rows` (m, count); -1 marks a missing sample.

    A wheel restarts behind a place without a floor, which is a missed ray, not a lift.
    """
    floors = np.where(rows >= 0, samples.floors[rows], np.nan)
    steps, speeds = np.maximum(samples.steps[rows], _LEAST_STEP), samples.speeds[rows]
    lifts = np.zeros(floors.shape)
    height, climb = floors[:, 0].copy(), np.zeros(len(floors))
    is_new = np.ones(len(floors), dtype=np.bool_)
    for k in range(1, floors.shape[1]):
        floor, step = floors[:, k], steps[:, k - 1]
        time = step / speeds[:, k - 1]
        flown = height + time * (climb - 0.5 * GRAVITY * time)
        is_held = is_new | ~(flown > floor)
        # A wheel on the ground that leaves it does so with the slope of the ground.
        slope = (floor - floors[:, k - 1]) / step
        climb = np.where(is_held, slope * speeds[:, k], climb - GRAVITY * time)
        height = np.where(is_held, floor, flown)
        lifts[:, k] = height - floor
        is_new = np.isnan(climb) | np.isnan(height)
    lifts = np.nan_to_num(lifts, nan=0.0)
    worst = np.unravel_index(int(lifts.argmax()), lifts.shape)
    return _lift(samples, rows[worst[0]], lifts[worst[0]])


def _lift(samples: LaneSamples, rows: Integers, lifts: Floats) -> WheelLift:
    """The greatest lift on one stretch of samples (count,); `lifts` (count,) [m] are all."""
    highest = int(lifts.argmax())
    held = np.flatnonzero(lifts[: highest + 1] <= 0.0)
    leaves = int(held[-1]) if len(held) else 0
    known = np.flatnonzero((rows >= 0) & ~np.isnan(samples.floors[rows]))
    known = known[known <= highest + _STRETCHES.beyond]
    path = samples.points[rows[known]].copy()
    path[:, 2] = samples.floors[rows[known]]
    start = int(np.searchsorted(known, leaves).clip(0, max(len(known) - 1, 0)))
    return WheelLift(float(lifts[highest]), samples.points[rows[highest]], path, start)
