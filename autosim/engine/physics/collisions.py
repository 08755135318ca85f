"""Counts collisions: contacts of a robot's bodies with the world or with other robots."""

from collections.abc import Iterator
from itertools import chain

import numpy as np

from autosim.arrays import Integers

APART_SECONDS = 0.5
"""Two things that touch again within this time are still in the same collision."""


class CollisionCounter:
    """Collisions of each robot since the start.

    Args:
        robot_of_body: (n,) index of each body's robot.
        robots: how many there are; objects have the numbers after theirs.
        objects: how many there are of these.
        step_seconds: length of a step.
    """

    def __init__(
        self, robot_of_body: Integers, *, robots: int, step_seconds: float, objects: int = 0
    ) -> None:
        self._world = robots + objects
        self._robot = [*robot_of_body.tolist(), self._world]
        self._robots = robots
        self._apart = round(APART_SECONDS / step_seconds)
        self._last_step: dict[int, int] = {}
        self.counts: Integers = np.zeros(robots, dtype=np.int64)

    @property
    def last_contacts(self) -> Iterator[tuple[int, int, int]]:
        """Pairs that have touched, with the step at which they did last.

        Of robots and objects; how many there are stands for the world.
        """
        for key, step in self._last_step.items():
            yield *divmod(key, self._world + 1), step

    def remember(self, first: int, second: int, step: int) -> None:
        """Takes over that two robots (their number: the world) touched at `step`."""
        self._last_step[self._key(first, second)] = step

    def update(self, step: int, contacts: Integers) -> list[tuple[int, int]]:
        """Takes the contacts of `step`, rows (n, 2) of body indices (-1: the world).

        Returns:
            the pairs of robots that have just begun to collide, each the smaller index first and
            in ascending order, or of a robot and an object; the number of both together stands
            for the world.
        """
        if not len(contacts):
            return []
        # Python's sets: of the few pairs that touch, NumPy takes twenty times as long.
        robot = self._robot
        pairs = {_ordered(robot[first], robot[second]) for first, second in contacts.tolist()}
        begun = [
            (first, second)
            for first, second in sorted(pairs)
            if first != second and first < self._robots and self._has_begun(first, second, step)
        ]
        for each in chain.from_iterable(begun):
            if each < self._robots:
                self.counts[each] += 1
        return begun

    def _has_begun(self, first: int, second: int, step: int) -> bool:
        key = self._key(first, second)
        last = self._last_step.get(key)
        self._last_step[key] = step
        return last is None or step - last > self._apart

    def _key(self, first: int, second: int) -> int:
        smaller, larger = _ordered(first, second)
        return smaller * (self._world + 1) + larger


def _ordered(first: int, second: int) -> tuple[int, int]:
    return (first, second) if first < second else (second, first)
