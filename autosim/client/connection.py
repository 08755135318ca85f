"""A client's connection to a server: states come, commands and control go."""

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeVar, cast

import grpc
import numpy as np
import numpy.typing as npt

from autosim.client.failures import ClientError, ConnectionLostError, RefusedError
from autosim.client.updates import LinkState, Received, UpdateReader, UpdateStatistics
from autosim.simulation.commands import Command
from autosim.simulation.notices import Level, Notice
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.autosim_pb2_grpc import SimulatorStub
from autosim.wire import DEFAULT_ADDRESS

CALL_SECONDS = 10.0
"""How long a call may take that the server answers at once."""

MAX_COMMANDS = 1000
"""Commands in one message, so that it stays below the server's limit."""

T = TypeVar("T")


class Phase(IntEnum):
    """What the simulation is doing."""

    LOADING = 0
    READY = 1
    RUNNING = 2
    PAUSED = 3
    STOPPED = 4


@dataclass(frozen=True, slots=True)
class Status:
    """Where the simulation stands.

    `step` steps done, simulated `time` [s], connected `clients`; `programs` counts the user
    programs elsewhere that the next step waits for.
    """

    phase: Phase
    step: int
    time: float
    clients: int
    programs: int


@dataclass(frozen=True, slots=True)
class RunReport:
    """What happened so far.

    `step_ms`, `lateness_ms`: (p50, p99). `state_digest`: SHA-256 (hex) over the bitstreams of all
    steps. `track`: (samples, robots, 4) float64, x y z [m] and yaw [rad] in W, every
    `track_seconds` of simulated time from step 0 on. `collisions` by robot, as `robots`.
    """

    status: Status
    wall_seconds: float
    step_ms: tuple[float, float]
    lateness_ms: tuple[float, float]
    state_digest: str
    notices: tuple[Notice, ...]
    robots: tuple[str, ...]
    track: npt.NDArray[np.float64]
    track_seconds: float
    collisions: tuple[int, ...]


class Connection:
    """A connection that heals itself. Its methods may be called from any thread.

    Args:
        address: HOST:PORT of the server.
        layout_digest: of the client's own tree.
        files: name and SHA-256 (hex) of the files that the client's world is made of.
        step_seconds: simulated time of a step [s].
        rate_hz: states wanted per simulated second, at most one a step; 0: every step.
        name: of the client, for people.
        report: told when the server is lost, and when it is back; called from another thread.
    """

    def __init__(
        self,
        address: str = DEFAULT_ADDRESS,
        *,
        layout_digest: str,
        files: Iterable[tuple[str, str]],
        step_seconds: float,
        rate_hz: float = 60.0,
        name: str = "",
        report: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.address = address
        subscription = pb.SubscribeRequest(
            client=name,
            layout_digest=layout_digest,
            rate_hz=rate_hz,
            files=[pb.File(name=file, digest=digest) for file, digest in files],
        )
        every = max(1, round(1.0 / (rate_hz * step_seconds))) if rate_hz > 0.0 else 1
        self._updates = UpdateReader(address, subscription, steps_between=every, report=report)
        self._commands = _CommandStream(lambda: SimulatorStub(self._updates.channel))

    @property
    def newest(self) -> Received | None:
        """The newest state that arrived."""
        return self._updates.newest

    @property
    def link(self) -> LinkState:
        """How the client stands with the server."""
        return self._updates.state

    @property
    def statistics(self) -> UpdateStatistics:
        """What arrived so far."""
        return self._updates.statistics

    @property
    def channel(self) -> grpc.Channel:
        """The present channel; another one after the server was lost."""
        return self._updates.channel

    def check(self) -> None:
        """Does nothing while the server can be used.

        Raises:
            RefusedError: the server does not want this client, and never will.
            ConnectionLostError: it is lost; the connection heals when it comes back.
        """
        failure = self._updates.failure
        if failure is not None:
            raise failure

    def check_refusal(self) -> None:
        """Does nothing unless the server has refused this client.

        Raises:
            RefusedError: it has.
        """
        if self.link is LinkState.REFUSED:
            self.check()

    def wait_until(self, condition: Callable[[], bool], timeout: float) -> bool:
        """Waits until `condition`, at most `timeout` [s]; returns whether it came true.

        The condition is asked after each arrival, each loss and each return of the server.
        """
        return self._updates.wait_until(condition, timeout)

    def wait_for_state(self, timeout: float = 10.0, *, step: int = 0) -> Received:
        """Waits until a state of `step` or later has arrived, and returns the newest.

        Raises:
            RefusedError: the server does not want this client.
            ConnectionLostError: none came within `timeout` [s].
        """

        def has_come() -> bool:
            newest = self._updates.newest
            return newest is not None and newest.packet.step >= step

        def is_over() -> bool:
            return has_come() or self.link in (LinkState.REFUSED, LinkState.CLOSED)

        self._updates.wait_until(is_over, timeout)
        newest = self._updates.newest
        if newest is None or not has_come():
            raise self._updates.failure or ConnectionLostError(
                f"no state of step {step} from the server at {self.address} within {timeout:g} s"
            )
        return newest

    def set_data(self, commands: Iterable[Command]) -> None:
        """Sets actuators at the next step: one way, in batches.

        What could not be sent yet is replaced by newer values of the same actuator.
        """
        self._commands.add(commands)

    def run(self, *, steps: int = 0, real_time_factor: float = 1.0) -> Status:
        """Lets the simulation run; returns at once.

        Args:
            steps: how many; 0: until told otherwise.
            real_time_factor: simulated by real time; 0: as fast as it goes.

        Raises:
            ConnectionLostError: the server does not answer.
        """
        return self._control(pb.ControlRequest.RUN, steps=steps, real_time_factor=real_time_factor)

    def step(self, steps: int = 1, *, timeout: float | None = None) -> Status:
        """Does `steps` steps as fast as it goes, and returns when they are done (or interrupted).

        Raises:
            ConnectionLostError: the server does not answer within `timeout` [s].
        """
        return self._control(pb.ControlRequest.STEP, steps=steps, timeout=timeout)

    def pause(self) -> Status:
        """Stops stepping after the step in hand.

        Raises:
            ConnectionLostError: the server does not answer.
        """
        return self._control(pb.ControlRequest.PAUSE)

    def stop(self) -> Status:
        """Ends the server.

        Raises:
            ConnectionLostError: the server does not answer.
        """
        return self._control(pb.ControlRequest.STOP)

    def status(self) -> Status:
        """Where the simulation stands.

        Raises:
            ConnectionLostError: the server does not answer.
        """
        return self._control(pb.ControlRequest.STATUS)

    def _control(
        self, action: Any, *, timeout: float | None = CALL_SECONDS, **values: Any
    ) -> Status:
        request = pb.ControlRequest(action=action, **values)
        return _status(self._call(lambda stub: stub.Control(request, timeout=timeout)))

    def report(self, *, messages_after: int = 0) -> RunReport:
        """What happened so far; of the messages those from index `messages_after` on.

        Raises:
            ConnectionLostError: the server does not answer.
        """
        request = pb.ReportRequest(messages_after=messages_after)
        return _report(self._call(lambda stub: stub.Report(request, timeout=CALL_SECONDS)))

    def _call(self, call: Callable[[SimulatorStub], T]) -> T:
        try:
            return call(SimulatorStub(self._updates.channel))
        except grpc.RpcError as error:
            raise explain_rpc_error(error, self.address) from error
        except ValueError as error:
            raise ConnectionLostError(f"the connection to {self.address} is closed") from error

    def close(self) -> None:
        """Ends the connection."""
        self._commands.close()
        self._updates.close()

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def explain_rpc_error(error: grpc.RpcError, address: str) -> ClientError:
    """What an error of gRPC means, for people."""
    code, details = error.code(), error.details()
    if code is grpc.StatusCode.FAILED_PRECONDITION:
        return RefusedError(f"the server at {address} refuses: {details}")
    if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
        return ConnectionLostError(f"the server at {address} cannot be reached: {details}")
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return ConnectionLostError(f"the server at {address} does not answer in time")
    return ClientError(f"the server at {address}: {code.name}: {details}")


class _CommandStream:
    """Sends the newest value of each actuator, whenever the last batch is on its way."""

    def __init__(self, make_stub: Callable[[], SimulatorStub]) -> None:
        self._make_stub = make_stub
        self._pending: dict[str, bytes] = {}
        self._changed = threading.Condition()
        self._number = 0
        self._is_closed = False
        self._call: Any = None

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
            count = min(len(self._pending), MAX_COMMANDS)
            taken = [self._pending.popitem() for _ in range(count)]
        return [pb.Command(device=device, data=data) for device, data in taken]

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()


def _status(status: pb.Status) -> Status:
    return Status(
        phase=Phase(status.phase),
        step=status.step,
        time=1e-9 * status.time_ns,
        clients=status.clients,
        programs=status.programs,
    )


def _report(report: pb.RunReport) -> RunReport:
    robots = tuple(report.robots)
    track = np.frombuffer(report.track).reshape(-1, max(1, len(robots)), 4)
    return RunReport(
        status=_status(report.status),
        wall_seconds=report.wall_seconds,
        step_ms=(report.step_ms_p50, report.step_ms_p99),
        lateness_ms=(report.lateness_ms_p50, report.lateness_ms_p99),
        state_digest=report.state_digest,
        notices=tuple(_notice(message) for message in report.messages),
        robots=robots,
        track=track,
        track_seconds=report.track_seconds,
        collisions=tuple(report.collisions),
    )


def _notice(message: pb.Message) -> Notice:
    level = cast(Level, message.level)
    return Notice(level, message.source, message.step, message.text)
