"""Lidars: each step measures the sector that they sweep in it."""

from collections.abc import Sequence

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import LidarSensor, Noise
from autosim.server.physics.builder import BuiltPart
from autosim.server.physics.physics import Physics
from autosim.simulation.banks import Mounted, body_indices, vectors, word_indices
from autosim.simulation.bodies import BodyStates, rotate
from autosim.simulation.lidar import Indices, Sweep, most_columns, ray_directions
from autosim.simulation.noise import NoiseField
from autosim.simulation.state import State
from autosim.vehicle.rays_boxes import cast_at_boxes

_UNIFORM = (Noise("WhiteNoise", range=0.5, offset=0.5),)
"""A number between 0 and 1, which says whether a ray drops out."""


class LidarBank:
    """All lidars: they see the ground, what stands on it, and other robots' bodies.

    All rays of a step begin where the bodies are at its end.

    Args:
        devices: the lidars.
        parts: all bodies.
        physics: casts rays at the world; at the bodies they are cast here.
        step_seconds: length of a step [s].
        seed: of the dropouts.
    """

    def __init__(
        self,
        devices: Sequence[Mounted[LidarSensor]],
        parts: Sequence[BuiltPart],
        physics: Physics,
        *,
        step_seconds: float,
        seed: int,
    ) -> None:
        lidars = [mounted.device for mounted in devices]
        self._sweep = Sweep(lidars, step_seconds)
        self._body, self._word = body_indices(devices), word_indices(devices)
        self._position = vectors([each.position for each in lidars])
        self._columns = np.array([each.columns for each in lidars], dtype=np.int64)
        self._size = self._columns * np.array([each.channels for each in lidars])
        self._nearest = np.array([each.minimum_range for each in lidars])
        self._reach = np.array([each.range for each in lidars])
        self._dropout = np.array([each.dropout for each in lidars])
        self._rays = np.vstack([ray_directions(each).reshape(-1, 3) for each in lidars])
        self._lidar, self._channel, self._back = _slots(lidars, self._sweep.most)
        names = [name for mounted in devices for name in ray_names(mounted, step_seconds)]
        self._luck = NoiseField([(f"{name}.dropout", _UNIFORM) for name in names], seed=seed)
        self._box_robots = np.array([built.robot for built in parts], dtype=np.int64)
        self._half_sizes = vectors([built.part.size for built in parts]) / 2
        self._physics = physics

    def sense(self, bodies: BodyStates, state: State, noise: Floats) -> None:
        """Writes the ranges of the columns swept, and which of them is the newest."""
        newest, count = self._sweep.at(state.step)
        state.ints[self._word + self._size] = newest
        measured = np.flatnonzero(self._back < count[self._lidar])
        lidar = self._lidar[measured]
        column = (newest[lidar] - self._back[measured]) % self._columns[lidar]
        ray = self._channel[measured] * self._columns[lidar] + column
        first = np.cumsum(self._size) - self._size
        free = self._cast(bodies, lidar, self._rays[first[lidar] + ray])
        reach, nearest = self._reach[lidar], self._nearest[lidar]
        luck = self._luck.sample(state.step)[measured]
        returns = (free < 1.0) & (free * reach >= nearest) & (luck >= self._dropout[lidar])
        ranges = np.clip(free * reach + noise[measured], nearest, reach)
        state.floats[self._word[lidar] + ray] = np.where(returns, ranges, 0.0)

    def _cast(self, bodies: BodyStates, lidar: Indices, rays: Floats) -> Floats:
        """How much (n,) of its reach each of `rays` (n, 3) of `lidar` (n,) gets, 1 where all."""
        rotations = bodies.rotations[self._body]
        places = bodies.positions[self._body] + rotate(rotations, self._position)
        origins = places[lidar]
        ends = origins + self._reach[lidar, None] * rotate(rotations[lidar], rays)
        to_world, _ = self._physics.cast(origins, ends)
        to_bodies = np.ones(len(lidar))
        cast_at_boxes(
            origins,
            ends,
            self._box_robots[self._body[lidar]],
            bodies.positions,
            bodies.orientations,
            self._half_sizes,
            self._box_robots,
            to_bodies,
        )
        return np.minimum(to_world, to_bodies)


def ray_names(mounted: Mounted[LidarSensor], step_seconds: float) -> list[str]:
    """A name for each ray that a lidar casts in a step at most; its noise follows from it."""
    count = mounted.device.channels * most_columns(mounted.device, step_seconds)
    return [f"{mounted.node.name}.ray{number}" for number in range(count)]


def _slots(lidars: Sequence[LidarSensor], most: Indices) -> tuple[Indices, Indices, Indices]:
    """The rays of a step: lidar, channel, and how many columns before the newest, each (n,)."""
    counts = [each.channels * int(columns) for each, columns in zip(lidars, most, strict=True)]
    number = np.concatenate([np.arange(count) for count in counts])
    lidar = np.repeat(np.arange(len(lidars)), counts)
    return lidar, number // most[lidar], number % most[lidar]
