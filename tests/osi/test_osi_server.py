"""Live channels of OSI, read by a client of their protocol, and TrafficUpdates."""

import json
import struct
import time
from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("osi3")
pytest.importorskip("foxglove")
pytest.importorskip("websockets")

from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_trafficupdate_pb2 import TrafficUpdate
from websockets import Subprotocol
from websockets.sync.client import ClientConnection, connect

from autosim.engine.step.simulation import Simulation
from autosim.osi.osi_scene import OsiScene
from autosim.osi.osi_server import OsiServer
from autosim.osi.traffic_updates import UpdateRefusedError, orders_of
from tests.server.lidar_worlds import world_with
from tests.worlds import flat_world

PATIENCE = 30.0
MESSAGE, CLIENT_MESSAGE = 1, 1


@pytest.fixture(scope="module")
def scene() -> Iterator[tuple[OsiScene, Simulation]]:
    with Simulation(world_with(), compiled=flat_world(), report=lambda notice: None) as simulation:
        simulation.step()
        yield OsiScene(simulation.state, flat_world()), simulation


@pytest.fixture
def server(scene: tuple[OsiScene, Simulation]) -> Iterator[OsiServer]:
    with OsiServer("127.0.0.1", 0, takes_updates=True) as opened:
        opened.open_topics(list(scene[0].topics()))
        yield opened


@pytest.fixture
def client(server: OsiServer) -> Iterator[ClientConnection]:
    address = f"ws://127.0.0.1:{server.port}"
    with connect(address, subprotocols=[Subprotocol("foxglove.sdk.v1")], max_size=None) as socket:
        yield socket


def update_of(scene: OsiScene, number: int) -> TrafficUpdate:
    truth = GroundTruth.FromString(scene.ground_truth(0))
    return TrafficUpdate(update=[truth.moving_object[number]])


def test_a_subscriber_gets_the_map_first(
    scene: tuple[OsiScene, Simulation], server: OsiServer, client: ClientConnection
) -> None:
    channels: dict[str, dict[str, object]] = {}
    while "GroundTruth" not in channels:
        received = client.recv(PATIENCE)
        if isinstance(received, str):
            message = json.loads(received)
            channels |= {each["topic"]: each for each in message.get("channels", ())}
    channel = channels["GroundTruth"]
    assert (channel["schemaName"], channel["encoding"]) == ("osi3.GroundTruth", "protobuf")
    wanted = {"id": 1, "channelId": channel["id"]}
    assert not server.is_wanted("GroundTruth")
    client.send(json.dumps({"op": "subscribe", "subscriptions": [wanted]}))
    topic = next(iter(scene[0].topics()))
    until = time.monotonic() + PATIENCE
    while not server.is_wanted(topic.name) and time.monotonic() < until:
        time.sleep(0.01)
    while not server.take_new(topic.name) and time.monotonic() < until:
        time.sleep(0.01)
    assert not server.take_new(topic.name)
    server.send(topic.name, 5, scene[0].complete(topic, 5))
    received = client.recv(PATIENCE)
    while not isinstance(received, bytes) or received[0] != MESSAGE:
        received = client.recv(PATIENCE)
    assert len(GroundTruth.FromString(received[13:]).lane) == 2


def test_a_published_update_arrives(
    scene: tuple[OsiScene, Simulation], server: OsiServer, client: ClientConnection
) -> None:
    channel = {"id": 7, "topic": "TrafficUpdate", "encoding": "protobuf"}
    channel["schemaName"] = "osi3.TrafficUpdate"
    client.send(json.dumps({"op": "advertise", "channels": [channel]}))
    sent = update_of(scene[0], 1).SerializeToString()
    client.send(struct.pack("<BI", CLIENT_MESSAGE, 7) + sent)
    found: list[bytes] = []
    until = time.monotonic() + PATIENCE
    while not found and time.monotonic() < until:
        found = server.take_updates()
        time.sleep(0.01)
    assert found == [sent]


def test_an_update_of_the_present_place_moves_a_robot_to_where_it_is(
    scene: tuple[OsiScene, Simulation],
) -> None:
    update = update_of(scene[0], 1)
    update.update[0].base.orientation.yaw = np.pi / 2.0
    update.update[0].base.velocity.y = 3.0
    (order,) = orders_of(scene[0], scene[1].state, update.SerializeToString())
    assert order.robot == "other"
    shape = scene[0].robots[1].shape
    centre = update.update[0].base.position
    # The box's centre lies ahead of the origin, which is now to the north.
    assert order.position[0] == pytest.approx(centre.x + shape.centre[1])
    assert order.position[1] == pytest.approx(centre.y - shape.centre[0])
    assert order.velocity[:2] == pytest.approx((3.0, -update.update[0].base.velocity.x))
    assert order.yaw == pytest.approx(np.pi / 2.0)
    first = scene[0].robots[1].robot.parts[0].position[2]
    assert order.height == pytest.approx(centre.z - shape.centre[2] - first)
    assert abs(shape.centre[2] + first) > 0.01


def test_an_update_of_something_else_is_refused(scene: tuple[OsiScene, Simulation]) -> None:
    update = update_of(scene[0], 1)
    update.update[0].id.value = 3_000_000_001
    with pytest.raises(UpdateRefusedError, match="neither a robot nor an object"):
        orders_of(scene[0], scene[1].state, update.SerializeToString())
    with pytest.raises(UpdateRefusedError, match="cannot be read"):
        orders_of(scene[0], scene[1].state, b"\xff\xff")
