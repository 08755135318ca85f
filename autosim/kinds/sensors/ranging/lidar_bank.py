"""All lidars in a step: one compiled call measures the sectors that they sweep in it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from autosim import portable
from autosim.arrays import Bytes, Floats, Integers
from autosim.config.noises import WhiteNoise
from autosim.jit import compilable, compiled
from autosim.kinds.banks import BankContext, Mounted, body_indices, vectors, word_indices
from autosim.kinds.sensors.ranging.lidar import LidarSensor, ray_channels
from autosim.kinds.sensors.ranging.lidar_scan import Sweep, ray_directions, swept_columns
from autosim.portable import exp_of
from autosim.rays.boxes import NO_BOX, PartBoxes, first_box, sort_boxes
from autosim.rays.hierarchy import Hierarchy
from autosim.rays.hits import body_normal
from autosim.rays.traversal import NOTHING, nearest, normal_at
from autosim.simulation.bodies import BodyStates
from autosim.simulation.frames import dot, plus, read, times, to_world
from autosim.simulation.noise import Channel, NoiseField
from autosim.simulation.state import State
from autosim.world.geometry.meshes import Surface

_UNIFORM = (WhiteNoise(range=0.5, offset=0.5),)
"""A number between 0 and 1, which says whether a ray drops out."""

_NONE = np.zeros((0, 3))


_REFLECTIVITY = np.full(max(Surface) + 1, 0.3)
"""Share of the light at 905 nm that each surface sends back, after the spectral library of the US
Geological Survey (splib07); of others, that of dry soil."""

for _surface, _share in (
    (Surface.CARRIAGEWAY, 0.15),
    (Surface.PAVEMENT, 0.35),
    (Surface.KERB, 0.35),
    (Surface.PARK, 0.5),
    (Surface.WATER, 0.02),
    (Surface.WALL, 0.4),
    (Surface.ROOF, 0.25),
    (Surface.CONCRETE, 0.35),
    (Surface.MASONRY, 0.3),
    (Surface.TIMBER, 0.45),
    (Surface.HEDGE, 0.5),
    (Surface.STEM, 0.4),
):
    _REFLECTIVITY[_surface] = _share

_OF_BODIES = 0.6
"""Share of the light that robots and objects send back: that of painted sheet metal."""

_FOG = 3.0
"""Extinction times visibility: at the distance of the visibility 5 % of the light is left, exp(-3)
(World Meteorological Organization, Guide to Instruments, 9.1)."""

_RAIN, _RAIN_POWER = 0.248e-3, 0.67
"""Extinction [1/m] of rain is the first times its rate [mm/h] to the power of the second: 1.076 dB
for each kilometre of light at 1 mm/h (Carbonneau and Wisely 1998)."""


class _Lidars(NamedTuple):
    """What does not change of n lidars, (n,) each.

    body; word: place of the first range in the state; channels, columns; columns_in_a_step, most:
    see `Sweep`; reach, nearest [m]: of the rays; dropout: share of the rays that return nothing;
    extinction: [1/m] of the air; is_intense: 1 where intensities are wanted, else 0;
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
    extinction: Floats
    is_intense: Integers
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
            _extinctions(lidars),
            np.array([int(each.has_intensity) for each in lidars], dtype=np.int64),
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
        self._intensities = np.zeros(len(channels))
        self._has_dropouts = bool((self._lidars.dropout + self._lidars.extinction).any())
        is_intense = bool(self._lidars.is_intense.any())
        self._surfaces = context.rays.surfaces if is_intense else np.zeros(0, dtype=np.uint8)
        self._boxes, self._rays = context.boxes, context.rays

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the ranges of the columns swept, and which of them is the newest."""
        distances = noise(self.measure(bodies, state.step))
        _write(self._lidars, state.step, distances, self._intensities, state.floats, state.ints)

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
                self._surfaces,
                begin,
                self._distances,
                self._intensities,
            )
        )
        return self._distances


def _extinctions(lidars: Sequence[LidarSensor]) -> Floats:
    """Extinction (n,) [1/m] of the air around each lidar."""
    rain = np.array([each.rain for each in lidars])
    powers = portable.exp(_RAIN_POWER * portable.log(np.where(rain > 0.0, rain, 1.0)))
    wet = np.where(rain > 0.0, _RAIN * powers, 0.0)
    fog = np.array([_FOG / each.visibility if each.visibility else 0.0 for each in lidars])
    return np.asarray(wet + fog)


@compiled
def _measure(
    hierarchy: Hierarchy,
    boxes: PartBoxes,
    positions: Floats,
    rotations: Floats,
    lidars: _Lidars,
    step: int,
    luck: Floats,
    surfaces: Bytes,
    begin: int,
    distances: Floats,
    intensities: Floats,
) -> tuple[int, int]:
    """Writes what rays from `begin` on measure; returns as `RayScene.complete` wants it.

    `luck`, `distances` and `intensities` (n,) have a number for each ray; `surfaces` one for each
    triangle.
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
            free, box = first_box(boxes, positions, rotations, origin, way, robot, free)
            place = first_slot + slot
            left = _light_left(lidars.extinction[i], free * reach)
            is_seen = free < 1.0 and free * reach >= lidars.nearest[i]
            is_seen = is_seen and luck[place] >= _lost(lidars.dropout[i], left)
            distances[place] = free * reach if is_seen else np.nan
            if is_seen and lidars.is_intense[i]:
                if box == NO_BOX:
                    normal = normal_at(hierarchy.corners, hit, way)
                    share = _REFLECTIVITY[surfaces[hierarchy.numbers[hit]]]
                else:
                    normal = body_normal(boxes, positions, rotations, origin, way, robot, box, free)
                    share = _OF_BODIES
                intensities[place] = share * left * abs(dot(normal, way)) / reach
        first_slot += channels * most
        first_ray += channels * columns
    return NOTHING, first_slot


@compilable
def _light_left(extinction: float, distance: float) -> float:
    """The share of light that comes back through the air from a distance [m]."""
    return exp_of(-2.0 * extinction * distance) if extinction > 0.0 else 1.0


@compilable
def _lost(dropout: float, left: float) -> float:
    """The share of returns that are lost, by chance or with the light."""
    return dropout if left >= 1.0 else 1.0 - (1.0 - dropout) * left


@compiled
def _write(
    lidars: _Lidars,
    step: int,
    distances: Floats,
    intensities: Floats,
    floats: Floats,
    ints: Integers,
) -> None:
    """Writes into the words of a state what was measured in the step, 0 for no return."""
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
                if lidars.is_intense[i]:
                    strength = 0.0 if np.isnan(measured) else intensities[first_slot + slot]
                    floats[lidars.word[i] + channels * columns + 1 + ray] = strength
        first_slot += channels * most
