"""Channels: the words of a state that pictures need, and how finely each is sent."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.kinds.kind import POSE
from autosim.model.tree import WORD, FieldType, SimulationTree, TreeNode
from autosim.traffic.traffic_node import KIND as TRAFFIC
from autosim.traffic.traffic_node import PERSON, VEHICLE, P, V

MILLIMETRE = 1e-3
"""Quantum of positions and lengths [m]."""

QUATERNION = 2.0**-16
"""Quantum of the numbers of a quaternion: 3e-5 rad, a tenth of a pixel in a wide picture."""

ANGLE = 5e-4
"""Quantum of angles [rad]: 1 mm at the end of a car."""

SPEED = 0.01
"""Quantum of speeds [m/s]."""

SHARE = 2.0**-10
"""Quantum of shares: of lamps' brightness, of pedals."""

EXACT = 0.0
"""Quantum of int64 words, which are sent as they are."""

_OF_KINDS: dict[str, dict[str, float]] = {
    "WheelDevice": {"steering": ANGLE, "rotation": ANGLE, "suspension_length": MILLIMETRE},
    "KinematicWheel": {"steering": ANGLE, "rotation": ANGLE},
    "RevoluteLink": {"position": ANGLE},
    "PrismaticLink": {"position": MILLIMETRE},
    "Motor": {"position": ANGLE},
    "Propeller": {"throttle": SHARE},
    "LightDevice": {"intensity": SHARE},
    "HeadLightDevice": {"intensity": SHARE},
    "VelocimeterSensor": {"velocity": SPEED},
    "DriveActuator": {
        "steering": ANGLE,
        "acceleration": SHARE,
        "brake": SHARE,
        "hand_brake": SHARE,
        "gear": 1.0,
    },
    "DriveSensor": {"motor_speed": 0.1, "gear": 1.0},
    "FlatTyre": {"flatness": SHARE},
}
"""Quantum of each field that is sent, by the kind of the node."""

_OF_VEHICLES: dict[int, float] = {
    V.kind: 1.0,
    V.x: MILLIMETRE,
    V.y: MILLIMETRE,
    V.z: MILLIMETRE,
    V.yaw: ANGLE,
    V.pitch: ANGLE,
    V.roll: ANGLE,
    V.speed: SPEED,
    V.steering: 4 * ANGLE,
    V.rolled: 0.01,
    V.lights: 1.0,
    V.colour: 1.0,
}
_OF_PEOPLE: dict[int, float] = {
    P.kind: 1.0,
    P.x: MILLIMETRE,
    P.y: MILLIMETRE,
    P.z: MILLIMETRE,
    P.yaw: 4 * ANGLE,
    P.speed: SPEED,
    P.walked: 0.01,
    P.posture: 0.01,
    P.colour: 1.0,
}
_OF_TABLES = {"vehicles": (VEHICLE, _OF_VEHICLES), "people": (PERSON, _OF_PEOPLE)}


class StateChannel(NamedTuple):
    """A run of words: `words` words from byte `offset` of the state, `stride` bytes apart.

    A float64 word is sent as round(value / quantum); a quantum of 0 means int64, sent exactly.
    """

    offset: int
    words: int
    quantum: float
    stride: int = WORD


def channels_of(tree: SimulationTree) -> tuple[StateChannel, ...]:
    """The channels of a tree that is laid out: step and time first, then those of all nodes.

    Columns of tables (vehicles, people) are channels, not rows: values of one meaning are next to
    each other, which makes the runs of changed words long.
    """
    return tuple(_joined(_all_channels(tree)))


def _all_channels(tree: SimulationTree) -> Iterator[StateChannel]:
    yield StateChannel(tree.start, len(tree.fields), EXACT)
    for node in tree.walk():
        if node.twin is not None or node is tree:
            continue
        if node.kind == TRAFFIC:
            yield from _of_traffic(node)
        elif node.fields[: len(POSE)] == POSE:
            yield StateChannel(node.field_offset("position"), 3, MILLIMETRE)
            yield StateChannel(node.field_offset("orientation"), 4, QUATERNION)
            yield StateChannel(node.field_offset("velocity"), 3, SPEED)
        else:
            yield from _of_node(node)


def _of_node(node: TreeNode) -> Iterator[StateChannel]:
    quanta = _OF_KINDS.get(node.kind, {})
    for field in node.fields:
        count = field.size // WORD
        if node.kind == "Robot" and field.type is FieldType.INT:
            yield StateChannel(node.field_offset(field.name), count, EXACT)
        elif field.name in quanta and field.type is FieldType.FLOAT and count:
            yield StateChannel(node.field_offset(field.name), count, quanta[field.name])


def _of_traffic(node: TreeNode) -> Iterator[StateChannel]:
    for field in node.fields:
        start = node.field_offset(field.name)
        if field.type is FieldType.INT and field.size:
            yield StateChannel(start, field.size // WORD, EXACT)
        elif field.name in _OF_TABLES and field.shape[0]:
            width, columns = _OF_TABLES[field.name]
            for column, quantum in columns.items():
                yield StateChannel(start + column * WORD, field.shape[0], quantum, width * WORD)


def _joined(channels: Iterator[StateChannel]) -> Iterator[StateChannel]:
    """Joins channels that follow each other in the state and have the same quantum."""
    last: StateChannel | None = None
    for each in channels:
        if last is not None and _continues(last, each):
            last = last._replace(words=last.words + each.words)
            continue
        if last is not None:
            yield last
        last = each
    if last is not None:
        yield last


def _continues(last: StateChannel, following: StateChannel) -> bool:
    is_dense = last.stride == following.stride == WORD
    is_next = last.offset + last.words * WORD == following.offset
    return is_dense and is_next and last.quantum == following.quantum


def words_of(channels: tuple[StateChannel, ...]) -> Integers:
    """Indices (n,) of the words of all channels in the state, in the order of the channels."""
    parts = [
        (each.offset + each.stride * np.arange(each.words, dtype=np.int64)) // WORD
        for each in channels
    ]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def quanta_of(channels: tuple[StateChannel, ...]) -> Floats:
    """Quantum (n,) of each word of all channels, in the order of the channels."""
    quanta = np.array([each.quantum for each in channels], dtype=np.float64)
    return np.repeat(quanta, [each.words for each in channels])
