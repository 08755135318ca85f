"""Projection of late measurements to the time at which a new command begins to act.

The measurements of a car's computer are old: a pose was measured, filtered and sent, and a command
acts only after a while. At 15 m/s a tenth of a second is 1.5 m. So the projector keeps the records
that it receives in the order of the time at which it was true, whatever the order in which it
comes, and goes from the newest pose on with the model of the car: from record to record, each with
the newest speed and the newest action until then.

What comes wrong is answered, never obeyed: see `InsertResult`. A clock that goes back (the
simulation was reset) empties the history.
"""

import math
from bisect import bisect_left, insort
from collections.abc import Callable
from enum import IntEnum, StrEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autosim.estimation.slipless import REST, Action, Motion

Model = Callable[[Motion, Action, float], Motion]
"""A motion model: the motion after some seconds [s] under one action."""

_MOST_RECORDS = 10_000
"""Number of records that are kept at most, some megabytes: a car that gets no poses for minutes
must not fill the memory. The oldest go first."""


class ProjectedState(NamedTuple):
    """Believed pose of a car, in the frame of its newest measured pose."""

    motion: Motion
    """x [m], y [m], yaw [rad], speed [m/s]."""
    action: Action
    """Action of the actuators at that time: steering [rad], torque [N m]."""
    time: float
    """For which it holds [s]."""
    age: float
    """Of the newest pose [s] then: how far the model alone had to go."""


class InsertResult(StrEnum):
    """Outcome of adding a record."""

    KEPT = "kept"
    DUPLICATE = "known already"
    LATE = "older than the newest pose, and not the newest of its sort before it"
    NOT_FINITE = "not finite numbers"
    AHEAD = "stamped later than it came"


class SampleKind(IntEnum):
    """Kind of a record. Of two with one stamp, the pose is applied first."""

    POSE = 0
    SPEED = 1
    ACTION = 2


class StampedSample(NamedTuple):
    """A record: a value that was true at a time, by which records are sorted.

    Equal times sort by what they tell, so that the order in which they came decides nothing: of two
    poses, speeds or actions of one time, the one with the larger values counts.
    """

    stamp: float
    """Time at which the values were true [s]."""
    sort: SampleKind
    values: tuple[float, ...]


class StateProjector:
    """Keeps poses, speeds and actions in the order of their stamps, and projects to now.

    Any order and delay of the same records gives the same projection, as soon as all have come. A
    speed or an action counts until the next one of its sort; records that are lost count as if
    nothing had changed.

    Args:
        model: what the car does.
        clock: tells the time [s], such as `autosim.userprogram.get_time`.
        propagation_delay: from a command to what the actuators do [s].
        computing_time: what the controller needs until its command is out [s]; it is projected
            that much farther.

    Raises:
        ValueError: a time is negative or not finite.
    """

    def __init__(
        self,
        model: Model,
        clock: Callable[[], float],
        *,
        propagation_delay: float = 0.0,
        computing_time: float = 0.02,
    ) -> None:
        for name, value in (
            ("propagation_delay", propagation_delay),
            ("computing_time", computing_time),
        ):
            if not 0.0 <= value < math.inf:
                raise ValueError(f"{name} is a time of 0 s or more, not {value} s")
        self._model, self._clock = model, clock
        self._propagation_delay, self._computing_time = propagation_delay, computing_time
        self._history: list[StampedSample] = []
        self._now = -math.inf

    @property
    def records(self) -> tuple[StampedSample, ...]:
        """The kept records, in the order of time."""
        return tuple(self._history)

    def record_pose(self, pose: npt.ArrayLike, stamp: float) -> InsertResult:
        """The car was at `pose` (3,): x, y [m], yaw [rad], at the time `stamp` [s].

        Raises:
            ValueError: the pose has not three values.
        """
        return self._record(stamp, SampleKind.POSE, _values(pose, 3, "a pose"))

    def record_speed(self, speed: float, stamp: float) -> InsertResult:
        """The car had `speed` [m/s] at the time `stamp` [s]."""
        return self._record(stamp, SampleKind.SPEED, (float(speed),))

    def record_action(self, action: npt.ArrayLike) -> InsertResult:
        """The controller gives the command `action` (2,): steering [rad], torque [N m], now.

        Raises:
            ValueError: the action has not two values.
        """
        values = _values(action, 2, "an action")
        return self._record(self._tell_time() + self._propagation_delay, SampleKind.ACTION, values)

    def forget(self) -> None:
        """Empties the history."""
        self._history.clear()

    def project(self) -> ProjectedState | None:
        """Predicted pose at which a command sent now takes effect; None without a pose or a speed.

        Before the first action the car is taken to roll with straight wheels; before the first
        speed it has had that of the first.
        """
        end = self._tell_time() + self._computing_time
        start = self._newest(SampleKind.POSE, len(self._history))
        if start is None:
            return None
        x, y, yaw = self._history[start].values
        stamp = begin = self._history[start].stamp
        speed = self._speed_at(start)
        if speed is None:
            return None
        action = self._action_at(start)
        motion = (x, y, yaw, speed)
        for record in self._history[start + 1 :]:
            if record.stamp > end:
                break
            motion = self._advance(motion, action, record.stamp - stamp)
            stamp = record.stamp
            if record.sort is SampleKind.SPEED:
                motion = (*motion[:3], record.values[0])
            elif record.sort is SampleKind.ACTION:
                action = (record.values[0], record.values[1])
        motion = self._advance(motion, action, end - stamp)
        return ProjectedState(motion, action, end, end - begin)

    def _advance(self, motion: Motion, action: Action, seconds: float) -> Motion:
        return self._model(motion, action, seconds) if seconds > 0.0 else motion

    def _record(self, stamp: float, sort: SampleKind, values: tuple[float, ...]) -> InsertResult:
        if not (math.isfinite(stamp) and all(map(math.isfinite, values))):
            return InsertResult.NOT_FINITE
        now = self._tell_time()
        if sort is not SampleKind.ACTION and stamp > now:
            return InsertResult.AHEAD
        record = StampedSample(float(stamp), sort, values)
        at = bisect_left(self._history, record)
        if at < len(self._history) and self._history[at] == record:
            return InsertResult.DUPLICATE
        insort(self._history, record)
        self._discard()
        at = bisect_left(self._history, record)
        is_kept = at < len(self._history) and self._history[at] == record
        return InsertResult.KEPT if is_kept else InsertResult.LATE

    def _discard(self) -> None:
        """Drops records older than the newest pose, except the newest action and speed."""
        pose = self._newest(SampleKind.POSE, len(self._history))
        if pose is not None:
            kept = (self._newest(sort, pose) for sort in (SampleKind.SPEED, SampleKind.ACTION))
            before = sorted(self._history[at] for at in kept if at is not None)
            self._history[:pose] = before
        del self._history[:-_MOST_RECORDS]

    def _newest(self, sort: SampleKind, before: int) -> int | None:
        """Index of the last record of a sort among the first `before` ones."""
        for at in range(before - 1, -1, -1):
            if self._history[at].sort is sort:
                return at
        return None

    def _speed_at(self, pose: int) -> float | None:
        at = self._newest(SampleKind.SPEED, pose)
        if at is not None:
            return self._history[at].values[0]
        later = (each for each in self._history[pose:] if each.sort is SampleKind.SPEED)
        first = next(later, None)
        return None if first is None else first.values[0]

    def _action_at(self, pose: int) -> Action:
        at = self._newest(SampleKind.ACTION, pose)
        if at is None:
            return REST
        steering, torque = self._history[at].values
        return steering, torque

    def _tell_time(self) -> float:
        now = self._clock()
        if now < self._now:
            self.forget()
        self._now = now
        return now


def _values(given: npt.ArrayLike, count: int, what: str) -> tuple[float, ...]:
    values = np.asarray(given, dtype=np.float64)
    if values.shape != (count,):
        raise ValueError(f"{what} has {count} values, not the shape {values.shape}")
    return tuple(values.tolist())
