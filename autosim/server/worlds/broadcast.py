"""Newest only: every client gets the newest state that it can take, never a queue of old ones.

A client waits for a step, and gets the newest update once there is one at or after it. While
it is busy sending, nothing is kept for it. So its slot is the one that all clients share, and
an update is serialised once, whatever their number.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from autosim.server.process.outbox import NEVER, OutboxReader
from autosim.v1 import autosim_pb2 as pb
from autosim.wire import marked_standing, read_packet, write_heartbeat


@dataclass(frozen=True, slots=True)
class BroadcastUpdate:
    """A serialised `Update` message.

    `step` -1 says that it is a heartbeat; else `number` counts the different states that were
    handed over. While a simulation is paused, a later one may be of the same step: a robot was
    moved.
    """

    step: int
    message: bytes
    number: int = 0


class Broadcast:
    """Hands the states of the outbox to any number of waiting clients.

    Args:
        outbox: has the states.
        catch_up: called when a client waits for the newest state, which may not be here: the
            simulation may be paused by now.
    """

    def __init__(
        self, outbox: OutboxReader, *, catch_up: Callable[[], None] = lambda: None
    ) -> None:
        self._outbox, self._catch_up = outbox, catch_up
        self._newest = BroadcastUpdate(-1, b"")
        self._packet = b""
        self._state = memoryview(b"")
        self._number = 0
        self._is_standing = False
        self._jump = 0
        self._waiting: dict[int, list[asyncio.Future[BroadcastUpdate]]] = {}

    @property
    def step(self) -> int:
        """Steps done by the simulation."""
        return self._outbox.step

    @property
    def number(self) -> int:
        """Number of different states handed over so far."""
        return self._number

    @property
    def is_behind(self) -> bool:
        """Whether a client waits, and the simulation has another state than the newest here.

        Time may have gone back.
        """
        return bool(self._waiting) and self._is_old

    @property
    def _is_old(self) -> bool:
        return self._newest.step != self._outbox.step

    async def next(self, due: int, *, seen: int = 0) -> BroadcastUpdate:
        """The newest state at step `due` or later, or a heartbeat meanwhile.

        Args:
            due: the first step that the client has a use for.
            seen: the number of the state that it has, 0 for none; while the simulation stands
                still, it gets any later one.
        """
        if self._is_news(due, seen):
            return self._newest
        future: asyncio.Future[BroadcastUpdate] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(due, []).append(future)
        self._outbox.want(min(self._waiting))
        self._catch_up()
        return await future

    def _is_news(self, due: int, seen: int) -> bool:
        newest = self._newest
        if not seen:
            # The newest state here may be old, if none was requested for a long time.
            return newest.step >= 0 and not self._is_old
        # Since the client's last state the simulation may have gone back to an earlier step.
        is_later = newest.step >= due or seen < self._jump
        return is_later or (self._is_standing and newest.number > seen)

    def set_standing(self, is_standing: bool) -> None:
        """Sets whether the simulation is paused: then every client gets its last state.

        Clients are notified at once, also those that have that state already.
        """
        if is_standing == self._is_standing:
            return
        self._is_standing = is_standing
        if self._packet:
            self._newest = replace(self._newest, message=self._message(self._packet))
        if is_standing and not self._is_old:
            self._hand_out()
        self.beat()

    def publish(self) -> None:
        """Takes the state that the simulation handed over; called when its bell rang."""
        packet = self._outbox.read()
        if packet is None:
            return
        read = read_packet(packet)
        if read.step != self._newest.step or read.state != self._state:
            self._number += 1
        has_gone_back = read.step < self._newest.step
        if has_gone_back:
            self._jump = self._number
        self._packet, self._state = packet, read.state
        self._newest = BroadcastUpdate(read.step, self._message(packet), self._number)
        self._hand_out(to_all=has_gone_back)
        self._outbox.want(min(self._waiting, default=NEVER))

    def _message(self, packet: bytes) -> bytes:
        marked = marked_standing(packet, self._is_standing)
        message: bytes = pb.Update(packet=marked).SerializeToString()
        return message

    def _hand_out(self, *, to_all: bool = False) -> None:
        newest, to_all = self._newest, to_all or self._is_standing
        for due in [due for due in self._waiting if to_all or due <= newest.step]:
            self._wake(due, newest)

    def beat(self, unresponsive_seconds: float = 0.0) -> None:
        """Sends a heartbeat to every client that waits.

        Args:
            unresponsive_seconds: since when the simulation process does not answer [s]; 0: it does.
        """
        if not self._waiting:
            return
        now, is_standing = time.time_ns(), self._is_standing
        packet = write_heartbeat(
            self._outbox.step, now, unresponsive_seconds, is_standing=is_standing
        )
        update = BroadcastUpdate(-1, pb.Update(packet=packet).SerializeToString())
        for due in list(self._waiting):
            self._wake(due, update)

    def _wake(self, due: int, update: BroadcastUpdate) -> None:
        for future in self._waiting.pop(due):
            if not future.done():
                future.set_result(update)
