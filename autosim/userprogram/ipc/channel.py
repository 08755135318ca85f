"""The channel between a user program and its host: whole messages, one at a time, each way.

Two kinds of channel with one interface: packets over a socket pair between processes, queues
between threads of one process.
"""

import contextlib
import os
import select
import socket
import weakref
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Generic, Protocol, TypeAlias, TypeVar

from google.protobuf.message import DecodeError, Message

from autosim.v1 import autosim_pb2 as pb

MAXIMUM_PACKET = 100_000
"""Bytes of a message. Linux's default socket buffer takes two packets of this size."""

MAX_DESCRIPTORS = 3
"""Number of open files that come with one message at most."""


class ChannelError(Exception):
    """A message could not be sent or received."""


class ChannelClosedError(ChannelError):
    """The other end is gone."""


class ChannelTimeoutError(ChannelError):
    """The other end said nothing within the time given."""


class ChannelFaultError(ChannelError):
    """The other end has sent something that is not a message of this channel."""


Received = TypeVar("Received", bound=Message)
Sent_contra = TypeVar("Sent_contra", bound=Message, contravariant=True)
Received_co = TypeVar("Received_co", bound=Message, covariant=True)
_Queued = TypeVar("_Queued")


class Channel(Protocol[Sent_contra, Received_co]):
    """One end of a channel. Messages are of `autosim.v1`: ProgramMessage or ServerMessage."""

    def send(self, message: Sent_contra) -> None:
        """Sends `message`.

        Raises:
            ChannelClosedError: the other end is gone.
            ChannelTimeoutError: the other end does not take what it is sent.
        """

    def receive(self, timeout: float | None = None) -> Received_co:
        """The next message; waits for it at most `timeout` [s] of wall-clock time.

        Raises:
            ChannelClosedError: the other end is gone.
            ChannelTimeoutError: nothing came in time.
            ChannelFaultError: what came is not a message.
        """

    def close(self) -> None:
        """Closes this end: the other end's next `receive` raises ChannelClosedError."""


ProgramChannel: TypeAlias = Channel[pb.ProgramMessage, pb.ServerMessage]
"""The program's end of a channel."""


class HostChannel(Channel[pb.ServerMessage, pb.ProgramMessage], Protocol):
    """The host's end of a channel: it serves many, and waits for none that it need not wait for."""

    def fileno(self) -> int:
        """A file descriptor that is readable while `receive` would not wait."""


class DescriptorChannel(Protocol):
    """An end of a channel on which open files come along with messages."""

    def take_descriptors(self) -> list[int]:
        """All open files that came with the last message, now the caller's."""


def has_message(channel: HostChannel) -> bool:
    """Whether `receive` would not wait: there is a message, or the other end is gone."""
    poll = select.poll()
    poll.register(channel, select.POLLIN)
    return bool(poll.poll(0))


class SocketChannel(Generic[Received]):
    """A channel over a SOCK_SEQPACKET socket: one serialised message is one packet.

    Args:
        connection: the socket; the channel owns it from then on.
        receives: the type of message that comes in.
        send_timeout: how long `send` waits for room [s].
        takes_descriptors: whether open files that come with messages are kept, for
            `take_descriptor`. Elsewhere the kernel closes them.
    """

    def __init__(
        self,
        connection: socket.socket,
        receives: type[Received],
        *,
        send_timeout: float = 1.0,
        takes_descriptors: bool = False,
    ) -> None:
        connection.setblocking(False)
        self._socket = connection
        self._receives = receives
        self._send_timeout = send_timeout
        self._takes_descriptors = takes_descriptors
        self._descriptors: list[int] = []

    def fileno(self) -> int:
        """The socket's file descriptor, to wait for messages with `select`."""
        return self._socket.fileno()

    def send(self, message: Message, descriptors: Sequence[int] = ()) -> None:
        """Sends `message` (see `Channel`); the other end gets duplicates of `descriptors`."""
        packet = message.SerializeToString()
        if len(packet) > MAXIMUM_PACKET:
            raise ChannelFaultError(
                f"a message of {len(packet)} bytes exceeds {MAXIMUM_PACKET} bytes"
            )
        try:
            self._send_packet(packet, descriptors)
        except BlockingIOError as error:
            raise ChannelTimeoutError("the other end does not read its messages") from error
        except OSError as error:
            raise ChannelClosedError("the other end is gone") from error

    def receive(self, timeout: float | None = None) -> Received:
        """The next message (see `Channel`)."""
        if timeout != 0.0:
            self._await(select.POLLIN, timeout)
        try:
            packet = self._receive_packet()
        except BlockingIOError as error:
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

    def take_descriptor(self) -> int | None:
        """The open file that came with the last message, now the caller's; None: there was none."""
        return self._descriptors.pop() if self._descriptors else None

    def take_descriptors(self) -> list[int]:
        """All open files that came with the last message, now the caller's."""
        descriptors, self._descriptors = self._descriptors, []
        return descriptors

    def disconnect(self) -> None:
        """Ends the connection, also where another process holds a copy of this end."""
        with contextlib.suppress(OSError):  # the other end may be gone
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def take_over(self, connection: socket.socket) -> None:
        """Closes this end and continues over another socket."""
        self._socket.close()
        connection.setblocking(False)
        self._socket = connection

    def _send_packet(self, packet: bytes, descriptors: Sequence[int]) -> None:
        try:
            self._send_now(packet, descriptors)
        except BlockingIOError:
            self._await(select.POLLOUT, self._send_timeout)
            self._send_now(packet, descriptors)

    def _send_now(self, packet: bytes, descriptors: Sequence[int]) -> None:
        if descriptors:
            socket.send_fds(self._socket, [packet], descriptors)
        else:
            self._socket.send(packet)

    def _await(self, event: int, timeout: float | None) -> None:
        """Waits until the socket is ready, `timeout` [s] at most; None: for ever."""
        poll = select.poll()
        with suppress(ValueError):  # closed at this end: the next call on it raises
            poll.register(self._socket, event)
            poll.poll(None if timeout is None else 1000.0 * timeout)

    def _receive_packet(self) -> bytes:
        try:
            return self._receive_now()
        except ConnectionResetError:
            # The other end closed before it had read everything. What it said before comes now.
            return self._receive_now()

    def _receive_now(self) -> bytes:
        if not self._takes_descriptors:
            return self._socket.recv(MAXIMUM_PACKET + 1)
        packet, descriptors, _, _ = socket.recv_fds(
            self._socket, MAXIMUM_PACKET + 1, MAX_DESCRIPTORS, socket.MSG_CMSG_CLOEXEC
        )
        while self._descriptors:  # of an earlier message, which was not taken
            os.close(self._descriptors.pop())
        self._descriptors = descriptors
        return packet

    def close(self) -> None:
        """Closes this end (see `Channel`)."""
        self._socket.close()


class _Bell:
    """A file descriptor that is readable as many times as it was rung; closed with the object."""

    def __init__(self) -> None:
        self.fd = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK | os.EFD_SEMAPHORE)
        self._close = weakref.finalize(self, os.close, self.fd)

    def ring(self) -> None:
        """Makes it readable once more."""
        os.eventfd_write(self.fd, 1)

    def hear(self) -> None:
        """Takes one ring back."""
        os.eventfd_read(self.fd)


class _Closed:
    """The end of the messages: the other end of the channel is closed."""


_Successor = SocketChannel[pb.ServerMessage]
_ToHost = pb.ProgramMessage | _Closed
"""A message to the host, or the end of the program's messages."""

_ToProgram = pb.ServerMessage | _Successor | _Closed
"""A message to the program, the channel over which it continues, or the end of the messages."""


class QueueChannel:
    """The program's end of a channel between two threads. Make both ends with `pair`.

    It continues over a socket once the host's end has sent one with `continue_over`.
    """

    def __init__(
        self, incoming: "SimpleQueue[_ToProgram]", outgoing: "SimpleQueue[_ToHost]", bell: _Bell
    ) -> None:
        self._incoming, self._outgoing, self._bell = incoming, outgoing, bell
        self._successor: _Successor | None = None

    @classmethod
    def pair(cls) -> tuple["HostQueueChannel", "QueueChannel"]:
        """The host's end and the program's end of a new channel."""
        to_host: SimpleQueue[_ToHost] = SimpleQueue()
        to_program: SimpleQueue[_ToProgram] = SimpleQueue()
        bell = _Bell()
        return HostQueueChannel(to_host, to_program, bell), cls(to_program, to_host, bell)

    def send(self, message: pb.ProgramMessage) -> None:
        """Sends a ProgramMessage (see `Channel`)."""
        if self._successor is not None:
            self._successor.send(message)
            return
        self._put(message)

    def _put(self, message: _ToHost) -> None:
        # The bell first: a message is never in the queue without its own ring.
        self._bell.ring()
        self._outgoing.put(message)

    def receive(self, timeout: float | None = None) -> pb.ServerMessage:
        """The next message (see `Channel`)."""
        if self._successor is None:
            message = _take(self._incoming, timeout)
            if isinstance(message, _Closed):
                raise ChannelClosedError("the other end is gone")
            if not isinstance(message, SocketChannel):
                return message
            self._successor = message
        return self._successor.receive(timeout)

    def take_descriptors(self) -> list[int]:
        """All open files that came with the last message, now the caller's."""
        return [] if self._successor is None else self._successor.take_descriptors()

    def close(self) -> None:
        """Closes this end (see `Channel`)."""
        if self._successor is not None:
            self._successor.close()
        else:
            self._put(_Closed())


class HostQueueChannel:
    """The host's end of a channel between two threads (see `HostChannel`)."""

    def __init__(
        self, incoming: "SimpleQueue[_ToHost]", outgoing: "SimpleQueue[_ToProgram]", bell: _Bell
    ) -> None:
        self._incoming, self._outgoing, self._bell = incoming, outgoing, bell

    def fileno(self) -> int:
        """A file descriptor that is readable while there are messages (see `HostChannel`)."""
        return self._bell.fd

    def send(self, message: pb.ServerMessage) -> None:
        """Sends `message` (see `Channel`)."""
        self._outgoing.put(message)

    def receive(self, timeout: float | None = None) -> pb.ProgramMessage:
        """The next message (see `Channel`)."""
        message = _take(self._incoming, timeout)
        if isinstance(message, _Closed):
            raise ChannelClosedError("the other end is gone")
        self._bell.hear()
        return message

    def continue_over(self, successor: _Successor) -> None:
        """Has the program's end continue with `successor`, once it has read what came before."""
        self._outgoing.put(successor)

    def close(self) -> None:
        """Closes this end (see `Channel`)."""
        self._outgoing.put(_Closed())


def _take(queue: "SimpleQueue[_Queued]", timeout: float | None) -> _Queued:
    try:
        message = queue.get(timeout=timeout)
    except Empty as error:
        raise ChannelTimeoutError(f"no message within {timeout} s") from error
    if isinstance(message, _Closed):
        # The end of the channel stays in the queue, and its ring in the bell, for later calls.
        queue.put(message)
    return message
