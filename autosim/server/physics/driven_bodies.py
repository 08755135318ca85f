"""Bodies whose motion others compute: the engine has them only while something may meet them."""

from dataclasses import dataclass, field

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.server.physics.engine import PlacedBody

_NUMBERS = 13
"""Numbers of a position 3, an orientation 4, a velocity 3 and an angular velocity 3."""


@dataclass(slots=True)
class DrivenBodies:
    """n of the bodies of an engine.

    `numbers` (n,) theirs; `motions` (n, 13) how they are now, and `next` at the end of the coming
    step; `are_met` (n,) whether other bodies may meet them in it; `inside`: the engine's bodies of
    those that it has, by their places among the n.
    """

    numbers: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    motions: Floats = field(default_factory=lambda: np.zeros((0, _NUMBERS)))
    next: Floats = field(default_factory=lambda: np.zeros((0, _NUMBERS)))
    are_met: Booleans = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    placed: list[PlacedBody] = field(default_factory=list)
    inside: dict[int, int] = field(default_factory=dict)
    _places: dict[int, int] = field(default_factory=dict)

    def add(self, number: int, placed: PlacedBody) -> None:
        """Takes a body that stands still."""
        self._places[number] = len(self.placed)
        self.placed.append(placed)
        still = np.array([*placed.position, *placed.orientation, *([0.0] * 6)], dtype=np.float64)
        self.numbers = np.append(self.numbers, number)
        self.motions = np.vstack([self.motions, still])
        self.next = self.motions.copy()
        self.are_met = np.zeros(len(self.placed), dtype=np.bool_)

    def place_of(self, number: int) -> int | None:
        """Which of the n a body is, None for another one."""
        return self._places.get(number)

    def put(self, place: int, motion: Floats) -> None:
        """Puts a body elsewhere, with another motion (13,)."""
        self.motions[place] = self.next[place] = motion

    def arrive(self) -> None:
        """Ends a step."""
        self.motions[:] = self.next
