"""Counts collisions: contacts of a robot's bodies with the world or with other robots."""

from collections.abc import Iterator

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
        self._robot = np.append(robot_of_body, self._world)
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

    def update(self, step: int, contacts: Integers) -> Integers:
        """Takes the contacts of `step`, rows (n, 2) of body indices (-1: the world).

        Returns:
            (m, 2) the pairs of robots that have just begun to collide, each the smaller index
            first, or of a robot and an object; the number of both together stands for the world.
        """
        if not len(contacts):
            return np.empty((0, 2), dtype=np.int64)
        pairs = np.sort(self._robot[contacts], axis=1)
        pairs = pairs[(pairs[:, 0] != pairs[:, 1]) & (pairs[:, 0] < self._robots)]
        begun = [pair for pair in np.unique(pairs, axis=0) if self._has_begun(pair, step)]
        colliding = np.array(begun, dtype=np.int64).reshape(-1, 2)
        np.add.at(self.counts, colliding[colliding < self._robots], 1)
        return colliding

    def _has_begun(self, pair: Integers, step: int) -> bool:
        key = self._key(int(pair[0]), int(pair[1]))
        last = self._last_step.get(key)
        self._last_step[key] = step
        return last is None or step - last > self._apart

    def _key(self, first: int, second: int) -> int:
        return min(first, second) * (self._world + 1) + max(first, second)
