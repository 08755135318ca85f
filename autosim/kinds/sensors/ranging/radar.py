"""Radars: a list of what returns their waves, with range, azimuth and radial speed."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, pi
from typing import NamedTuple

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.config.descriptions import Device, Vector3
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Interval, ValueType
from autosim.config.schemas.common import parameter
from autosim.jit import compiled_without_refcounts, jitable
from autosim.kinds.banks import (
    BankContext,
    MountedDevice,
    body_indices,
    sampling_intervals,
    vectors,
)
from autosim.kinds.checks import RobotBlocks, check_axes
from autosim.kinds.elements import LIST_NOISES, device_element, seen_from_to, update_rate, view
from autosim.kinds.kind import DeviceKind
from autosim.kinds.lists import ListWriter
from autosim.kinds.sensors.ranging.beams import Beams, aim
from autosim.model.bodies import BodyStates
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import Column, Field, list_field
from autosim.model.vector_kernels import (
    Triple,
    cross,
    dot,
    read_vector,
    to_world,
    vec_add,
    vec_scale,
    vec_sub,
)
from autosim.rays.batch import RayBatch
from autosim.rays.body_shapes import NO_BODY

COLUMNS = (Column("range", "m"), Column("azimuth", "rad"), Column("radial_speed", "m/s"))
"""Of a target: positive azimuths lie to the left, positive speeds lead away."""


@dataclass(frozen=True, slots=True)
class RadarSensor(Device):
    """A radar that looks along `direction` (unit vector in B, at a right angle to `up`).

    It sees `field_of_view` [rad] across and `elevation` [rad] in height, a beam every `resolution`
    [rad], from `min_range` to `range` [m], `update_rate` [Hz] times a second, and reports the
    `capacity` nearest targets.
    """

    position: Vector3 = (0.0, 0.0, 0.0)
    """Origin of the beams [m], in B relative to the part's centre."""
    direction: Vector3 = (1.0, 0.0, 0.0)
    up: Vector3 = (0.0, 0.0, 1.0)
    field_of_view: float = pi / 2
    elevation: float = pi / 18
    resolution: float = pi / 180
    min_range: float = 0.5
    range: float = 100.0
    update_rate: float = 20.0
    capacity: int = 32


def _check(radar: Block, robot: RobotBlocks, faults: Faults) -> None:
    check_axes(radar, robot, faults)
    low, high = radar.value("MinRange"), radar.value("Range")
    if low is not None and high is not None and float(low) >= float(high):
        message = f"<MinRange> of {radar.title} is {low}, which is not less than <Range>, {high}"
        faults.error(radar.line_of("MinRange"), message)


def _fields(radar: RadarSensor) -> tuple[Field, ...]:
    return (list_field("targets", COLUMNS, radar.capacity),)


def _channels(radar: RadarSensor, step_seconds: float) -> tuple[str, ...]:
    return tuple(
        f".{column.name}.{number}" for number in range(radar.capacity) for column in COLUMNS
    )


_MOST_ROWS = 5
"""Number of beams above each other. Chosen: cars and walls are higher than a fifth of what a radar
sees."""

_GRAZING = 0.2
"""Cosine of the angle between a beam and a surface's normal below which the surface reflects it
away: 78 degrees."""

_LEVEL = 0.7
"""Share of a normal that points up or down from which on a surface is ground or ceiling."""

_STEP_IN_RANGE = 1.0
"""Difference in range [m] between neighbouring beams from which on they have met two things."""


class _Radars(NamedTuple):
    """Constants of n radars.

    capacity; first_row: (n,), the latter of each one's values; columns, rows: (n,) of its beams, by
    columns from the right to the left; nearest: (n,) m; azimuths: (all,) rad, of the beams.
    """

    capacity: Integers
    first_row: Integers
    columns: Integers
    rows: Integers
    nearest: Floats
    azimuths: Floats


class _Bodies(NamedTuple):
    """All bodies as they are now: see `BodyStates`."""

    positions: Floats
    rotations: Floats
    velocities: Floats
    angular_velocities: Floats


class _Echo(NamedTuple):
    """Return of a beam: whether there is one, its body, range [m] and speed [m/s]."""

    is_there: bool
    body: int
    range: float
    speed: float


class RadarBank:
    """All radars: they see what stands around, and other robots' bodies.

    Args:
        devices: the radars.
        context: has what they see.
    """

    def __init__(self, devices: Sequence[MountedDevice[RadarSensor]], context: BankContext) -> None:
        radars = [mounted.device for mounted in devices]
        beams = [_beams(radar) for radar in radars]
        counts = np.array([len(rays) for rays, _, _ in beams], dtype=np.int64)
        columns = np.array([count for _, _, count in beams], dtype=np.int64)
        capacity = np.array([radar.capacity for radar in radars], dtype=np.int64)
        self._radars = _Radars(
            capacity,
            np.cumsum(capacity) - capacity,
            columns,
            counts // np.maximum(columns, 1),
            np.array([radar.min_range for radar in radars]),
            np.concatenate([np.zeros(0), *(azimuths for _, azimuths, _ in beams)]),
        )
        self._beams = Beams.of(
            body_indices(devices),
            context.rays.robots,
            vectors([radar.position for radar in radars]),
            np.array([radar.range for radar in radars]),
            [rays for rays, _, _ in beams],
        )
        self._batch = RayBatch.of(int(counts.sum()), with_normals=True)
        self._period = sampling_intervals(
            [radar.update_rate for radar in radars], context.step_seconds
        )
        self._lists = ListWriter(devices, capacity, len(COLUMNS))
        self._values = np.full((int(capacity.sum()), len(COLUMNS)), np.nan)
        self._rays = context.rays

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the lists of the radars that are due."""
        due = np.flatnonzero(state.step % self._period == 0)
        if not due.size:
            return
        count = aim(self._beams, due, bodies.positions, bodies.rotations, self._batch)
        self._rays.cast(self._batch, count, bodies)
        moving = _Bodies(
            bodies.positions, bodies.rotations, bodies.velocities, bodies.angular_velocities
        )
        _find_targets(moving, self._radars, self._beams, due, self._batch, self._values)
        values = noise(self._values.copy().reshape(-1)).reshape(-1, len(COLUMNS))
        values[:, 0] = np.maximum(values[:, 0], 0.0)
        self._lists.write(state, due, values)


def _beams(radar: RadarSensor) -> tuple[Floats, Floats, int]:
    """Unit vectors (n, 3) in B of the beams, azimuths (n,) [rad], and how many columns they are."""
    columns = max(1, ceil(radar.field_of_view / radar.resolution - 1e-9))
    columns += 1 - columns % 2
    rows = 1 if radar.elevation == 0.0 else _MOST_ROWS
    up = np.array(radar.up) / portable.length(np.array(radar.up))
    forward = np.array(radar.direction) - portable.dot(np.array(radar.direction), up) * up
    forward /= portable.length(forward)
    left = np.cross(up, forward)
    half = 0.5 * radar.field_of_view
    around = np.linspace(-half, half, columns) if columns > 1 else np.zeros(1)
    above = 0.5 * radar.elevation * np.linspace(-1.0, 1.0, rows) if rows > 1 else np.zeros(1)
    azimuths, heights = (each.reshape(-1) for each in np.meshgrid(around, above, indexing="ij"))
    level = portable.cos(azimuths)[:, None] * forward + portable.sin(azimuths)[:, None] * left
    rays = portable.cos(heights)[:, None] * level + portable.sin(heights)[:, None] * up
    return np.asarray(rays), azimuths, columns


@compiled_without_refcounts
def _find_targets(
    bodies: _Bodies, radars: _Radars, beams: Beams, due: Integers, rays: RayBatch, values: Floats
) -> None:
    """Writes the targets of the `due` radars, NaN where there is none.

    Args:
        bodies: as they are now.
        radars: all of them.
        beams: theirs.
        due: (k,) which of them have sent the rays.
        rays: of one after the other, and what they have met.
        values: (all, columns) written: range, azimuth, speed.
    """
    ray = 0
    for k in range(len(due)):
        i = due[k]
        first, last = radars.first_row[i], radars.first_row[i] + radars.capacity[i]
        values[first:last] = np.nan
        # The nearest of a run of beams that have met one thing: range, azimuth, speed.
        known, body, before = False, NO_BODY, 0.0
        nearest, azimuth, speed = 0.0, 0.0, 0.0
        for column in range(radars.columns[i]):
            beam = beams.starts[i] + column * radars.rows[i]
            seen = _nearest_in_column(bodies, radars, beams, i, beam, rays, ray)
            ray += radars.rows[i]
            if known and not _goes_on(seen, body, before):
                _insert(values[first:last], nearest, azimuth, speed)
                known = False
            if seen.is_there and (not known or seen.range < nearest):
                nearest, speed = seen.range, seen.speed
                azimuth = radars.azimuths[beam]
            known = seen.is_there
            body, before = seen.body, seen.range
        if known:
            _insert(values[first:last], nearest, azimuth, speed)


@jitable
def _nearest_in_column(
    bodies: _Bodies, radars: _Radars, beams: Beams, i: int, beam: int, rays: RayBatch, ray: int
) -> _Echo:
    """The nearest echo of the beams above each other, from `beam` with its `ray` on."""
    body, reach = beams.body[i], beams.reach[i]
    R = bodies.rotations[body]
    arm = to_world(R, read_vector(beams.position[i]))
    turning = cross(read_vector(bodies.angular_velocities[body]), arm)
    motion = vec_add(read_vector(bodies.velocities[body]), turning)
    found = _Echo(False, NO_BODY, np.inf, 0.0)
    for row in range(radars.rows[i]):
        u = to_world(R, read_vector(beams.ways[beam + row]))
        there, met = rays.shares[ray + row] * reach, rays.bodies[ray + row]
        if radars.nearest[i] <= there < found.range and _returns(rays, ray + row, u):
            place = vec_add(read_vector(rays.origins[ray + row]), vec_scale(there, u))
            moved = _velocity_of(bodies, met, place)
            found = _Echo(True, met, there, dot(vec_sub(moved, motion), u))
    return found


@jitable
def _goes_on(seen: _Echo, body: int, before: float) -> bool:
    """Whether a beam has met what its neighbour has met, on that body or at range `before`."""
    if not seen.is_there or seen.body != body:
        return False
    return body != NO_BODY or abs(seen.range - before) < _STEP_IN_RANGE


@jitable
def _returns(rays: RayBatch, ray: int, u: Triple) -> bool:
    """Whether waves that come along `u` return from what a ray has met."""
    normal = read_vector(rays.normals[ray])
    if rays.shares[ray] >= 1.0 or -dot(normal, u) < _GRAZING:
        return False
    return rays.bodies[ray] != NO_BODY or abs(normal[2]) < _LEVEL


@jitable
def _velocity_of(bodies: _Bodies, body: int, place: Triple) -> Triple:
    """The velocity [m/s] in W of a place [m] in W on a body; of the world it is zero."""
    if body == NO_BODY:
        return 0.0, 0.0, 0.0
    arm = vec_sub(place, read_vector(bodies.positions[body]))
    turning = cross(read_vector(bodies.angular_velocities[body]), arm)
    return vec_add(read_vector(bodies.velocities[body]), turning)


@jitable
def _insert(targets: Floats, distance: float, azimuth: float, speed: float) -> None:
    """Puts a target into a list in the order of ranges; the farthest falls out of a full one."""
    row = len(targets) - 1
    if targets[row, 0] <= distance:
        return
    while row > 0 and not targets[row - 1, 0] <= distance:
        for column in range(targets.shape[1]):
            targets[row, column] = targets[row - 1, column]
        row -= 1
    targets[row, 0], targets[row, 1], targets[row, 2] = distance, azimuth, speed


KIND = DeviceKind(
    record=RadarSensor,
    element=device_element(
        "RadarSensor",
        "A radar: a list of targets, the nearest first, with range [m], azimuth [rad] to the left, "
        "and radial speed [m/s], which is positive where the target goes away. It sees the bodies "
        "of other robots, each once, and upright surfaces that face it; what is behind them is "
        "hidden. The level ground returns nothing. Noise acts on each number of each target: with "
        "a field, on that one.",
        *view("Where its waves begin, relative to the part's centre.", "Where it looks."),
        parameter(
            "FieldOfView",
            "Width of what it sees, half of it on each side.",
            unit="rad",
            default=pi / 2,
            interval=Interval(0.01, 2.0 * pi),
        ),
        parameter(
            "Elevation",
            "Height of what it sees, half of it above and below.",
            unit="rad",
            default=pi / 18,
            interval=Interval(0.0, pi / 2),
        ),
        parameter(
            "Resolution",
            "Angle between its beams: targets nearer to each other are one.",
            unit="rad",
            default=pi / 180,
            interval=Interval(0.001, 1.0),
        ),
        *seen_from_to("What is nearer is not seen.", "What is farther is not seen."),
        update_rate("New lists in a second.", default=20.0),
        parameter(
            "Capacity",
            "Most targets of a list.",
            default=32,
            interval=Interval(1, 256),
            type=ValueType.INTEGER,
        ),
        *LIST_NOISES,
    ),
    fields=_fields,
    names={"UpVector": "up"},
    channels=_channels,
    check=_check,
    is_late_whole=True,
    make_bank=RadarBank,
)
