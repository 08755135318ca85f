"""Writes the true motion of each robot, and tracks the owners of its estimated state."""

from collections.abc import Callable, Sequence

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.engine.physics.inventory import Inventory
from autosim.jit import compiled_without_refcounts
from autosim.kinds.kind import owns_state
from autosim.model.belief import (
    ACCELERATION,
    ANGULAR_VELOCITY,
    BELIEF_WORDS,
    ORIENTATION,
    POSITION,
    TIME,
    TRUTH_WORDS,
    VELOCITY,
    is_decoupled,
)
from autosim.model.bodies import BodyStates
from autosim.model.notices import Notice
from autosim.model.state import State
from autosim.model.tree import STATE, STATE_TRUTH, WORD, Access, TreeNode

CHECK_SECONDS = 0.1
"""Simulated time [s] between two looks at the age of beliefs: a tenth of the shortest age that
people tell from none."""

STALE_SECONDS = 1.0
"""Age [s] from which a belief is reported where its owner says nothing else."""


class RobotStateWriter:
    """The states of all robots.

    Args:
        inventory: has the robots, their parts and the owners of their beliefs.
        step_seconds: length of a step [s].
        report: takes messages for the user.
    """

    def __init__(
        self, inventory: Inventory, *, step_seconds: float, report: Callable[[Notice], None]
    ) -> None:
        robots = [node for node, _ in inventory.robots]
        first = {part.robot: body for body, part in reversed(list(enumerate(inventory.parts)))}
        self._body = np.array([first[number] for number in range(len(robots))], dtype=np.int64)
        self._truth = np.array(
            [_child(robot, STATE_TRUTH).start // WORD for robot in robots], dtype=np.int64
        )
        beliefs = [_child(robot, STATE) for robot in robots]
        # Programs own these; until they do, such a belief follows the truth.
        self._followed = np.array(
            [node.start // WORD if node.access is Access.SET else -1 for node in beliefs],
            dtype=np.int64,
        )
        self._watch = _Watch(inventory, beliefs, report)
        self._interval = max(1, round(CHECK_SECONDS / step_seconds))
        self._per_second = 1.0 / step_seconds

    def write(self, bodies: BodyStates, state: State, *, is_moved: bool = False) -> None:
        """Writes the truth, and the belief where it has not been set yet.

        Args:
            bodies: as they are.
            state: into which it is written.
            is_moved: a robot was moved by hand: nothing has accelerated it.
        """
        write_truth(
            state.floats,
            state.time,
            0.0 if is_moved or not state.step else self._per_second,
            self._body,
            self._truth,
            self._followed,
            bodies.positions,
            bodies.orientations,
            bodies.velocities,
            bodies.angular_velocities,
        )

    def watch(self, state: State) -> None:
        """Reports beliefs that are not kept up to date."""
        if state.step % self._interval == 0:
            self._watch.look(state)


class _Watch:
    """Looks at the age of beliefs that are apart from the truth."""

    def __init__(
        self, inventory: Inventory, beliefs: Sequence[TreeNode], report: Callable[[Notice], None]
    ) -> None:
        limits = {
            each.node.name.split(".", 1)[0]: getattr(each.device, "stale_after", STALE_SECONDS)
            for devices in inventory.devices.values()
            if owns_state(devices[0].device)
            for each in devices
        }
        owned = [node for node in beliefs if is_decoupled(node)]
        self._names = [node.name.split(".", 1)[0] for node in owned]
        self._words = np.array([node.start // WORD for node in owned], dtype=np.int64)
        self._limits = np.array([limits.get(name, STALE_SECONDS) for name in self._names])
        self._is_stale = np.zeros(len(owned), dtype=bool)
        self._report = report

    def look(self, state: State) -> None:
        """Reports once, with its age, each belief that has become too old."""
        if not self._names:
            return
        times = state.floats[self._words + TIME]
        is_stale = state.time - times > self._limits
        for number in np.flatnonzero(is_stale & ~self._is_stale).tolist():
            age = state.time - float(times[number])
            text = (
                f"what it believes of its motion is {age:.2f} s old: its owner has set it at "
                f"{times[number]:.2f} s and not since"
            )
            self._report(Notice("warning", self._names[number], state.step, text))
        self._is_stale = is_stale


def _child(robot: TreeNode, kind: str) -> TreeNode:
    return next(child for child in robot.children if child.kind == kind)


@compiled_without_refcounts
def write_truth(
    words: Floats,
    time: float,
    per_second: float,
    body: Integers,
    truth: Integers,
    followed: Integers,
    positions: Floats,
    orientations: Floats,
    velocities: Floats,
    angular_velocities: Floats,
) -> None:
    """Writes the states of n robots.

    Args:
        words: of the whole state.
        time: simulated [s].
        per_second: steps in a second, from which accelerations are computed; 0: there are none.
        body: (n,) first body of each robot.
        truth: (n,) offset of its true state.
        followed: (n,) offset of the belief that equals the truth as long as no program sets it; -1:
            none.
        positions: (m, 3) m in W of the bodies.
        orientations: (m, 4) of the bodies.
        velocities: (m, 3) m/s in W of the bodies.
        angular_velocities: (m, 3) rad/s in W of the bodies.
    """
    for i in range(len(body)):
        start, belief, b = truth[i], followed[i], body[i]
        is_one = belief >= 0
        if is_one:
            for k in range(TRUTH_WORDS):
                is_one = is_one and words[belief + k] == words[start + k]
            for k in range(TRUTH_WORDS, BELIEF_WORDS):
                is_one = is_one and words[belief + k] == 0.0
        words[start + TIME] = time
        for k in range(3):
            change = velocities[b, k] - words[start + VELOCITY + k]
            words[start + ACCELERATION + k] = per_second * change
            words[start + POSITION + k] = positions[b, k]
            words[start + VELOCITY + k] = velocities[b, k]
            words[start + ANGULAR_VELOCITY + k] = angular_velocities[b, k]
        for k in range(4):
            words[start + ORIENTATION + k] = orientations[b, k]
        if is_one:
            for k in range(TRUTH_WORDS):
                words[belief + k] = words[start + k]
