"""A socket between two of our own processes: whole messages, with open files if need be.

A message is a pickled object in one packet. The ends are processes that one program started, on a
socket pair that no other process can reach; nothing from the network is ever unpickled.
"""

import os
import pickle
import select
import socket

from autosim.system_limits import files_text, named

INLINE_BYTES = 32 * 1024
"""A longer message travels in memory of its own, whose descriptor is sent: a packet is limited
by the kernel's socket buffer, a world's description is not."""

RECEIVE_BYTES = 64 * 1024
"""Number of bytes that one read takes: twice the largest message in a packet (`INLINE_BYTES`)."""

MAX_DESCRIPTORS = 8
"""Number of open files that come with one message: more than any of ours has."""

_INLINE, _SPILLED = b"\0", b"\1"


class MessageLostError(Exception):
    """A message came whose descriptors could not be taken: too many files are open here."""


class ControlClosedError(Exception):
    """The other end is gone."""


class ControlSocket:
    """One end of the connection.

    Args:
        connection: an end of a `socket.socketpair` of type SOCK_SEQPACKET.
    """

    def __init__(self, connection: socket.socket) -> None:
        # A library may have set a time limit for all new sockets, as those of ROS do for a moment.
        connection.settimeout(None)
        self._socket = connection

    @classmethod
    def pair(cls) -> tuple["ControlSocket", "ControlSocket"]:
        """Two connected ends, blocking."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        return cls(ours), cls(theirs)

    @classmethod
    def inherited(cls, descriptor: int) -> "ControlSocket":
        """The end that a parent process left open; our own children will not inherit it."""
        os.set_inheritable(descriptor, False)
        return cls(socket.socket(fileno=descriptor))

    def fileno(self) -> int:
        """The descriptor, to wait on."""
        return self._socket.fileno()

    def set_blocking(self, is_blocking: bool) -> None:
        """Whether `send` and `receive` wait; else they raise BlockingIOError."""
        self._socket.setblocking(is_blocking)

    def set_timeout(self, seconds: float) -> None:
        """Makes `send` and `receive` wait so long [s]; then they raise TimeoutError."""
        self._socket.settimeout(seconds)

    def send(self, message: object, descriptors: tuple[int, ...] = ()) -> None:
        """Sends `message`; the receiver gets duplicates of `descriptors`.

        Raises:
            ControlClosedError: the other end is gone.
            BlockingIOError: it does not read, and this end does not wait.
        """
        data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
        try:
            if len(data) <= INLINE_BYTES:
                socket.send_fds(self._socket, [_INLINE + data], descriptors)
            else:
                self._send_spilled(data, descriptors)
        except (BrokenPipeError, ConnectionResetError) as error:
            raise ControlClosedError("the other process is gone") from error

    def _send_spilled(self, data: bytes, descriptors: tuple[int, ...]) -> None:
        memory = os.memfd_create("autosim-message")
        try:
            with (
                named("a message between processes, in memory"),
                open(memory, "wb", closefd=False) as file,
            ):
                file.write(data)
            socket.send_fds(self._socket, [_SPILLED], (memory, *descriptors))
        finally:
            os.close(memory)

    def receive(self) -> tuple[object, tuple[int, ...]]:
        """The next message and the descriptors that came with it (now the caller's).

        Raises:
            ControlClosedError: the other end is gone.
            BlockingIOError: there is none, and this end does not wait.
            MessageLostError: its descriptors could not be taken.
        """
        try:
            data, descriptors, is_cut = self._receive_packet()
        except ConnectionResetError:
            # The other end closed before it had read everything. What it said before comes now.
            data, descriptors, is_cut = self._receive_packet()
        if is_cut:
            for descriptor in descriptors:
                os.close(descriptor)
            raise MessageLostError(files_text())
        if not data:
            raise ControlClosedError("the other process is gone")
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)
        if data[:1] == _INLINE:
            return pickle.loads(data[1:]), tuple(descriptors)
        with open(descriptors[0], "rb") as file:
            file.seek(0)
            return pickle.load(file), tuple(descriptors[1:])

    def _receive_packet(self) -> tuple[bytes, list[int], bool]:
        """Its bytes and descriptors, and whether of the latter some are missing."""
        data, descriptors, flags, _ = socket.recv_fds(self._socket, RECEIVE_BYTES, MAX_DESCRIPTORS)
        return data, descriptors, bool(flags & socket.MSG_CTRUNC)

    @property
    def is_closed(self) -> bool:
        """Whether the other end is gone; it may have left messages that can be received."""
        poll = select.poll()
        poll.register(self._socket, select.POLLRDHUP)
        return bool(poll.poll(0))

    def take_over(self, other: "ControlSocket") -> None:
        """Closes this end and becomes `other`, which is no longer to be used by itself."""
        self._socket.close()
        self._socket = other._socket

    def close(self) -> None:
        """Ends the connection; the other side sees it."""
        self._socket.close()
