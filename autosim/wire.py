"""Definitions that both ends share besides the generated messages: port, packets, words."""

import math
import struct
from dataclasses import dataclass
from enum import IntEnum

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 2008
"""Default port of a server: no common service uses it."""
DEFAULT_ADDRESS = f"{DEFAULT_HOST}:{DEFAULT_PORT}"

DEFAULT_WEB_ADDRESS = f"{DEFAULT_HOST}:2080"
"""Default address of a gateway for browsers."""

FOXGLOVE_PORT = 8765
"""Default port of `autosim foxglove`: the one that Foxglove connects to."""
OSI_PORT = 8766
"""Default port of `autosim osi`, which may serve beside it."""
ALPASIM_PORT = 50051
"""Default port of `autosim alpasim`: the one of AlpaSim's own services."""

NO_WORLD = "it has no world yet"
WAS_STOPPED = "it was stopped"
WORLD_CHANGED = "its world has changed"
ROBOTS_CHANGED = "robots were added to its world or removed"
PROGRAM_STOPPED = "the program was stopped at the server"
"""Details of the status UNAVAILABLE: why a reachable server sends no states, sends no more states
of a world, or no longer waits for a program."""

LATE = "the simulation has not answered in time: autosim ctl status says what it is doing"
"""The details of DEADLINE_EXCEEDED where the server answers, and its simulation does not."""

HEADER = struct.Struct("<B?H4xqq")
"""Kind, whether the simulation stands still, since when its process is silent (s), step, when this
was published (UNIX time, ns). 24 bytes, so that a state that follows is aligned to its words of
eight bytes."""

_MOST_SILENT = 2**16 - 1
"""Longest silence [s] that a heartbeat can tell: its field has 16 bits, 18 hours."""


class PacketKind(IntEnum):
    """First byte of an Update's packet."""

    STATE = 1
    HEARTBEAT = 2


class PacketError(Exception):
    """Bytes that are not a packet."""


@dataclass(frozen=True, slots=True)
class Packet:
    """One item of the stream of updates.

    `published_ns` is UNIX time [ns]; `state` the tree's bitstream, empty in a heartbeat.
    `unresponsive_seconds`: since when the simulation process does not answer [s], 0 where it does.
    `is_standing`: the simulation is paused, or has not begun.
    """

    kind: PacketKind
    """Kind of the packet."""
    step: int
    """Step number of the state."""
    published_ns: int
    state: memoryview
    unresponsive_seconds: int = 0
    is_standing: bool = False


def write_heartbeat(
    step: int, published_ns: int, unresponsive_seconds: float = 0.0, *, is_standing: bool = False
) -> bytes:
    """The packet that says: the server is there, and the newest step is `step`.

    Args:
        step: the number of steps done.
        published_ns: UNIX time [ns].
        unresponsive_seconds: since when the simulation process does not answer [s]; 0: it does.
        is_standing: the simulation is paused, or has not begun.
    """
    silent = min(math.ceil(unresponsive_seconds), _MOST_SILENT)
    return HEADER.pack(PacketKind.HEARTBEAT, is_standing, silent, step, published_ns)


def write_state_header(buffer: memoryview, step: int, published_ns: int) -> None:
    """Begins a state packet in `buffer`; the bitstream belongs at offset `HEADER.size`."""
    HEADER.pack_into(buffer, 0, PacketKind.STATE, False, 0, step, published_ns)


def marked_standing(packet: bytes, is_standing: bool) -> bytes:
    """`packet`, which says whether the simulation stands still."""
    return packet[:1] + bytes([is_standing]) + packet[2:]


def read_packet(data: bytes) -> Packet:
    """The packet in `data`; its state is a view of it, not a copy.

    Raises:
        PacketError: too short, or of an unknown kind.
    """
    if len(data) < HEADER.size:
        raise PacketError(f"a packet of {len(data)} bytes; its header alone has {HEADER.size}")
    kind, is_standing, silent, step, published_ns = HEADER.unpack_from(data)
    try:
        state = memoryview(data)[HEADER.size :]
        return Packet(PacketKind(kind), step, published_ns, state, silent, is_standing)
    except ValueError as error:
        raise PacketError(f"a packet of the unknown kind {kind}") from error
