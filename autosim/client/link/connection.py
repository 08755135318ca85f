"""A client's connection to a server: states come, commands and control go."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import grpc

from autosim.client.link.client_errors import ClientError, ConnectionLostError
from autosim.client.link.simulation_control import RunReport, SimulationControl, Status
from autosim.client.link.updates import LinkState, Received, UpdateReader, UpdateStatistics
from autosim.model.commands import Command
from autosim.model.tree import SimulationTree
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.autosim_pb2_grpc import SimulatorStub
from autosim.v1.tree_pb2 import Plugin
from autosim.wire import DEFAULT_ADDRESS

__all__ = ["Connection", "RunReport", "Status"]

MAX_COMMANDS = 1000
"""Commands in one message, so that it stays below the server's limit."""

MAX_BYTES = 100_000
"""Values [bytes] in one message after which no further command is added, for the same reason."""


@dataclass(frozen=True, slots=True)
class ExpectedWorld:
    """Properties that client and server share, and the length of a step."""

    layout_digest: str
    """Digest of the layout of the client's tree."""
    files: Sequence[tuple[str, str]]
    """Name and SHA-256 (hex) of each file of the client's world."""
    plugins: Sequence[tuple[str, str]]
    """Name and version of each plug-in whose devices its robots have."""
    step_seconds: float
    """Simulated time of a step [s]."""

    @classmethod
    def of(
        cls, tree: SimulationTree, files: Sequence[tuple[str, str]], step_seconds: float
    ) -> "ExpectedWorld":
        """The world of these files, whose state has the layout of `tree`."""
        return cls(tree.digest, files, tree.plugins, step_seconds)


class Connection(SimulationControl):
    """A connection that heals itself. Its methods may be called from any thread.

    Args:
        address: HOST:PORT of the server.
        world: the world that the client expects on the server.
        rate_hz: states wanted per simulated second, at most one a step; 0: every step.
        max_hz: states wanted at most per second of wall-clock time; 0: no limit.
        name: what the server's messages call this client.
        report: told when the server is lost, and when it is back; called from another thread.
    """

    def __init__(
        self,
        address: str = DEFAULT_ADDRESS,
        *,
        world: ExpectedWorld,
        rate_hz: float = 60.0,
        max_hz: float = 0.0,
        name: str = "",
        report: Callable[[str], None] = lambda text: None,
    ) -> None:
        super().__init__(address, lambda: self._updates.stub)
        subscription = pb.SubscribeRequest(
            client=name,
            layout_digest=world.layout_digest,
            rate_hz=rate_hz,
            max_hz=max_hz,
            files=[pb.File(name=file, digest=digest) for file, digest in world.files],
            plugins=[Plugin(name=each, version=version) for each, version in world.plugins],
        )
        every = max(1, round(1.0 / (rate_hz * world.step_seconds))) if rate_hz > 0.0 else 1
        self._updates = UpdateReader(address, subscription, steps_between=every, report=report)
        self._commands = _CommandStream(lambda: self._updates.stub)

    @property
    def newest(self) -> Received | None:
        """The newest state that arrived."""
        return self._updates.newest

    @property
    def link(self) -> LinkState:
        """State of the connection to the server."""
        return self._updates.state

    @property
    def was_stopped(self) -> bool:
        """Whether the server was ended on purpose and has not come back since."""
        return self._updates.was_stopped

    @property
    def silence(self) -> str:
        """Message that a reachable server's simulation process does not answer; "" if it does.

        A signal or a debugger may have stopped it; it continues when it is resumed.
        """
        seconds = self._updates.unresponsive_seconds
        if self.link is LinkState.LOST:
            return ""
        return f"the simulation does not answer since {seconds} s" if seconds else ""

    @property
    def is_standing(self) -> bool:
        """Whether the simulation is paused or has not begun, as the server said last."""
        return self._updates.is_standing

    @property
    def trouble(self) -> str:
        """Why nothing comes from a server, in short; "" where nothing is the matter."""
        return "the server does not answer" if self.link is LinkState.LOST else self.silence

    @property
    def statistics(self) -> UpdateStatistics:
        """Statistics of the received states."""
        return self._updates.statistics

    @property
    def seed(self) -> int:
        """Of the server's runs, once connected: the noise of cameras follows from it."""
        return self._updates.seed

    @property
    def stub(self) -> SimulatorStub:
        """The calls over the present channel; another one after the server was lost."""
        return self._updates.stub

    @property
    def failure(self) -> ClientError | None:
        """The error that keeps states from coming, as `check` raises it; else None."""
        return self._updates.failure

    def check(self) -> None:
        """Returns if the server can be used, and raises otherwise.

        Raises:
            ServerRefusedError: the server has refused this client for good.
            ConnectionLostError: the connection is lost; it is restored when the server returns.
        """
        failure = self.failure
        if failure is not None:
            raise failure

    def check_refusal(self) -> None:
        """Raises an error if the server has refused this client.

        Raises:
            ServerRefusedError: it has refused it.
        """
        if self.link is LinkState.REFUSED:
            self.check()

    def wait_until(self, condition: Callable[[], bool], timeout: float) -> bool:
        """Waits until `condition`, at most `timeout` [s]; returns whether it came true.

        The condition is asked after each arrival, each loss and each return of the server, and
        after `notify`.
        """
        return self._updates.wait_until(condition, timeout)

    def notify(self) -> None:
        """Wakes all waiters, so that they check their conditions again."""
        self._updates.notify()

    def wait_for_state(self, timeout: float = 10.0, *, step: int = 0) -> Received:
        """Waits until a state of `step` or later has arrived, and returns the newest.

        Raises:
            ServerRefusedError: the server does not want this client.
            ConnectionLostError: none came within `timeout` [s].
        """

        def has_come() -> bool:
            newest = self._updates.newest
            return newest is not None and newest.packet.step >= step

        def is_over() -> bool:
            is_closed = self.link in (LinkState.REFUSED, LinkState.CLOSED)
            return has_come() or is_closed

        self._updates.wait_until(is_over, timeout)
        newest = self._updates.newest
        if newest is None or not has_come():
            silence = f" ({self.silence})" if self.silence else ""
            why = f"no state of step {step} within {timeout:g} s{silence}"
            raise self._updates.failure or ConnectionLostError(
                f"the server at {self.address}: {why}"
            )
        return newest

    def set_data(self, commands: Iterable[Command]) -> None:
        """Sets actuators at the next step: one way, in batches.

        What could not be sent yet is replaced by newer values of the same actuator.
        """
        self._commands.add(commands)

    def close(self) -> None:
        """Ends the connection."""
        self._commands.close()
        self._updates.close()

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class _CommandStream:
    """Sends the newest value of each actuator, whenever the last batch is on its way."""

    def __init__(self, make_stub: Callable[[], SimulatorStub]) -> None:
        self._make_stub = make_stub
        self._pending: dict[str, bytes] = {}
        self._changed = threading.Condition()
        self._number = 0
        self._is_closed = False
        self._call: grpc.Future[pb.SetDataResult] | None = None

    def add(self, commands: Iterable[Command]) -> None:
        with self._changed:
            if self._is_closed:
                return
            self._pending.update((command.device, command.data) for command in commands)
            self._changed.notify_all()
            if self._call is None or self._call.done():
                # A stream that broke leaves its iterator behind; the number ends it.
                self._number += 1
                self._call = self._make_stub().SetData.future(self._batches(self._number))

    def _batches(self, number: int) -> Iterator[pb.Commands]:
        while batch := self._next_batch(number):
            yield pb.Commands(commands=batch)

    def _next_batch(self, number: int) -> list[pb.Command]:
        def is_over() -> bool:
            return self._is_closed or number != self._number

        with self._changed:
            self._changed.wait_for(lambda: is_over() or self._pending)
            if is_over():
                return []
            taken: list[tuple[str, bytes]] = []
            size = 0
            while self._pending and len(taken) < MAX_COMMANDS and size < MAX_BYTES:
                taken.append(self._pending.popitem())
                size += len(taken[-1][1])
        return [pb.Command(device=device, data=data) for device, data in taken]

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
