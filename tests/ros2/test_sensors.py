"""Messages of devices: what they say is what the devices say, in the frames of ROS."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

pytest.importorskip("rosbags")

from autosim.engine.step.simulation import Simulation
from autosim.kinds.sensors.motion.imu import IMU
from autosim.kinds.sensors.positioning.gps import GPSSensor
from autosim.kinds.sensors.ranging.psd import PSDSensor
from autosim.kinds.sensors.ranging.radar import RadarSensor
from autosim.model.state import State
from autosim.ros2.bridge import devices_of, robots_of
from autosim.ros2.message_types import MessageTypes
from autosim.ros2.robots.joint_states import joint_topics
from autosim.ros2.robots.odometry import RobotTransforms, odometry_topics
from autosim.ros2.robots.vehicle_reports import vehicle_topics
from autosim.ros2.sensors.device_topics import topics_of
from autosim.ros2.sensors.topics import RosTopic
from tests.server.lidar_worlds import AHEAD, HEIGHT, PLAIN, world_with
from tests.worlds import flat_world

TYPES = MessageTypes()
NOW = 2_500_000_000


def simulated(*devices: Any) -> Simulation:
    """Two cars in a row, the first one with these devices, a second after the start."""
    world = world_with()
    first, other = world.robots
    robot = replace(first.robot, devices=(*first.robot.devices, *devices))
    world = replace(world, robots=(replace(first, robot=robot), other))
    simulation = Simulation(world, compiled=flat_world(), report=lambda notice: None)
    for _ in range(240):
        simulation.step()
    return simulation


@pytest.fixture(scope="module")
def state() -> Iterator[State]:
    turned = replace(PLAIN, direction=(0.0, 1.0, 0.0), min_elevation=-0.1, max_elevation=0.1)
    devices = (
        turned,
        replace(PLAIN, name="flat", channels=1, has_intensity=True, position=(2.3, 0.0, 0.0)),
        RadarSensor("radar", "chassis", position=(2.3, 0.0, 0.0)),
        PSDSensor("far", "chassis", position=(0.0, 0.0, 2.0), direction=(0.0, 0.0, 1.0)),
        IMU("imu", "chassis"),
        GPSSensor("both", "chassis", has_gga=True),
    )
    with simulated(*devices) as simulation:
        yield simulation.state


def topics(state: State, device: str) -> dict[str, RosTopic]:
    """The topics of a device of the first car, by their names."""
    found = [
        topic
        for each in devices_of(state, robots_of(state.tree)[0])
        if each.record.name == device
        for topic in topics_of(each)
    ]
    return {each.name: each for each in found}


def message(topic: RosTopic) -> Any:
    """A message of a topic, there and back."""
    fields = topic.make(NOW)
    assert fields is not None
    return TYPES.from_cdr(TYPES.to_cdr(TYPES.build(topic.kind, fields)), topic.kind)


def points_of(cloud: Any) -> Any:
    """The points of a PointCloud2 as a structured array, by the layout that it declares."""
    formats = {2: "u1", 4: "<u2", 6: "<u4", 7: "<f4", 8: "<f8"}
    layout = np.dtype(
        {
            "names": [each.name for each in cloud.fields],
            "formats": [formats[each.datatype] for each in cloud.fields],
            "offsets": [each.offset for each in cloud.fields],
            "itemsize": cloud.point_step,
        }
    )
    assert cloud.row_step == cloud.point_step * cloud.width == len(cloud.data)
    return cloud.data.view(layout)


def test_a_cloud_of_a_turned_lidar_lies_on_what_it_has_met(state: State) -> None:
    cloud = message(topics(state, "lidar")["/impreza/lidar/points"])
    points = points_of(cloud)
    assert cloud.header.frame_id == "impreza/lidar"
    assert cloud.header.stamp.sec == 2
    transforms = RobotTransforms(state, robots_of(state.tree)[0]).static()
    mount = next(each for each in transforms if each["child_frame_id"] == "impreza/lidar")
    turn = Rotation.from_quat(list(mount["transform"]["rotation"].values()))
    offset = np.array(list(mount["transform"]["translation"].values()))
    assert mount["header"]["frame_id"] == "impreza/base_link"
    assert offset == pytest.approx([0.0, 0.0, HEIGHT])
    places = np.stack([points[each] for each in "xyz"], axis=1)
    on_part = turn.apply(places) + offset
    ahead = on_part[(np.abs(on_part[:, 1]) < 0.5) & (on_part[:, 0] > 0.0)]
    # The car ahead is 4.46 m long.
    assert np.abs(ahead[:, 0] - (AHEAD - 2.23)).min() < 0.1
    assert set(np.unique(points["ring"])) <= set(range(PLAIN.channels))


def test_points_are_as_old_as_their_columns(state: State) -> None:
    points = points_of(message(topics(state, "lidar")["/impreza/lidar/points"]))
    assert points["time"].max() <= 0.0
    assert points["time"].min() > -1.0 / PLAIN.update_rate


def test_a_single_channel_is_a_scan_too(state: State) -> None:
    found = topics(state, "flat")
    scan = message(found["/impreza/flat/scan"])
    points = points_of(message(found["/impreza/flat/points"]))
    assert len(scan.ranges) == PLAIN.columns
    assert np.isinf(scan.ranges).any()
    assert scan.ranges[0] == pytest.approx(AHEAD - 2.23 - 2.3, abs=0.3)
    assert scan.angle_max == pytest.approx(
        scan.angle_min + (PLAIN.columns - 1) * scan.angle_increment, abs=1e-5
    )
    assert len(scan.intensities) == PLAIN.columns
    assert len(points) == np.isfinite(scan.ranges).sum()


def test_a_radar_has_a_point_for_each_target(state: State) -> None:
    (topic,) = topics(state, "radar").values()
    targets = points_of(message(topic))
    assert targets["x"] == pytest.approx([AHEAD - 2.23 - 2.3], abs=0.3)
    assert targets["radial_speed"] == pytest.approx([0.0], abs=0.1)


def test_a_distance_sensor_that_meets_nothing_says_infinity(state: State) -> None:
    (topic,) = topics(state, "far").values()
    found = message(topic)
    assert np.isinf(found.range)
    assert found.max_range == 10.0


def test_a_car_at_rest_measures_gravity_upwards(state: State) -> None:
    (topic,) = topics(state, "imu").values()
    found = message(topic)
    assert topic.name == "/impreza/imu/data_raw"
    assert found.orientation_covariance[0] == -1.0
    assert found.linear_acceleration.z == pytest.approx(9.81, abs=0.2)


def test_a_fix_is_the_place_of_the_antenna(state: State) -> None:
    found = message(topics(state, "both")["/impreza/both/fix"])
    assert found.status.status == 0
    assert (found.latitude, found.longitude) == pytest.approx((-31.9728, 115.827), abs=1e-3)
    assert np.isfinite(found.altitude)
    sentences = message(topics(state, "both")["/impreza/both/nmea"]).data
    assert [each[3:6] for each in sentences.split("\r\n")] == ["RMC", "GGA"]


def test_odometry_and_transforms_agree(state: State) -> None:
    robot = robots_of(state.tree)[0]
    believed, true = (message(each) for each in odometry_topics(state, robot.name, 0.02))
    moving = RobotTransforms(state, robot).moving(NOW)
    base = next(each for each in moving if each["child_frame_id"] == "impreza/base_link")
    place = believed.pose.pose.position
    assert base["transform"]["translation"] == {"x": place.x, "y": place.y, "z": place.z}
    assert (believed.header.frame_id, true.header.frame_id) == ("impreza/odom", "map")
    assert place.z == pytest.approx(0.81, abs=0.02)
    wheels = [each for each in moving if each["header"]["frame_id"] == "impreza/base_link"]
    heights = [each["transform"]["translation"]["z"] for each in wheels]
    # Of the hubs above the ground: the radius.
    assert np.array(heights) + place.z == pytest.approx(0.316, abs=0.02)


def test_wheels_and_their_steering_are_joints(state: State) -> None:
    (topic,) = joint_topics(state, robots_of(state.tree)[0], 0.02)
    found = message(topic)
    assert found.name[:2] == ["front_left", "front_left_steering"]
    assert len(found.position) == len(found.velocity) == 6


def test_a_vehicle_reports_as_autoware_expects(state: State) -> None:
    found = {
        each.kind: message(each) for each in vehicle_topics(state, robots_of(state.tree)[0], 0)
    }
    velocity = found["autoware_vehicle_msgs/msg/VelocityReport"]
    assert velocity.longitudinal_velocity == pytest.approx(0.0, abs=0.05)
    assert found["autoware_vehicle_msgs/msg/GearReport"].report == 2


def test_every_device_of_the_shipped_car_becomes_valid_messages(state: State) -> None:
    robot = robots_of(state.tree)[0]
    made = [topic for each in devices_of(state, robot) for topic in topics_of(each)]
    assert len({each.name for each in made}) == len(made) > 15
    for topic in made:
        message(topic)
