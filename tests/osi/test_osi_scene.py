"""Messages of OSI: they have the motion, the boxes and the measurements of the simulation."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("osi3")

from osi3.osi_featuredata_pb2 import LidarDetectionData, RadarDetectionData
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_hostvehicledata_pb2 import HostVehicleData
from osi3.osi_lane_pb2 import Lane, LaneBoundary
from osi3.osi_object_pb2 import MovingObject
from osi3.osi_sensordata_pb2 import SensorData
from osi3.osi_sensorview_pb2 import SensorView
from scipy.spatial.transform import Rotation

from autosim.config.world_settings import TrafficDescription
from autosim.engine.step.simulation import Simulation
from autosim.kinds.director import build_tree
from autosim.kinds.sensors.ranging.radar import RadarSensor
from autosim.model.state import State
from autosim.osi.osi_objects.traffic_messages import TrafficMessages
from autosim.osi.osi_scene import OsiScene
from autosim.osi.packed_rows import lidar_detections, radar_detections
from autosim.traffic.traffic_node import V, traffic_arrays_of
from autosim.vehicle.info.vehicle_info import vehicle_info
from tests.server.lidar_worlds import PLAIN, world_with
from tests.worlds import RADIUS, flat_world, impreza_world

NOW = 2_500_000_000


@pytest.fixture(scope="module")
def scene() -> Iterator[OsiScene]:
    """Two cars in a row, a second after the start, the first one with a lidar and a radar."""
    world = world_with()
    first, other = world.robots
    devices = (
        replace(PLAIN, direction=(0.0, 1.0, 0.0), has_intensity=True),
        RadarSensor("radar", "chassis", position=(2.3, 0.0, 0.0)),
    )
    robot = replace(first.robot, devices=(*first.robot.devices, *devices))
    moving = replace(first, robot=robot, yaw=0.3)
    world = replace(world, robots=(moving, other))
    with Simulation(world, compiled=flat_world(), report=lambda notice: None) as simulation:
        for _ in range(240):
            simulation.step()
        yield OsiScene(simulation.state, flat_world())


def topics(scene: OsiScene) -> dict[str, bytes]:
    return {each.name: each.make(NOW) for each in scene.topics()}


def vector(message: object) -> np.ndarray:
    return np.array([getattr(message, axis) for axis in "xyz"])


def test_a_robot_is_a_box_on_the_ground_with_its_axles(scene: OsiScene) -> None:
    truth = GroundTruth.FromString(topics(scene)["GroundTruth"])
    car, other = truth.moving_object
    assert (truth.timestamp.seconds, truth.timestamp.nanos) == (2, 500_000_000)
    assert truth.host_vehicle_id.value == car.id.value != other.id.value
    assert car.type == MovingObject.TYPE_VEHICLE
    assert car.base.orientation.yaw == pytest.approx(0.3, abs=1e-3)
    assert car.base.position.z == pytest.approx(car.base.dimension.height / 2.0, abs=0.02)
    info = vehicle_info(scene.robots[0].robot)
    body = car.vehicle_attributes
    assert body.bbcenter_to_front.x - body.bbcenter_to_rear.x == pytest.approx(info.wheelbase)
    assert [(each.axle, each.index) for each in body.wheel_data] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    right, left = body.wheel_data[0].position, body.wheel_data[1].position
    assert left.y - right.y == pytest.approx(info.track)
    on_ground = body.bbcenter_to_rear.z + car.base.dimension.height / 2.0
    assert on_ground == pytest.approx(body.radius_wheel)
    assert right.z == pytest.approx(body.bbcenter_to_front.z, abs=0.02)


def test_the_vehicle_knows_where_its_rear_axle_is(scene: OsiScene) -> None:
    made = topics(scene)
    car = GroundTruth.FromString(made["GroundTruth"]).moving_object[0]
    host = HostVehicleData.FromString(made["impreza/HostVehicleData"])
    angles = car.base.orientation
    turn = Rotation.from_euler("ZYX", [angles.yaw, angles.pitch, angles.roll])
    rear = vector(car.base.position) + turn.apply(vector(car.vehicle_attributes.bbcenter_to_rear))
    assert vector(host.vehicle_motion.position) == pytest.approx(rear, abs=1e-9)
    assert vector(host.vehicle_localization.position) == pytest.approx(vector(car.base.position))
    assert host.vehicle_localization.geodetic_position.latitude == pytest.approx(-31.9728, abs=1e-3)
    assert len(host.vehicle_wheels.wheel_data) == 4


def test_a_view_has_the_sensors_where_they_are_mounted(scene: OsiScene) -> None:
    view = SensorView.FromString(topics(scene)["impreza/SensorView"])
    (lidar,) = view.lidar_sensor_view
    configuration = lidar.view_configuration
    assert configuration.number_of_rays_horizontal == PLAIN.columns
    assert configuration.mounting_position.orientation.yaw == pytest.approx(np.pi / 2.0)
    info = vehicle_info(scene.robots[0].robot)
    assert configuration.mounting_position.position.x == pytest.approx(-info.rear_axle)
    assert view.global_ground_truth.host_vehicle_id.value == view.host_vehicle_id.value


def test_detections_of_a_lidar_lie_where_things_are(scene: OsiScene) -> None:
    data = SensorData.FromString(topics(scene)["impreza/lidar/SensorData"])
    (lidar,) = data.feature_data.lidar_sensor
    assert lidar.header.number_of_valid_detections == len(lidar.detection) > 100
    mounting = data.mounting_position
    turn = Rotation.from_euler("Z", mounting.orientation.yaw)
    points = [
        turn.apply(
            each.position.distance
            * np.array(
                [
                    np.cos(each.position.elevation) * np.cos(each.position.azimuth),
                    np.cos(each.position.elevation) * np.sin(each.position.azimuth),
                    np.sin(each.position.elevation),
                ]
            )
        )
        + vector(mounting.position)
        for each in lidar.detection
    ]
    down = np.array(points)[[each.position.elevation < 0.0 for each in lidar.detection]]
    lowest = down[:, 2].min()
    car, other = GroundTruth.FromString(topics(scene)["GroundTruth"]).moving_object
    assert lowest == pytest.approx(-car.vehicle_attributes.radius_wheel, abs=0.05)
    assert all(0.0 <= each.intensity <= 100.0 for each in lidar.detection)
    heading = Rotation.from_euler("Z", car.base.orientation.yaw)
    rear = vector(car.base.position) + heading.apply(
        vector(car.vehicle_attributes.bbcenter_to_rear)
    )
    offsets = heading.apply(np.array(points)) + rear - vector(other.base.position)
    half = np.array([other.base.dimension.length, other.base.dimension.width]) / 2.0 + 0.1
    is_at_other = (np.abs(offsets[:, :2]) < half).all(axis=1) & (np.abs(offsets[:, 2]) < 0.6)
    assert is_at_other.any()


def test_packed_rows_are_what_protobuf_writes() -> None:
    spherical = np.array([[1.5, -0.25, 0.0], [80.0, 3.0, 0.125]])
    found = LidarDetectionData.FromString(
        lidar_detections(spherical, np.array([0.0, 99.5]), np.array([3, 130]), field=2)
    )
    expected = LidarDetectionData()
    for (distance, azimuth, elevation), intensity, beam in zip(
        spherical, (0.0, 99.5), (3, 130), strict=True
    ):
        row = expected.detection.add(existence_probability=1.0, intensity=intensity)
        row.position.distance, row.position.azimuth = distance, azimuth
        row.position.elevation = elevation
        row.beam_id.value = beam
    assert found == expected
    radar = RadarDetectionData.FromString(
        radar_detections(spherical, np.array([-2.0, 3.0]), field=2)
    )
    assert [each.radial_velocity for each in radar.detection] == [-2.0, 3.0]
    assert radar.detection[1].position.azimuth == 3.0


def test_only_the_first_message_has_the_map(scene: OsiScene) -> None:
    first = next(iter(scene.topics()))
    complete = GroundTruth.FromString(scene.complete(first, NOW))
    assert len(complete.moving_object) == 2
    half = complete.lane
    assert [each.classification.type for each in half] == [Lane.Classification.TYPE_DRIVING] * 2
    ids = [each.id.value for each in half]
    for own, other in ((0, 1), (1, 0)):
        (pairing,) = half[own].classification.lane_pairing
        assert pairing.antecessor_lane_id.value == pairing.successor_lane_id.value == ids[other]
    boundaries = {each.id.value: each for each in complete.lane_boundary}
    left = boundaries[half[0].classification.left_lane_boundary_id[0].value]
    right = boundaries[half[0].classification.right_lane_boundary_id[0].value]
    inner, outer = ([vector(p.position) for p in each.boundary_line] for each in (left, right))
    assert np.linalg.norm(inner, axis=1) == pytest.approx(RADIUS - 1.75, abs=0.02)
    assert np.linalg.norm(outer, axis=1) == pytest.approx(RADIUS + 1.75, abs=0.02)
    assert right.classification.type == LaneBoundary.Classification.TYPE_ROAD_EDGE
    logical = complete.logical_lane[0]
    assert logical.successor_lane[0].other_lane_id.value == complete.logical_lane[1].id.value
    assert not GroundTruth.FromString(first.make(NOW)).lane


def test_another_vehicle_in_the_same_row_has_another_identifier() -> None:
    world = replace(impreza_world(), traffic=TrafficDescription(vehicles=2, people=1))
    state = State(build_tree(world))
    arrays = traffic_arrays_of(state)
    assert arrays is not None
    arrays.vehicles[:, V.kind] = (0.0, -1.0)
    arrays.people[:, 0] = -1.0
    users = TrafficMessages(arrays)
    arrays.vehicles[0, V.speed], arrays.vehicles[0, V.rolled] = 10.0, 50.0
    (first,) = users.messages(0)
    arrays.vehicles[0, V.speed], arrays.vehicles[0, V.rolled] = 11.0, 51.0
    (same,) = users.messages(100_000_000)
    assert same.id.value == first.id.value
    assert same.base.acceleration.x == pytest.approx(10.0)
    arrays.vehicles[0, V.rolled] = 2.0
    (other,) = users.messages(200_000_000)
    assert other.id.value != first.id.value
    assert other.base.acceleration.x == 0.0
