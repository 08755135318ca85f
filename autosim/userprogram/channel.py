"""How a user program and its host speak: whole messages, one at a time, each way.

Two kinds of channel with one interface: packets over a socket pair between processes, queues
between threads of one process.
"""

import select
import socket
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from google.protobuf.message import DecodeError, Message

MAXIMUM_PACKET = 100_000
"""Bytes of a message. Linux's default socket buffer takes two packets of this size."""


class ChannelError(Exception):
    """A message could not be sent or received."""


class ChannelClosedError(ChannelError):
    """The other end is gone."""


class ChannelTimeoutError(ChannelError):
    """The other end said nothing within the time given."""


class ChannelFaultError(ChannelError):
    """What the other end sent is no message of this channel."""


class Channel(Protocol):
    """One end of a channel. Messages are of `autosim.v1`: ProgramMessage or ServerMessage."""

    def send(self, message: Any) -> None:
        """Sends `message`.

        Raises:
            ChannelClosedError: the other end is gone.
            ChannelTimeoutError: the other end does not take what it is sent.
        """

    def receive(self, timeout: float | None = None) -> Any:
        """The next message; waits for it at most `timeout` [s] of wall-clock time.

        Raises:
            ChannelClosedError: the other end is gone.
            ChannelTimeoutError: nothing came in time.
            ChannelFaultError: what came is no message.
        """

    def close(self) -> None:
        """Closes this end: the other end's next `receive` raises ChannelClosedError."""


class HostChannel(Channel, Protocol):
    """The host's end of a channel: it serves many, and waits for none that it need not wait for."""

    def has_message(self) -> bool:
        """Whether `receive` would not wait: there is a message, or the other end is gone."""


class SocketChannel:
    """A channel over a SOCK_SEQPACKET socket: one serialised message is one packet.

    Args:
        connection: the socket; the channel owns it from then on.
        receives: the type of message that comes in.
        send_timeout: how long `send` waits for room [s].
    """

    def __init__(
        self, connection: socket.socket, receives: type[Message], *, send_timeout: float = 1.0
    ) -> None:
        self._socket = connection
        self._receives = receives
        self._send_timeout = send_timeout

    def fileno(self) -> int:
        """The socket's file descriptor, to wait for messages with `select`."""
        return self._socket.fileno()

    def send(self, message: Any) -> None:
        """Sends `message` (see `Channel`)."""
        packet = message.SerializeToString()
        if len(packet) > MAXIMUM_PACKET:
            raise ChannelFaultError(
                f"a message of {len(packet)} bytes exceeds {MAXIMUM_PACKET} bytes"
            )
        self._socket.settimeout(self._send_timeout)
        try:
            self._socket.send(packet)
        except TimeoutError as error:
            raise ChannelTimeoutError("the other end does not read its messages") from error
        except OSError as error:
            raise ChannelClosedError("the other end is gone") from error

    def receive(self, timeout: float | None = None) -> Any:
        """The next message (see `Channel`)."""
        self._socket.settimeout(timeout)
        try:
            packet = self._receive_packet()
        except (TimeoutError, BlockingIOError) as error:
            raise ChannelTimeoutError(f"no message within {timeout} s") from error
        except OSError as error:
            raise ChannelClosedError("the other end is gone") from error
        if not packet:
            raise ChannelClosedError("the other end is gone")
        if len(packet) > MAXIMUM_PACKET:
            raise ChannelFaultError(f"a packet of more than {MAXIMUM_PACKET} bytes")
        try:
            return self._receives.FromString(packet)
        except DecodeError as error:
            raise ChannelFaultError(f"a packet that is no {self._receives.__name__}") from error

    def has_message(self) -> bool:
        """Whether `receive` would not wait (see `HostChannel`)."""
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        return bool(poll.poll(0))

    def _receive_packet(self) -> bytes:
        try:
            return self._socket.recv(MAXIMUM_PACKET + 1)
        except ConnectionResetError:
            # The other end closed before it had read everything. What it said before comes now.
            return self._socket.recv(MAXIMUM_PACKET + 1)

    def close(self) -> None:
        """Closes this end (see `Channel`)."""
        self._socket.close()


class QueueChannel:
    """A channel between two threads. Make both ends with `pair`."""

    def __init__(self, incoming: "SimpleQueue[Any]", outgoing: "SimpleQueue[Any]") -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    @classmethod
    def pair(cls) -> tuple["QueueChannel", "QueueChannel"]:
        """Both ends of a new channel."""
        one: SimpleQueue[Any] = SimpleQueue()
        other: SimpleQueue[Any] = SimpleQueue()
        return cls(one, other), cls(other, one)

    def send(self, message: Any) -> None:
        """Sends `message` (see `Channel`)."""
        self._outgoing.put(message)

    def receive(self, timeout: float | None = None) -> Any:
        """The next message (see `Channel`)."""
        try:
            message = self._incoming.get(timeout=timeout)
        except Empty as error:
            raise ChannelTimeoutError(f"no message within {timeout} s") from error
        if message is None:
            self._incoming.put(None)
            raise ChannelClosedError("the other end is gone")
        return message

    def has_message(self) -> bool:
        """Whether `receive` would not wait (see `HostChannel`)."""
        return not self._incoming.empty()

    def close(self) -> None:
        """Closes this end (see `Channel`)."""
        self._outgoing.put(None)
