"""Interface of a backend for nodes."""

from abc import ABC, abstractmethod
from collections import Counter
from typing import Protocol

from autosim.errors import UserError
from autosim_testbench.backends.inbox import Deliver, Inbox
from autosim_testbench.messages.serial_object import SerialObject


class BackendError(UserError):
    """A backend cannot be used, or has lost its connection; the text says what to do."""


class BackendConnection(ABC):
    """Connection of one node to a backend. Its methods are for the node's own thread.

    A backend implements joining and leaving a topic, and sending; received messages go into
    `inbox`, from any thread.
    """

    def __init__(self) -> None:
        self.inbox = Inbox()
        self.advertised: set[str] = set()
        self.kinds: dict[str, type[SerialObject]] = {}
        self.lost: BackendError | None = None

    @property
    def dropped(self) -> Counter[str]:
        """Number of messages by topic that the node was too slow to take."""
        return self.inbox.dropped

    def advertise(self, topic: str, kind: type[SerialObject] | None = None) -> None:
        """Says that this node will publish on `topic`, for backends whose topics have types."""
        self.advertised.add(topic)
        self._know(topic, kind)

    def subscribe(
        self, topic: str, deliver: Deliver, kind: type[SerialObject] | None = None
    ) -> None:
        """Has `process` call `deliver` for each message that others or this node publish.

        When it returns, the subscription stands: nothing published from now on is missed.

        Args:
            topic: to subscribe to.
            deliver: takes the bytes of a message.
            kind: of its messages, for backends whose topics have types.
        """
        self._know(topic, kind)
        is_new = topic not in self.inbox.topics()
        self.inbox.open(topic, deliver)
        if is_new:
            try:
                self._join(topic)
            except BackendError:
                self.inbox.shut(topic)
                raise

    def unsubscribe(self, topic: str) -> None:
        """Ends the subscription; what still waits is forgotten."""
        self._leave(topic)
        self.inbox.shut(topic)

    def publish(self, topic: str, data: bytes) -> None:
        """Sends a message; does not wait for those who receive it."""
        self._send(topic, data)

    def process(self, timeout: float = 0.0) -> int:
        """Delivers, in this thread, what has come, and returns how much that was.

        Args:
            timeout: time [s] to wait for a first message where none has come.

        Raises:
            BackendError: the connection is lost for good.
        """
        if self.lost:
            raise self.lost
        return self.inbox.process(timeout)

    def close(self) -> None:
        """Ends all subscriptions and disconnects."""
        for topic in self.inbox.topics():
            self.unsubscribe(topic)

    def _know(self, topic: str, kind: type[SerialObject] | None) -> None:
        if kind:
            self.kinds[topic] = kind

    @abstractmethod
    def _join(self, topic: str) -> None: ...

    @abstractmethod
    def _leave(self, topic: str) -> None: ...

    @abstractmethod
    def _send(self, topic: str, data: bytes) -> None: ...


class Backend(Protocol):
    """A system that carries messages.

    Attributes:
        name: what users call it.
        address: with which another process opens the same one (`opening.open_backend`).
    """

    name: str
    address: str

    def connect(self, node: str) -> BackendConnection:
        """A connection for the node of this name."""

    def close(self) -> None:
        """Ends what was started for the whole bench, such as a broker."""
