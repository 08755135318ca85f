"""What both ends of the wire share beside the generated messages: port, packets, fixed words."""

import struct
from dataclasses import dataclass
from enum import IntEnum

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 2008
DEFAULT_ADDRESS = f"{DEFAULT_HOST}:{DEFAULT_PORT}"

NO_WORLD = "it has no world yet"
WAS_STOPPED = "it was stopped"
WORLD_CHANGED = "its world has changed"
PROGRAM_STOPPED = "somebody has stopped the program"
"""Why a server that is there, or was, has no states to send, or none more of a world, or waits for
a program no longer: the details of UNAVAILABLE."""

HEADER = struct.Struct("<B7xqq")
"""Kind, step, when it was published (UNIX time, ns). 24 bytes, so that a state that follows is
aligned to its words of eight bytes."""


class PacketKind(IntEnum):
    """First byte of an Update's packet."""

    STATE = 1
    HEARTBEAT = 2


class PacketError(Exception):
    """Bytes that are no packet."""


@dataclass(frozen=True, slots=True)
class Packet:
    """One item of the stream of updates.

    `published_ns` is UNIX time [ns]; `state` the tree's bitstream, empty in a heartbeat.
    """

    kind: PacketKind
    step: int
    published_ns: int
    state: memoryview


def write_heartbeat(step: int, published_ns: int) -> bytes:
    """The packet that says: the server is there, and the newest step is `step`."""
    return HEADER.pack(PacketKind.HEARTBEAT, step, published_ns)


def write_state_header(buffer: memoryview, step: int, published_ns: int) -> None:
    """Begins a state packet in `buffer`; the bitstream belongs at offset `HEADER.size`."""
    HEADER.pack_into(buffer, 0, PacketKind.STATE, step, published_ns)


def read_packet(data: bytes) -> Packet:
    """What `data` says; the state is a view of it, not a copy.

    Raises:
        PacketError: too short, or of an unknown kind.
    """
    if len(data) < HEADER.size:
        raise PacketError(f"a packet of {len(data)} bytes; its header alone has {HEADER.size}")
    kind, step, published_ns = HEADER.unpack_from(data)
    try:
        return Packet(PacketKind(kind), step, published_ns, memoryview(data)[HEADER.size :])
    except ValueError as error:
        raise PacketError(f"a packet of the unknown kind {kind}") from error
