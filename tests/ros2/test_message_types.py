"""Message types: hashes, CDR bytes, messages made of plain values."""

import struct
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rosbags")

from autosim.ros2.message_types import (
    NO_HASH,
    MessageTypes,
    RosMessageError,
    dds_name,
    declare,
    request_type,
)

TYPES = MessageTypes()


def test_hashes_are_those_of_another_implementation() -> None:
    lines = Path(__file__).with_name("type_hashes.txt").read_text().splitlines()[1:]
    wanted = dict(line.split() for line in lines)
    assert len(wanted) >= 40
    assert {name: TYPES.hash_of(name).removeprefix("RIHS01_") for name in wanted} == wanted


@pytest.mark.parametrize(
    ("name", "hash_"),
    [
        # From the design document of rmw_zenoh.
        ("std_msgs/msg/String", "df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"),
        # As the installed packages of Jazzy have them.
        (
            "sensor_msgs/msg/CompressedImage",
            "15640771531571185e2efc8a100baf923961a4d15d5569652e6cb6691e8e371a",
        ),
        # As rosbag2 of Jazzy writes it into metadata.yaml.
        (
            "tf2_msgs/msg/TFMessage",
            "e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087",
        ),
    ],
)
def test_hashes_are_the_published_ones(name: str, hash_: str) -> None:
    assert TYPES.hash_of(name) == f"RIHS01_{hash_}"


def test_the_hash_of_a_service_counts_its_request_response_and_event() -> None:
    # Of a service with the fields of example_interfaces/srv/AddTwoInts this way of hashing gives
    # what the design document of rmw_zenoh has; the char of ServiceEventInfo counts as uint8.
    names = ("StepSimulation", "GetSimulatorFeatures")
    hashes = {TYPES.hash_of(f"simulation_interfaces/srv/{name}") for name in names}
    assert len(hashes) == 2
    event = TYPES.store.fielddefs["service_msgs/msg/ServiceEventInfo"][1]
    assert "char" not in str(event)


def test_hashes_of_actions_are_those_of_rosidl() -> None:
    # As rosidl has generated them for an action of these fields, and for action_msgs of Jazzy.
    types = MessageTypes("kilted")
    name = "rob599_msgs/action/Fibonacci"
    fields = "int64 number\n---\nint64[] sequence\n---\nint64 progress\n"
    declare(types.store, f"=== {name}\n{fields}")
    assert {part: types.hash_of(name + part) for part in ("_SendGoal", "_GetResult")} == {
        "_SendGoal": "RIHS01_3d7412ff91ff9c5abfbf9f7f5dc2171a3f32cf6da2414b2c2c82f034d176fa01",
        "_GetResult": "RIHS01_8ebe968757e1b88d729ad53e9aca6d14e4b2f113272786f55541cfb26acc91fc",
    }
    feedback = "RIHS01_a941cc541674f910f08c54c0d6a8a5a63be0ee7697a74928f342b2583dcfa88a"
    assert types.hash_of(f"{name}_FeedbackMessage") == feedback
    cancel = "RIHS01_573d8b0a534451d7bc2ac8c5ffde8ac14b8593b7001175d0cd6516dcbeb8689a"
    assert types.hash_of("action_msgs/srv/CancelGoal") == cancel


def test_humble_has_no_hashes() -> None:
    assert MessageTypes("humble").hash_of("std_msgs/msg/String") == NO_HASH


def test_a_message_is_little_endian_cdr() -> None:
    clock = TYPES.build("rosgraph_msgs/msg/Clock", {"clock": {"sec": 7, "nanosec": 5}})
    assert TYPES.to_cdr(clock) == b"\0\1\0\0" + struct.pack("<iI", 7, 5)


def test_what_is_left_out_is_zero_or_empty() -> None:
    odometry = TYPES.build("nav_msgs/msg/Odometry", {"child_frame_id": "car/base_link"})
    assert odometry.header.frame_id == ""
    assert odometry.pose.covariance.shape == (36,)
    back = TYPES.from_cdr(TYPES.to_cdr(odometry), "nav_msgs/msg/Odometry")
    assert back.child_frame_id == "car/base_link"
    assert not back.twist.covariance.any()


def test_lists_of_messages_and_arrays_come_back() -> None:
    fields = [{"name": "x", "offset": 0, "datatype": 7, "count": 1}]
    cloud = {"fields": fields, "data": np.arange(4, dtype=np.uint8), "width": 1}
    name = "sensor_msgs/msg/PointCloud2"
    back = TYPES.from_cdr(TYPES.to_cdr(TYPES.build(name, cloud)), name)
    assert [each.name for each in back.fields] == ["x"]
    assert back.data.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "data", [b"", b"\0\1\0\0\7", b"\0\1\0\0\xff\xff\xff\xffx", b"nonsense" * 9]
)
def test_other_bytes_are_no_message(data: bytes) -> None:
    with pytest.raises(RosMessageError, match="no std_msgs/msg/String"):
        TYPES.from_cdr(data, "std_msgs/msg/String")


def test_an_unknown_type_is_named() -> None:
    with pytest.raises(RosMessageError, match="there is no message type my_msgs/msg/Own"):
        TYPES.build("my_msgs/msg/Own")


def test_names_of_types_in_keys_are_those_of_dds() -> None:
    assert dds_name("sensor_msgs/msg/Imu") == "sensor_msgs::msg::dds_::Imu_"
    name = request_type("simulation_interfaces/srv/GetEntities")
    assert TYPES.build(name, {"filters": {"filter": "a"}}).filters.filter == "a"
