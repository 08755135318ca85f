"""All lidars in a step: one compiled call measures the sectors that they sweep in it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.noises import WhiteNoise
from autosim.jit import compiled
from autosim.kinds.banks import BankContext, Mounted, body_indices, vectors, word_indices
from autosim.kinds.sensors.lidar import LidarSensor, ray_channels
from autosim.kinds.sensors.lidar_scan import Sweep, ray_directions, swept_columns
from autosim.rays.boxes import PartBoxes, nearest_box, sort_boxes
from autosim.rays.hierarchy import Hierarchy
from autosim.rays.traversal import NOTHING, nearest
from autosim.simulation.bodies import BodyStates
from autosim.simulation.frames import plus, read, times, to_world
from autosim.simulation.noise import Channel, NoiseField
from autosim.simulation.state import State

_UNIFORM = (WhiteNoise(range=0.5, offset=0.5),)
"""A number between 0 and 1, which says whether a ray drops out."""

_NONE = np.zeros((0, 3))


class _Lidars(NamedTuple):
    """What does not change of n lidars, (n,) each.

    body; word: place of the first range in the state; channels, columns; columns_in_a_step, most:
    see `Sweep`; reach, nearest [m]: of the rays; dropout: share of the rays that return nothing;
    position: (n, 3) m in B; rays: (all, 3) unit vectors in B, of one lidar after the other, by
    channels and then by columns.
    """

    body: Integers
    word: Integers
    channels: Integers
    columns: Integers
    columns_in_a_step: Floats
    most: Integers
    reach: Floats
    nearest: Floats
    dropout: Floats
    position: Floats
    rays: Floats


class LidarBank:
    """All lidars: they see the ground, what stands on it, and other robots' bodies.

    All rays of a step begin where the bodies are at its end.

    Args:
        devices: the lidars.
        context: has the scene and the boxes that they see, and the seed of the dropouts.
    """

    def __init__(self, devices: Sequence[Mounted[LidarSensor]], context: BankContext) -> None:
        lidars = [mounted.device for mounted in devices]
        sweep = Sweep(lidars, context.step_seconds)
        self._lidars = _Lidars(
            body_indices(devices),
            word_indices(devices),
            np.array([each.channels for each in lidars], dtype=np.int64),
            np.array([each.columns for each in lidars], dtype=np.int64),
            sweep.columns_in_a_step,
            sweep.most,
            np.array([each.range for each in lidars]),
            np.array([each.minimum_range for each in lidars]),
            np.array([each.dropout for each in lidars]),
            vectors([each.position for each in lidars]),
            np.concatenate([_NONE, *(ray_directions(each).reshape(-1, 3) for each in lidars)]),
        )
        channels = [
            Channel(f"{mounted.node.name}{ray}.dropout", mounted.node.name, "", _UNIFORM)
            for mounted in devices
            for ray in ray_channels(mounted.device, context.step_seconds)
        ]
        self._chance = NoiseField(channels, seed=context.seed, step_seconds=context.step_seconds)
        self._luck, self._distances = np.zeros(len(channels)), np.zeros(len(channels))
        self._has_dropouts = bool(self._lidars.dropout.any())
        self._boxes, self._rays = context.boxes, context.rays

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the ranges of the columns swept, and which of them is the newest."""
        distances = noise(self.measure(bodies, state.step))
        _write(self._lidars, state.step, distances, state.floats, state.ints)

    def measure(self, bodies: BodyStates, step: int) -> Floats:
        """What the rays cast in the step of that number meet [m], NaN for nothing.

        They are those of one lidar after the other, by channels and then by how many columns before
        the newest one they are.
        """
        if self._has_dropouts:
            self._luck.fill(0.0)
            self._chance.step = step
            self._chance(self._luck)
        self._rays.complete(
            lambda begin: _measure(
                self._rays.hierarchy,
                self._boxes,
                bodies.positions,
                bodies.rotations,
                self._lidars,
                step,
                self._luck,
                begin,
                self._distances,
            )
        )
        return self._distances


@compiled
def _measure(
    hierarchy: Hierarchy,
    boxes: PartBoxes,
    positions: Floats,
    rotations: Floats,
    lidars: _Lidars,
    step: int,
    luck: Floats,
    begin: int,
    distances: Floats,
) -> tuple[int, int]:
    """Writes what rays from `begin` on measure; returns as `RayScene.complete` wants it.

    `luck` and `distances` (n,) have a number for each ray.
    """
    sort_boxes(boxes, positions)
    first_slot, first_ray = 0, 0
    for i in range(len(lidars.body)):
        channels, columns, most = lidars.channels[i], lidars.columns[i], lidars.most[i]
        newest, count = swept_columns(step, columns, lidars.columns_in_a_step[i], most)
        body = lidars.body[i]
        R, robot = rotations[body], boxes.robots[body]
        reach = lidars.reach[i]
        origin = plus(read(positions[body]), to_world(R, read(lidars.position[i])))
        for slot in range(max(begin - first_slot, 0), channels * most):
            back = slot % most
            if back >= count:
                continue
            ray = slot // most * columns + (newest - back) % columns
            way = times(reach, to_world(R, read(lidars.rays[first_ray + ray])))
            free, hit = nearest(hierarchy, origin, way, 1.0)
            if hit < NOTHING:
                return NOTHING - 1 - hit, first_slot + slot
            free = nearest_box(boxes, positions, rotations, origin, way, robot, free)
            place = first_slot + slot
            is_seen = free < 1.0 and free * reach >= lidars.nearest[i]
            is_seen = is_seen and luck[place] >= lidars.dropout[i]
            distances[place] = free * reach if is_seen else np.nan
        first_slot += channels * most
        first_ray += channels * columns
    return NOTHING, first_slot


@compiled
def _write(lidars: _Lidars, step: int, distances: Floats, floats: Floats, ints: Integers) -> None:
    """Writes into the words of a state the ranges that were measured in the step, 0 for none."""
    first_slot = 0
    for i in range(len(lidars.body)):
        channels, columns, most = lidars.channels[i], lidars.columns[i], lidars.most[i]
        newest, count = swept_columns(step, columns, lidars.columns_in_a_step[i], most)
        ints[lidars.word[i] + channels * columns] = newest
        for slot in range(channels * most):
            back = slot % most
            if back < count:
                ray = slot // most * columns + (newest - back) % columns
                measured = distances[first_slot + slot]
                within = min(max(measured, lidars.nearest[i]), lidars.reach[i])
                floats[lidars.word[i] + ray] = 0.0 if np.isnan(measured) else within
        first_slot += channels * most
