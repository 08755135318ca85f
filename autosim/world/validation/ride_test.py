"""A ball rolled along every lane at 15 m/s: by how much it leaves the street.

It is pushed along the middle of the lane, falls freely where the street falls away from under it,
and lands without a bounce: a point that keeps to a height profile, which is all that a crest or a
kink of the mesh can do to a wheel. At 15 m/s a crest rounder than v² / g = 23 m keeps the ball on
the ground, and a kink of angle a lets it rise by (v a)² / 2 g.

On connectors, the turns through junctions, it is no faster than tyres can hold.

The lanes are rolled all at once, in stretches that begin with a run-up, and over each link from
a lane to a successor of it.
"""

from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.config.descriptions import GRAVITY
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.curves import points_at
from autosim.world.lanes.roads import RoadNetwork

SPEED = 15.0
"""How fast [m/s] the ball is pushed along."""

GRIP = 0.8
"""How much of its weight a tyre holds sideways on dry asphalt: it bounds the speed of turns."""

SPACING = 0.5
"""The most [m] from one sample of a lane to the next."""

REACH = 0.5
"""How far [m] above or below a lane a floor still carries it."""

_LOT, _POINTS = 2000, 100_000
_STRETCH, _RUN_UP = 80, 24
_BEFORE_LINK, _AFTER_LINK = 24, 32
_BEYOND_HOP = 12


@dataclass(frozen=True, slots=True)
class LaneSamples:
    """Points along all lanes, one lane after another, at equal distances on each.

    points: (n, 3) [m] in W on the centre lines; floors: (n,) [m] height of the highest floor within
    0.5 m of the lane, NaN where there is none; steps: (n,) [m] in plan to the next point of the
    lane, 0 at its last; speeds: (n,) [m/s] of the ball; lane k owns the rows
    `starts[k]:starts[k + 1]`.
    """

    points: Floats
    floors: Floats
    steps: Floats
    speeds: Floats
    starts: Integers


@dataclass(frozen=True, slots=True)
class Hop:
    """The highest that the ball was over the street: `height` [m] at `place` (3,) [m] in W.

    path: (n, 3) the floor in W along which it was rolled, to that place and a little farther;
    leaves: the row of it at which the ball left the floor.
    """

    height: float
    place: Floats
    path: Floats
    leaves: int


def sample_lanes(roads: RoadNetwork, index: GroundIndex) -> LaneSamples:
    """Samples all lanes at least every half metre.

    Args:
        roads: the lanes.
        index: of the ground and the floors of bridges and tunnels.
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
    # One long curve of all lanes: each begins where the one before it ends.
    offsets = np.concatenate([[0.0], np.cumsum(lengths + 1.0)])[:-1]
    along = roads.stations + np.repeat(offsets, np.diff(roads.starts))
    at = offsets[of] + step * spacing[of]
    points = points_at(roads.points, along, at)
    speeds = np.interp(at, along, _speeds(roads))
    steps = np.where(step < pieces[of], spacing[of], 0.0)
    return points, steps, speeds, starts


def _speeds(roads: RoadNetwork) -> Floats:
    """How fast [m/s] (p,) the ball is pushed at each point of the lanes."""
    turns = np.abs(portable.wrapped(np.diff(roads.tangents)))
    bends = np.concatenate([[0.0], turns / np.maximum(np.diff(roads.stations), 0.1), [0.0]])
    bends[roads.starts] = 0.0  # from the end of a lane to the beginning of the next in the list
    curvature = np.maximum(bends[:-1], bends[1:])
    fastest = np.sqrt(GRIP * GRAVITY / np.maximum(curvature, 1e-6))
    is_connector = np.repeat(roads.connectors, np.diff(roads.starts))
    return np.where(is_connector, np.minimum(fastest, SPEED), SPEED)


def floors_near(points: Floats, index: GroundIndex) -> Floats:
    """The highest floor (n,) [m] within `REACH` of points (n, 3); NaN for none.

    Args:
        points: [m] in W.
        index: of the ground and the floors of bridges and tunnels.
    """
    floors = np.full(len(points), -np.inf)
    for first in range(0, len(points), _POINTS):
        rows, _, heights = index.hits(points[first : first + _POINTS])
        near = np.abs(heights - points[rows + first, 2]) < REACH
        np.maximum.at(floors, rows[near] + first, heights[near])
    return np.where(np.isfinite(floors), floors, np.nan)


def worst_hop(roads: RoadNetwork, samples: LaneSamples) -> Hop | None:
    """The highest hop of a ball on all lanes and over all links; None without lanes.

    Args:
        roads: the lanes.
        samples: of them.
    """
    stretches = [*_along_lanes(samples.starts), *_over_links(roads, samples.starts)]
    if not stretches:
        return None
    lots = [rows[k : k + _LOT] for rows in stretches for k in range(0, len(rows), _LOT)]
    return max((_roll(samples, rows) for rows in lots), key=lambda hop: hop.height)


def _along_lanes(starts: Integers) -> list[Integers]:
    """Rows (m, count) of the samples of overlapping stretches of lanes, -1 past the end."""
    counts = np.diff(starts)
    pieces = np.maximum(np.ceil((counts - _RUN_UP) / _STRETCH).astype(np.int64), 1)
    of = np.repeat(np.arange(len(counts)), pieces)
    number = np.arange(len(of)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    begin = starts[of] + number * _STRETCH
    rows = begin[:, None] + np.arange(_STRETCH + _RUN_UP)
    return [np.where(rows < starts[of + 1, None], rows, -1)] if len(of) else []


def _over_links(roads: RoadNetwork, starts: Integers) -> list[Integers]:
    """Rows (m, count) of the end of each lane and the beginning of each successor of it."""
    lanes = np.repeat(np.arange(len(starts) - 1), np.diff(roads.successor_starts))
    following = roads.successors.astype(np.int64)
    if not len(lanes):
        return []
    # The last sample of a lane is the first of its successor.
    before = starts[lanes + 1, None] - 1 + np.arange(-_BEFORE_LINK, 0)
    before = np.where(before >= starts[lanes, None], before, -1)
    after = starts[following, None] + np.arange(_AFTER_LINK)
    after = np.where(after < starts[following + 1, None], after, -1)
    return [np.hstack([before, after])]


def _roll(samples: LaneSamples, rows: Integers) -> Hop:
    """The highest hop of balls that are rolled along samples (m, count); rows of -1 are no place.

    Each ball begins anew after a place without a floor: that is a missed ray, not a hop.
    """
    floors = np.where(rows >= 0, samples.floors[rows], np.nan)
    steps, speeds = np.maximum(samples.steps[rows], 1e-3), samples.speeds[rows]
    lifts = np.zeros(floors.shape)
    height, climb = floors[:, 0].copy(), np.zeros(len(floors))
    is_new = np.ones(len(floors), dtype=np.bool_)
    for k in range(1, floors.shape[1]):
        floor, step = floors[:, k], steps[:, k - 1]
        time = step / speeds[:, k - 1]
        flown = height + time * (climb - 0.5 * GRAVITY * time)
        is_held = is_new | ~(flown > floor)
        # A ball on the ground leaves it, if it does, with the ground's slope.
        slope = (floor - floors[:, k - 1]) / step
        climb = np.where(is_held, slope * speeds[:, k], climb - GRAVITY * time)
        height = np.where(is_held, floor, flown)
        lifts[:, k] = height - floor
        is_new = np.isnan(climb) | np.isnan(height)
    lifts = np.nan_to_num(lifts, nan=0.0)
    worst = np.unravel_index(int(lifts.argmax()), lifts.shape)
    return _hop(samples, rows[worst[0]], lifts[worst[0]])


def _hop(samples: LaneSamples, rows: Integers, lifts: Floats) -> Hop:
    """The highest hop on a stretch of samples (count,), over which a ball was `lifts` (count,)."""
    highest = int(lifts.argmax())
    held = np.flatnonzero(lifts[: highest + 1] <= 0.0)
    leaves = int(held[-1]) if len(held) else 0
    known = np.flatnonzero((rows >= 0) & ~np.isnan(samples.floors[rows]))
    known = known[known <= highest + _BEYOND_HOP]
    path = samples.points[rows[known]].copy()
    path[:, 2] = samples.floors[rows[known]]
    start = int(np.searchsorted(known, leaves).clip(0, max(len(known) - 1, 0)))
    return Hop(float(lifts[highest]), samples.points[rows[highest]], path, start)
