"""The one state that the simulation hands to the front, on request and only then.

A simulation that runs as fast as it can makes ten thousand states a second; the front wants a
few hundred. So the front names the step that it wants next (a *request*, in shared memory); the
first state at or after it is copied into the one slot and the bell (an eventfd) rings. While a
request is open the slot belongs to the simulation, then to the front until its next request, so
neither ever sees a state that is half written.
"""

import mmap
import os
import time

from autosim.system_limits import named
from autosim.wire import HEADER, write_state_header

_WORDS = 5
"""Number of words before the packet; their places follow."""

_REQUEST, _WANTED, _SERVED, _STEP, _BEATS = range(_WORDS)
NEVER = 2**62
"""The step that a request names which only an idle simulation is to answer."""


class Outbox:
    """The shared memory: five words and one packet.

    The words: request, wanted step, served request, present step, beats.

    Args:
        descriptor: of memory made by `create`; closed with this object.
        state_bytes: size of the tree's bitstream.
    """

    def __init__(self, descriptor: int, state_bytes: int) -> None:
        self.descriptor = descriptor
        size = 8 * _WORDS + HEADER.size + state_bytes
        self._memory = mmap.mmap(descriptor, size)
        view = memoryview(self._memory)
        self.words = view[: 8 * _WORDS].cast("q")
        self.packet = view[8 * _WORDS :]

    @classmethod
    def create(cls, state_bytes: int) -> "Outbox":
        """A new outbox without requests."""
        descriptor = os.memfd_create("autosim-outbox")
        with named("the shared memory 'autosim-outbox'"):
            os.ftruncate(descriptor, 8 * _WORDS + HEADER.size + state_bytes)
        return cls(descriptor, state_bytes)

    @property
    def step(self) -> int:
        """Steps done by the simulation, published or not."""
        return self.words[_STEP]

    @property
    def heartbeat(self) -> tuple[int, int]:
        """Numbers of which one changes while the simulation's loop goes round."""
        return self.words[_STEP], self.words[_BEATS]

    def close(self) -> None:
        """Releases the memory."""
        self.words.release()
        self.packet.release()
        self._memory.close()
        os.close(self.descriptor)


class OutboxWriter:
    """The simulation's end."""

    def __init__(self, outbox: Outbox, bell: int) -> None:
        self._outbox = outbox
        self._bell = bell

    def write_heartbeat(self) -> None:
        """Gives a sign of life, for times without steps."""
        self._outbox.words[_BEATS] += 1

    def publish(self, step: int, state: memoryview, *, is_forced: bool = False) -> None:
        """Hands over `state` (the tree's bitstream) if the front wants it.

        Args:
            step: the number of steps done.
            state: the bytes of the buffer.
            is_forced: answer an open request even where it names a later step: the simulation
                stands still.
        """
        words = self._outbox.words
        words[_STEP] = step
        request = words[_REQUEST]
        if request == words[_SERVED] or (step < words[_WANTED] and not is_forced):
            return
        packet = self._outbox.packet
        write_state_header(packet, step, time.time_ns())
        packet[HEADER.size :] = state
        words[_SERVED] = request
        os.eventfd_write(self._bell, 1)


class OutboxReader:
    """The front's end. A request is always open, but for the moment between bell and `read`."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        outbox.words[_WANTED] = NEVER
        outbox.words[_REQUEST] = 1

    @property
    def step(self) -> int:
        """Steps done by the simulation."""
        return self._outbox.step

    def want(self, step: int) -> None:
        """Makes the open request one for `step` or later."""
        self._outbox.words[_WANTED] = step

    def read(self) -> bytes | None:
        """The packet that answers the open request, None if none did.

        Opens the next request, for `NEVER`.
        """
        words = self._outbox.words
        if words[_SERVED] != words[_REQUEST]:
            return None
        packet = bytes(self._outbox.packet)
        words[_WANTED] = NEVER
        words[_REQUEST] += 1
        return packet
