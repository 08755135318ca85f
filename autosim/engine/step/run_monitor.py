"""The figures of a run: its digest, how long steps took, where the robots were."""

import hashlib
import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from autosim.arrays import Floats
from autosim.kinds.registry import PARTS
from autosim.model.angles import directions
from autosim.model.state import State
from autosim.model.tree import WORD, SimulationTree, TreeNode

TRACK_STEPS = 10
"""Steps between two samples of the track, until the track is full for the first time."""

TRACK_BYTES = 2 * 1024 * 1024
"""Room [bytes] for the track of all robots together; it has to fit into one message."""

_PARTS = frozenset(kind.name for kind in PARTS)

SAMPLE_VALUES = 4
"""Number of values of a sample for each robot: x, y, z [m] and yaw [rad]."""


class MonitoredRun(Protocol):
    """The part of a simulation that a record needs."""

    @property
    def tree(self) -> SimulationTree: ...  # noqa: D102
    @property
    def state(self) -> State: ...  # noqa: D102
    @property
    def step_seconds(self) -> float: ...  # noqa: D102


class Histogram:
    """Durations [s] from 1 µs to 1000 s in 1 % classes: percentiles of a run of any length."""

    _CLASS = math.log(1.01)
    _FLOOR = 1e-6
    _CLASSES = 2084

    def __init__(self) -> None:
        self._counts = [0] * self._CLASSES
        self.count = 0

    def add(self, seconds: float) -> None:
        """Counts one duration."""
        index = int(math.log(max(seconds, self._FLOOR) / self._FLOOR) / self._CLASS)
        self._counts[min(index, self._CLASSES - 1)] += 1
        self.count += 1

    def percentile(self, share: float) -> float:
        """The duration [s] that `share` (0..1) of all stay at or below, to 1 %; 0 without any."""
        if self.count == 0:
            return 0.0
        below = np.cumsum(self._counts)
        index = int(np.searchsorted(below, share * self.count))
        return 0.0 if index == 0 else self._FLOOR * math.exp((index + 0.5) * self._CLASS)


@dataclass(frozen=True, slots=True)
class RunFigures:
    """The result of a run.

    Times in ms or s as named; lateness: how late steps began against the pace. `state_digest`:
    SHA-256 (hex) over the bitstreams of all steps done. `collisions` by robot, as `robots`.

    Attributes:
        wall_seconds: wall-clock duration of the run [s].
        step_ms: median and 99th percentile of a step's duration [ms].
        lateness_ms: median and 99th percentile of the lateness [ms].
    """

    steps: int
    wall_seconds: float
    step_ms: tuple[float, float]
    lateness_ms: tuple[float, float]
    state_digest: str
    robots: tuple[str, ...]
    collisions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TrajectoryPart:
    """The part of a track that a client lacks.

    Of the samples that it has, `first` stay. `samples`: (n, robots, 4) float64, x y z [m] and
    yaw [rad] in W of each robot's first part, every `interval` steps from step 0 on.
    """

    first: int
    interval: int
    samples: Floats


class Trajectory:
    """Samples of where the robots are; when it is full every other one goes."""

    def __init__(self, state: State) -> None:
        robots = state.tree.robots
        self._state = state
        self._poses = np.array([_pose_index(robot) for robot in robots], dtype=np.intp)
        capacity = max(256, TRACK_BYTES // (8 * SAMPLE_VALUES * max(1, len(robots))))
        self._samples = np.zeros((capacity, len(robots), SAMPLE_VALUES))
        self._count = 0
        self.interval = TRACK_STEPS

    def add(self) -> None:
        """Takes a sample if the present step is due for one."""
        if self._state.step % self.interval:
            return
        if self._count == len(self._samples):
            half = self._samples[::2].copy()
            self._samples[: len(half)] = half
            self._count = len(half)
            self.interval *= 2
            if self._state.step % self.interval:
                return
        pose = self._state.floats[self._poses[:, None] + np.arange(7)]
        sample = self._samples[self._count]
        sample[:, :3] = pose[:, :3]
        x, y, z, w = pose[:, 3:].T
        sample[:, 3] = directions(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        self._count += 1

    def part(self, samples: int = 0, interval: int = 0) -> TrajectoryPart:
        """The samples after the first `samples`, where these are of the present interval."""
        is_continued = interval == self.interval and 0 <= samples <= self._count
        first = samples if is_continued else 0
        return TrajectoryPart(first, self.interval, self._samples[first : self._count].copy())


def _pose_index(robot: TreeNode) -> int:
    part = next(child for child in robot.children if child.kind in _PARTS)
    return part.field_offset("position") // WORD


class RunMonitor:
    """Watches one simulation, in whatever process it runs.

    Call `add_state` in the publish phase of each step, `add_step` after it.
    """

    def __init__(self, simulation: MonitoredRun) -> None:
        self._simulation = simulation
        self._digest = hashlib.sha256()
        self._steps = Histogram()
        self._lateness = Histogram()
        self._wall_seconds = 0.0
        self.track = Trajectory(simulation.state)
        self.track.add()

    def add_state(self) -> None:
        """Takes the present state into the digest and, when it is due, into the track."""
        self._digest.update(self._simulation.state.buffer)
        self.track.add()

    def add_step(self, seconds: float, lateness: float | None = None) -> None:
        """Counts a step that took `seconds` [s] and began `lateness` [s] after it was due."""
        self._wall_seconds += seconds
        self._steps.add(seconds)
        if lateness is not None:
            self._lateness.add(lateness)

    def state_digest(self) -> str:
        """SHA-256 (hex) over the bitstreams of all steps so far."""
        return self._digest.hexdigest()

    def figures(self) -> RunFigures:
        """The run so far."""
        state, robots = self._simulation.state, self._simulation.tree.robots
        collisions = [state.ints[robot.field_offset("collisions") // WORD] for robot in robots]
        return RunFigures(
            steps=state.step,
            wall_seconds=self._wall_seconds,
            step_ms=_milliseconds(self._steps),
            lateness_ms=_milliseconds(self._lateness),
            state_digest=self.state_digest(),
            robots=tuple(robot.name for robot in robots),
            collisions=tuple(int(count) for count in collisions),
        )


def _milliseconds(histogram: Histogram) -> tuple[float, float]:
    return 1e3 * histogram.percentile(0.5), 1e3 * histogram.percentile(0.99)
