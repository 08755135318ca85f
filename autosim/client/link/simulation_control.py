"""A client's calls to a simulation: run, pause, commands, reports."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar, cast

import grpc
import numpy as np

from autosim.arrays import Floats
from autosim.client.link.channels import open_channel
from autosim.client.link.client_errors import ClientError, ConnectionLostError, explain_rpc_error
from autosim.client.link.updates import CHANNEL_OPTIONS
from autosim.model.commands import Command
from autosim.model.notices import Notice, Severity
from autosim.model.phase import Phase
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.autosim_pb2_grpc import SimulatorStub

CALL_SECONDS = 10.0
"""Longest time [s] of a call that the server answers at once."""

LOAD_SECONDS = 600.0
"""Longest time [s] of a call that the simulation answers: while it loads a world it does not
answer. A server that is gone or frozen is noticed sooner, by the connection; a frozen simulation by
the server."""

STEP_SECONDS = 86_400.0
"""Longest time [s] of steps that a caller waits for: a day. A server that is gone is noticed
sooner, as above."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Status:
    """Status of the simulation.

    `step` steps done, simulated `time` [s], connected `clients`; `programs` counts the user
    programs elsewhere that the next step waits for. `world`: its name, "" where there is none.
    `unresponsive_seconds`: since when the simulation process does not answer, 0 where it does.
    `real_time_factor`: the pace of the last run, 0 as fast as it goes. `work`: what it does while
    it loads, or while another world is loaded for its place, in words. `undoable`: the change that
    an undo undoes, such as "car2 was removed"; "" where there is none.
    """

    phase: Phase
    """Phase of the simulation."""
    step: int
    time: float
    clients: int
    programs: int
    world: str = ""
    unresponsive_seconds: float = 0.0
    real_time_factor: float = 1.0
    work: str = ""
    undoable: str = ""


@dataclass(frozen=True, slots=True)
class ConnectedClient:
    """A client of the server, as the server sees it.

    `rate_hz`: states a simulated second that it asked for, 0: every step. `updates`, `bytes`: sent
    to it so far, `skipped`: states at its rate that it was too slow for. `delay` [s]: how
    long the newest state waited for the client to take it.
    """

    name: str
    """Name of the client program."""
    peer: str
    """Address of the client."""
    rate_hz: float
    connected_seconds: float
    """Duration of the connection [s]."""
    updates: int
    bytes: int
    skipped: int
    delay: float


@dataclass(frozen=True, slots=True)
class RunReport:
    """Report on the run so far.

    `step_ms`, `lateness_ms`: (p50, p99). `state_digest`: SHA-256 (hex) over the bitstreams of all
    steps. `collisions` by robot, as `robots`. `notices`: those requested, with their `numbers`;
    `said` is the total number in the run, of which the server no longer holds `dropped`.
    """

    status: Status
    """Current status."""
    wall_seconds: float
    """Real time of the run [s]."""
    step_ms: tuple[float, float]
    lateness_ms: tuple[float, float]
    state_digest: str
    notices: tuple[Notice, ...]
    numbers: tuple[int, ...]
    said: int
    dropped: int
    robots: tuple[str, ...]
    collisions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RobotTrack:
    """Tracks of the robots: every `interval` steps from step 0 on.

    `samples`: (n, robots, 4) float64, x y z [m] and yaw [rad] in W, the robots in the order of
    `robots`.
    """

    robots: tuple[str, ...] = ()
    interval: int = 0
    samples: Floats = field(default_factory=lambda: np.zeros((0, 0, 4)))


class SimulationControl:
    """The calls to one server. They may be made from any thread.

    Args:
        address: HOST:PORT of the server.
        stub: gives the calls over the channel to use now.
    """

    def __init__(self, address: str, stub: Callable[[], SimulatorStub]) -> None:
        self.address = address
        self._stub = stub

    def set_data_now(self, commands: Iterable[Command]) -> None:
        """Sets actuators at the next step, and returns when the server has taken them.

        Raises:
            ClientError: the server refuses a command; those before it are taken.
            ConnectionLostError: the server does not answer.
        """
        batch = pb.Commands(
            commands=[pb.Command(device=each.device, data=each.data) for each in commands]
        )
        summary = self.call(lambda stub: stub.SetData(iter((batch,)), timeout=CALL_SECONDS))
        if summary.refused:
            raise ClientError(f"the server at {self.address}: {summary.first_refusal}")

    def run(self, *, steps: int = 0, real_time_factor: float = 1.0) -> Status:
        """Runs the simulation; returns at once.

        Args:
            steps: their number; 0: until the next order.
            real_time_factor: simulated by real time; 0: as fast as it goes.

        Raises:
            ConnectionLostError: the server does not answer.
        """
        request = pb.ControlRequest(
            action=pb.ControlRequest.RUN, steps=steps, real_time_factor=real_time_factor
        )
        return self._control(request, timeout=LOAD_SECONDS)

    def step(self, steps: int = 1, *, timeout: float = STEP_SECONDS) -> Status:
        """Does `steps` steps as fast as it goes, and returns when they are done (or interrupted).

        Raises:
            ConnectionLostError: the server does not answer within `timeout` [s].
        """
        request = pb.ControlRequest(action=pb.ControlRequest.STEP, steps=steps)
        return self._control(request, timeout=timeout)

    def drive(self, commands: Iterable[Command], steps: int) -> tuple[Status, bytes]:
        """Sets actuators, does `steps` steps as fast as it goes; returns the state after them.

        Raises:
            ClientError: the server refuses a command, or the simulation runs on.
            ConnectionLostError: the server does not answer.
        """
        request = pb.ControlRequest(action=pb.ControlRequest.STEP, steps=steps, wants_state=True)
        for each in commands:
            request.commands.add(device=each.device, data=each.data)
        return self._with_state(request, timeout=STEP_SECONDS)

    def state(self) -> tuple[Status, bytes]:
        """The state of a simulation that stands still.

        Raises:
            ClientError: it runs.
            ConnectionLostError: the server does not answer.
        """
        request = pb.ControlRequest(action=pb.ControlRequest.STATUS, wants_state=True)
        return self._with_state(request, timeout=CALL_SECONDS)

    def _with_state(self, request: pb.ControlRequest, *, timeout: float) -> tuple[Status, bytes]:
        status = self.call(lambda stub: stub.Control(request, timeout=timeout))
        return status_of(status), status.state

    def pause(self) -> Status:
        """Stops stepping after the current step.

        Raises:
            ConnectionLostError: the server does not answer.
        """
        return self._control(
            pb.ControlRequest(action=pb.ControlRequest.PAUSE), timeout=LOAD_SECONDS
        )

    def stop(self) -> Status:
        """Ends the server.

        Raises:
            ConnectionLostError: the server does not answer.
        """
        return self._control(pb.ControlRequest(action=pb.ControlRequest.STOP))

    def status(self) -> Status:
        """Status of the simulation.

        Raises:
            ConnectionLostError: the server does not answer.
        """
        return self._control(pb.ControlRequest(action=pb.ControlRequest.STATUS))

    def _control(self, request: pb.ControlRequest, *, timeout: float = CALL_SECONDS) -> Status:
        return status_of(self.call(lambda stub: stub.Control(request, timeout=timeout)))

    def report(self, *, messages_after: int = 0) -> RunReport:
        """Report on the run so far, with the kept messages from that number on.

        Raises:
            ConnectionLostError: the server does not answer.
        """
        whole = page = self._report_page(messages_after)
        while page.messages and page.messages[-1].number + 1 < page.messages_total:
            page = self._report_page(page.messages[-1].number + 1)
            whole.messages.extend(page.messages)
        return _report(whole)

    def _report_page(self, messages_after: int) -> pb.RunReport:
        request = pb.ReportRequest(messages_after=messages_after)
        return self.call(lambda stub: stub.Report(request, timeout=CALL_SECONDS))

    def track(self, known: RobotTrack = RobotTrack()) -> RobotTrack:
        """Tracks of the robots; only what is new since `known` goes over the wire.

        Raises:
            ConnectionLostError: the server does not answer.
        """
        request = pb.TrackRequest(samples=len(known.samples), interval=known.interval)
        part = self.call(lambda stub: stub.Track(request, timeout=LOAD_SECONDS))
        robots = tuple(part.robots)
        new = np.frombuffer(part.samples).reshape(-1, max(1, len(robots)), 4)
        kept = known.samples[: part.first] if part.first else new[:0]
        return RobotTrack(robots, part.interval, np.concatenate([kept, new]))

    def clients(self) -> tuple[ConnectedClient, ...]:
        """The clients that receive states from the server, this one included where it does.

        Raises:
            ConnectionLostError: the server does not answer.
        """
        request = pb.ClientsRequest()
        found = self.call(lambda stub: stub.Clients(request, timeout=CALL_SECONDS))
        return tuple(_client(each) for each in found.clients)

    def call(self, call: Callable[[SimulatorStub], T]) -> T:
        """Makes a call over the present channel.

        Raises:
            ClientError: it fails; the message says why.
        """
        try:
            return call(self._stub())
        except grpc.RpcError as error:
            raise explain_rpc_error(error, self.address) from error
        except ValueError as error:
            raise ConnectionLostError(f"the connection to {self.address} is closed") from error


@contextmanager
def simulation_control(address: str) -> Iterator[SimulationControl]:
    """The calls to the server at `address`, for those who want no states."""
    with open_channel(address, CHANNEL_OPTIONS) as channel:
        stub = SimulatorStub(channel)
        yield SimulationControl(address, lambda: stub)


def status_of(status: pb.Status) -> Status:
    """The status that a server has answered."""
    return Status(
        phase=Phase(status.phase),
        step=status.step,
        time=status.time_ns / 1e9,
        clients=status.clients,
        programs=status.programs,
        world=status.world,
        unresponsive_seconds=status.unresponsive_seconds,
        real_time_factor=status.real_time_factor,
        work=status.work,
        undoable=status.undoable,
    )


def _client(client: pb.Client) -> ConnectedClient:
    return ConnectedClient(
        name=client.name,
        peer=client.peer,
        rate_hz=client.rate_hz,
        connected_seconds=client.connected_seconds,
        updates=client.updates,
        bytes=client.bytes,
        skipped=client.skipped,
        delay=1e-3 * client.delay_ms,
    )


def _report(report: pb.RunReport) -> RunReport:
    return RunReport(
        status=status_of(report.status),
        wall_seconds=report.wall_seconds,
        step_ms=(report.step_ms_p50, report.step_ms_p99),
        lateness_ms=(report.lateness_ms_p50, report.lateness_ms_p99),
        state_digest=report.state_digest,
        notices=tuple(_notice(message) for message in report.messages),
        numbers=tuple(message.number for message in report.messages),
        said=report.messages_total,
        dropped=report.messages_dropped,
        robots=tuple(report.robots),
        collisions=tuple(report.collisions),
    )


def _notice(message: pb.Message) -> Notice:
    level = cast(Severity, message.level)
    return Notice(level, message.source, message.step, message.text)
