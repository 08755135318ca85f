"""`autosim ros2` beside a real server, with a node of ROS that has a session of its own."""

import hashlib
import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

pytest.importorskip("zenoh")
pytest.importorskip("rosbags")

from autosim.client.link.server_management import ServerManagement
from autosim.client.link.simulation_control import simulation_control
from autosim.ros2.message_types import MessageTypes, dds_name, request_type, response_type
from autosim.ros2.node_lockstep import CLOCK, CLOCK_TOPIC, TOPIC
from autosim.ros2.ros_graph import Quality, RosNode
from autosim.ros2.zenoh_session import open_session
from autosim_testbench.backends.brokers import free_port
from tests.commands import AUTOSIM, server
from tests.paths import ROOT

TYPES = MessageTypes()
PATIENCE = 120.0
DRIVE = "ackermann_msgs/msg/AckermannDriveStamped"

CAR = """<?xml version="1.0" encoding="utf-8"?>
<Robot name="car">
  <Parts>
    <Box name="chassis">
      <Position x="0" y="0" z="0"/><Size x="1.74" y="1.22" z="4.46"/><Mass value="1400"/>
    </Box>
  </Parts>
  <Devices>
    <KinematicVehicle name="vehicle" model="IDEAL_STEER_ACC">
      <Part name="chassis"/>
    </KinematicVehicle>
    <TimeDevice name="time"><Part name="chassis"/></TimeDevice>
    <Camera name="view"><Part name="chassis"/><Kind name="rgb"/><Kind name="depth"/>
      <Resolution width="64" height="48"/><Position x="0" y="1" z="2.3"/></Camera>
  </Devices>
</Robot>
"""


WORLD = """<?xml version="1.0" encoding="utf-8"?>
<World name="ros">
  <Terrain>
    <Map name="yard"><Folder path="worlds/yard"/><DrivingSide value="left"/></Map>
  </Terrain>
  <Objects>
    <Robot name="car">
      <File path="robots/ros_car.xml"/>
      <Position x="-40.0" z="-58.0"/><RotY value="1.5708"/>
    </Robot>
  </Objects>
</World>
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with one world, which holds a light car with a camera."""
    (tmp_path / "robots").mkdir()
    (tmp_path / "worlds").mkdir()
    (tmp_path / "robots" / "ros_car.xml").write_text(CAR)
    (tmp_path / "worlds" / "ros.xml").write_text(WORLD)
    return tmp_path


@contextmanager
def bridge(environment: dict[str, str], *options: str) -> Iterator[str]:
    """The command; gives the router's endpoint once it has the world."""
    router = f"tcp/127.0.0.1:{free_port()}"
    command = [*AUTOSIM, "ros2", environment["AUTOSIM_SERVER"], "--router", router, *options]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            said = iter(process.stderr.readline, "")
            assert any(re.match(r"'\w+' of ", each) for each in said), "it has ended"
            threading.Thread(target=process.stderr.read, daemon=True).start()
            yield router
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)


@contextmanager
def node(router: str) -> Iterator[tuple[RosNode, Any]]:
    """A node of another process, as far as zenoh can tell, and its session."""
    opened = open_session(router)
    made = RosNode(opened.session, TYPES, name="peer")
    try:
        yield made, opened.session
    finally:
        made.close()
        opened.session.close()


def call(session: Any, name: str, kind: str, **fields: Any) -> Any:
    """The response of a service."""
    service = f"simulation_interfaces/srv/{kind}"
    data = TYPES.to_cdr(TYPES.build(request_type(service), fields))
    key = f"0/{name.strip('/')}/{dds_name(service)}/{TYPES.hash_of(service)}"
    attachment = (1).to_bytes(8, "little") + bytes(8) + b"\x10" + b"g" * 16
    tick = threading.Event()
    for _ in range(int(PATIENCE)):
        replies = list(session.get(key, payload=data, attachment=attachment, timeout=PATIENCE))
        if replies:
            return TYPES.from_cdr(replies[0].ok.payload.to_bytes(), response_type(service))
        tick.wait(0.2)
    raise AssertionError(f"{name} is not served")


def test_a_node_drives_a_car_sees_it_move_and_pauses_the_simulation(folder: Path) -> None:
    with (
        server(["autosim", "server", "worlds/ros.xml", "--headless"], folder) as environment,
        bridge(environment) as router,
        node(router) as (peer, session),
    ):
        moved, pictures = threading.Event(), Queue[Any]()
        statics: Queue[Any] = Queue()

        def watch(message: Any) -> None:
            if message.twist.twist.linear.x > 1.0:
                moved.set()

        peer.subscribe("/car/odom", "nav_msgs/msg/Odometry", watch)
        peer.subscribe("/tf_static", "tf2_msgs/msg/TFMessage", statics.put, quality=Quality.LATCHED)
        peer.subscribe("/car/view/image_raw", "sensor_msgs/msg/Image", pictures.put)
        twist = peer.publisher("/car/cmd_vel", "geometry_msgs/msg/Twist")
        for _ in range(int(PATIENCE / 0.1)):
            twist.publish(TYPES.build("geometry_msgs/msg/Twist", {"linear": {"x": 2.0}}))
            if moved.wait(0.1):
                break
        assert moved.is_set()
        frames = {each.child_frame_id for each in statics.get(timeout=PATIENCE).transforms}
        assert {"car/odom", "car/view", "car/view_optical"} <= frames
        picture = pictures.get(timeout=PATIENCE)
        assert (picture.width, picture.height, picture.encoding) == (64, 48, "rgb8")
        assert picture.data.std() > 5.0
        assert (
            call(session, "/simulation/get_simulation_state", "GetSimulationState").state.state == 1
        )
        paused = {"state": {"state": 2}}
        result = call(session, "/simulation/set_simulation_state", "SetSimulationState", **paused)
        assert result.result.result == 1
        with simulation_control(environment["AUTOSIM_SERVER"]) as control:
            step = control.status().step
            stepped = call(session, "/simulation/step_simulation", "StepSimulation", steps=5)
            assert (stepped.result.result, control.status().step) == (1, step + 5)
        found = call(session, "/simulation/get_entities", "GetEntities", filters={"filter": "c.r"})
        assert found.entities == ["car"]
        missing = call(session, "/simulation/get_entity_state", "GetEntityState", entity="van")
        assert (missing.result.result, missing.result.error_message) == (
            2,
            "there is no entity 'van'",
        )


def lockstep_digest(environment: dict[str, str], states: int) -> str:
    """The digest of what a node gets in lockstep, while it steers by what it gets."""
    digest, done = hashlib.sha256(), threading.Event()
    with (
        bridge(environment, "--lockstep", "1", "--rate", "20", "--no-pictures") as router,
        node(router) as (peer, _),
    ):
        drive = peer.publisher("/car/ackermann_cmd", DRIVE)
        acknowledge = peer.publisher(TOPIC, CLOCK)
        newest: list[Any] = []

        def listen(message: Any) -> None:
            digest.update(TYPES.to_cdr(message))
            newest[:] = [message]

        def answer(clock: Any) -> None:
            nonlocal states
            states -= 1
            turn = 0.3 if newest and newest[0].pose.pose.position.x % 2.0 < 1.0 else -0.3
            wanted = {"drive": {"speed": 3.0, "steering_angle": turn}}
            drive.publish(TYPES.build(DRIVE, wanted))
            if states:
                acknowledge.publish(clock)
            else:
                done.set()

        peer.subscribe("/car/odom", "nav_msgs/msg/Odometry", listen)
        peer.subscribe(CLOCK_TOPIC, CLOCK, answer)
        assert done.wait(PATIENCE)
    return digest.hexdigest()


def test_in_lockstep_each_run_is_the_same(folder: Path) -> None:
    command = ["autosim", "server", "worlds/ros.xml", "--headless", "--paused"]
    with server(command, folder) as environment:
        digests = {lockstep_digest(environment, 40)}
        with simulation_control(environment["AUTOSIM_SERVER"]) as control:
            for _ in ServerManagement(control).load(""):
                pass
        digests.add(lockstep_digest(environment, 40))
    assert len(digests) == 1


def test_wrong_words_are_named(tmp_path: Path) -> None:
    for words, reason in (
        (["nonsense"], "SERVER"),
        (["--router", "nonsense"], "zenoh cannot be opened at nonsense"),
        (["--distribution", "foxy"], "foxy"),
    ):
        done = subprocess.run(
            [*AUTOSIM, "ros2", *words],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode != 0
        assert reason in done.stderr
        assert "Traceback" not in done.stderr
