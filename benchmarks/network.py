"""How the network does: updates delivered, their latency, and how late steps begin.

    python benchmarks/network.py [--seconds 5] [--clients 1 10 100] [--rates 60 240] [--world FILE]

A server with its two processes, and all clients in one further process on the same machine, each
with a connection of its own that is read all the time. Without --world the simulation costs
next to nothing a step and has a state of 1 kB, so that the figures are those of the network.

Each row is followed by its limit, measured in the same run: a bare gRPC server of the same library
that sends as many bytes to as many clients. `us/state` is the processor time of the server for each
state that a client got: unlike the share that is delivered, it hardly depends on what else the
machine does. The last line of a pair is the server's processor time for a state as a multiple of
the limit's.
"""

import argparse
import asyncio
import multiprocessing
import os
import time
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path

import grpc
import numpy as np
import uvloop

from autosim.client.link.credentials import Credentials
from autosim.client.link.mirror import Mirror
from autosim.client.link.updates import CHANNEL_OPTIONS
from autosim.config.descriptions import WorldDescription
from autosim.kinds.director import build_tree
from autosim.server.network.front import ServerOptions
from autosim.server.network.server_process import ServerProcess
from autosim.v1 import autosim_pb2 as pb
from autosim.wire import HEADER, read_packet, write_state_header

STEP_RATE = 240.0
WARM_UP_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Load:
    """What one process of clients saw: (client, step, latency [s]) of every state."""

    states: list[tuple[int, int, float]]


@dataclass(frozen=True, slots=True)
class Task:
    """What the process of clients is to do."""

    address: str
    request: pb.SubscribeRequest
    clients: int
    until_step: int
    state_bytes: int


def drain(task: Task) -> Load:
    """Reads with `task.clients` connections until each has come to the last step."""
    states: list[tuple[int, int, float]] = []

    metadata = Credentials(task.address).metadata()

    async def read(client: int) -> None:
        async with grpc.aio.insecure_channel(task.address, options=CHANNEL_OPTIONS) as channel:
            # As bytes: what is measured is the server, not how fast this process reads messages.
            subscribe = channel.unary_stream(
                "/autosim.v1.Simulator/Subscribe",
                request_serializer=pb.SubscribeRequest.SerializeToString,
            )
            async for message in subscribe(task.request, metadata=metadata):
                is_state = len(message) > task.state_bytes
                offset = len(message) - HEADER.size - is_state * task.state_bytes
                packet = read_packet(memoryview(message)[offset:])
                if is_state:
                    latency = 1e-9 * (time.time_ns() - packet.published_ns)
                    states.append((client, packet.step, latency))
                if packet.step >= task.until_step:
                    return

    async def read_all() -> None:
        await asyncio.gather(*(read(client) for client in range(task.clients)))

    uvloop.run(read_all())
    return Load(states)


@dataclass(frozen=True, slots=True)
class BareTask:
    """What the bare server is to send: as many states as the row above it."""

    clients: int
    every: int
    steps: int
    state_bytes: int


def serve_bare(task: BareTask, connection: Connection) -> None:
    """Sends its address, serves the streams of all clients, then sends the processor time [s]."""

    async def serve() -> None:
        loop = asyncio.get_running_loop()
        begin: asyncio.Future[float] = loop.create_future()
        waiting = ended = 0
        newest = (0, b"")
        over = asyncio.Event()

        def message(step: int) -> bytes:
            nonlocal newest
            if newest[0] != step:
                packet = bytearray(HEADER.size + task.state_bytes)
                write_state_header(memoryview(packet), step, time.time_ns())
                newest = step, pb.Update(packet=bytes(packet)).SerializeToString()
            return newest[1]

        async def subscribe(request: bytes, context: grpc.aio.ServicerContext) -> None:
            nonlocal waiting, ended
            waiting += 1
            if waiting == task.clients:
                begin.set_result(loop.time())
            start, step = await begin, 0
            while step < task.steps:
                reached = int((loop.time() - start) * STEP_RATE) // task.every * task.every
                step = max(step + task.every, reached)
                await asyncio.sleep(max(0.0, start + step / STEP_RATE - loop.time()))
                await context.write(message(step))
            ended += 1
            if ended == task.clients:
                over.set()

        server = grpc.aio.server()
        handler = grpc.unary_stream_rpc_method_handler(subscribe)
        service = grpc.method_handlers_generic_handler(
            "autosim.v1.Simulator", {"Subscribe": handler}
        )
        server.add_generic_rpc_handlers((service,))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        connection.send(f"127.0.0.1:{port}")
        await begin
        before = time.process_time()
        await over.wait()
        connection.send(time.process_time() - before)
        await server.stop(1.0)

    uvloop.run(serve())


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of all clients of a row together.

    Attributes:
        delivered: share of the states that they asked for [%].
        p50: median of the latency [ms].
        p99: 99th percentile of the latency [ms].
        cost: processor time of the server for a state [us].
    """

    delivered: float
    p50: float
    p99: float
    cost: float

    def __str__(self) -> str:
        return f"{self.delivered:9.1f} % {self.p50:9.2f} {self.p99:9.2f} {self.cost:9.1f}"


def _figures(load: Load, task: BareTask, seconds: float, used: float) -> Figures:
    """The figures of a row, of which the server has taken `used` [s] of a processor."""
    first = WARM_UP_SECONDS * STEP_RATE
    latencies = np.array([latency for _, step, latency in load.states if step > first])
    expected = task.clients * round(seconds * STEP_RATE / task.every)
    p50, p99 = 1e3 * np.percentile(latencies, (50, 99))
    cost = 1e6 * used / max(1, len(load.states))
    return Figures(100 * len(latencies) / expected, float(p50), float(p99), cost)


def measure_bare(task: BareTask, seconds: float) -> Figures:
    """The limit of a row: what a bare server delivers; prints it."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve_bare, args=(task, theirs))
    process.start()
    with context.Pool(1) as pool:
        address = ours.recv()
        request = pb.SubscribeRequest()
        drained = Task(address, request, task.clients, task.steps, task.state_bytes)
        load = pool.apply(drain, (drained,))
        used = ours.recv()
    process.join()
    figures = _figures(load, task, seconds, used)
    print(
        f"{'limit':>8} {STEP_RATE / task.every:6.0f} {task.clients:8d} {figures} "
        f"{'':9} {'':9} {100 * used / (seconds + WARM_UP_SECONDS):9.0f} %",
        flush=True,
    )
    return figures


def processor_seconds(pid: int) -> float:
    """Processor time [s] that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(
    world: WorldDescription, options: ServerOptions, bare: BareTask, seconds: float
) -> Figures:
    """Measures one row of the table, as many states as `bare` is to send; prints it."""
    clients, rate = bare.clients, STEP_RATE / bare.every
    tree = build_tree(world)
    files = [pb.File(name=name, digest=digest) for name, digest in world.files]
    request = pb.SubscribeRequest(layout_digest=tree.digest, rate_hz=rate, files=files)
    context = multiprocessing.get_context("spawn")
    with (
        ServerProcess(world, options) as server,
        Mirror(world, server.address, rate_hz=1.0) as mirror,
        context.Pool(1) as pool,
    ):
        mirror.connection.wait_for_state(120.0)
        task = Task(server.address, request, clients, bare.steps, tree.stop)
        drained = pool.apply_async(drain, (task,))
        while mirror.connection.status().clients < clients + 1:
            if drained.ready():
                drained.get()  # its error, if it has failed
            time.sleep(0.05)
        before = processor_seconds(server.pid)
        mirror.connection.run(steps=bare.steps, real_time_factor=1.0)
        load = drained.get()
        used = processor_seconds(server.pid) - before
        report = mirror.connection.report()
    figures, late = _figures(load, bare, seconds, used), report.lateness_ms
    print(
        f"{tree.stop:8d} {rate:6.0f} {clients:8d} {figures} {late[0]:9.2f} {late[1]:9.2f} "
        f"{100 * used / (seconds + WARM_UP_SECONDS):9.0f} %",
        flush=True,
    )
    return figures


def choose_world(file: Path | None) -> tuple[WorldDescription, ServerOptions]:
    """The world to simulate, and how."""
    if file is None:
        from tests.server.light_simulation import light_options, light_world

        return light_world(6), light_options()
    from autosim.loading.loader import load_world

    return load_world(file), ServerOptions(address="127.0.0.1:0")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0, help="measured time of each row")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 10, 100])
    parser.add_argument("--rates", type=float, nargs="+", default=[60.0, 240.0])
    parser.add_argument("--world", type=Path, help="a world file instead of the light simulation")
    parser.add_argument("--niceness", type=int, default=0, help="of the simulation process")
    arguments = parser.parse_args()
    world, options = choose_world(arguments.world)
    options = replace(options, niceness=arguments.niceness)
    print(
        "   bytes   rate  clients   delivered  latency ms p50/p99  us/state   late ms p50/p99"
        "     front CPU"
    )
    for rate in arguments.rates:
        for clients in arguments.clients:
            every = round(STEP_RATE / rate)
            steps = round((arguments.seconds + WARM_UP_SECONDS) * STEP_RATE)
            bare = BareTask(clients, every, steps, build_tree(world).stop)
            figures = measure(world, options, bare, arguments.seconds)
            limit = measure_bare(bare, arguments.seconds)
            print(
                f"{'ratio':>8}{'':16} {figures.delivered / limit.delivered:9.2f}  "
                f"{'':9} {figures.p99 / limit.p99:9.2f} {figures.cost / limit.cost:9.2f}"
            )


if __name__ == "__main__":
    main()
