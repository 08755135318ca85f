"""Cost and delay of the bridge to ROS 2: a lidar of 64 × 1024 points and a camera of 640 × 480.

    python benchmarks/ros2_bridge.py [--seconds 10] [--rounds 2] [--columns 1024] [--size 640x480]

Both sensors have 10 Hz. A server runs in real time with and without a bridge whose topics a node in
another process receives; printed is the processor time of the simulation process for a step, which
others on the machine do not change, and by how much the bridge raises it: the limit is 5 %. The
delay of a message is the time from when the simulation reached its stamp, as the server's status
tells it, to its arrival. Its limit is the period of the sensors.
"""

import argparse
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from autosim.client.link.simulation_control import SimulationControl, simulation_control
from autosim.loading.loader import load_world
from autosim.model.phase import Phase
from autosim.ros2.message_types import Message, MessageTypes
from autosim.ros2.ros_graph import Quality, RosNode
from autosim.ros2.zenoh_session import open_session
from autosim.server.network.front import ServerOptions
from autosim.server.network.server_process import ServerProcess
from autosim_testbench.backends.brokers import free_port

PERIOD = 0.1
"""Time [s] between two messages of a sensor."""

WARM_UP_SECONDS = 3.0
"""Time [s] in which the first messages come, before anything is measured."""

LOOK_SECONDS = 0.005
"""Time [s] between two looks at the time of the simulation."""

START_SECONDS = 180.0
"""Longest time [s] until the first messages come: kernels may have to be compiled."""

POINTS, PICTURE = "/car/lidar/points", "/car/view/image_raw"
TYPES = {POINTS: "sensor_msgs/msg/PointCloud2", PICTURE: "sensor_msgs/msg/Image"}

ROBOT = """<Robot name="car"><Parts>
<Box name="chassis"><Size x="1.7" y="1.2" z="4.4"/><Mass value="1400"/></Box></Parts><Devices>
<KinematicVehicle name="vehicle" model="IDEAL_STEER_ACC"><Part name="chassis"/></KinematicVehicle>
<LidarSensor name="lidar"><Part name="chassis"/><Position x="0" y="1" z="0"/>
<Channels value="64"/><Columns value="{columns}"/><UpdateRate value="10"/></LidarSensor>
<Camera name="view"><Part name="chassis"/><Position x="0" y="1" z="2.3"/>
<Resolution width="{width}" height="{height}"/><UpdateRate value="10"/></Camera>
</Devices></Robot>"""

WORLD = """<World name="bench"><Terrain><Map name="yard"><Folder path="worlds/yard"/>
<DrivingSide value="left"/></Map></Terrain><Objects><Robot name="car"><File path="robots/car.xml"/>
<Position x="-40.0" z="-58.0"/><RotY value="1.5708"/></Robot></Objects></World>"""


@dataclass(slots=True)
class Received:
    """Messages at a node by topic: their stamps [s] and when they arrived [s]."""

    messages: dict[str, list[tuple[float, float]]] = field(default_factory=dict)


def receive(router: str, pipe: Connection) -> None:
    """The process of the node: sends when both sensors have come, then what has come since."""
    opened = open_session(router)
    types = MessageTypes()
    node = RosNode(opened.session, types, name="peer")
    messages: dict[str, list[tuple[float, float]]] = {topic: [] for topic in TYPES}

    def take(topic: str, message: Message) -> None:
        stamp = message.header.stamp
        messages[topic].append((stamp.sec + 1e-9 * stamp.nanosec, time.monotonic()))

    for topic, kind in TYPES.items():
        node.subscribe(topic, kind, partial(take, topic), quality=Quality.SENSOR)
    tick = threading.Event()
    begun = time.monotonic()
    while not all(messages.values()) and time.monotonic() - begun < START_SECONDS:
        tick.wait(0.1)
    pipe.send(all(messages.values()))
    pipe.recv()
    for each in messages.values():
        each.clear()
    pipe.recv()
    pipe.send(Received(messages))
    node.close()
    opened.session.close()


@contextmanager
def bridged(address: str) -> Iterator[tuple[int, Connection]]:
    """A bridge next to the server and a node; gives the bridge's process and a pipe to the node."""
    router = f"tcp/127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "autosim", "ros2", address, "--router", router]
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    node = context.Process(target=receive, args=(router, theirs), daemon=True)
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as bridge:
        assert bridge.stderr is not None
        try:
            said = iter(bridge.stderr.readline, "")
            if not any(re.match(r"'\w+' of ", each) for each in said):
                raise SystemExit("the bridge has ended")
            threading.Thread(target=bridge.stderr.read, daemon=True).start()
            node.start()
            yield bridge.pid, ours
        finally:
            bridge.send_signal(signal.SIGINT)
            bridge.wait()
            node.terminate()
            node.join()


def processor_seconds(pid: int) -> float:
    """Processor time [s] of a process and of all below it that live."""
    text = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    spent = (int(text[11]) + int(text[12])) / os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return spent + sum(processor_seconds(int(each)) for each in children)


def process_times(pid: int) -> dict[int, float]:
    """Processor times [s] of the children of a process, each with all below it."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return {int(each): processor_seconds(int(each)) for each in children}


@dataclass(slots=True)
class Measured:
    """Result of one run of a server.

    Attributes:
        step_seconds: processor time of the simulation process for a step [s].
        bridge_share: share of a processor that the bridge takes.
        reached: (n, 2) simulated times [s] and when the simulation reached them [s].
        received: arrivals at the node.
    """

    step_seconds: float = np.nan
    bridge_share: float = np.nan
    reached: list[tuple[float, float]] = field(default_factory=list)
    received: Received = field(default_factory=Received)


@contextmanager
def metered(server: ServerProcess, control: SimulationControl, found: Measured) -> Iterator[None]:
    """Measures the steps of a server inside, where it runs in real time."""
    before, step = process_times(server.pid), control.status().step
    yield
    after, steps = process_times(server.pid), control.status().step - step
    spent = max(after[pid] - before.get(pid, 0.0) for pid in after)
    found.step_seconds = spent / max(steps, 1)


def watch(control: SimulationControl, seconds: float, found: Measured) -> None:
    """Notes for a while when the simulation has reached which time."""
    end = time.monotonic() + seconds
    while (now := time.monotonic()) < end:
        found.reached.append((control.status().time, now))
        time.sleep(LOOK_SECONDS)


def measure(world: Path, seconds: float, *, has_bridge: bool) -> Measured:
    """Runs a server in real time for `seconds`."""
    found = Measured()
    options = ServerOptions(address="127.0.0.1:0")
    with (
        ServerProcess(load_world(world), options) as server,
        simulation_control(server.address) as control,
    ):
        while control.status().phase in (Phase.LOADING, Phase.EMPTY):
            time.sleep(0.1)
        control.run(real_time_factor=1.0)
        if not has_bridge:
            time.sleep(WARM_UP_SECONDS)
            with metered(server, control, found):
                watch(control, seconds, found)
            return found
        with bridged(server.address) as (bridge, pipe):
            if not pipe.recv():
                raise SystemExit("no messages came")
            time.sleep(WARM_UP_SECONDS)
            pipe.send(True)
            before = processor_seconds(bridge)
            with metered(server, control, found):
                watch(control, seconds, found)
            found.bridge_share = (processor_seconds(bridge) - before) / seconds
            pipe.send(True)
            found.received = pipe.recv()
    return found


def print_delays(measured: Measured, seconds: float) -> None:
    """Prints how many messages of each sensor came, and how late."""
    received = measured.received
    reached, walls = np.array(measured.reached).T
    pace = (reached[-1] - reached[0]) / (walls[-1] - walls[0])
    print(f"the bridge takes {measured.bridge_share:.2f} of a processor, at {pace:.2f} × real time")
    for topic in TYPES:
        stamps, arrivals = np.array(received.messages[topic] or [(np.nan, np.nan)]).T
        is_inside = (stamps >= reached[0]) & (stamps <= reached[-1])
        late = (arrivals - np.interp(stamps, reached, walls))[is_inside]
        p50, p99 = np.percentile(late, (50, 99))
        print(
            f"{topic}: {late.size} messages in {seconds:g} s, delay "
            f"{p50 * 1e3:.1f} ms (p99 {p99 * 1e3:.1f}): {p99 / PERIOD:.2f} × the period"
        )


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--columns", type=int, default=1024)
    parser.add_argument("--size", default="640x480")
    options = parser.parse_args()
    width, height = options.size.split("x")
    steps: dict[bool, list[float]] = {False: [], True: []}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("robots/car.xml", ROBOT), ("worlds/bench.xml", WORLD)):
            file = Path(folder) / name
            file.parent.mkdir()
            file.write_text(text.format(columns=options.columns, width=width, height=height))
        world = Path(folder) / "worlds" / "bench.xml"
        for _ in range(options.rounds):
            for has_bridge in (False, True):
                measured = measure(world, options.seconds, has_bridge=has_bridge)
                steps[has_bridge].append(measured.step_seconds * 1e3)
                if has_bridge:
                    print_delays(measured, options.seconds)
    alone, beside = min(steps[False]), min(steps[True])
    print(
        f"a step takes {alone:.3f} ms of a processor alone and {beside:.3f} ms with the bridge: "
        f"{beside / alone:.3f} × (limit 1.05)"
    )


if __name__ == "__main__":
    main()
