"""States between two states, for a screen that is faster than the server.

Only what is drawn is interpolated: where parts are, and how wheels stand. All else keeps the values
of the later state, so that nothing is shown that no sensor has said.
"""

import numpy as np

from autosim.arrays import Floats
from autosim.client.panda.frames import unit_quaternions
from autosim.simulation.state import State
from autosim.simulation.tree import WORD, SimulationTree

_PARALLEL = 0.9995
"""Cosine of the angle beyond which an arc and its chord count as one: they differ there by less
than a millionth of a radian (ratio without unit)."""


class Interpolation:
    """Interpolates states of one tree.

    Args:
        tree: the tree of all states that are given to `between`.
    """

    def __init__(self, tree: SimulationTree) -> None:
        linear: list[int] = []
        quaternions: list[list[int]] = []
        for node in tree.walk():
            if node.kind == "Box":
                linear += _words(node.field_offset("position"), 3)
                quaternions.append(_words(node.field_offset("orientation"), 4))
            elif node.kind == "WheelDevice":
                for name in ("steering", "rotation", "suspension_length"):
                    linear += _words(node.field_offset(name), 1)
        self._linear = np.array(linear, dtype=np.int64)
        self._quaternions = np.array(quaternions, dtype=np.int64).reshape(-1, 4)

    def between(self, earlier: State, later: State, share: float, *, into: State) -> None:
        """Fills `into` with the state at `share` (0..1) of the way from `earlier` to `later`."""
        into.buffer[:] = later.buffer
        if share >= 1.0:
            return
        first, second = earlier.floats, later.floats
        into.floats[self._linear] = lerp(first[self._linear], second[self._linear], share)
        into.floats[self._quaternions] = slerp(
            first[self._quaternions], second[self._quaternions], share
        )


def lerp(first: Floats, second: Floats, share: float | Floats) -> Floats:
    """The points at `share` of the way along straight lines; any shapes that go together."""
    return first + share * (second - first)


def slerp(first: Floats, second: Floats, share: float | Floats) -> Floats:
    """The orientations at `share` of the way along the shortest arcs.

    Args:
        first: (n, 4) quaternions (x, y, z, w); need not be of unit length.
        second: (n, 4).
        share: 0 gives `first`, 1 gives `second`; one for all, or (n, 1).

    Returns:
        (n, 4) unit quaternions (Shoemake 1985, Animating rotation with quaternion curves).
    """
    a, b = unit_quaternions(first), unit_quaternions(second)
    cosine = np.sum(a * b, axis=1, keepdims=True)
    # q and -q are one orientation: the nearer one gives the shorter arc.
    b = np.where(cosine < 0.0, -b, b)
    cosine = np.abs(cosine)
    angle = np.arccos(np.clip(cosine, 0.0, 1.0))
    sine = np.where(cosine > _PARALLEL, 1.0, np.sin(angle))
    arc = (np.sin((1.0 - share) * angle) * a + np.sin(share * angle) * b) / sine
    return unit_quaternions(np.where(cosine > _PARALLEL, lerp(a, b, share), arc))


class Playback:
    """Decides what to show when: states as they come, and between them what they passed through.

    A state is shown one interval between states late, for only then is it known where to go from
    it. Where states come faster than pictures, each picture shows the newest.

    Args:
        tree: the tree of the states.
        frame_seconds: time [s] between two pictures; intervals shorter than 1.5 of these are not
            interpolated.
        longest: intervals [s] longer than this are pauses, and not interpolated either.
    """

    def __init__(
        self, tree: SimulationTree, *, frame_seconds: float = 1.0 / 60.0, longest: float = 0.5
    ) -> None:
        self._interpolation = Interpolation(tree)
        self._shortest, self._longest = 1.5 * frame_seconds, longest
        self._earlier, self._later = State(tree), State(tree)
        self._arrived = -np.inf
        self._interval = 0.0
        self._share = 1.0
        self.state = State(tree)

    @property
    def newest(self) -> State:
        """The state that came last."""
        return self._later

    def take(self, state: State, arrived: float, *, states: int = 1) -> None:
        """Takes over a state; it may change afterwards.

        Args:
            state: the newest.
            arrived: when it came [s].
            states: how many have come since the last that was taken, this one included. Where
                there were more than one, it is the screen that is slow, not the server.
        """
        is_next = state.step > self._later.step
        self._earlier.buffer[:] = self._later.buffer if is_next else state.buffer
        self._later.buffer[:] = state.buffer
        gap = (arrived - self._arrived) / max(states, 1)
        is_between = is_next and self._shortest <= gap <= self._longest
        self._interval = gap if is_between else 0.0
        self._arrived = arrived
        self._share = 0.0

    def advance(self, now: float) -> bool:
        """Brings `state` up to `now` [s]; False where there is nothing new to show."""
        if self._share >= 1.0:
            return False
        passed = max(0.0, now - self._arrived)
        self._share = min(1.0, passed / self._interval) if self._interval > 0.0 else 1.0
        self._interpolation.between(self._earlier, self._later, self._share, into=self.state)
        return True


def _words(offset: int, count: int) -> list[int]:
    return list(range(offset // WORD, offset // WORD + count))
