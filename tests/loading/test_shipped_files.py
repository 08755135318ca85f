"""The robots and the world that come with AutoSim: no faults, and sound mechanics."""

from math import sqrt

import pytest

from autosim.config.descriptions import RobotDescription
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.bodies.box import BoxPart
from autosim.kinds.sensors.perception.camera import Camera
from autosim.kinds.sensors.ranging.psd import PSDSensor
from autosim.loading.checker import check_file
from autosim.loading.loader import load_map_setup, load_robot, load_world
from tests.paths import ROOT

GRAVITY = 9.81


@pytest.mark.parametrize(
    "name",
    [
        *("robots/impreza.xml", "robots/trailer_rig.xml", "robots/lidar_car.xml"),
        *("robots/quadcopter.xml", "robots/rover.xml", "robots/arm_rover.xml"),
        *(f"testbenches/{each.name}" for each in sorted((ROOT / "testbenches").glob("*.xml"))),
        *("robots/sensor_car.xml", "robots/boat.xml", "robots/bmw_320i.xml"),
        *("robots/kinematic_car.xml", "worlds/kinematic.xml"),
        *("worlds/lidar.xml", "worlds/robots.xml", "worlds/cars.xml"),
        *("worlds/circle_town.xml", "worlds/circle_town/setup.xml"),
        *("worlds/highway_merge.xml", "worlds/highway_merge/setup.xml"),
    ],
)
def test_a_shipped_file_has_no_faults(name: str) -> None:
    assert check_file(ROOT / name) == []


def wheels_on(robot: RobotDescription, part: str) -> list[WheelDevice]:
    return [each for each in robot.devices if isinstance(each, WheelDevice) and each.part == part]


def deflections(robot: RobotDescription) -> dict[str, float]:
    """Static deflection [m] of each wheel of the car, from the balance of moments."""
    (chassis,) = robot.parts
    wheels = wheels_on(robot, "chassis")
    front = max(each.position[0] for each in wheels)
    rear = min(each.position[0] for each in wheels)
    share = (chassis.centre_of_mass[0] - rear) / (front - rear)
    return {
        each.name: (share if each.position[0] == front else 1 - share)
        / 2
        * GRAVITY
        / each.suspension_ks
        for each in wheels
    }


@pytest.fixture
def car() -> RobotDescription:
    return load_robot(ROOT / "robots" / "impreza.xml")


def test_the_car_stands_level_on_its_springs(car: RobotDescription) -> None:
    by_wheel = deflections(car)
    assert max(by_wheel.values()) - min(by_wheel.values()) < 0.001
    assert 0.03 < by_wheel["front_left"] < 0.08


def test_only_the_wheels_touch_the_ground(car: RobotDescription) -> None:
    (chassis,) = car.parts
    for wheel in wheels_on(car, "chassis"):
        length = wheel.suspension_rest_length - deflections(car)[wheel.name]
        ground = wheel.position[2] - length - wheel.radius
        assert -chassis.size[2] / 2 - ground == pytest.approx(0.20, abs=0.01)
        fully_compressed = wheel.position[2] - wheel.radius
        assert fully_compressed < -chassis.size[2] / 2


def test_the_car_is_sprung_for_comfort(car: RobotDescription) -> None:
    wheels = wheels_on(car, "chassis")
    stiffness = sum(each.suspension_ks for each in wheels)
    frequency = sqrt(stiffness) / 6.283
    damping = sum(each.suspension_kd for each in wheels) / (2 * sqrt(stiffness))
    assert 1.5 < frequency < 2.0
    assert 0.3 < damping < 0.6


def test_the_car_steers_in_front_drives_and_brakes_on_all_wheels(car: RobotDescription) -> None:
    wheels = wheels_on(car, "chassis")
    assert [each.is_steering for each in wheels] == [each.position[0] > 0 for each in wheels]
    assert all(each.is_powered and each.has_brakes for each in wheels)
    assert len(wheels) == 4


def test_the_car_has_every_kind_of_device(car: RobotDescription) -> None:
    assert len({type(each) for each in car.devices}) == 13
    names = {each.name for each in car.devices}
    assert {"psd_front", "psd_front_left", "psd_front_right", "gyro_yaw", "velocimeter"} <= names
    assert {"compass", "gps", "time", "front_view", "third_person", "drive_chassis"} <= names
    assert {each.type for each in car.devices if isinstance(each, Camera)} == {
        "fixed",
        "thirdperson",
    }


def test_the_distance_sensors_begin_outside_the_box_and_look_outwards(
    car: RobotDescription,
) -> None:
    (chassis,) = car.parts
    for sensor in (each for each in car.devices if isinstance(each, PSDSensor)):
        assert sensor.position[0] > chassis.size[0] / 2
        assert sensor.position[1] * sensor.direction[1] >= 0.0


def test_the_trailer_hangs_level_behind_the_car() -> None:
    rig = load_robot(ROOT / "robots" / "trailer_rig.xml")
    chassis, trailer = rig.parts
    (link,) = rig.links
    (left, right) = wheels_on(rig, "trailer")
    hitch = link.position[0] - trailer.position[0]
    share = hitch / (hitch - left.position[0])
    deflection = share / 2 * GRAVITY / left.suspension_ks
    length = left.suspension_rest_length - deflection
    ground = trailer.position[2] + left.position[2] - length - left.radius
    assert ground == pytest.approx(-0.808, abs=0.003)
    assert left.position[1] == -right.position[1]
    assert rear_of(chassis) > link.position[0] > trailer.position[0] + trailer.size[0] / 2
    assert not left.is_powered
    actuators = {each.name: each.part for each in rig.devices if isinstance(each, DriveActuator)}
    assert actuators[left.drive_actuator] == "trailer"


def rear_of(box: BoxPart) -> float:
    return box.position[0] - box.size[0] / 2


def test_the_world_has_one_car_that_the_server_places() -> None:
    world = load_world(ROOT / "worlds" / "circle_town.xml")
    (placed,) = world.robots
    assert (placed.name, placed.position) == ("impreza", None)
    assert (placed.program, placed.program_side) == ("userprograms/driver.py", "server")
    assert world.terrain.driving_side == "left"
    assert world.terrain.setup == load_map_setup(ROOT / "worlds" / "circle_town" / "setup.xml")
    assert [name for name, _ in world.files] == [
        "circle_town.xml",
        "robots/impreza.xml",
        "worlds/circle_town/circle_town.osm",
        "worlds/circle_town/setup.xml",
    ]
