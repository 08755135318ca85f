"""The gateway's one subscription: follows a server, whatever world it loads, in its own thread."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from autosim.client.link.client_errors import ClientError
from autosim.client.link.connection import Connection, ExpectedWorld
from autosim.client.link.served_world import ServedWorld, fetch_description
from autosim.client.link.updates import LinkState, Received
from autosim.web.streaming.encoding import StateEncoder

MAX_HZ = 60.0
"""Most states per second of wall-clock time that the gateway takes: screens show no more."""

RETRY_SECONDS = 0.5
"""Pause [s] before the server is asked again for its world."""

_PATIENCE = 0.25
"""Time [s] after which the connection is checked even though nothing has arrived."""


@dataclass(frozen=True, slots=True)
class StreamEvents:
    """Callbacks of a subscription; all are called from its thread.

    `on_world`: a world was loaded, or the server is back; with an encoder for its states.
    `on_state`: a state, and whether the simulation stands still. `on_trouble`: why nothing comes,
    "" where all is well again.
    """

    on_world: Callable[[ServedWorld, StateEncoder], None]
    on_state: Callable[[Received, bool], None]
    on_trouble: Callable[[str], None]


class Subscription:
    """Follows the server at `address` until it is closed.

    Args:
        address: HOST:PORT.
        events: what is called.
    """

    def __init__(self, address: str, events: StreamEvents) -> None:
        self._address = address
        self._events = events
        self._closing = threading.Event()
        self._connection: Connection | None = None
        self._trouble = ""
        self._thread = threading.Thread(target=self._run, name="autosim-web-states", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends it."""
        self._closing.set()
        connection = self._connection
        if connection is not None:
            connection.notify()
        self._thread.join()

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                self._follow(fetch_description(self._address))
            except ClientError as error:
                self._report(str(error))
            self._closing.wait(RETRY_SECONDS)

    def _follow(self, world: ServedWorld) -> None:
        """Passes on states until the server has another world."""
        # Its kernels may have to be compiled first, while the event loop serves pages.
        encoder = StateEncoder(world.tree)
        encoder.rehearse()
        self._events.on_world(world, encoder)
        with Connection(
            self._address,
            world=ExpectedWorld.of(world.tree, world.files, world.step_seconds),
            rate_hz=0.0,
            max_hz=MAX_HZ,
            name="web",
        ) as connection:
            self._connection = connection
            self._pass_on(connection)
            self._connection = None

    def _pass_on(self, connection: Connection) -> None:
        seen: Received | None = None
        was_standing = False
        epoch: int | None = None

        def is_news() -> bool:
            is_over = self._closing.is_set() or connection.link is LinkState.REFUSED
            is_other = connection.newest is not seen or connection.is_standing != was_standing
            return is_over or is_other

        while not self._closing.is_set():
            connection.wait_until(is_news, _PATIENCE)
            if connection.link is LinkState.REFUSED:
                return
            self._report(connection.trouble)
            newest, is_standing = connection.newest, connection.is_standing
            if newest is None or (newest is seen and is_standing == was_standing):
                continue
            if epoch is not None and newest.epoch != epoch:
                return
            epoch, seen, was_standing = newest.epoch, newest, is_standing
            self._events.on_state(newest, is_standing)

    def _report(self, trouble: str) -> None:
        if trouble != self._trouble:
            self._trouble = trouble
            self._events.on_trouble(trouble)
