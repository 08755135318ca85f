"""Ultrasonic sensors: the distance to the nearest thing in a cone that sends sound back."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, sqrt
from typing import NamedTuple

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.config.descriptions import Device, Vector3
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Interval, ValueType
from autosim.config.schemas.common import NOT_NEGATIVE, direction, parameter, vector
from autosim.jit import compiled_without_refcounts, jitable
from autosim.kinds.banks import BankContext, MountedDevice, body_indices, vectors, word_indices
from autosim.kinds.checks import RobotBlocks
from autosim.kinds.elements import FORWARD, ORIGIN, POINT_NOISES, device_element
from autosim.kinds.kind import DeviceKind
from autosim.kinds.sensors.ranging.beams import Beams, aim
from autosim.model.bodies import BodyStates
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import Field
from autosim.model.vector_kernels import (
    Triple,
    dot,
    read_vector,
    to_world,
    vec_add,
    vec_scale,
    vec_sub,
    write_vector,
)
from autosim.rays.batch import RayBatch

SOUND = 343.0
"""Speed of sound [m/s] in dry air at 20 °C."""


@dataclass(frozen=True, slots=True)
class UltrasonicSensor(Device):
    """Distance to what sends sound back in a cone about `direction` (unit vector in B).

    The cone has an opening of `angle` [rad]. An echo from nearer than `min_range` [m] is lost
    in the sensor's own sound; `range` [m] stands for no echo. It sends when sound has had time to
    come back from `range`, and `dead_time` [s] more, and for the first time at `offset` [s].
    `has_crosstalk`: it hears what others of its robot send at the same time.
    """

    position: Vector3 = (0.0, 0.0, 0.0)
    """Tip of the cone [m], in B relative to the part's centre."""
    direction: Vector3 = (1.0, 0.0, 0.0)
    angle: float = pi / 6
    min_range: float = 0.03
    range: float = 4.0
    dead_time: float = 0.01
    offset: float = 0.0
    has_crosstalk: bool = True


def _check(sensor: Block, robot: RobotBlocks, faults: Faults) -> None:
    low, high = sensor.value("MinRange"), sensor.value("Range")
    if low is not None and high is not None and float(low) >= float(high):
        message = f"<MinRange> of {sensor.title} is {low}, not less than <Range>, {high}"
        faults.error(sensor.line_of("MinRange"), message)


_RINGS, _RAYS_PER_RING = 4, 6
"""Rays of a cone: one in the middle, and on each ring around it this many more than on the last
one. Chosen: 61 rays leave gaps of 0.1 m at 2 m in a cone of 30 degrees, less than a post is
wide."""

_RAYS = 1 + _RAYS_PER_RING * _RINGS * (_RINGS + 1) // 2
"""Number of rays of a cone."""

_FACING = 0.7
"""Cosine of the angle between a ray and a surface's normal below which no sound comes back: 45
degrees, beyond which walls are smooth to waves of some millimetres and reflect them elsewhere."""


class _Sensors(NamedTuple):
    """Constants of n sensors.

    body; robot: (n,); reach, nearest: (n,) m; cosine: (n,) of half the opening; hears: (n,) 1 where
    it hears others; position: (n, 3) m and axis: (n, 3) unit vectors in B.
    """

    body: Integers
    robot: Integers
    reach: Floats
    nearest: Floats
    cosine: Floats
    hears: Integers
    position: Floats
    axis: Floats


class UltrasonicBank:
    """All ultrasonic sensors: they hear what stands around, and other robots' bodies.

    Args:
        devices: the sensors.
        context: has what they hear.
    """

    def __init__(
        self, devices: Sequence[MountedDevice[UltrasonicSensor]], context: BankContext
    ) -> None:
        sensors = [mounted.device for mounted in devices]
        body, half = body_indices(devices), 0.5 * np.array([each.angle for each in sensors])
        axis = vectors([each.direction for each in sensors])
        axis /= np.sqrt(portable.dot(axis, axis))[:, None]
        reach = np.array([each.range for each in sensors])
        self._sensors = _Sensors(
            body,
            np.asarray(context.rays.robots[body]),
            reach,
            np.array([each.min_range for each in sensors]),
            np.asarray(portable.cos(half)),
            np.array([int(each.has_crosstalk) for each in sensors], dtype=np.int64),
            vectors([each.position for each in sensors]),
            axis,
        )
        cones = [_cone(each, float(k)) for each, k in zip(axis, half, strict=True)]
        position = self._sensors.position
        self._beams = Beams.of(body, context.rays.robots, position, reach, cones)
        self._batch = RayBatch.of(len(sensors) * _RAYS, with_normals=True)
        seconds = 2.0 * reach / SOUND + np.array([each.dead_time for each in sensors])
        step = context.step_seconds
        self._period = np.maximum(1, np.ceil(seconds / step - 1e-9)).astype(np.int64)
        first = np.round(np.array([each.offset for each in sensors]) / step)
        self._first = first.astype(np.int64)
        self._word = word_indices(devices)
        self._values = reach.copy()
        # Where the rays of those due have met something that sends back, and how far it is.
        self._places = np.empty((len(sensors), _RAYS, 3))
        self._distances = np.empty((len(sensors), _RAYS))
        self._rays = context.rays

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the distances of the sensors that are due."""
        since = state.step - self._first
        due = np.flatnonzero((since >= 0) & (since % self._period == 0))
        if state.step == 0:
            state.floats[self._word] = self._sensors.reach
        if not due.size:
            return
        count = aim(self._beams, due, bodies.positions, bodies.rotations, self._batch)
        self._rays.cast(self._batch, count, bodies)
        rotations = bodies.rotations
        _read_echoes(self._batch, self._beams, due, rotations, self._places, self._distances)
        _hear(
            bodies.positions,
            bodies.rotations,
            self._sensors,
            due,
            self._places,
            self._distances,
            self._values,
        )
        values = noise(self._values.copy())
        state.floats[self._word[due]] = np.clip(values, 0.0, self._sensors.reach)[due]


def _cone(axis: Floats, half: float) -> Floats:
    """Unit vectors (rays, 3) in B of a cone about `axis` (3,), out to an angle `half` [rad]."""
    flat = np.eye(3)[int(np.argmin(np.abs(axis)))]
    across = np.cross(axis, flat)
    across /= portable.length(across)
    aside = np.cross(axis, across)
    rays = [axis[None]]
    for ring in range(1, _RINGS + 1):
        count = _RAYS_PER_RING * ring
        around = 2.0 * pi * np.arange(count) / count
        out = np.full(count, half * ring / _RINGS)
        level = portable.cos(around)[:, None] * across + portable.sin(around)[:, None] * aside
        rays.append(portable.cos(out)[:, None] * axis + portable.sin(out)[:, None] * level)
    return np.concatenate(rays)


@compiled_without_refcounts
def _read_echoes(
    rays: RayBatch,
    beams: Beams,
    due: Integers,
    rotations: Floats,
    places: Floats,
    distances: Floats,
) -> None:
    """Writes where rays have met what sends sound back, and how far; infinite where they have not.

    `places` (n, rays, 3) and `distances` (n, rays) are those of all sensors.
    """
    row = 0
    for k in range(len(due)):
        i = due[k]
        for ray in range(_RAYS):
            u = to_world(rotations[beams.body[i]], read_vector(beams.ways[beams.starts[i] + ray]))
            share = rays.shares[row]
            distances[i, ray] = np.inf
            if share < 1.0 and -dot(read_vector(rays.normals[row]), u) >= _FACING:
                distances[i, ray] = share * beams.reach[i]
                there = vec_scale(share, read_vector(rays.ways[row]))
                write_vector(vec_add(read_vector(rays.origins[row]), there), places[i, ray])
            row += 1


@compiled_without_refcounts
def _hear(
    positions: Floats,
    rotations: Floats,
    sensors: _Sensors,
    due: Integers,
    places: Floats,
    distances: Floats,
    values: Floats,
) -> None:
    """Writes the distance (n,) that each sensor due takes from the first echo that it hears."""
    for k in range(len(due)):
        i = due[k]
        R, origin = _pose(positions, rotations, sensors, i)
        axis = to_world(R, read_vector(sensors.axis[i]))
        first = np.inf
        for other in range(len(due)):
            j = due[other]
            if j != i and (sensors.robot[j] != sensors.robot[i] or not sensors.hears[i]):
                continue
            for ray in range(_RAYS):
                there = distances[j, ray]
                if there == np.inf:
                    continue
                back = (
                    there if j == i else _way_back(origin, axis, sensors.cosine[i], places[j, ray])
                )
                heard = 0.5 * (there + back)
                if heard >= sensors.nearest[i]:
                    first = min(first, heard)
        values[i] = min(first, sensors.reach[i])


@jitable
def _pose(positions: Floats, rotations: Floats, sensors: _Sensors, i: int) -> tuple[Floats, Triple]:
    """R_WB of a sensor's body, and the sensor's place [m] in W."""
    R = rotations[sensors.body[i]]
    arm = to_world(R, read_vector(sensors.position[i]))
    return R, vec_add(read_vector(positions[sensors.body[i]]), arm)


@jitable
def _way_back(origin: Triple, axis: Triple, cosine: float, place: Floats) -> float:
    """The distance [m] from a place to a sensor that hears it in its cone; else infinite."""
    back = vec_sub(read_vector(place), origin)
    length = sqrt(dot(back, back))
    return length if dot(back, axis) >= cosine * length else np.inf


KIND = DeviceKind(
    record=UltrasonicSensor,
    element=device_element(
        "UltrasonicSensor",
        "The distance to the nearest thing in a cone that sends sound back: what is turned away "
        "from the sensor, as level ground is, reflects it elsewhere. A new value comes when sound "
        "has had time to come back from the greatest distance, and the dead time later. Sensors of "
        "one robot that send in the same step hear each other's echoes.",
        vector(
            "Position", "Where its sound begins, relative to the part's centre.", default=ORIGIN
        ),
        direction("Direction", "Where the middle of the cone points.", default=FORWARD),
        parameter(
            "Angle",
            "Opening of the cone, from one side to the other.",
            unit="rad",
            default=pi / 6,
            interval=Interval(0.0, pi),
        ),
        parameter(
            "MinRange",
            "An echo from nearer is lost in the sound that the sensor sends.",
            unit="m",
            default=0.03,
            interval=Interval(0.001, 100.0),
        ),
        parameter(
            "Range",
            "Greatest distance; also the value when nothing is heard.",
            unit="m",
            default=4.0,
            interval=Interval(0.01, 100.0),
        ),
        parameter(
            "DeadTime",
            "Time after the last possible echo until the sensor sends again.",
            unit="s",
            default=0.01,
            interval=NOT_NEGATIVE,
        ),
        parameter(
            "Offset",
            "When it sends for the first time: sensors that take turns do not hear each other.",
            unit="s",
            default=0.0,
            interval=NOT_NEGATIVE,
        ),
        parameter(
            "Crosstalk",
            "Whether it hears the echoes of other sensors of its robot.",
            default=True,
            type=ValueType.BOOLEAN,
        ),
        *POINT_NOISES,
    ),
    fields=(Field("distance", unit="m", meaning="To what sends sound back first."),),
    names={"Crosstalk": "has_crosstalk"},
    check=_check,
    make_bank=UltrasonicBank,
)
