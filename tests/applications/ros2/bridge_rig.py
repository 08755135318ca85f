"""`autosim ros2` beside a real server, and nodes of ROS that have sessions of their own."""

import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from autosim.ros2.message_types import MessageTypes, dds_name, request_type, response_type
from autosim.ros2.ros_graph import RosNode
from autosim.ros2.zenoh_session import open_session
from autosim_testbench.backends.brokers import free_port
from tests.commands import AUTOSIM

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
