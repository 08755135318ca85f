"""How many browsers a gateway serves: messages delivered, their latency, bytes, processor time.

    python benchmarks/web_viewers.py [--viewers 500 5000] [--seconds 5] [--rate 10] [--cars 200]
    python benchmarks/web_viewers.py --demo      bytes per viewer of the demo, and its step time

A process publishes moving cars over gRPC, another one is the gateway, a third one holds all
viewers: sockets that are read at once. The limit is the processor time of a bare loop that sends
messages of the same size to sockets, measured just after. Latency is from the publication of a
state to its arrival at a viewer; one viewer in `EVERY` is measured.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import select
import socket
import struct
import tempfile
import time
import urllib.request
from collections.abc import AsyncIterator
from concurrent import futures
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import grpc
import numpy as np
import uvloop

from autosim import Simulation
from autosim.config.descriptions import WorldDescription
from autosim.config.world_settings import TrafficDescription
from autosim.loading.loader import load_world
from autosim.loading.world_writer import with_traffic
from autosim.model.phase import Phase
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.server.network.front import ServerOptions
from autosim.server.network.server_process import ServerProcess
from autosim.system_limits import raise_file_limit
from autosim.traffic.traffic_node import TrafficArrays, V, traffic_node
from autosim.userprogram.codec.tree_codec import tree_to_message
from autosim.v1 import autosim_pb2 as pb
from autosim.web.streaming.encoding import StateEncoder
from autosim.web.streaming.frames import binary_frame
from autosim.web.streaming.packets import HEADER, StreamKind, read_runs
from autosim.web.viewer_limits import VIEWER_LIMITS
from autosim.web.web_gateway import GatewayOptions, opened_gateway
from autosim.wire import HEADER as UPDATE_HEADER
from autosim.wire import write_state_header

EVERY = 20
"""Viewers for each one whose latency is measured: decoding all would cost more than receiving."""

START_SECONDS = 120.0
"""Longest time [s] until the first states come: kernels may have to be compiled."""

WARM_UP_SECONDS = 1.0
"""Time [s] before the measurement begins, in which the first keys are sent."""

LIMIT_ROUNDS = 20
"""Rounds of the bare loop: each sends to all sockets once."""

READ_EVERY = 50
"""Number of joining viewers after which those before are read."""

JOINS = 20
"""Viewers that join one after the other, for the time until one is complete."""

DEMO_VEHICLES, DEMO_PEOPLE = 24, 16
"""Those of the demo."""

DEMO_STATES = 240
"""Encoded states of the demo: twelve seconds."""

DEMO_VIEWERS = 20
"""Viewers while the demo's step time is measured."""

DEMO_ROUNDS = 2
"""Pairs of measurements of the step time, with and without a gateway."""


def cars_tree(cars: int) -> SimulationTree:
    """A tree with traffic alone."""
    tree = SimulationTree()
    tree.register(traffic_node(TrafficDescription(vehicles=cars, people=0)))
    return tree.lay_out()


class Cars:
    """Cars that drive in circles, published as a server would."""

    def __init__(self, cars: int, rate: float) -> None:
        self.tree = cars_tree(cars)
        self.state = State(self.tree)
        self._rate = rate
        node = self.tree.find("traffic")
        assert node is not None
        self._rows = TrafficArrays(self.state, node).vehicles
        random = np.random.default_rng(3)
        self._radius = random.uniform(20.0, 900.0, cars)
        self._speed = random.uniform(8.0, 14.0, cars)
        self._start = random.uniform(0.0, 2 * np.pi, cars)

    def move(self, step: int) -> bytes:
        """The packet of a step, with the present time in the place of the simulated one."""
        seconds = step / self._rate
        angle = self._start + self._speed / self._radius * seconds
        rows = self._rows
        rows[:, V.x], rows[:, V.y] = self._radius * np.cos(angle), self._radius * np.sin(angle)
        rows[:, V.z] = 0.02 * rows[:, V.x]
        rows[:, V.yaw] = np.arctan2(np.cos(angle), -np.sin(angle))
        rows[:, V.pitch], rows[:, V.roll] = 0.02 * np.cos(angle), 0.01 * np.sin(angle)
        rows[:, V.speed] = self._speed + 0.3 * np.sin(0.3 * seconds + self._start)
        rows[:, V.steering] = 2.5 / self._radius
        rows[:, V.rolled] = self._speed * seconds
        self.state.ints[0], self.state.ints[1] = step, time.time_ns()
        packet = bytearray(UPDATE_HEADER.size + self.tree.stop)
        write_state_header(memoryview(packet), step, time.time_ns())
        packet[UPDATE_HEADER.size :] = self.state.buffer
        return bytes(packet)

    async def subscribe(self, request: bytes, context: object) -> AsyncIterator[bytes]:
        """The stream of updates."""
        step = 0
        begun = time.monotonic()
        while True:
            step += 1
            yield pb.Update(packet=self.move(step)).SerializeToString()
            await asyncio.sleep(max(0.0, begun + step / self._rate - time.monotonic()))

    async def describe(self, request: bytes, context: object) -> bytes:
        """The description of the world."""
        tree = tree_to_message(self.tree)
        described = pb.Description(world="cars", layout_digest=self.tree.digest, tree=tree)
        described.step_seconds = 1.0 / self._rate
        described.state_bytes = self.tree.stop
        return described.SerializeToString()


async def _nothing(request: bytes, context: object) -> bytes:
    return b""


def publish(cars: int, rate: float, pipe: Connection) -> None:
    """The process that publishes; sends its port."""

    async def serve() -> None:
        source = Cars(cars, rate)
        unary = grpc.unary_unary_rpc_method_handler
        handlers = {
            "Describe": unary(source.describe),
            "ListTokens": unary(_nothing),
            "Control": unary(_nothing),
            "Subscribe": grpc.unary_stream_rpc_method_handler(source.subscribe),
        }
        server = grpc.aio.server()
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("autosim.v1.Simulator", handlers),)
        )
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        pipe.send(port)
        await server.wait_for_termination()

    uvloop.run(serve())


def serve_browsers(server: str, uses: int, pipe: Connection) -> None:
    """The gateway's process; sends the link, then its processor time [s] whenever it is asked."""
    raise_file_limit()
    _keep_to(0)

    async def serve() -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "index.html").write_text("<!doctype html>")
            options = GatewayOptions(
                server, "127.0.0.1:0", guests=uses, page=Path(folder), prepares_files=False
            )
            async with opened_gateway(options) as opened:
                pipe.send(opened.links[-1].url)
                loop = asyncio.get_running_loop()
                over = asyncio.Event()

                def answer() -> None:
                    if pipe.recv():
                        pipe.send(time.process_time())
                    else:
                        over.set()

                loop.add_reader(pipe.fileno(), answer)
                await over.wait()

    uvloop.run(serve())


def _keep_to(processor: int) -> None:
    """Keeps this process to one processor, where there are several."""
    processors = sorted(os.sched_getaffinity(0))
    if len(processors) > 1:
        os.sched_setaffinity(0, {processors[processor % len(processors)]})


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Messages and bytes that came, latencies [s] of the measured ones, and the time [s]."""

    messages: int
    size: int
    latencies: list[float]
    seconds: float


class Viewers:
    """All viewers, in one process with one thread."""

    def __init__(self, url: str, count: int, rate: float) -> None:
        self._base, _, key = url.partition("/#key=")
        host, _, port = self._base.removeprefix("http://").rpartition(":")
        self._address = (host, int(port))
        self._key, self._rate = key, rate
        self._poll = select.epoll()
        self._sockets: dict[int, socket.socket] = {}
        self._measured: dict[int, _Decoder] = {}
        self._token = ""
        for number in range(count):
            if number % VIEWER_LIMITS.session_connections == 0:
                self.enter()
            self.join(is_measured=number % EVERY == 0)
            if number % READ_EVERY == 0:
                self.receive(0.001)  # A gateway drops viewers that do not read.

    def enter(self) -> None:
        """Opens another session, for the viewers that join next."""
        body = json.dumps({"key": self._key}).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self._base}/api/enter", body, headers)
        with urllib.request.urlopen(request) as answer:
            self._token = str(json.load(answer)["token"])

    def join(self, *, is_measured: bool) -> socket.socket:
        """One more viewer."""
        opened = socket.create_connection(self._address)
        opened.sendall(
            f"GET /stream HTTP/1.1\r\nHost: {self._address[0]}:{self._address[1]}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        head = b""
        while b"\r\n\r\n" not in head:
            head += opened.recv(4096)
        first = json.dumps({"token": self._token, "rate_hz": self._rate}).encode()
        # The mask of zeros is a mask, too.
        opened.sendall(struct.pack(">BBH4x", 0x81, 0x80 | 126, len(first)) + first)
        opened.setblocking(False)
        self._sockets[opened.fileno()] = opened
        if is_measured:
            self._measured[opened.fileno()] = _Decoder(head.partition(b"\r\n\r\n")[2])
        self._poll.register(opened.fileno(), select.EPOLLIN)
        return opened

    def receive(self, seconds: float) -> Arrivals:
        """Reads everything for some time [s]."""
        room = bytearray(1 << 18)
        view = memoryview(room)
        size = 0
        measured = self._measured
        before = sum(each.messages for each in measured.values())
        for each in measured.values():
            each.latencies.clear()
        begun = time.monotonic()
        while (left := begun + seconds - time.monotonic()) > 0.0:
            for file, _ in self._poll.poll(left):
                got = self._sockets[file].recv_into(room)
                size += got
                if file in measured:
                    measured[file].take(view[:got])
        latencies = [each for decoder in measured.values() for each in decoder.latencies]
        messages = sum(each.messages for each in measured.values()) - before
        share = len(self._sockets) / max(len(measured), 1)
        return Arrivals(round(messages * share), size, latencies, time.monotonic() - begun)

    def wait(self, seconds: float) -> None:
        """Reads until every measured viewer has a state, at most for some time [s]."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not all(e.messages for e in self._measured.values()):
            self.receive(0.1)

    def close(self) -> None:
        """Closes all."""
        for each in self._sockets.values():
            each.close()
        self._poll.close()


class _Decoder:
    """Reads the frames of one viewer as far as the time of each state."""

    def __init__(self, rest: bytes) -> None:
        self._rest = bytearray(rest)
        self._key_time = 0
        self.messages = 0
        self.latencies: list[float] = []

    def take(self, data: memoryview) -> None:
        """Takes bytes from the socket."""
        now = time.time_ns()
        self._rest += data
        while (frame := self._frame()) is not None:
            first, payload = frame
            if first != 0x82:
                continue
            kind = payload[0]
            if kind not in (StreamKind.KEY, StreamKind.DELTA):
                continue
            self.messages += 1
            if payload[HEADER.size : HEADER.size + 1] != b"\0":
                continue  # The same step again, as of a simulation that is paused.
            # The first run has the step and the time: four numbers are enough.
            base = np.array([0, self._key_time if kind == StreamKind.DELTA else 0], np.int64)
            sent = int(read_runs(_two_numbers(payload[HEADER.size :]), base)[1])
            if kind == StreamKind.KEY:
                self._key_time = sent
            self.latencies.append(1e-9 * (now - sent))

    def _frame(self) -> tuple[int, bytes] | None:
        rest = self._rest
        if len(rest) < 4:
            return None
        size, start = rest[1], 2
        if size == 126:
            size, start = int.from_bytes(rest[2:4], "big"), 4
        elif size == 127:
            size, start = int.from_bytes(rest[2:10], "big"), 10
        if len(rest) < start + size:
            return None
        first, payload = rest[0], bytes(rest[start : start + size])
        del rest[: start + size]
        return first, payload


def _two_numbers(payload: bytes) -> bytes:
    """A payload of the first two integers of one whose first run has more."""
    at = 1
    while payload[at] & 128:
        at += 1
    begin = at = at + 1
    for _ in range(2):
        while payload[at] & 128:
            at += 1
        at += 1
    return bytes((0, 2)) + payload[begin:at]


def limit(viewers: int, size: int) -> float:
    """Processor time [s] of a bare loop for a message of `size` bytes to one socket."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=viewers)
    pairs = []
    for _ in range(viewers):
        near = socket.create_connection(listener.getsockname())
        pairs.append((listener.accept()[0], near))
    data, room = b"x" * size, bytearray(size)
    spent = 0.0
    for _ in range(LIMIT_ROUNDS):
        begun = time.process_time()
        for ours, _ in pairs:
            ours.send(data)
        spent += time.process_time() - begun
        for _, theirs in pairs:
            got = 0
            while got < size:
                got += theirs.recv_into(room, size - got)
    for pair in pairs:
        for each in pair:
            each.close()
    listener.close()
    return spent / (LIMIT_ROUNDS * viewers)


@contextmanager
def started(target: object, *arguments: object):  # type: ignore[no-untyped-def]
    """A process of `multiprocessing` with a pipe to it."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=target, args=(*arguments, theirs), daemon=True)  # type: ignore[arg-type]
    process.start()
    try:
        yield ours
    finally:
        process.terminate()
        process.join()


def measure_viewers(count: int, options: argparse.Namespace) -> None:
    """Prints the figures of one number of viewers."""
    uses = count // VIEWER_LIMITS.session_connections + JOINS + 1
    with (
        started(publish, options.cars, options.rate) as publisher,
        started(serve_browsers, f"127.0.0.1:{publisher.recv()}", uses) as gateway,
    ):
        viewers = Viewers(gateway.recv(), count, options.rate)
        viewers.wait(START_SECONDS)
        viewers.receive(WARM_UP_SECONDS)
        gateway.send(True)
        before = gateway.recv()
        got = viewers.receive(options.seconds)
        gateway.send(True)
        spent = gateway.recv() - before
        joins = _join_times(viewers)
        viewers.close()
        gateway.send(False)
    size = got.size / max(got.messages, 1)
    bare = limit(min(count, 500), max(1, round(size)))
    wanted = count * options.rate * got.seconds
    per_message = spent / max(got.messages, 1)
    p50, p99 = np.percentile(got.latencies or [np.nan], (50, 99)) * 1e3
    print(
        f"{count:5d} viewers of {options.cars} cars at {options.rate:g} Hz: "
        f"{100 * got.messages / wanted:5.1f} % delivered, latency {p50:.0f} ms (p99 {p99:.0f}), "
        f"{got.size / count / got.seconds / 1e3:.1f} kB/s each, gateway {spent / got.seconds:.2f} "
        f"of a processor, {per_message * 1e6:.1f} µs a message: {per_message / bare:.2f} × the "
        f"limit ({bare * 1e6:.1f} µs); one more is complete after {1e3 * max(joins):.0f} ms"
    )


def _join_times(viewers: Viewers) -> list[float]:
    """Times [s] from the connection of a further viewer to its first key."""
    times = []
    for number in range(JOINS):
        if number % VIEWER_LIMITS.session_connections == 0:
            viewers.enter()
        begun = time.monotonic()
        joined = viewers.join(is_measured=False)
        joined.setblocking(True)
        data = b""
        while b"\x82" not in data:
            data += joined.recv(1 << 16)
        times.append(time.monotonic() - begun)
        joined.setblocking(False)
    return times


def measure_demo(seconds: float) -> None:
    """Prints the bytes per viewer of the demo at 20 Hz, and its step time with and without."""
    world = with_traffic(
        load_world("worlds/circle_town.xml"), vehicles=DEMO_VEHICLES, people=DEMO_PEOPLE
    )
    size, spent = _demo_bytes(world)
    print(
        f"the demo at 20 Hz: {size * 20 / 1e3:.1f} kB/s for each viewer, "
        f"{spent * 1e6:.0f} µs to encode a state for all"
    )
    steps: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(DEMO_ROUNDS):
        for has_gateway in (False, True):
            with ServerProcess(world, ServerOptions(address="127.0.0.1:0")) as server:
                if not has_gateway:
                    steps[False].append(_step_time(server.address, seconds))
                    continue
                with (
                    started(serve_browsers, server.address, 10) as gateway,
                    futures.ThreadPoolExecutor(1) as pool,
                ):
                    viewers = Viewers(gateway.recv(), DEMO_VIEWERS, 20.0)
                    stepping = pool.submit(_step_time, server.address, seconds)
                    while not stepping.done():
                        viewers.receive(0.1)
                    steps[True].append(stepping.result())
                    viewers.close()
                    gateway.send(False)
    alone, beside = min(steps[False]), min(steps[True])
    print(
        f"a step takes {alone * 1e3:.3f} ms alone and {beside * 1e3:.3f} ms with a gateway and "
        f"{DEMO_VIEWERS} viewers: {beside / alone:.3f} ×"
    )


def _demo_bytes(world: WorldDescription) -> tuple[float, float]:
    """Bytes of a message, and processor time [s] to encode it, while the demo is simulated."""
    simulation = Simulation(world)
    encoder = StateEncoder(simulation.state.tree)
    encoder.rehearse()
    steps_between = round(1 / (20.0 * world.physics.step_seconds))
    size, spent = 0, 0.0
    for number in range(DEMO_STATES):
        for _ in range(steps_between):
            simulation.step()
        begun = time.process_time()
        encoded = encoder.encode(simulation.state.buffer, now=number / 20.0, is_standing=False)
        spent += time.process_time() - begun
        size += len(binary_frame(encoded.key if encoded.delta is None else encoded.delta))
    return size / DEMO_STATES, spent / DEMO_STATES


def _step_time(address: str, seconds: float) -> float:
    """Median time [s] of a step while the simulation runs in real time."""
    from autosim.client.link.simulation_control import simulation_control

    with simulation_control(address) as control:
        while control.status().phase in (Phase.LOADING, Phase.EMPTY):
            time.sleep(0.1)
        control.run(real_time_factor=1.0)
        time.sleep(seconds)
        return 1e-3 * control.report().step_ms[0]


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--viewers", type=int, nargs="+", default=[500, 5000])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rate", type=float, default=10.0)
    parser.add_argument("--cars", type=int, default=200)
    parser.add_argument("--demo", action="store_true")
    options = parser.parse_args()
    raise_file_limit()
    if options.demo:
        measure_demo(options.seconds)
        return
    for count in options.viewers:
        measure_viewers(count, options)


if __name__ == "__main__":
    main()
