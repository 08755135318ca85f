"""Contacts: the other robots, as one robot sees them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autosim.arrays import Booleans, Floats, Integers
from autosim.config.descriptions import Device, Vector3
from autosim.config.schema import Element, Interval, ValueType
from autosim.config.schemas.common import NOT_NEGATIVE, parameter, switch, vector
from autosim.jit import compiled, jitable
from autosim.kinds.banks import BankContext, MountedDevice, body_indices, vectors, word_indices
from autosim.kinds.elements import DELAY, ORIGIN, device_element, update_rate
from autosim.kinds.kind import DeviceKind
from autosim.model.bodies import BodyStates
from autosim.model.noise import UNIFORMS, NoiseField, normal, stream_of
from autosim.model.state import State
from autosim.model.tree import Column, Field, SimulationTree, list_field
from autosim.model.vector_kernels import dot, read_vector, to_world, vec_add, vec_sub, write_vector
from autosim.rays.batch import RayBatch
from autosim.rays.body_shapes import NO_BODY
from autosim.rays.traversal import NOTHING

COLUMNS = (
    Column("robot"),
    *(Column(name, "m") for name in "xyz"),
    *(Column(f"v{name}", "m/s") for name in "xyz"),
    Column("position_deviation", "m"),
    Column("velocity_deviation", "m/s"),
)


@dataclass(frozen=True, slots=True)
class NoisyContacts(Device):
    """The other robots within `range` [m] of `position` [m] in B that are not hidden.

    They are detected `update_rate` [Hz] times a second. The nearest `capacity` are reported, each
    by the position of its first part, with normal errors: `position_deviation` [m] and
    `velocity_deviation` [m/s] along each axis. If `is_occluded` is false, nothing hides them.
    """

    position: Vector3 = (0.0, 0.0, 0.0)
    range: float = 100.0
    update_rate: float = 10.0
    capacity: int = 16
    position_deviation: float = 1.0
    velocity_deviation: float = 0.5
    is_occluded: bool = True


def _fields(contacts: NoisyContacts) -> tuple[Field, ...]:
    return (list_field("contacts", COLUMNS, contacts.capacity),)


def _deviation(name: str, what: str, unit: str, default: float) -> Element:
    return parameter(
        name,
        f"Standard deviation of the {what} that it tells, along each axis.",
        unit=unit,
        default=default,
        interval=NOT_NEGATIVE,
    )


_WIDTH = len(COLUMNS)


class _Lookouts(NamedTuple):
    """Constants of n devices.

    body; word: (n,) place of the list in the state; position: (n, 3) m in B; range: (n,) m;
    period: (n,) steps; capacity: (n,); deviation: (n, 2) of positions [m] and velocities [m/s];
    is_occluded: (n,). other: (r,) first body of each robot; stream: (n, r, 6) of random numbers.
    """

    body: Integers
    word: Integers
    position: Floats
    range: Floats
    period: Integers
    capacity: Integers
    deviation: Floats
    is_occluded: Booleans
    other: Integers
    stream: npt.NDArray[np.uint64]


class NoisyContactsBank:
    """All devices that report other robots.

    Args:
        devices: these.
        context: has what hides robots.
    """

    def __init__(
        self, devices: Sequence[MountedDevice[NoisyContacts]], context: BankContext
    ) -> None:
        records = [mounted.device for mounted in devices]
        tree = devices[0].node.root if devices else SimulationTree()
        assert isinstance(tree, SimulationTree)
        names = [robot.name for robot in tree.robots]
        bodies = context.rays.robots
        periods = [round(1.0 / (each.update_rate * context.step_seconds)) for each in records]
        self._lookouts = _Lookouts(
            body=body_indices(devices),
            word=word_indices(devices),
            position=vectors([each.position for each in records]),
            range=np.array([each.range for each in records]),
            period=np.maximum(1, np.array(periods, dtype=np.int64)),
            capacity=np.array([each.capacity for each in records], dtype=np.int64),
            deviation=np.array(
                [(each.position_deviation, each.velocity_deviation) for each in records]
            ),
            is_occluded=np.array([each.is_occluded for each in records]),
            other=np.array(
                [np.flatnonzero(bodies == number)[0] for number in range(len(names))],
                dtype=np.int64,
            ),
            stream=np.array(
                [
                    [
                        [stream_of(context.seed, f"{m.node.name}/{each}", k) for k in range(6)]
                        for each in names
                    ]
                    for m in devices
                ],
                dtype=np.uint64,
            ).reshape(len(devices), len(names), 6),
        )
        self._rays, self._batch = context.rays, RayBatch.of(len(devices) * len(names))
        self._looks_for = np.zeros((len(devices) * len(names), 2), dtype=np.int64)
        self._rows = np.zeros((len(names), _WIDTH))
        self._distances = np.zeros(len(names))

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the lists of the devices that look in this step."""
        if (state.step % self._lookouts.period).all():
            return
        count = _aim(
            bodies.positions,
            bodies.rotations,
            self._rays.robots,
            self._lookouts,
            state.step,
            self._batch,
            self._looks_for,
        )
        self._rays.cast(self._batch, count, bodies)
        _list_robots(
            bodies.positions,
            bodies.velocities,
            self._rays.robots,
            self._lookouts,
            state.step,
            self._batch,
            self._looks_for[:count],
            self._rows,
            self._distances,
            state.floats,
            state.ints,
        )


@compiled
def _aim(
    positions: Floats,
    rotations: Floats,
    robots: Integers,
    lookouts: _Lookouts,
    step: int,
    rays: RayBatch,
    looks_for: Integers,
) -> int:
    """Writes rays from the devices that look to the robots in their range; returns how many.

    `looks_for` (count, 2) is written: the device and the robot of each.
    """
    place = 0
    for i in range(len(lookouts.body)):
        if step % lookouts.period[i] != 0:
            continue
        body = lookouts.body[i]
        origin = vec_add(
            read_vector(positions[body]),
            to_world(rotations[body], read_vector(lookouts.position[i])),
        )
        for robot in range(len(lookouts.other)):
            way = vec_sub(read_vector(positions[lookouts.other[robot]]), origin)
            if robot == robots[body] or dot(way, way) > lookouts.range[i] * lookouts.range[i]:
                continue
            write_vector(origin, rays.origins[place])
            write_vector(way, rays.ways[place])
            rays.robots[place] = robots[body]
            looks_for[place, 0], looks_for[place, 1] = i, robot
            place += 1
    return place


@compiled
def _list_robots(
    positions: Floats,
    velocities: Floats,
    robots: Integers,
    lookouts: _Lookouts,
    step: int,
    rays: RayBatch,
    looks_for: Integers,
    rows: Floats,
    distances: Floats,
    words: Floats,
    counts: Integers,
) -> None:
    """Writes what the devices that look see, the nearest first.

    `rows` (r, columns) and `distances` (r,) are room for what one of them sees.
    """
    counter, ray = np.uint64(step) * np.uint64(UNIFORMS), 0
    for i in range(len(lookouts.body)):
        if step % lookouts.period[i] != 0:
            continue
        seen = 0
        while ray < len(looks_for) and looks_for[ray, 0] == i:
            robot = looks_for[ray, 1]
            if not lookouts.is_occluded[i] or not _is_hidden(rays, ray, robots, robot):
                way = read_vector(rays.ways[ray])
                squared = dot(way, way)
                place = _place_of(squared, distances, seen)
                for k in range(seen, place, -1):
                    distances[k] = distances[k - 1]
                    rows[k] = rows[k - 1]
                distances[place] = squared
                _describe(positions, velocities, lookouts, i, robot, counter, rows[place])
                seen += 1
            ray += 1
        _write(rows, min(seen, lookouts.capacity[i]), lookouts, i, words, counts)


@jitable
def _is_hidden(rays: RayBatch, ray: int, robots: Integers, other: int) -> bool:
    """Whether a ray to the robot `other` meets the world, a third robot or an object before."""
    body = rays.bodies[ray]
    return bool(rays.triangles[ray] != NOTHING or (body != NO_BODY and robots[body] != other))


@jitable
def _describe(
    positions: Floats,
    velocities: Floats,
    lookouts: _Lookouts,
    i: int,
    robot: int,
    counter: np.uint64,
    row: Floats,
) -> None:
    """Writes a device's report of a robot, with noise."""
    other = lookouts.other[robot]
    row[0] = robot
    for k in range(3):
        where = lookouts.deviation[i, 0] * normal(lookouts.stream[i, robot, k], counter)
        how = lookouts.deviation[i, 1] * normal(lookouts.stream[i, robot, 3 + k], counter)
        row[1 + k] = positions[other, k] + where
        row[4 + k] = velocities[other, k] + how
    row[7], row[8] = lookouts.deviation[i, 0], lookouts.deviation[i, 1]


@jitable
def _place_of(squared: float, distances: Floats, seen: int) -> int:
    """Index of a robot at that distance among those detected so far, the nearest first."""
    place = seen
    while place > 0 and distances[place - 1] > squared:
        place -= 1
    return place


@jitable
def _write(
    rows: Floats, count: int, lookouts: _Lookouts, i: int, words: Floats, counts: Integers
) -> None:
    """Makes the first `count` rows the list of a device; what lies beyond them is zero."""
    first = lookouts.word[i]
    counts[first] = count
    for k in range(lookouts.capacity[i]):
        for c in range(_WIDTH):
            words[first + 1 + k * _WIDTH + c] = rows[k, c] if k < count else 0.0


KIND = DeviceKind(
    record=NoisyContacts,
    element=device_element(
        "NoisyContacts",
        "The other robots, as this one sees them: a list of the nearest, each with its number in "
        "the order of the world file, position and velocity in the world, and how wrong these are.",
        vector("Position", "Where it looks from, relative to the part's centre.", default=ORIGIN),
        parameter(
            "Range",
            "What is farther is not seen.",
            unit="m",
            default=100.0,
            interval=Interval(0.1, 1e4),
        ),
        update_rate("How many times in a second it looks.", default=10.0),
        parameter(
            "Capacity",
            "Maximum number of robots in the list.",
            default=16,
            interval=Interval(1, 256),
            type=ValueType.INTEGER,
        ),
        _deviation("PositionDeviation", "position", "m", 1.0),
        _deviation("VelocityDeviation", "velocity", "m/s", 0.5),
        switch(
            "Occlusion",
            "Whether the ground, buildings, trees, objects and other robots hide what is behind.",
            default=True,
        ),
        DELAY,
    ),
    names={"Occlusion": "is_occluded"},
    fields=_fields,
    make_bank=NoisyContactsBank,
    is_late_whole=True,
    channels=lambda device, step_seconds: (),
)
