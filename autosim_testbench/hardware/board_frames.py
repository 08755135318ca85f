"""Content of a frame between a board and a bench.

Little-endian: type of the message (32 bits), the board's time [µs] (32 bits, from 0 again after 71
minutes), topic (8 bits), then the message.
"""

import struct
from dataclasses import dataclass

from autosim_testbench.messages.serial_object import MessageError, SerialObject

_HEAD = struct.Struct("<IIB")


@dataclass(frozen=True, slots=True)
class BoardMessage:
    """A message of a board: its kind's number, the board's time [µs], its topic, its bytes.

    Attributes:
        type_id: number of the message's kind.
        time_us: clock of the board [µs].
        data: serialised content.
    """

    type_id: int
    time_us: int
    topic: int
    data: bytes

    def fill(self, message: SerialObject) -> None:
        """Takes the values into `message`.

        Raises:
            MessageError: it is of another kind or size.
        """
        if self.type_id != message.type_id():
            raise MessageError(
                f"the board sends a message other than {type(message).__name__} "
                f"{message.VERSION}: build the firmware again (make firmware)"
            )
        message.deserialize(self.data)


def pack_frame(topic: int, message: SerialObject, time_us: int = 0) -> bytes:
    """The payload of a frame."""
    return _HEAD.pack(message.type_id(), time_us % (1 << 32), topic) + message.serialize()


def unpack_frame(payload: bytes) -> BoardMessage:
    """The message of a frame's payload.

    Raises:
        MessageError: it is too short.
    """
    if len(payload) < _HEAD.size:
        raise MessageError(f"a frame has {_HEAD.size} bytes or more, not {len(payload)}")
    type_id, time_us, topic = _HEAD.unpack_from(payload)
    return BoardMessage(type_id, time_us, topic, payload[_HEAD.size :])
