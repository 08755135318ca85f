"""A server in its own process, started and ended by another program."""

import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from autosim.config.descriptions import WorldDescription
from autosim.errors import UserError
from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.helper_processes.start import inherited_control, start_python
from autosim.server.network.front import Event, Front, Listening, OwnerOrders, ServerOptions, serve
from autosim.server.server_errors import ServerError, StoppedError

END_SECONDS = 60.0
"""Time [s] for the server process to end in order before it is killed: on a busy machine its
simulation may take most of that."""


@dataclass(frozen=True, slots=True)
class _Order:
    world: WorldDescription | None
    options: ServerOptions


class _CancelLoad:
    """An order to end the loading of a world."""


@dataclass(frozen=True, slots=True)
class _Ended:
    error: str


class ServerProcess:
    """A server with a front process and a simulation process of its own.

    Returns once the server listens; the world may still be loading. It ends with `close`, when a
    client says STOP, or when the starting process ends in whatever way. Use as a context manager.

    Args:
        world: what to simulate; None: wait for a client to load one.
        options: how; port 0 in the address takes any free one.
        on_event: called with each event until the server listens, and later by `poll`.

    Raises:
        ServerError: it cannot start; the message says why.
    """

    def __init__(
        self,
        world: WorldDescription | None,
        options: ServerOptions,
        *,
        on_event: Callable[[Event], None] = lambda event: None,
    ) -> None:
        self._on_event = on_event
        self._control, theirs = ControlSocket.pair()
        self._process = start_python("autosim.server.network.server_process", theirs)
        theirs.close()
        self._control.send(_Order(world, options))
        self.address = ""
        try:
            while not self.address:
                self._handle_next()
        except BaseException:
            self.close()
            raise
        self._control.set_blocking(False)

    @property
    def pid(self) -> int:
        """The front process's id."""
        return self._process.pid

    def poll(self) -> None:
        """Hands the events that have come in to `on_event`.

        Raises:
            StoppedError: a client, or a signal, has ended the server.
            ServerError: the server has ended by itself; the message says why.
        """
        try:
            while True:
                self._handle_next()
        except BlockingIOError:
            return

    def load(self, world: WorldDescription, options: ServerOptions) -> None:
        """Makes the server load a compiled world in place of the current one.

        The server keeps its address and its clients; `options` contains its current ones. The event
        `LoadAnswered` follows; on any failure the current world continues.

        Raises:
            ServerError: the server has ended.
        """
        self._order(_Order(world, options))

    def cancel_load(self) -> None:
        """Ends the loading that `load` began, unless it is done.

        Raises:
            ServerError: the server has ended.
        """
        self._order(_CancelLoad())

    def _order(self, order: object) -> None:
        try:
            self._control.send(order)
        except ControlClosedError as error:
            raise ServerError("the server process has ended") from error

    def _handle_next(self) -> None:
        try:
            message, _ = self._control.receive()
        except ControlClosedError as error:
            raise ServerError("the server process has ended") from error
        if isinstance(message, _Ended):
            if message.error:
                raise ServerError(message.error)
            raise StoppedError("the server has ended: a client or a signal has stopped it")
        if isinstance(message, Listening):
            self.address = message.address
        if isinstance(message, Event):
            self._on_event(message)

    def close(self) -> None:
        """Ends the server and waits until its processes are gone."""
        self._control.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> "ServerProcess":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def main(control_descriptor: int) -> int:
    """The process's whole life; returns its exit code."""
    control = inherited_control(control_descriptor)
    try:
        order, _ = control.receive()
    except ControlClosedError:
        return 0
    if not isinstance(order, _Order):
        raise TypeError(f"the first message is a {type(order).__name__}, not an order")

    control.set_blocking(False)

    def tell(message: object) -> None:
        # The process that started this server may be gone (the closed socket also ends `serve`),
        # or may not listen: the server's report holds the messages of that time.
        with suppress(ControlClosedError, BlockingIOError):
            control.send(message)

    failure = ""
    try:
        serve(
            order.world,
            order.options,
            on_event=tell,
            orders=OwnerOrders(control_descriptor, partial(_take_orders, control)),
        )
    except UserError as error:
        failure = str(error)
    # The last message may wait a moment for room, not for ever.
    control.set_timeout(END_SECONDS)
    with suppress(TimeoutError):
        tell(_Ended(failure))
    return 1 if failure else 0


def _take_orders(control: ControlSocket, front: Front) -> None:
    """Carries out the orders that have come; the server ends with the process that started it."""
    try:
        while True:
            message, _ = control.receive()
            if isinstance(message, _Order) and message.world is not None:
                front.load(message.world, message.options)
            elif isinstance(message, _CancelLoad):
                front.cancel_load()
    except BlockingIOError:
        return
    except ControlClosedError:
        front.stop()


if __name__ == "__main__":
    # Functions of this module are pickled by name: under its own, not as `__main__`.
    from autosim.server.network import server_process

    sys.exit(server_process.main(int(sys.argv[1])))
