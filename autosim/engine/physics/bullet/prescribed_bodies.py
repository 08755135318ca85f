"""Bodies whose motion others compute: the engine has them only while something may meet them."""

from collections.abc import Callable

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.engine.physics.bullet.suppress_stderr import suppress_stderr
from autosim.engine.physics.engine import PlacedBody

with suppress_stderr():
    import pybullet

_NUMBERS = 13
"""Numbers of a position 3, an orientation 4, a velocity 3 and an angular velocity 3."""


class PrescribedBodies:
    """n of the bodies of an engine.

    Args:
        lost_in_a_step: [m/s] upwards that gravity takes from a body in a step.
        client: PyBullet's.

    `numbers` (n,) theirs; `motions` (n, 13) how they are now, and `next` at the end of the coming
    step; `are_met` (n,) whether other bodies may meet them in it.
    """

    def __init__(self, lost_in_a_step: float, client: int) -> None:
        self.numbers: Integers = np.zeros(0, dtype=np.int64)
        self.motions: Floats = np.zeros((0, _NUMBERS))
        self.next: Floats = np.zeros((0, _NUMBERS))
        self.are_met: Booleans = np.zeros(0, dtype=np.bool_)
        self._placed: list[PlacedBody] = []
        self._lost = np.array([0.0, 0.0, lost_in_a_step])
        self._client = client
        # PyBullet's numbers of those that it has, by their places among the n.
        self._inside: dict[int, int] = {}
        self._places: dict[int, int] = {}

    def add(self, number: int, placed: PlacedBody) -> None:
        """Takes a body that stands still."""
        self._places[number] = len(self._placed)
        self._placed.append(placed)
        still = np.array([*placed.position, *placed.orientation, *([0.0] * 6)], dtype=np.float64)
        self.numbers = np.append(self.numbers, number)
        self.motions = np.vstack([self.motions, still])
        self.next = self.motions.copy()
        self.are_met = np.zeros(len(self._placed), dtype=np.bool_)

    def place_of(self, number: int) -> int | None:
        """Index of a body among the n, None for another one."""
        return self._places.get(number)

    def teleport(self, place: int, motion: Floats) -> None:
        """Puts a body elsewhere, with another motion (13,)."""
        self.motions[place] = self.next[place] = motion

    def arrive(self) -> None:
        """Ends a step."""
        self.motions[:] = self.next

    def remove(self) -> list[int]:
        """Removes those from PyBullet that nothing meets now; returns its numbers of them."""
        gone = [place for place in self._inside if not self.are_met[place]]
        removed = [self._inside.pop(place) for place in gone]
        for body in removed:
            pybullet.removeBody(body, physicsClientId=self._client)
        return removed

    def insert(self, make: Callable[[int, PlacedBody], int]) -> None:
        """Has PyBullet hold those that are met, on their way through the step.

        Args:
            make: makes PyBullet's body of one with a number.
        """
        for place in np.flatnonzero(self.are_met).tolist():
            if place not in self._inside:
                self._inside[place] = make(int(self.numbers[place]), self._placed[place])
            at, on_the_way = self.motions[place], self.next[place]
            body = self._inside[place]
            pybullet.resetBasePositionAndOrientation(
                body, at[0:3].tolist(), at[3:7].tolist(), physicsClientId=self._client
            )
            velocity = on_the_way[7:10] + self._lost
            pybullet.resetBaseVelocity(
                body, velocity.tolist(), on_the_way[10:13].tolist(), physicsClientId=self._client
            )
