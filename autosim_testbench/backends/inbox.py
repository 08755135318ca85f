"""Messages that wait for their node."""

import threading
import time
from collections import Counter, deque
from collections.abc import Callable

Deliver = Callable[[bytes], None]
"""Takes a message that came over a topic: envelope and data."""

MOST_WAITING = 10_000
"""Number of messages of a topic that may wait for a node: 50 s of a topic at 200 Hz."""

MOST_WAITING_BYTES = 64_000_000
"""[bytes] that the messages of a topic may take while they wait: 64 pictures of 1 MB."""


class Inbox:
    """Messages that wait for their node; `put` may be called from any thread."""

    def __init__(self) -> None:
        self.dropped: Counter[str] = Counter()
        self._deliver: dict[str, Deliver] = {}
        self._waiting: deque[tuple[str, bytes]] = deque()
        self._counts: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()
        self._came = threading.Condition()

    def open(self, topic: str, deliver: Deliver) -> None:
        """Takes messages of `topic` from now on."""
        with self._came:
            self._deliver[topic] = deliver

    def shut(self, topic: str) -> None:
        """Takes no more messages of `topic`, and forgets those that wait."""
        with self._came:
            self._deliver.pop(topic, None)
            self._waiting = deque(each for each in self._waiting if each[0] != topic)
            self._counts.pop(topic, None)
            self._bytes.pop(topic, None)

    def topics(self) -> tuple[str, ...]:
        """The open topics."""
        with self._came:
            return tuple(self._deliver)

    def put(self, topic: str, data: bytes) -> None:
        """Adds a message, at the cost of the oldest of its topic where too many wait."""
        with self._came:
            if topic not in self._deliver:
                return
            while self._counts[topic] >= MOST_WAITING or (
                self._counts[topic] and self._bytes[topic] + len(data) > MOST_WAITING_BYTES
            ):
                self._drop_oldest(topic)
            self._waiting.append((topic, data))
            self._counts[topic] += 1
            self._bytes[topic] += len(data)
            self._came.notify()

    def process(self, timeout: float = 0.0) -> int:
        """Delivers what waits now; waits `timeout` [s] at most for a first message."""
        with self._came:
            if not self._waiting and timeout > 0.0:
                deadline = time.monotonic() + timeout
                while not self._waiting and (left := deadline - time.monotonic()) > 0.0:
                    self._came.wait(left)
            number = len(self._waiting)
        delivered = 0
        for _ in range(number):
            with self._came:
                if not self._waiting:  # a delivery has ended a subscription
                    break
                topic, data = self._waiting.popleft()
                self._forget(topic, data)
                deliver = self._deliver[topic]
            deliver(data)
            delivered += 1
        return delivered

    def _drop_oldest(self, topic: str) -> None:
        for at, (each, data) in enumerate(self._waiting):
            if each == topic:
                del self._waiting[at]
                self._forget(topic, data)
                self.dropped[topic] += 1
                return

    def _forget(self, topic: str, data: bytes) -> None:
        self._counts[topic] -= 1
        self._bytes[topic] -= len(data)
