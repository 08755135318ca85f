"""A topic as one node sees it: its name, the object that it fills or sends, and its counts."""

from collections import Counter, deque

from autosim_testbench.backends.backend import BackendConnection
from autosim_testbench.messages.envelope import publisher_id, seal, unseal
from autosim_testbench.messages.serial_object import MessageError, SerialObject
from autosim_testbench.nodes.clock import Clock

_LAGS = 100_000
"""Number of newest messages whose lag is kept: 500 s of a topic at 200 Hz."""


class Topic:
    """One topic of one node, either published or subscribed to.

    Attributes:
        name: of the topic.
        object: what is sent, or what the newest message has filled.
        sent: number of messages that this node has published.
        received: number of messages that it has taken.
        lost: number of messages that did not arrive: gaps in the publishers' numbers.
        rejected: number of messages that were not taken, by reason.
        lags_ns: time [ns] from each message's stamp to its arrival, of the newest messages.
    """

    def __init__(
        self,
        name: str,
        topic_object: SerialObject,
        *,
        node: str,
        connection: BackendConnection,
        clock: Clock,
    ) -> None:
        self.name, self.object = name, topic_object
        self.sent = self.received = self.lost = 0
        self.rejected: Counter[str] = Counter()
        self.lags_ns: deque[int] = deque(maxlen=_LAGS)
        self._publisher = publisher_id(node)
        self.connection, self._clock = connection, clock
        self._next: dict[int, int] = {}

    def publish(self) -> None:
        """Sends the object as it is now, and resets its flag."""
        data = seal(
            self.object,
            publisher=self._publisher,
            sequence=self.sent,
            now_ns=self._clock.now_ns(),
        )
        self.connection.publish(self.name, data)
        self.object.flagged = False
        self.sent += 1

    def callback(self, message: bytes) -> bool:
        """Takes a message into the object; a wrong one is counted and named, and changes nothing.

        Returns:
            Whether it was taken.
        """
        try:
            envelope = unseal(message, self.object)
        except MessageError as error:
            self.rejected[str(error)] += 1
            return False
        expected = self._next.get(envelope.publisher, envelope.sequence)
        self.lost += max(0, envelope.sequence - expected)
        self._next[envelope.publisher] = envelope.sequence + 1
        self.received += 1
        self.lags_ns.append(self._clock.now_ns() - envelope.stamp_ns)
        return True
