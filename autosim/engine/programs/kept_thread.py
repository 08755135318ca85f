"""A user program in a thread of an earlier simulation process, which has handed it over."""

import socket
from collections.abc import Sequence

from autosim.userprogram.ipc.channel import SocketChannel
from autosim.userprogram.ipc.preparation import PreparationClock
from autosim.v1 import autosim_pb2 as pb


class KeptThread:
    """A program in a thread of another process, from its host's side.

    That process ends the thread when this end of its channel is closed. Use `taken_over`.

    `channel`: socket to the thread.
    """

    is_remote = False
    is_thread = True

    def __init__(self, channel: SocketChannel[pb.ProgramMessage], clock: PreparationClock) -> None:
        self.channel = channel
        self._clock = clock

    @classmethod
    def taken_over(cls, descriptors: Sequence[int]) -> "KeptThread":
        """A program that another process has handed over with these open files."""
        channel_fd, clock_fd = descriptors
        channel = SocketChannel(socket.socket(fileno=channel_fd), pb.ProgramMessage)
        return cls(channel, PreparationClock.open(clock_fd))

    @property
    def descriptors(self) -> tuple[int, ...]:
        """Its open files here, as `taken_over` expects them."""
        return (self.channel.fileno(), self._clock.fd)

    @property
    def prepared_seconds(self) -> float:
        """Time [s] that it has compiled kernels and read the world's roads."""
        return self._clock.seconds

    @property
    def starved_seconds(self) -> float:
        """Not known of a thread."""
        return 0.0

    def wait(self, timeout: float) -> bool:
        """Its end is not awaited here: the other process does that."""
        return True

    def end(self) -> str:
        """Closes the channel, on which the other process ends the thread."""
        self.forget()
        return "ended before its main returned"

    def end_with_stack(self) -> str:
        """Ends a program that hangs; where it stood is known in the other process alone."""
        self.end()
        return ""

    def stack(self) -> str:
        """Not known here."""
        return ""

    def forget(self) -> None:
        """Closes all of it here."""
        self.channel.close()
        self._clock.close()
