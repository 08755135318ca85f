"""Finds what is at a place of a picture: a robot, or the ground."""

from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.client.cameras.camera_projection import CameraProjection
from autosim.client.cameras.clearance import Clearance
from autosim.config.descriptions import WorldDescription
from autosim.kinds.kind import body_of
from autosim.model.bodies import rotation_matrices
from autosim.model.state import State
from autosim.model.tree import WORD, SimulationTree

REACH = 2000.0
"""Distance [m] from the camera up to which something is found: as far as worlds are drawn."""

_LEAST_HALF = 0.15
"""Least half extent [m] of a part that is looked for: a thin one is hard to point at."""


@dataclass(frozen=True, slots=True)
class Picked:
    """A robot in a picture, and the place (3,) [m] in W at which it was hit."""

    robot: str
    place: Floats


class RobotPicker:
    """Casts rays against the bounding boxes of the parts of all robots.

    Args:
        world: has the robots.
        tree: of the states.
        clearance: knows what of the world hides robots.
    """

    def __init__(self, world: WorldDescription, tree: SimulationTree, clearance: Clearance) -> None:
        self._clearance = clearance
        self._names = [robot.name for robot in world.robots]
        robots, words, lows, highs = [], [], [], []
        for number, placed in enumerate(world.robots):
            for part in placed.robot.parts:
                node = tree.find(f"{placed.name}.{part.name}")
                if node is None:
                    continue
                body = body_of(part)
                robots.append(number)
                words.append(node.field_offset("position") // WORD)
                lows.append(body.low)
                highs.append(body.high)
        self._robots: Integers = np.array(robots, dtype=np.int64)
        self._words: Integers = np.array(words, dtype=np.int64)
        self._lows = np.minimum(np.array(lows, dtype=np.float64).reshape(-1, 3), -_LEAST_HALF)
        self._highs = np.maximum(np.array(highs, dtype=np.float64).reshape(-1, 3), _LEAST_HALF)

    def pick(self, projection: CameraProjection, x: float, y: float, state: State) -> Picked | None:
        """The nearest robot at a place of a picture; None where there is none in sight.

        Args:
            projection: of the picture.
            x: from the left, in the units of the projection.
            y: from the top.
            state: that the picture shows.
        """
        if not len(self._words):
            return None
        origin, way = projection.pose.position, projection.direction(x, y)
        shares = self._meet(origin, REACH * way, state)
        number = int(np.argmin(shares))
        if not shares[number] < 1.0:
            return None
        place = origin + shares[number] * REACH * way
        if self._clearance.hides(origin, place):
            return None
        return Picked(self._names[self._robots[number]], place)

    def ground(self, projection: CameraProjection, x: float, y: float) -> Floats | None:
        """The place (3,) [m] in W of the world at a place of a picture; None in the sky."""
        origin, way = projection.pose.position, projection.direction(x, y)
        return self._clearance.first_hit(origin, origin + REACH * way)

    def corners(self, robot: str, state: State) -> Floats:
        """The corners (n, 3) [m] in W of the boxes of a robot's parts."""
        rows = np.flatnonzero(self._robots == self._names.index(robot))
        positions, rotations = self._poses(state, rows)
        picks = np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1).T
        ends = np.stack([self._lows[rows], self._highs[rows]], axis=1)  # (n, 2, 3)
        boxes = ends[:, picks, np.arange(3)]  # (n, 8, 3)
        turned: Floats = np.einsum("nij,nkj->nki", rotations, boxes) + positions[:, None]
        return turned.reshape(-1, 3)

    def _poses(self, state: State, rows: Integers) -> tuple[Floats, Floats]:
        words = self._words[rows]
        positions = state.floats[words[:, None] + np.arange(3)]
        quaternions = state.floats[words[:, None] + np.arange(3, 7)]
        return positions, rotation_matrices(quaternions)

    def _meet(self, origin: Floats, way: Floats, state: State) -> Floats:
        """Shares (n,) of the way at which it enters each box; infinite where it passes by."""
        positions, rotations = self._poses(state, np.arange(len(self._words)))
        begins = np.einsum("nji,nj->ni", rotations, origin - positions)
        ways = np.einsum("nji,j->ni", rotations, way)
        with np.errstate(divide="ignore", invalid="ignore"):
            first = (self._lows - begins) / ways
            second = (self._highs - begins) / ways
        enters = np.nanmax(np.minimum(first, second), axis=1)
        leaves = np.nanmin(np.maximum(first, second), axis=1)
        # A camera within a box looks out of it: that robot is not what it points at.
        is_met = (enters <= leaves) & (enters > 0.0)
        return np.where(is_met, enters, np.inf)
