"""Resting bodies: their poses are not read until something comes near them.

Bullet puts a body to sleep that has hardly moved for two seconds, and wakes it when another body
touches it. What costs then is to ask for its pose and for what it touches, each of which is a call
from Python. So a body is taken to rest that may sleep, has had no velocity at all for some steps
(as only bodies have that Bullet has put to sleep), and has nothing near it that moves.
"""

import numpy as np

from autosim.arrays import Booleans, Floats, Integers

_MARGIN = 0.5
"""Distance [m] of the hull of a body that moves from one that rests, at which this one is asked
again: room for contacts, which begin before bodies meet."""

_STILL_STEPS = 10
"""Number of steps in a row without any motion that show that a body sleeps: one that is thrown up
may have no velocity for a step."""

_STEPS_AHEAD = 2.0
"""Number of steps in which a body that moves must not reach one that rests."""


class SleepingBodies:
    """The resting bodies.

    Args:
        step_seconds: length of a step [s].

    `is_resting`: (n,) of all bodies; `can_rest`: whether there is one that may.
    """

    def __init__(self, step_seconds: float) -> None:
        self._seconds_ahead = _STEPS_AHEAD * step_seconds
        self.can_rest = False
        self._may_rest: Booleans = np.zeros(0, dtype=bool)
        self._reaches = np.zeros(0)
        self._rows = np.zeros((0, 0))
        self._still_steps: Integers = np.zeros(0, dtype=np.int64)
        self.is_resting: Booleans = np.zeros(0, dtype=bool)

    def add(self, *, may_rest: bool, reach: float) -> None:
        """Takes down the body that comes next; nothing of it is farther than `reach` [m] away."""
        self.can_rest = self.can_rest or may_rest
        self._may_rest = np.append(self._may_rest, may_rest)
        self._reaches = np.append(self._reaches, reach)
        self.is_resting = np.append(self.is_resting, False)
        self._still_steps = np.append(self._still_steps, 0)
        self._rows = np.zeros((0, 0))

    def wake(self, body: int) -> bool:
        """Wakes a body that was moved. Returns whether it was asleep."""
        was_asleep = self._still_steps[body] > 0
        self.is_resting[body] = False
        self._still_steps[body] = 0
        return bool(was_asleep)

    def update(self, rows: Floats) -> None:
        """Finds the bodies that rest after a step.

        Args:
            rows: (n, 13) position 3, orientation 4, velocity 3 and angular velocity 3 of all
                bodies; those of bodies that rest are as they were.
        """
        if not self.can_rest:
            return
        if len(self._rows) == len(rows):
            still = self._may_rest & (rows == self._rows).all(axis=1)
            still &= ~rows[:, 7:].any(axis=1)
            self._still_steps = np.where(still, self._still_steps + 1, 0)
            asleep = self._still_steps >= _STILL_STEPS
            self.is_resting = asleep & ~self._is_near(rows, ~asleep)
        self._rows = rows.copy()

    def _is_near(self, rows: Floats, moving: Booleans) -> Booleans:
        """Whether one of the `moving` bodies is near each body, or will be in the next steps."""
        at, others = rows[:, :3], rows[moving]
        if not len(others):
            return np.zeros(len(rows), dtype=bool)
        speeds = np.sqrt((others[:, 7:10] ** 2).sum(axis=1))
        room = self._reaches[moving] + _MARGIN + self._seconds_ahead * speeds
        between = at[:, None] - others[None, :, :3]
        apart = np.sqrt((between**2).sum(axis=2)) - self._reaches[:, None]
        near: Booleans = (apart < room).any(axis=1)
        return near
