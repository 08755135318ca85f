"""All lidars in a step: the rays of the sectors that they sweep in it are cast together."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from autosim import portable
from autosim.arrays import Bytes, Floats, Integers
from autosim.config.noise_records import WhiteNoise
from autosim.jit import bind_leading_arguments, compiled_without_refcounts, jitable
from autosim.kinds.banks import (
    BankContext,
    MountedDevice,
    Weather,
    body_indices,
    vectors,
    word_indices,
)
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor, ray_channels
from autosim.kinds.sensors.ranging.lidar_scan import Sweep, ray_directions, swept_columns
from autosim.model.bodies import BodyStates
from autosim.model.noise import NoiseField, NoisyValue
from autosim.model.state import State
from autosim.model.vector_kernels import (
    dot,
    read_vector,
    to_world,
    vec_add,
    vec_scale,
    write_vector,
)
from autosim.portable import exp_of
from autosim.rays.batch import RayBatch
from autosim.rays.body_shapes import NO_BODY
from autosim.world.geometry.meshes import Surface

_UNIFORM = (WhiteNoise(range=0.5, offset=0.5),)
"""A number between 0 and 1, which says whether a ray drops out."""

_NONE = np.zeros((0, 3))


REFLECTIVITY = np.full(max(Surface) + 1, 0.3)
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
    (Surface.PAVING, 0.35),
    (Surface.SETT, 0.25),
    (Surface.ASPHALT, 0.15),
    (Surface.GRAVEL, 0.3),
):
    REFLECTIVITY[_surface] = _share

BODY_REFLECTIVITY = 0.6
"""Share of the light that robots and objects send back: that of painted sheet metal."""

_FOG = 3.0
"""Extinction times visibility: at the distance of the visibility 5 % of the light is left, exp(-3)
(World Meteorological Organization, Guide to Instruments, 9.1)."""

_RAIN, _RAIN_POWER = 0.248e-3, 0.67
"""Extinction [1/m] of rain is the first times its rate [mm/h] to the power of the second: 1.076 dB
for each kilometre of light at 1 mm/h (Carbonneau and Wisely 1998)."""


class _Lidars(NamedTuple):
    """Constants of n lidars, (n,) each.

    body, robot: that carry it; word: place of the first range in the state; channels, columns;
    columns_in_a_step, most: see `Sweep`; reach, nearest [m]: of the rays; dropout: share of the
    rays that return nothing; extinction: [1/m] of the air; is_intense: 1 where intensities are
    wanted, else 0; position: (n, 3) m in B; rays: (all, 3) unit vectors in B, of one lidar after
    the other, by channels and then by columns.
    """

    body: Integers
    robot: Integers
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
        context: has what they see, and the seed of the dropouts.
    """

    def __init__(self, devices: Sequence[MountedDevice[LidarSensor]], context: BankContext) -> None:
        lidars = [mounted.device for mounted in devices]
        sweep = Sweep(lidars, context.step_seconds)
        body = body_indices(devices)
        self._lidars = _Lidars(
            body,
            np.asarray(context.rays.robots[body]),
            word_indices(devices),
            np.array([each.channels for each in lidars], dtype=np.int64),
            np.array([each.columns for each in lidars], dtype=np.int64),
            sweep.columns_in_a_step,
            sweep.most,
            np.array([each.range for each in lidars]),
            np.array([each.min_range for each in lidars]),
            np.array([each.dropout for each in lidars]),
            _extinctions(lidars, context.air),
            np.array([int(each.has_intensity) for each in lidars], dtype=np.int64),
            vectors([each.position for each in lidars]),
            np.concatenate([_NONE, *(ray_directions(each).reshape(-1, 3) for each in lidars)]),
        )
        channels = [
            NoisyValue(f"{mounted.node.name}{ray}.dropout", mounted.node.name, "", _UNIFORM)
            for mounted in devices
            for ray in ray_channels(mounted.device, context.step_seconds)
        ]
        self._chance = NoiseField(channels, seed=context.seed, step_seconds=context.step_seconds)
        self._luck, self._distances = np.zeros(len(channels)), np.zeros(len(channels))
        self._intensities = np.zeros(len(channels))
        self._has_dropouts = bool((self._lidars.dropout + self._lidars.extinction).any())
        is_intense = bool(self._lidars.is_intense.any())
        self._surfaces = context.rays.scene.surfaces if is_intense else np.zeros(0, dtype=np.uint8)
        self._batch = RayBatch.of(len(channels), with_normals=is_intense)
        self._cast = context.rays.casting(self._batch)
        self._bind(np.zeros(len(channels), dtype=np.int64))

    def _bind(self, slots: Integers) -> None:
        lidars, batch = self._lidars, self._batch
        bodies = BodyStates(0)
        self._aim = bind_leading_arguments(
            _aim, lidars, batch, slots, like=(0, bodies.positions, bodies.rotations)
        )
        told = self._distances, self._intensities
        self._measure = bind_leading_arguments(
            _measure, lidars, batch, slots, self._luck, self._surfaces, *told, like=(0,)
        )
        words: Floats = np.zeros(0)
        self._write = bind_leading_arguments(
            _write, lidars, *told, like=(0, words, words.view(np.int64))
        )

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the ranges of the columns swept, and which of them is the newest."""
        noise(self.measure(bodies, state.step))
        self._write(state.step, state.floats, state.ints)

    def measure(self, bodies: BodyStates, step: int) -> Floats:
        """Ranges [m] of the rays cast in the step of that number, NaN for no return.

        They are those of one lidar after the other, by channels and then by how many columns before
        the newest one they are.
        """
        if self._has_dropouts:
            self._luck.fill(0.0)
            self._chance.step = step
            self._chance(self._luck)
        count = self._aim(step, bodies.positions, bodies.rotations)
        self._cast(count, bodies)
        self._measure(count)
        return self._distances


def _extinctions(lidars: Sequence[LidarSensor], air: Weather) -> Floats:
    """Extinction (n,) [1/m] of the air around each lidar: the world's, unless it has its own."""
    rain = np.array([air.rain if each.rain is None else each.rain for each in lidars])
    powers = portable.exp(_RAIN_POWER * portable.log(np.where(rain > 0.0, rain, 1.0)))
    wet = np.where(rain > 0.0, _RAIN * powers, 0.0)
    sights = [air.visibility if each.visibility is None else each.visibility for each in lidars]
    fog = np.array([_FOG / each if each else 0.0 for each in sights])
    return np.asarray(wet + fog)


@compiled_without_refcounts
def _aim(
    lidars: _Lidars,
    rays: RayBatch,
    slots: Integers,
    step: int,
    positions: Floats,
    rotations: Floats,
) -> int:
    """Writes the rays that lidars send in a step, and how many there are.

    `slots` (n,) is written: the place of each among the most that there can be.
    """
    first_slot, first_ray, place = 0, 0, 0
    for i in range(len(lidars.body)):
        channels, columns, most = lidars.channels[i], lidars.columns[i], lidars.most[i]
        newest, count = swept_columns(step, columns, lidars.columns_in_a_step[i], most)
        body, reach = lidars.body[i], lidars.reach[i]
        R = rotations[body]
        origin = vec_add(read_vector(positions[body]), to_world(R, read_vector(lidars.position[i])))
        for channel in range(channels):
            for back in range(count):
                ray = first_ray + channel * columns + (newest - back) % columns
                write_vector(origin, rays.origins[place])
                write_vector(
                    vec_scale(reach, to_world(R, read_vector(lidars.rays[ray]))), rays.ways[place]
                )
                rays.robots[place] = lidars.robot[i]
                slots[place] = first_slot + channel * most + back
                place += 1
        first_slot += channels * most
        first_ray += channels * columns
    return place


@compiled_without_refcounts
def _measure(
    lidars: _Lidars,
    rays: RayBatch,
    slots: Integers,
    luck: Floats,
    surfaces: Bytes,
    distances: Floats,
    intensities: Floats,
    count: int,
) -> None:
    """Writes the distances [m] that the first rays have measured, and how strong returns are.

    `luck`, `distances` and `intensities` (n,) have a number for each slot; `surfaces` one for each
    triangle.
    """
    i, end = -1, 0
    for ray in range(count):
        slot = slots[ray]
        while slot >= end:
            i += 1
            end += lidars.channels[i] * lidars.most[i]
        reach, free = lidars.reach[i], rays.shares[ray]
        left = _light_left(lidars.extinction[i], free * reach)
        is_seen = free < 1.0 and free * reach >= lidars.nearest[i]
        is_seen = is_seen and luck[slot] >= _lost(lidars.dropout[i], left)
        distances[slot] = free * reach if is_seen else np.nan
        if is_seen and lidars.is_intense[i]:
            is_body = rays.bodies[ray] != NO_BODY
            share = BODY_REFLECTIVITY if is_body else REFLECTIVITY[surfaces[rays.triangles[ray]]]
            facing = abs(dot(read_vector(rays.normals[ray]), read_vector(rays.ways[ray]))) / reach
            intensities[slot] = share * left * facing


@jitable
def _light_left(extinction: float, distance: float) -> float:
    """The share of light that comes back through the air from a distance [m]."""
    return exp_of(-2.0 * extinction * distance) if extinction > 0.0 else 1.0


@jitable
def _lost(dropout: float, left: float) -> float:
    """The share of returns that are lost, by chance or with the light."""
    return dropout if left >= 1.0 else 1.0 - (1.0 - dropout) * left


@compiled_without_refcounts
def _write(
    lidars: _Lidars,
    distances: Floats,
    intensities: Floats,
    step: int,
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
