"""Beliefs of robots about their own and others' poses, as shapes in W: ghosts, error ellipses."""

from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import WorldDescription
from autosim.kinds.kind import body_of
from autosim.kinds.sensors.perception.noisy_contacts import NoisyContacts
from autosim.model.belief import (
    ERRORS,
    ORIENTATION,
    POSITION,
    TIME,
    TRUTH_WORDS,
    VELOCITY,
    belief_of,
    is_decoupled,
    state_words,
    truth_of,
)
from autosim.model.bodies import rotation_matrices
from autosim.model.rigid_bodies.rigid_body import RigidBody
from autosim.model.state import State
from autosim.model.tree import SimulationTree, TreeNode

QUANTILE = 2.447746830680816
"""Semi-axes of the ellipse in standard deviations: it holds 95 % of a normal distribution in the
plane, √(−2 ln 0.05)."""

OLD = 0.2
"""Age [s] from which the label of a belief tells it: a program that sets it ten times a second is
never so late."""

_CORNERS = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
_FACES = np.array(
    [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
)
"""Numbers of the corners of each of the six sides, counter-clockwise from outside."""

_POINTS = 48
"""Number of points of an ellipse: chosen by eye, it looks round as large as a street."""


@dataclass(frozen=True, slots=True)
class Ghost:
    """Belief of one robot.

    `corners` (8, 3) of the box around its first part and `ellipse` (n, 3) on the height of its
    underside, both [m] in W; `believed` and `true` (3,) are the places of the part's centre; `name`
    is the robot's; `age` [s] that of the belief.
    """

    name: str
    corners: Floats
    ellipse: Floats
    believed: Floats
    true: Floats
    age: float = 0.0

    @property
    def faces(self) -> Floats:
        """The six sides of the box (6, 4, 3) [m] in W, counter-clockwise from outside."""
        faces: Floats = self.corners[_FACES]
        return faces

    @property
    def label(self) -> Floats:
        """Position of its text (3,) [m] in W: above the middle of the box."""
        top = float(self.corners[:, 2].max())
        return np.array([self.believed[0], self.believed[1], top + 0.3])

    @property
    def error(self) -> float:
        """Distance [m] between belief and truth."""
        return float(np.linalg.norm(self.believed - self.true))

    @property
    def text(self) -> str:
        """Text: the robot, the distance of its belief from the truth, and the age of an old one."""
        old = f", {self.age:.1f} s old" if self.age >= OLD else ""
        return f"{self.name}: {self.error:.2f} m off{old}"


@dataclass(frozen=True, slots=True)
class SeenRobot:
    """A robot's detection of another robot.

    `ellipse` (n, 3) on the height of the underside of the other, `believed` and `true` (3,), the
    places of the middle of its first part, all [m] in W; `name` is that of the other, `by` that of
    the robot that sees it.
    """

    name: str
    by: str
    ellipse: Floats
    believed: Floats
    true: Floats

    @property
    def text(self) -> str:
        """Text: the two robots, and the distance of the detection from the truth."""
        error = float(np.linalg.norm(self.believed - self.true))
        return f"{self.name} seen by {self.by}: {error:.2f} m off"


class SeenRobots:
    """Overlay of the positions at which robots with `NoisyContacts` perceive the others."""

    def __init__(self, world: WorldDescription, tree: SimulationTree) -> None:
        self._others = [
            (placed.name, truth_of(tree, placed.name), body_of(placed.robot.parts[0]).low[2])
            for placed in world.robots
        ]
        self._lists = [
            (placed.name, tree.find(f"{placed.name}.{device.part}.{device.name}"))
            for placed in world.robots
            for device in placed.robot.devices
            if isinstance(device, NoisyContacts)
        ]

    def seen(self, state: State) -> list[SeenRobot]:
        """The detections in the lists of `state`."""
        return [
            self._seen(by, row, state)
            for by, node in self._lists
            if node is not None
            for row in np.asarray(state.value(node, node.fields[0]))
        ]

    def _seen(self, by: str, row: Floats, state: State) -> SeenRobot:
        name, truth, underside = self._others[int(row[0])]
        believed, variance = row[1:4].copy(), float(row[7]) ** 2
        true = state_words(state.floats, truth)[POSITION:ORIENTATION].copy()
        ground = np.array([believed[0], believed[1], true[2] + underside])
        return SeenRobot(
            name=name,
            by=by,
            ellipse=ground + error_ellipse(variance * np.eye(2)),
            believed=believed,
            true=true,
        )


class BeliefOverlays:
    """The beliefs of all robots of a world that are apart from the truth."""

    def __init__(self, world: WorldDescription, tree: SimulationTree) -> None:
        nodes = [
            (
                belief_of(tree, placed.name),
                truth_of(tree, placed.name),
                body_of(placed.robot.parts[0]),
            )
            for placed in world.robots
        ]
        self._robots = [each for each in nodes if is_decoupled(each[0])]

    def ghosts(self, state: State) -> list[Ghost]:
        """The beliefs that were set in `state`."""
        return [_ghost(*robot, state) for robot in self._robots if _is_set(*robot[:2], state)]


def _is_set(belief: TreeNode, truth: TreeNode, state: State) -> bool:
    """Whether a belief differs from the truth, which it is until it is set."""
    words = state_words(state.floats, belief)
    return bool(
        words[TRUTH_WORDS:].any() or (words[:TRUTH_WORDS] != state_words(state.floats, truth)).any()
    )


def _ghost(belief: TreeNode, truth: TreeNode, body: RigidBody, state: State) -> Ghost:
    words = state_words(state.floats, belief)
    believed = words[POSITION:ORIENTATION].copy()
    (R_WB,) = rotation_matrices(words[None, ORIENTATION:VELOCITY])
    corners = np.where(_CORNERS > 0.0, body.high, body.low)
    covariance = words[TRUTH_WORDS:].reshape(ERRORS, ERRORS)
    return Ghost(
        name=belief.name.split(".", 1)[0],
        corners=believed + corners @ R_WB.T,
        ellipse=believed + np.array([0.0, 0.0, body.low[2]]) + error_ellipse(covariance[:2, :2]),
        believed=believed,
        true=state_words(state.floats, truth)[POSITION:ORIENTATION].copy(),
        age=max(state.time - float(words[TIME]), 0.0),
    )


def error_ellipse(covariance: Floats) -> Floats:
    """The ellipse (n, 3) [m] about the origin that holds 95 % of a normal distribution.

    Args:
        covariance: (2, 2) of the errors to the east and to the north [m²]; whatever a program says
            it is, there is a picture.
    """
    shares, axes = np.linalg.eigh((covariance + covariance.T) / 2.0)
    root = axes * np.sqrt(np.maximum(shares, 0.0))
    angles = np.arange(_POINTS) / _POINTS * 2.0 * np.pi
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return np.column_stack([QUANTILE * circle @ root.T, np.zeros(_POINTS)])
