"""Recorded actors: they are where their tracks have them at each moment, whatever happens."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.config.scenarios import Actor
from autosim.world.lanes.roads import RoadNetwork

_APART = 1e6
"""Time [s] between the clocks of two actors, so that one search serves all: more than any track."""

_SPACING = 0.3
"""Distance [m] of the points of a way: noise of standing actors is smaller."""

_SAME = 1e-6
"""Time [s] up to which a moment is that of a sample."""


@dataclass(frozen=True, slots=True)
class TrackStates:
    """The recorded actors (k,) at a moment.

    Attributes:
        present: whether each is in the world.
        poses: (k, 4) x, y, z [m] and yaw [rad] in W.
        speeds: along the yaw [m/s].
        turning: yaw rates [rad/s].
    """

    present: Booleans
    poses: Floats
    speeds: Floats
    turning: Floats


class RecordedTracks:
    """The tracks of those actors that have one.

    Args:
        actors: all actors of a scenario.
        roads: lanes, on whose heights the tracks lie.
    """

    def __init__(self, actors: Sequence[Actor], roads: RoadNetwork) -> None:
        chosen = [k for k, each in enumerate(actors) if each.track is not None]
        self.numbers: Integers = np.array(chosen, dtype=np.int64)
        tracks = [each.track for each in actors if each.track is not None]
        counts = np.array([len(each.times) for each in tracks], dtype=np.int64)
        self._first = np.cumsum(counts) - counts
        self._last = self._first + counts - 1
        times = [np.asarray(each.times) for each in tracks]
        self._times = np.concatenate([np.zeros(0), *times])
        clocks = np.repeat(np.arange(len(tracks)) * _APART, counts)
        self._clock = self._times + clocks
        poses = np.array([pose for each in tracks for pose in each.poses]).reshape(-1, 3)
        yaws = [np.unwrap(np.array(each.poses)[:, 2]) for each in tracks]
        z = _heights(poses, roads)
        self._poses = np.column_stack([poses[:, :2], z, np.concatenate([np.zeros(0), *yaws])])

        self.ways = {
            number: _way(self._poses[a : b + 1, :3])
            for number, a, b in zip(chosen, self._first, self._last, strict=True)
            if actors[number].is_reactive
        }
        """Points (n, 3) [m] of the ways of those that drive by themselves, by their numbers."""
        self.top_speeds = {
            number: _top_speed(self._poses[a : b + 1], self._times[a : b + 1])
            for number, a, b in zip(chosen, self._first, self._last, strict=True)
        }
        """The highest speed [m/s] of each, by its number."""

    def at(self, seconds: float) -> TrackStates:
        """The states of the recorded actors at a time [s]; between samples they move evenly."""
        first, last = self._first, self._last
        starts, ends = self._times[first], self._times[last]
        is_fixed = first == last
        present = (seconds >= starts - _SAME) & ((seconds <= ends + _SAME) | is_fixed)
        inside = np.clip(seconds, starts, ends)
        clocks = np.arange(len(first)) * _APART + inside
        row = np.clip(np.searchsorted(self._clock, clocks, side="right") - 1, first, last)
        row = np.minimum(row, np.maximum(last - 1, first))
        after = np.minimum(row + 1, last)
        span = self._times[after] - self._times[row]
        known = np.where(span > 0.0, span, 1.0)
        share = np.clip((inside - self._times[row]) / known, 0.0, 1.0)[:, None]
        step = self._poses[after] - self._poses[row]
        poses = self._poses[row] + share * step
        sines, cosines = portable.sin_cos(poses[:, 3])
        speeds = (step[:, 0] * cosines + step[:, 1] * sines) / known
        poses[:, 3] = portable.wrapped(poses[:, 3])
        return TrackStates(np.asarray(present), poses, speeds, step[:, 3] / known)


def _way(points: Floats) -> Floats:
    """Points (n, 3) along a way, at least `_SPACING` apart, two or more."""
    kept = [0]
    for row in range(1, len(points)):
        if portable.length(points[row, :2] - points[kept[-1], :2]) >= _SPACING:
            kept.append(row)
    return points[kept] if len(kept) > 1 else points[[0, 0]]


def _top_speed(poses: Floats, times: Floats) -> float:
    if len(times) < 2:
        return 0.0
    steps = portable.hypot(*np.diff(poses[:, :2], axis=0).T)
    return float((steps / np.diff(times)).max())


def _heights(poses: Floats, roads: RoadNetwork) -> Floats:
    """Heights (n,) [m] of the nearest lanes at poses (n, 3) x, y and yaw."""
    if not len(roads.roads) or not len(poses):
        return np.zeros(len(poses))
    lanes, coordinates = roads.nearest_lanes(poses[:, :2])
    found = np.zeros(len(poses))
    for lane in np.unique(lanes).tolist():
        rows = lanes == lane
        span = slice(int(roads.starts[lane]), int(roads.starts[lane + 1]))
        found[rows] = np.interp(coordinates[rows, 0], roads.stations[span], roads.points[span, 2])
    return found
