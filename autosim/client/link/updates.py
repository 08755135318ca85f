"""The stream of states: drained all the time, kept in a slot of one, opened again when it breaks.

gRPC buffers what is not read: a client that reads only when it draws would see states that are
seconds old. So a separate thread reads everything at once and keeps only the newest.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto

import grpc

from autosim.client.link.channels import open_channel
from autosim.client.link.client_errors import (
    FORBIDDEN,
    NO_ANSWER,
    ClientError,
    ConnectionLostError,
    ServerRefusedError,
    explain_rpc_error,
    is_silence,
)
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.autosim_pb2_grpc import SimulatorStub
from autosim.wire import (
    NO_WORLD,
    WAS_STOPPED,
    WORLD_CHANGED,
    Packet,
    PacketError,
    PacketKind,
    read_packet,
)

SILENCE_SECONDS = 3.0
"""A server that says nothing for so long is lost; it sends heartbeats twice a second."""

FIRST_BACKOFF_SECONDS = 0.1
"""[s] before the first attempt to reconnect: a server that restarts is soon back."""

LAST_BACKOFF_SECONDS = 1.0
"""[s] before each later attempt, at most: longer waits would be seen by people."""

CHANNEL_OPTIONS: tuple[tuple[str, int], ...] = (
    # A small window: what gRPC holds back for a slow reader is old.
    ("grpc.http2.lookahead_bytes", 4096),
    ("grpc.http2.bdp_probe", 0),
    # keepalive_time alone does not notice a frozen server within a minute.
    ("grpc.keepalive_time_ms", 1_000),
    ("grpc.http2.ping_timeout_ms", 1_500),
    # A frozen server's kernel still takes connections: this is how long its word may take.
    ("grpc.min_reconnect_backoff_ms", 2_500),
    # Else the attempts to connect to a server that is not there yet are two minutes apart.
    ("grpc.max_reconnect_backoff_ms", 1_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
    ("grpc.max_send_message_length", 256 * 1024),
    # Two connections of one program are two connections, each with its own fate.
    ("grpc.use_local_subchannel_pool", 1),
)


class LinkState(Enum):
    """State of a client's connection to its server."""

    CONNECTING = auto()
    CONNECTED = auto()
    LOST = auto()
    REFUSED = auto()
    CLOSED = auto()


@dataclass(frozen=True, slots=True)
class Received:
    """A state that arrived: its packet, when (monotonic time [s]), over which connection."""

    packet: Packet
    arrived: float
    epoch: int
    """Number of the connection, from 1 on."""


@dataclass(slots=True)
class UpdateStatistics:
    """Statistics of the received states.

    `missed`: states at the client's rate that the server skipped because the client, the network
    or the server was slow. `latency` [s]: from publishing to arrival, of the newest state published
    while this client was connected; None before; exact if both clocks agree. `connections`: number
    of times the stream was opened successfully.

    Attributes:
        updates: received states.
        heartbeats: received messages without a state, by which a live server is known.
        bytes: size of all messages [bytes].
    """

    updates: int = 0
    heartbeats: int = 0
    bytes: int = 0
    missed: int = 0
    latency: float | None = None
    connections: int = 0


class UpdateReader:
    """Keeps the newest state of a server, in its own thread.

    Args:
        address: HOST:PORT.
        subscription: what to ask the server for.
        steps_between: steps from one state to the next at the rate asked for.
        report: told, from that thread, when the server is lost, when it is back, and when it has
            loaded the same world again. Another world is a refusal, which `failure` reports.

    `was_stopped`: the server was stopped on purpose, and has not come back since.
    `is_standing`: the simulation is paused, or has not begun. `unresponsive_seconds`: the server is
    there, but its simulation process does not answer since [s]; 0: it does. `seed`: that of the
    server's runs, once connected.
    """

    def __init__(
        self,
        address: str,
        subscription: pb.SubscribeRequest,
        *,
        steps_between: int,
        report: Callable[[str], None],
    ) -> None:
        self._address = address
        self._subscription = subscription
        self._steps_between = steps_between
        self._report = report
        self.statistics = UpdateStatistics()
        self.newest: Received | None = None
        self.state = LinkState.CONNECTING
        self.was_stopped = False
        self.unresponsive_seconds = 0
        self.seed = 0
        self.is_standing = False
        self._refusal = ""
        self._loss = ""
        self._last_word = time.monotonic()
        self._call: grpc.Call | None = None
        self._changed = threading.Condition()
        self._closing = threading.Event()
        self._open_channel()
        self._threads = [
            threading.Thread(target=self._read_all, name="autosim-updates", daemon=True),
            threading.Thread(target=self._watch, name="autosim-watch", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def failure(self) -> ClientError | None:
        """The error that keeps states from coming, None while they come (or are awaited)."""
        if self.state is LinkState.REFUSED:
            return ServerRefusedError(self._refusal)
        if self.state is LinkState.LOST:
            return ConnectionLostError(self._loss)
        return None

    def wait_until(self, is_enough: Callable[[], bool], timeout: float) -> bool:
        """Waits until `is_enough`, which is asked after each arrival and change of state."""
        with self._changed:
            return self._changed.wait_for(is_enough, timeout)

    def notify(self) -> None:
        """Wakes all waiters, so that they check `is_enough` again."""
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        """Ends the threads and the connection."""
        self._closing.set()
        self._set_state(LinkState.CLOSED)
        self._cancel()
        for thread in self._threads:
            thread.join()
        self._channel.close()
        # gRPC's call takes a lock when it is deleted: at the end of the interpreter, a thread of
        # gRPC that is no longer run may hold it.
        self._call = None

    def _open_channel(self) -> None:
        # A stub is made with its channel and used by all threads: to make one for a channel that
        # another thread has closed meanwhile crashes gRPC; to use one raises ValueError.
        self._channel = open_channel(self._address, CHANNEL_OPTIONS)
        self.stub = SimulatorStub(self._channel)

    def _reopen_channel(self) -> None:
        # A connection to a frozen server would outlive it: begin with a fresh one.
        old = self._channel
        try:
            self._open_channel()
        except ClientError as error:
            self._refuse(str(error))
        else:
            old.close()

    def _read_all(self) -> None:
        backoff = FIRST_BACKOFF_SECONDS
        while not self._is_over:
            opened = self.statistics.connections
            error = self._read_one_stream()
            if self._is_over:
                return
            if self.statistics.connections > opened:
                backoff = FIRST_BACKOFF_SECONDS
            if error == WORLD_CHANGED:
                self._set_state(LinkState.CONNECTING)
            else:
                self._lose(error)
            self._closing.wait(backoff)
            backoff = min(2.0 * backoff, LAST_BACKOFF_SECONDS)
            self._reopen_channel()

    @property
    def _is_over(self) -> bool:
        return self._closing.is_set() or self.state is LinkState.REFUSED

    def _read_one_stream(self) -> str:
        self._last_word = time.monotonic()
        try:
            self._call = call = self.stub.Subscribe(self._subscription)
            if self._closing.is_set():
                return "closed"
            self._receive(call)
        except grpc.RpcError as error:
            return self._explain(error)
        except ClientError as error:
            self._refuse(str(error))
        except PacketError as error:
            return f"it does not speak AutoSim's language ({error})"
        return "it ended"

    def _receive(self, updates: Iterator[pb.Update]) -> None:
        is_first = True
        for update in updates:
            packet = read_packet(update.packet)
            now = self._last_word = time.monotonic()
            if is_first:
                is_first = False
                self._connect()
            self._count(packet, len(update.packet))
            self._note_silence(packet.unresponsive_seconds)
            self.is_standing = packet.is_standing
            if packet.kind is PacketKind.STATE:
                self.newest = Received(packet, now, self.statistics.connections)
            self.notify()

    def _note_silence(self, seconds: int) -> None:
        before, self.unresponsive_seconds = self.unresponsive_seconds, seconds
        if seconds and not before:
            self._report(f"the simulation process of the server at {self._address} does not answer")
        elif before and not seconds:
            self._report(f"the simulation process answers again, after {before} s")

    def _count(self, packet: Packet, size: int) -> None:
        statistics = self.statistics
        statistics.bytes += size
        if packet.kind is PacketKind.HEARTBEAT:
            statistics.heartbeats += 1
            return
        statistics.updates += 1
        last = self.newest
        # The first state of a stream may have waited for this client, as long as the server paused.
        if last is not None and last.epoch == statistics.connections:
            statistics.latency = 1e-9 * (time.time_ns() - packet.published_ns)
            gap = packet.step // self._steps_between - last.packet.step // self._steps_between
            statistics.missed += max(0, gap - 1)

    def _connect(self) -> None:
        if self.state is LinkState.LOST:
            self._report(f"connected again to the server at {self._address}")
        elif self.statistics.connections:
            self._report(f"the server at {self._address} has loaded the world again")
        self.statistics.connections += 1
        self.was_stopped = False
        # It is there: it has just said something.
        with suppress(grpc.RpcError):
            self.seed = self.stub.Describe(pb.DescribeRequest(), timeout=SILENCE_SECONDS).seed
        self._set_state(LinkState.CONNECTED)

    def _lose(self, why: str) -> None:
        was_connected = self.state is LinkState.CONNECTED
        self.unresponsive_seconds = 0
        self.is_standing = False
        verb = "lost" if was_connected or self.statistics.connections else "no answer from"
        self._loss = f"{verb} the server at {self._address}: {why}"
        if self.was_stopped:
            self._loss = f"the server at {self._address} was stopped"
        if self.state is not LinkState.LOST:
            self._report(f"{self._loss}; {_hope(self.was_stopped)}")
        self._set_state(LinkState.LOST)

    def _explain(self, error: grpc.RpcError) -> str:
        code, details = error.code(), error.details()
        if code in (grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.UNIMPLEMENTED):
            what = "has another world now" if self.statistics.connections else "refuses"
            self._refuse(f"the server at {self._address} {what}: {details}")
        if code in FORBIDDEN:
            self._refuse(str(explain_rpc_error(error, self._address)))
        if code is grpc.StatusCode.CANCELLED:
            return f"no word for {SILENCE_SECONDS:g} s"
        if code is grpc.StatusCode.UNAVAILABLE:
            self.was_stopped = self.was_stopped or WAS_STOPPED in (details or "")
            for reason in (NO_WORLD, WORLD_CHANGED):
                if reason in (details or ""):
                    return reason
            if is_silence(details or ""):
                return f"it {NO_ANSWER}"
            return "no server listens" if "connect" in (details or "") else "it disconnected"
        return f"{code.name}: {details}"

    def _refuse(self, why: str) -> None:
        self._refusal = why
        self._set_state(LinkState.REFUSED)

    def _watch(self) -> None:
        while not self._closing.wait(SILENCE_SECONDS / 10.0):
            if time.monotonic() - self._last_word > SILENCE_SECONDS:
                self._cancel()

    def _cancel(self) -> None:
        call = self._call
        if call is not None:
            call.cancel()

    def _set_state(self, state: LinkState) -> None:
        with self._changed:
            if self.state is not LinkState.CLOSED:
                self.state = state
            self._changed.notify_all()


def _hope(was_stopped: bool) -> str:
    return "waiting until it is started again" if was_stopped else "trying again"
