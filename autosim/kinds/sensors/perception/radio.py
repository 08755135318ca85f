"""Radios: messages of numbers from robot to robot, late, and sometimes lost."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.descriptions import Device, Vector3
from autosim.config.noise_records import WhiteNoise
from autosim.config.schema import Interval, ValueType
from autosim.config.schemas.common import NOT_NEGATIVE, parameter, vector
from autosim.jit import compiled_without_refcounts
from autosim.kinds.banks import (
    BankContext,
    MountedDevice,
    body_indices,
    memory_of,
    vectors,
    word_indices,
)
from autosim.kinds.elements import ORIGIN, SHARE, device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.bodies import BodyStates, rotate
from autosim.model.commands import DeviceError, DeviceErrorCode
from autosim.model.noise import NoiseField, NoisyValue
from autosim.model.state import State
from autosim.model.tree import Access, Column, Field, TreeNode, list_field

BYTES_IN_A_NUMBER = 6
"""Bytes of a text in one number: a real number holds whole numbers of 53 bits exactly."""

_HEAD = (Column("sender"), Column("number"), Column("sent", "s"), Column("distance", "m"))

_CHANCE = (WhiteNoise(0.5, 0.5),)
"""A number between 0 and 1, which says whether a message is lost, or how late it is."""

_MOST_ON_THE_WAY = 4096
"""Messages on their way to all receivers: of more the oldest are lost, as on a full channel."""


@dataclass(frozen=True, slots=True)
class RadioDevice(Device):
    """Sends messages of `width` numbers to all radios on its `channel` up to `range` [m] away.

    They arrive after `latency` [s] and up to `jitter` [s] more; a share `loss` of them does not.
    It keeps the `capacity` newest messages that it has received.
    """

    position: Vector3 = (0.0, 0.0, 0.0)
    """Antenna [m], in B relative to the part's centre."""
    channel: int = 1
    range: float = 300.0
    latency: float = 0.02
    jitter: float = 0.0
    loss: float = 0.0
    width: int = 8
    capacity: int = 16


def numbers_of_text(text: str | bytes, width: int) -> Floats:
    """A text as the numbers (width,) of a message; `text_of_numbers` gives it back.

    Raises:
        ValueError: it has more bytes than a message of that width holds.
    """
    raw = text.encode() if isinstance(text, str) else bytes(text)
    room = width * BYTES_IN_A_NUMBER
    if len(raw) > room:
        message = f"the text has {len(raw)} bytes; a message of {width} numbers holds {room}"
        raise ValueError(message)
    raw = raw.ljust(room, b"\0")
    starts = range(0, room, BYTES_IN_A_NUMBER)
    parts = [raw[k : k + BYTES_IN_A_NUMBER] for k in starts]
    return np.array([int.from_bytes(part, "little") for part in parts], dtype=np.float64)


def text_message(state: State, radio: TreeNode, text: str | bytes) -> Floats:
    """The values (1 + width,) that let a radio send `text` as the message after the last.

    Raises:
        DeviceError: INVALID_OPERATION: `radio` is not a radio; DATA_SIZE_MISMATCH: the text is too
            long.
    """
    if radio.kind != KIND.name:
        reason = f"'{radio.name}' is a {radio.kind}: only a {KIND.name} sends text"
        raise DeviceError(DeviceErrorCode.INVALID_OPERATION, reason)
    (width,) = radio.fields[1].shape
    try:
        last = np.ravel(state.value(radio, radio.fields[0]))
        return np.concatenate([last + 1.0, numbers_of_text(text, width)])
    except ValueError as error:
        raise DeviceError(DeviceErrorCode.DATA_SIZE_MISMATCH, f"'{radio.name}': {error}") from error


def text_of_numbers(numbers: Floats) -> str:
    """The text in the numbers (width,) of a message that `numbers_of_text` has made."""
    whole = (int(number) % 2 ** (8 * BYTES_IN_A_NUMBER) for number in numbers)
    raw = b"".join(each.to_bytes(BYTES_IN_A_NUMBER, "little") for each in whole)
    return raw.rstrip(b"\0").decode("utf-8", "replace")


class RadioBank:
    """All radios.

    Args:
        devices: the radios.
        context: has the seed, and tells which robot a body belongs to.
    """

    def __init__(self, devices: Sequence[MountedDevice[RadioDevice]], context: BankContext) -> None:
        radios = [mounted.device for mounted in devices]
        self._body, self._word = body_indices(devices), word_indices(devices)
        self._robot = context.rays.robots[self._body]
        self._position = vectors([each.position for each in radios])
        self._channel = np.array([each.channel for each in radios], dtype=np.int64)
        self._range = np.array([each.range for each in radios])
        self._loss = np.array([each.loss for each in radios])
        self._latency = np.array([each.latency for each in radios]) / context.step_seconds
        self._jitter = np.array([each.jitter for each in radios]) / context.step_seconds
        self._width = np.array([each.width for each in radios], dtype=np.int64)
        self._capacity = np.array([each.capacity for each in radios], dtype=np.int64)
        self._chance = _chance_of(devices, context)
        self._no_values = np.zeros(2 * len(devices) ** 2)
        self.memory = memory_of(devices)
        # Of each message on its way: the step in which it arrives, at which radio, and its row.
        self._arrivals, self._receivers = np.zeros((2, 0), dtype=np.int64)
        self._rows = np.zeros((0, len(_HEAD) + int(self._width.max())))

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Sends the messages that are new, and gives receivers those that arrive."""
        numbers = state.floats[self._word]
        new = np.flatnonzero((numbers != self.memory.rows[:, 0]) & (numbers != 0.0))
        self.memory.rows[:, 0] = numbers
        if new.size:
            self._send(new, bodies, state)
        self._receive(state)

    def _send(self, new: Integers, bodies: BodyStates, state: State) -> None:
        """Puts a message of each of the senders `new` (k,) on its way to each that it reaches."""
        R = bodies.rotations[self._body]
        places = bodies.positions[self._body] + rotate(R, self._position)
        gaps = places[new][:, None] - places
        distances = np.sqrt((gaps * gaps).sum(axis=2))
        self._chance.step = state.step
        chances = self._chance(self._no_values.copy()).reshape(len(self._body), -1, 2)[new]
        reaches = distances <= self._range[new][:, None]
        reaches &= chances[:, :, 0] >= self._loss[new][:, None]
        reaches &= self._channel[new][:, None] == self._channel
        reaches[np.arange(new.size), new] = False
        sender, receiver = np.nonzero(reaches)
        origin = new[sender]
        late = self._latency[origin] + self._jitter[origin] * chances[sender, receiver, 1]
        steps = np.maximum(1, np.round(late)).astype(np.int64)
        rows = np.zeros((origin.size, self._rows.shape[1]))
        rows[:, 0], rows[:, 1] = self._robot[origin], state.floats[self._word[origin]]
        rows[:, 2], rows[:, 3] = state.time, distances[sender, receiver]
        place = np.arange(self._rows.shape[1] - len(_HEAD))
        words = self._word[origin, None] + 1 + np.minimum(place, self._width[origin, None] - 1)
        is_sent = place < self._width[origin, None]
        rows[:, len(_HEAD) :] = np.where(is_sent, state.floats[words], 0.0)
        self._arrivals = np.concatenate([self._arrivals, state.step + steps])[-_MOST_ON_THE_WAY:]
        self._receivers = np.concatenate([self._receivers, receiver])[-_MOST_ON_THE_WAY:]
        self._rows = np.concatenate([self._rows, rows])[-_MOST_ON_THE_WAY:]

    def _receive(self, state: State) -> None:
        """Puts what arrives into the lists of the receivers, in the order of arrival."""
        order = np.argsort(self._arrivals, kind="stable")
        is_due = self._arrivals[order] <= state.step
        due, rest = order[is_due], np.sort(order[~is_due])
        _deliver(
            self._receivers[due],
            self._rows[due],
            self._word,
            self._width,
            self._capacity,
            state.floats,
            state.ints,
        )
        self._arrivals, self._receivers = self._arrivals[rest], self._receivers[rest]
        self._rows = self._rows[rest]


def _chance_of(devices: Sequence[MountedDevice[RadioDevice]], context: BankContext) -> NoiseField:
    """Two numbers between 0 and 1 for each pair of sender and receiver: for loss and jitter."""
    names = [mounted.node.name for mounted in devices]
    channels = [
        NoisyValue(f"{sender}.{what}.{receiver}", sender, what, _CHANCE)
        for sender in names
        for receiver in names
        for what in ("loss", "jitter")
    ]
    return NoiseField(channels, seed=context.seed, step_seconds=context.step_seconds)


@compiled_without_refcounts
def _deliver(
    receivers: Integers,
    rows: Floats,
    word: Integers,
    width: Integers,
    capacity: Integers,
    floats: Floats,
    ints: Integers,
) -> None:
    """Appends rows (k, columns) to the lists of `receivers` (k,); of a full one the first goes."""
    for k in range(len(receivers)):
        i = receivers[k]
        columns, first = 4 + width[i], word[i] + 1 + width[i]
        count, start = ints[first], first + 1
        if not 0 <= count < capacity[i]:
            for place in range(start, start + (capacity[i] - 1) * columns):
                floats[place] = floats[place + columns]
            count = capacity[i] - 1
        for column in range(columns):
            floats[start + count * columns + column] = rows[k, column]
        ints[first] = count + 1


def _fields(radio: RadioDevice) -> tuple[Field, ...]:
    columns = (*_HEAD, *(Column(f"m{number}") for number in range(radio.width)))
    number = Field("number", meaning="Of the message to send; 0 sends none.")
    message = Field(
        "message", shape=(radio.width,), meaning="What is sent when the number changes."
    )
    meaning = "The newest messages that have arrived, the oldest first."
    received = list_field("received", columns, radio.capacity, meaning)
    return number, message, replace(received, is_optional=True)


KIND = DeviceKind(
    record=RadioDevice,
    element=device_element(
        "RadioDevice",
        "A radio: who sets it to a number other than 0 and to a message sends this to all radios "
        "on its channel within range, once for each change of the number. Reading it gives the "
        "newest messages that have arrived, the oldest first: the sender, which is the number of a "
        "robot in the order of the world file; the message's number; when it was sent [s]; over "
        "what distance [m]; and the message. What is on its way is lost when the world is changed.",
        vector("Position", "Place of the antenna, relative to the part's centre.", default=ORIGIN),
        parameter(
            "Channel",
            "Radios on one channel hear each other.",
            default=1,
            interval=Interval(0, 1_000_000),
            type=ValueType.INTEGER,
        ),
        parameter(
            "Range",
            "How far its messages get.",
            unit="m",
            default=300.0,
            interval=NOT_NEGATIVE,
        ),
        parameter(
            "Latency",
            "From sending to arrival; one step at least.",
            unit="s",
            default=0.02,
            interval=Interval(0.0, 60.0),
        ),
        parameter(
            "Jitter",
            "Maximum additional random delay of each message; messages may overtake each other.",
            unit="s",
            default=0.0,
            interval=Interval(0.0, 60.0),
        ),
        parameter("Loss", "Share of messages that do not arrive.", default=0.0, interval=SHARE),
        parameter(
            "Width",
            "Numbers in a message. What a receiver has no room for is cut off.",
            default=8,
            interval=Interval(1, 64),
            type=ValueType.INTEGER,
        ),
        parameter(
            "Capacity",
            "Most messages that it keeps.",
            default=16,
            interval=Interval(1, 256),
            type=ValueType.INTEGER,
        ),
    ),
    fields=_fields,
    access=Access.SET,
    make_bank=RadioBank,
)
