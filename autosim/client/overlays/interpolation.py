"""States between two states, for a screen that is faster than the server.

Only what is drawn is interpolated: where parts are, and how wheels stand. All else keeps the values
of the later state, so that nothing is shown that no sensor has said.
"""

from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats
from autosim.client.panda.panda_frames import unit_quaternions
from autosim.kinds.kind import POSE
from autosim.model.state import State
from autosim.model.tree import WORD, SimulationTree, TreeNode
from autosim.traffic.traffic_node import KIND as TRAFFIC_KIND
from autosim.traffic.traffic_node import NAME as TRAFFIC
from autosim.traffic.traffic_node import PERSON, VEHICLE, P, V

_PARALLEL = 0.9995
"""Cosine of the angle beyond which an arc and its chord count as one: they differ there by less
than a millionth of a radian (ratio without unit)."""


_JUMP = 12.0
"""Distance [m] from one state to the next beyond which a participant of traffic was moved rather
than driving: the fastest vehicles go 12 m in a fifth of a second."""


_OF_WHEELS = ("steering", "rotation", "suspension_length")


class Interpolation:
    """Interpolates states of one tree.

    Args:
        tree: the tree of all states that are given to `between`.
    """

    def __init__(self, tree: SimulationTree) -> None:
        linear: list[int] = []
        quaternions: list[list[int]] = []
        for node in tree.walk():
            if node.fields[: len(POSE)] == POSE:
                linear += _words(node.field_offset("position"), 3)
                quaternions.append(_words(node.field_offset("orientation"), 4))
            elif node.kind in ("WheelDevice", "KinematicWheel"):
                own = {each.name for each in node.fields}
                for name in [each for each in _OF_WHEELS if each in own]:
                    linear += _words(node.field_offset(name), 1)
        traffic = tree.find(TRAFFIC)
        has_traffic = traffic is not None and traffic.kind == TRAFFIC_KIND
        self._crowds = _crowds(traffic) if traffic is not None and has_traffic else ()
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
        for crowd in self._crowds:
            crowd.interpolate(first, second, share, into.floats)


@dataclass(frozen=True, slots=True)
class _Crowd:
    """The vehicles or the people of traffic, each a row of `width` words from `start` to `stop`.

    `places`, `others`: columns of where they are [m], and of other numbers that move steadily;
    `angles`: columns of angles [rad].
    """

    start: int
    stop: int
    width: int
    places: tuple[int, ...]
    others: tuple[int, ...]
    angles: tuple[int, ...]

    def interpolate(self, first: Floats, second: Floats, share: float, into: Floats) -> None:
        """Interpolates the rows of two states; newcomers and moved participants appear late."""
        rows = slice(self.start, self.stop)
        a, b = (words[rows].reshape(-1, self.width) for words in (first, second))
        apart = np.abs(b[:, self.places] - a[:, self.places]).max(axis=1, initial=0.0)
        goes_on = (a[:, 0] == b[:, 0]) & (b[:, 0] >= 0.0) & (apart < _JUMP)
        between = into[rows].reshape(-1, self.width)
        for column in (*self.places, *self.others):
            moved = lerp(a[:, column], b[:, column], share)
            between[:, column] = np.where(goes_on, moved, b[:, column])
        for column in self.angles:
            turn = (b[:, column] - a[:, column] + np.pi) % (2.0 * np.pi) - np.pi
            between[:, column] = np.where(goes_on, a[:, column] + share * turn, b[:, column])


def _crowds(node: TreeNode) -> tuple[_Crowd, ...]:
    sizes = {field.name: field.size // WORD for field in node.fields}
    starts = {name: node.field_offset(name) // WORD for name in ("vehicles", "people")}
    ends = {name: start + sizes[name] for name, start in starts.items()}
    return (
        _Crowd(
            *(starts["vehicles"], ends["vehicles"], VEHICLE),
            *((V.x, V.y, V.z), (V.speed, V.steering, V.rolled), (V.yaw, V.pitch, V.roll)),
        ),
        _Crowd(
            *(starts["people"], ends["people"], PERSON),
            *((P.x, P.y, P.z), (P.speed, P.walked, P.posture), (P.yaw,)),
        ),
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
