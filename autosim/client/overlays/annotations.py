"""Annotations of pictures, as points and lines in W: rays, lanes, paths, names."""

from collections.abc import Iterator

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.client.panda.panda_frames import rotation_matrix, unit_quaternions
from autosim.config.descriptions import WorldDescription
from autosim.kinds.kind import body_of
from autosim.kinds.sensors.ranging.psd import PSDSensor
from autosim.model.state import State
from autosim.model.tree import WORD, SimulationTree, TreeNode
from autosim.world.lanes.roads import RoadNetwork

NOTHING_HIT = 0.98
"""A share of a sensor's range from which on only noise keeps it from saying "nothing there"."""

PATH_METRES = 0.5
"""Way [m] from one point of a path to the next: curves of a car look round."""

JUMP_METRES = 25.0
"""Distance [m] between two states from which on a robot was placed there, and its path starts
again: no car drives so far between two pictures."""

PATH_POINTS = 4000
"""Number of points that a path keeps: the last two kilometres."""

ARROW_METRES = 1.2
"""Length of the arrows that show a lane's direction."""


class SensorRays:
    """The rays of all PSD sensors of a world.

    `ranges` (n,) [m].
    """

    def __init__(self, world: WorldDescription, tree: SimulationTree) -> None:
        values, parts, mounts, directions, ranges = [], [], [], [], []
        for name, sensor in _psd_sensors(world):
            part = _found(tree, f"{name}.{sensor.part}")
            node = _found(tree, f"{part.name}.{sensor.name}")
            values.append(node.field_offset("distance") // WORD)
            position = part.field_offset("position") // WORD
            parts.append((position, part.field_offset("orientation") // WORD))
            mounts.append(sensor.position)
            directions.append(np.array(sensor.direction) / np.linalg.norm(sensor.direction))
            ranges.append(sensor.range)
        self._values = np.array(values, dtype=np.int64)
        self._parts = np.array(parts, dtype=np.int64).reshape(-1, 2)
        self._mounts = np.array(mounts, dtype=np.float64).reshape(-1, 3)
        self._directions = np.array(directions, dtype=np.float64).reshape(-1, 3)
        self.ranges: Floats = np.array(ranges, dtype=np.float64)

    def segments(self, state: State) -> tuple[Floats, Floats, Booleans]:
        """Starts (n, 3) and ends (n, 3) [m] in W of the rays, and whether each hit something."""
        floats = state.floats
        positions = floats[self._parts[:, :1] + np.arange(3)]
        quaternions = unit_quaternions(floats[self._parts[:, 1:] + np.arange(4)])
        rotations = np.array([rotation_matrix(q) for q in quaternions]).reshape(-1, 3, 3)
        distances = np.clip(floats[self._values], 0.0, self.ranges)
        starts = positions + np.einsum("nij,nj->ni", rotations, self._mounts)
        along = np.einsum("nij,nj->ni", rotations, self._directions)
        return starts, starts + distances[:, None] * along, distances < NOTHING_HIT * self.ranges


def _psd_sensors(world: WorldDescription) -> Iterator[tuple[str, PSDSensor]]:
    for placed in world.robots:
        for device in placed.robot.devices:
            if isinstance(device, PSDSensor):
                yield placed.name, device


class LaneLines:
    """The graph of all lanes, as straight pieces: `starts` and `ends` (n, 3) [m] in W.

    They are the centre lines, and an arrow in the middle of each for its direction.
    """

    def __init__(self, roads: RoadNetwork) -> None:
        is_inner = np.ones(len(roads.points), dtype=bool)
        is_inner[roads.starts[1:] - 1] = False
        first = np.flatnonzero(is_inner)
        self.starts = roads.points[first]
        self.ends = roads.points[first + 1] if len(first) else self.starts
        lanes = np.searchsorted(roads.starts, first, side="right") - 1
        self.is_connector: Booleans = roads.connectors[lanes]
        self._add_arrows(lanes)

    def _add_arrows(self, lanes: Integers) -> None:
        """Two strokes back from the middle of each lane; `lanes` (n,) has each piece's lane."""
        _, first, counts = np.unique(lanes, return_index=True, return_counts=True)
        middle = first + counts // 2
        tips = self.starts[middle]
        along = self.ends[middle] - tips
        along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
        side = np.column_stack([-along[:, 1], along[:, 0], np.zeros(len(along))])
        strokes = [tips - ARROW_METRES * (along + sign * 0.5 * side) for sign in (-1.0, 1.0)]
        self.starts = np.vstack([self.starts, *strokes])
        self.ends = np.vstack([self.ends, tips, tips])
        flags = self.is_connector[middle]
        self.is_connector = np.concatenate([self.is_connector, flags, flags])

    def near(self, place: Floats, radius: float) -> Integers:
        """Indices of the pieces that begin within `radius` [m] of `place` (3,), in plan."""
        offsets = self.starts[:, :2] - place[:2]
        return np.flatnonzero(np.einsum("ni,ni->n", offsets, offsets) < radius**2)


class DrivenPaths:
    """The ways that the robots have gone since a client looks at them."""

    def __init__(self, world: WorldDescription, tree: SimulationTree) -> None:
        self._places = [part.field_offset("position") // WORD for part in first_parts(world, tree)]
        self.clear()

    def clear(self) -> None:
        """Forgets all ways."""
        self._paths: list[list[list[float]]] = [[] for _ in self._places]
        self._step = -1

    def take(self, state: State) -> None:
        """Adds the positions of a state; an earlier step than the last restarts all paths."""
        if state.step < self._step:
            self.clear()
        self._step = state.step
        for path, first in zip(self._paths, self._places, strict=True):
            place = state.floats[first : first + 3].tolist()
            if path and np.linalg.norm(np.subtract(path[-1], place)) > JUMP_METRES:
                path.clear()
            if not path or np.linalg.norm(np.subtract(path[-1], place)) >= PATH_METRES:
                path.append(place)
                del path[:-PATH_POINTS]

    def segments(self) -> tuple[Floats, Floats]:
        """Starts (n, 3) and ends (n, 3) [m] in W of the pieces of all paths."""
        paths = [np.array(path) for path in self._paths if len(path) > 1]
        if not paths:
            return np.zeros((0, 3)), np.zeros((0, 3))
        return np.vstack([p[:-1] for p in paths]), np.vstack([p[1:] for p in paths])


class RobotNames:
    """Positions of the robots' names: `height` [m] above the top of their first part."""

    def __init__(
        self, world: WorldDescription, tree: SimulationTree, *, height: float = 0.8
    ) -> None:
        self.names = tuple(placed.name for placed in world.robots)
        parts = first_parts(world, tree)
        words = [part.field_offset("position") // WORD for part in parts]
        self._places = np.array(words, dtype=np.int64).reshape(-1, 1)
        rises = [body_of(placed.robot.parts[0]).high[2] + height for placed in world.robots]
        self._rises = np.array(rises, dtype=np.float64)

    def places(self, state: State) -> Floats:
        """(n, 3) [m] in W, in the order of `names`."""
        places: Floats = state.floats[self._places + np.arange(3)]
        places[:, 2] += self._rises
        return places


def first_parts(world: WorldDescription, tree: SimulationTree) -> list[TreeNode]:
    """The node of each robot's first part."""
    return [_found(tree, f"{each.name}.{each.robot.parts[0].name}") for each in world.robots]


def _found(tree: SimulationTree, name: str) -> TreeNode:
    node = tree.find(name)
    if node is None:
        raise ValueError(f"the tree has no node '{name}'")
    return node
