"""A connection that delivers messages in the order that the bench tells, so that it is always one.

A broker keeps the order of one publisher, not that of several. In a bench that goes in step, each
node says what it has published in its turn; the bench tells the next ones, and they wait for it.
"""

import contextlib
import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterable

from autosim_testbench.backends.backend import BackendConnection, BackendError
from autosim_testbench.backends.inbox import Deliver
from autosim_testbench.messages.envelope import read_envelope
from autosim_testbench.messages.serial_object import MessageError, SerialObject

DeliveryOrder = tuple[str, int, int]
"""A message: topic, publisher and number."""

_LATEST_SECONDS = 10.0
"""Longest time [s] on the way for a message that was published."""

_WAIT_SECONDS = 0.05
"""Time [s] between two looks for one that has not come yet."""


class OrderedConnection(BackendConnection):
    """Delivers the messages passed to `expect`, and holds the rest back.

    Args:
        inner: the connection to the bench's backend.
    """

    def __init__(self, inner: BackendConnection) -> None:
        super().__init__()
        self._inner = inner
        self._open: dict[str, Deliver] = {}
        self._came: dict[DeliveryOrder, deque[bytes]] = defaultdict(deque)
        self._expected: list[DeliveryOrder] = []
        self._published: list[DeliveryOrder] = []

    @property
    def dropped(self) -> Counter[str]:
        """None, or the bench would have ended."""
        return self._inner.dropped

    def expect(self, messages: Iterable[DeliveryOrder]) -> None:
        """Has the next `process` deliver these, as far as their topics are subscribed to now."""
        self._expected = [each for each in messages if each[0] in self._open]

    def take_published(self) -> list[DeliveryOrder]:
        """The messages published since the last call, in order."""
        published, self._published = self._published, []
        return published

    def advertise(self, topic: str, kind: type[SerialObject] | None = None) -> None:
        """See `BackendConnection`."""
        self._inner.advertise(topic, kind)

    def subscribe(
        self, topic: str, deliver: Deliver, kind: type[SerialObject] | None = None
    ) -> None:
        """See `BackendConnection`."""
        self._open[topic] = deliver
        self._inner.subscribe(topic, lambda data: self._arrived(topic, data), kind)

    def unsubscribe(self, topic: str) -> None:
        """See `BackendConnection`."""
        self._open.pop(topic, None)
        self._inner.unsubscribe(topic)
        for each in [each for each in self._came if each[0] == topic]:
            del self._came[each]

    def publish(self, topic: str, data: bytes) -> None:
        """See `BackendConnection`."""
        envelope = read_envelope(data)
        self._published.append((topic, envelope.publisher, envelope.sequence))
        self._inner.publish(topic, data)

    def process(self, timeout: float = 0.0) -> int:
        """Waits for the expected messages, and delivers them in that order.

        Raises:
            BackendError: a message does not come.
        """
        expected, self._expected = self._expected, []
        delivered = 0
        for each in expected:
            if each[0] not in self._open:  # one that came before it has ended the subscription
                continue
            data = self._wait_for(each)
            self._open[each[0]](data)
            delivered += 1
        return delivered

    def close(self) -> None:
        """See `BackendConnection`."""
        self._inner.close()

    def _arrived(self, topic: str, data: bytes) -> None:
        with contextlib.suppress(MessageError):  # of a sender outside the bench
            envelope = read_envelope(data)
            self._came[topic, envelope.publisher, envelope.sequence].append(data)

    def _wait_for(self, message: DeliveryOrder) -> bytes:
        deadline = time.monotonic() + _LATEST_SECONDS
        self._inner.process()
        while not self._came.get(message):
            if time.monotonic() > deadline:
                topic, _, sequence = message
                raise BackendError(f"message {sequence} of {topic!r} was lost on its way")
            self._inner.process(_WAIT_SECONDS)
        waiting = self._came[message]
        data = waiting.popleft()
        if not waiting:
            del self._came[message]
        return data

    def _join(self, topic: str) -> None:
        raise NotImplementedError

    def _leave(self, topic: str) -> None:
        raise NotImplementedError

    def _send(self, topic: str, data: bytes) -> None:
        raise NotImplementedError
