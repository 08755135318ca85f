"""The clients that take states from the server, with figures that show why a network is slow."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from autosim.v1 import autosim_pb2 as pb

MAX_NAME_CHARACTERS = 80
"""Number of characters of a client's own name that are kept: a line of a table."""


@dataclass(slots=True)
class ClientRecord:
    """One client's stream of states.

    `rate_hz` is what it asked for, a simulated second; `every` the same in steps; `max_hz` its
    limit in wall-clock time, 0 for none: what that leaves out is not skipped. `delay` [s] is
    how long the newest state waited for the client or the network to take it; `skipped` counts the
    states at the client's rate that it did not get because it was too slow.

    Attributes:
        name: name that the client chose.
        peer: address of the client, as gRPC names it.
        since: monotonic time [s] at which the stream began.
        updates: number of states that were sent.
        sent_bytes: bytes of all sent states.
    """

    name: str
    peer: str
    rate_hz: float
    every: int
    max_hz: float = 0.0
    since: float = field(default_factory=time.monotonic)
    updates: int = 0
    sent_bytes: int = 0
    skipped: int = 0
    delay: float = 0.0
    _step: int = -1

    def count(self, step: int, size: int, *, delay: float) -> None:
        """Notes that the state of `step` was sent, in `size` bytes."""
        if self._step >= 0 and not self.max_hz:
            self.skipped += max(0, step // self.every - self._step // self.every - 1)
        self._step = step
        self.updates += 1
        self.sent_bytes += size
        self.delay = delay

    def to_message(self) -> pb.Client:
        """The record as it goes over the wire."""
        return pb.Client(
            name=self.name,
            peer=self.peer,
            rate_hz=self.rate_hz,
            connected_seconds=time.monotonic() - self.since,
            updates=self.updates,
            bytes=self.sent_bytes,
            skipped=self.skipped,
            delay_ms=1e3 * self.delay,
        )


class Clients:
    """The clients that are connected now, in the order of their coming."""

    def __init__(self) -> None:
        self._records: list[ClientRecord] = []

    def __len__(self) -> int:
        return len(self._records)

    @contextmanager
    def admit(
        self, request: pb.SubscribeRequest, peer: str, *, every: int
    ) -> Iterator[ClientRecord]:
        """Lists a client for as long as it is served."""
        name = request.client[:MAX_NAME_CHARACTERS]
        record = ClientRecord(name, peer, rate_hz=request.rate_hz, every=every)
        record.max_hz = request.max_hz
        self._records.append(record)
        try:
            yield record
        finally:
            self._records.remove(record)

    def to_message(self) -> pb.ClientList:
        """All records as they go over the wire."""
        return pb.ClientList(clients=[record.to_message() for record in self._records])
