"""The envelope of a message: its type, its number, and the time to which it refers.

28 bytes before the data, little-endian: type, publisher and sequence (32 bits each), stamp [ns] and
time of publication [ns] (64 bits each, signed). The backend transmits the length.
"""

import struct
import zlib
from dataclasses import dataclass

from autosim_testbench.messages.serial_object import MessageError, SerialObject

_HEAD = struct.Struct("<IIIqq")

SEQUENCES = 1 << 32
"""Number of messages after which a publisher counts from 0 again."""


@dataclass(frozen=True)
class Envelope:
    """Metadata of a message.

    Attributes:
        type_id: of the kind of message (`SerialObject.type_id`).
        publisher: a number for the node that sent it, made from its name (`publisher_id`).
        sequence: number of the message, from 0, by publisher and topic.
        stamp_ns: time [ns] to which the data refer, on the bench's clock.
        published_ns: time [ns] of sending.
    """

    type_id: int
    publisher: int
    sequence: int
    stamp_ns: int
    published_ns: int


def publisher_id(node: str) -> int:
    """The number that stands for a node of this name in its messages."""
    return zlib.crc32(node.encode())


def seal(message: SerialObject, *, publisher: int, sequence: int, now_ns: int) -> bytes:
    """The bytes of a message as backends carry them."""
    stamp = now_ns if message.stamp_ns is None else message.stamp_ns
    head = _HEAD.pack(message.type_id(), publisher, sequence % SEQUENCES, stamp, now_ns)
    return head + message.serialize()


def read_envelope(data: bytes) -> Envelope:
    """The envelope of a message whose kind need not be known.

    Raises:
        MessageError: it is too short for one.
    """
    if len(data) < _HEAD.size:
        raise MessageError(f"an envelope has {_HEAD.size} bytes, and only {len(data)} came")
    return Envelope(*_HEAD.unpack_from(data))


def unseal(data: bytes, message: SerialObject) -> Envelope:
    """Takes what came over a topic into `message`.

    Raises:
        MessageError: the size, the type or the version is another; `message` keeps its values.
    """
    envelope = read_envelope(data)
    if envelope.type_id != message.type_id():
        raise MessageError(
            f"a message of another type or version than {type(message).__name__} "
            f"{message.VERSION}: its number is {envelope.type_id:08x}, not {message.type_id():08x}"
        )
    message.deserialize(data[_HEAD.size :])
    message.stamp_ns, message.sequence = envelope.stamp_ns, envelope.sequence
    return envelope
