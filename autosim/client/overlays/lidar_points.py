"""Returns of lidars, as points in W.

A client does not get the state of every step. So the columns that a lidar has measured since the
last state are set out from poses between that one and this one; a point then stays where it was
seen.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.client.overlays.interpolation import lerp, slerp
from autosim.config.descriptions import WorldDescription
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor
from autosim.kinds.sensors.ranging.lidar_scan import Scan, Sweep
from autosim.model.bodies import rotate, rotation_matrices
from autosim.model.state import State
from autosim.model.tree import WORD, SimulationTree

LOWEST, HIGHEST = -2.0, 4.0
"""Heights [m] above a lidar between which points differ in colour: a road's to a wall's top."""


class LidarPoints:
    """The last revolutions of all lidars of a world.

    Args:
        world: with the lidars.
        tree: of the world.
    """

    def __init__(self, world: WorldDescription, tree: SimulationTree) -> None:
        step_seconds = world.physics.step_seconds
        self._scans = [
            _WorldScan(Words.of(tree, name, lidar), lidar, step_seconds)
            for name, lidar in _lidars(world)
        ]

    def clear(self) -> None:
        """Forgets all points."""
        for scan in self._scans:
            scan.clear()

    def take(self, state: State) -> None:
        """Adds the ranges measured since the last state; an earlier state starts again."""
        for scan in self._scans:
            scan.take(state)

    def points(self) -> tuple[Floats, Floats]:
        """The points (n, 3) [m] in W, and how high (n,) [m] each is above its lidar."""
        points = [np.zeros((0, 3)), *(scan.points.reshape(-1, 3) for scan in self._scans)]
        heights = [np.zeros(0), *(scan.heights.ravel() for scan in self._scans)]
        every, above = np.vstack(points), np.concatenate(heights)
        has_return = np.isfinite(above)
        return every[has_return], above[has_return]


@dataclass(frozen=True, slots=True)
class Words:
    """Addresses of a lidar's values and its part's pose in `State.floats`.

    Attributes:
        ranges: of the first range [m].
        newest_column: of the number of the column that was measured last.
        position: of x, y, z [m] in W.
        orientation: of the quaternion x, y, z, w.
    """

    ranges: int
    newest_column: int
    position: int
    orientation: int

    @classmethod
    def of(cls, tree: SimulationTree, robot: str, lidar: LidarSensor) -> "Words":
        """The points of a lidar of the robot called `robot`."""
        part = tree.find(f"{robot}.{lidar.part}")
        node = tree.find(f"{robot}.{lidar.part}.{lidar.name}")
        assert part is not None
        assert node is not None
        own = (node.field_offset(name) // WORD for name in ("ranges", "newest_column"))
        pose = (part.field_offset(name) // WORD for name in ("position", "orientation"))
        return cls(*own, *pose)


class _WorldScan:
    """One lidar: `points` (columns, channels, 3) in W, `heights` above it, NaN: no return."""

    def __init__(self, words: Words, lidar: LidarSensor, step_seconds: float) -> None:
        self._words = words
        self._shape = (lidar.channels, lidar.columns)
        self._mount = np.array(lidar.position)
        self._rays = Scan(lidar).rays
        self._sweep = Sweep([lidar], step_seconds)
        self.points: Floats = np.full((lidar.columns, lidar.channels, 3), np.nan)
        self.heights: Floats = np.full((lidar.columns, lidar.channels), np.nan)
        self.clear()

    def clear(self) -> None:
        self.points[:] = self.heights[:] = np.nan
        self._step = -1
        self._position, self._orientation = np.zeros(3), np.zeros(4)

    def take(self, state: State) -> None:
        words, step = self._words, state.step
        position = state.floats[words.position : words.position + 3].copy()
        orientation = state.floats[words.orientation : words.orientation + 4].copy()
        if step < self._step or self._step < 0:
            # All but the newest is set out from a pose that it was not measured from.
            self.clear()
            self._step = step - int(np.ceil(self._shape[1] / self._sweep.columns_in_a_step[0]))
            self._position, self._orientation = position, orientation
        self._set_out(state, position, orientation)
        self._step, self._position, self._orientation = step, position, orientation

    def _set_out(self, state: State, position: Floats, orientation: Floats) -> None:
        """Computes the columns measured since the last state; the poses are the newest."""
        (count,) = self._sweep.between(self._step, state.step)
        newest = int(state.ints[self._words.newest_column])
        back = np.arange(count)
        columns = (newest - back) % self._shape[1]
        # The rays of one step all begin where its lidar is at its end.
        steps = np.floor(back / self._sweep.columns_in_a_step[0] + 1e-6)
        share = np.clip(1.0 - steps / max(state.step - self._step, 1), 0.0, 1.0)[:, None]
        places = lerp(self._position, position, share)
        turns = rotation_matrices(
            slerp(np.tile(self._orientation, (count, 1)), np.tile(orientation, (count, 1)), share)
        )
        origins = places + rotate(turns, np.tile(self._mount, (count, 1)))
        first = self._words.ranges
        size = self._shape[0] * self._shape[1]
        ranges = state.floats[first : first + size].reshape(self._shape).T[columns]
        reached = np.where(ranges > 0.0, ranges, np.nan)[..., None]
        offsets = reached * np.einsum("nij,ncj->nci", turns, self._rays[columns])
        self.points[columns] = origins[:, None] + offsets
        self.heights[columns] = offsets[..., 2]


def height_bands(heights: Floats, count: int) -> Integers:
    """In which of `count` bands of height, from 0, each of `heights` (n,) [m] lies."""
    share = (heights - LOWEST) / (HIGHEST - LOWEST)
    return np.clip(share * count, 0, count - 1).astype(np.int64)


def _lidars(world: WorldDescription) -> Iterator[tuple[str, LidarSensor]]:
    for placed in world.robots:
        for device in placed.robot.devices:
            if isinstance(device, LidarSensor):
                yield placed.name, device
