"""The backend within one process: a message is in its subscribers' inboxes when `publish` returns.

It needs nothing installed. Where one thread steps all nodes in turn, the order of everything is
fixed, and the same run gives the same bytes.
"""

import threading

from autosim_testbench.backends.backend import BackendConnection
from autosim_testbench.backends.inbox import Inbox


class EmbeddedBackend:
    """Carries messages between the nodes of this process, in any of its threads."""

    name = address = "embedded"

    def __init__(self) -> None:
        self._inboxes: dict[str, list[Inbox]] = {}
        self._lock = threading.Lock()

    def connect(self, node: str) -> "EmbeddedConnection":
        """A connection for one more node."""
        return EmbeddedConnection(self)

    def close(self) -> None:
        """Nothing was started."""

    def subscribers(self, topic: str) -> tuple[Inbox, ...]:
        """The inboxes of a topic, in the order of their subscriptions."""
        with self._lock:
            return tuple(self._inboxes.get(topic, ()))

    def add(self, topic: str, inbox: Inbox) -> None:
        """Has `inbox` take the messages of `topic`."""
        with self._lock:
            inboxes = self._inboxes.setdefault(topic, [])
            if inbox not in inboxes:
                inboxes.append(inbox)

    def remove(self, topic: str, inbox: Inbox) -> None:
        """Ends that."""
        with self._lock:
            if inbox in self._inboxes.get(topic, ()):
                self._inboxes[topic].remove(inbox)


class EmbeddedConnection(BackendConnection):
    """A node's connection to the nodes of its own process."""

    def __init__(self, backend: EmbeddedBackend) -> None:
        super().__init__()
        self._backend = backend

    def _join(self, topic: str) -> None:
        self._backend.add(topic, self.inbox)

    def _leave(self, topic: str) -> None:
        self._backend.remove(topic, self.inbox)

    def _send(self, topic: str, data: bytes) -> None:
        for inbox in self._backend.subscribers(topic):
            inbox.put(topic, data)
