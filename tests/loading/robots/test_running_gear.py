"""Robots that share the wheels, tyres and brakes of another robot's file."""

import re
from pathlib import Path

import pytest

from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.loading.loader import load_robot, load_world, world_for_osm
from autosim.loading.world_writer import written_files
from tests.config.samples import ROBOT, faults, write_world

GEAR = '<RunningGear file="robots/gear.xml"/>'
WITHOUT = re.sub(r"    <(DriveActuator|WheelDevice) name.*?</\1>\n", "", ROBOT, flags=re.DOTALL)


def with_gear(element: str = GEAR) -> str:
    return WITHOUT.replace("  <Devices>", f"  {element}\n  <Devices>")


def running_gear(path: str | Path) -> list[object]:
    devices = load_robot(path).devices
    return [each for each in devices if isinstance(each, DriveActuator | WheelDevice)]


@pytest.mark.parametrize("name", ["ins_car", "sensor_car", "lidar_car", "scout", "trailer_rig"])
def test_shipped_cars_have_the_running_gear_of_the_default_car(name: str) -> None:
    shared = running_gear("robots/impreza.xml")
    assert running_gear(f"robots/{name}.xml")[: len(shared)] == shared


def test_a_robot_takes_over_the_drive_and_the_wheels_before_its_own_devices(tmp_path: Path) -> None:
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "gear.xml").write_text(ROBOT)
    (tmp_path / "robots" / "cart.xml").write_text(with_gear())
    taken = load_robot(tmp_path / "robots" / "cart.xml", roots=(tmp_path,))
    whole = load_robot(tmp_path / "robots" / "gear.xml", roots=(tmp_path,))
    assert taken.devices == whole.devices
    assert [each.name for each in taken.devices] == ["drive", "front_left", "front_view", "gyro0"]


@pytest.mark.parametrize(
    ("gear", "element", "expected"),
    [
        (
            ROBOT,
            '<RunningGear file="robots/gone.xml"/>',
            "<RunningGear>: found no 'robots/gone.xml'",
        ),
        (ROBOT, '<RunningGear file="../gear.xml"/>', "leads upwards"),
        (ROBOT, '<RunningGear file="robots"/>', "'robots': is a folder, not a file"),
        (ROBOT, "<RunningGear/>", "<RunningGear> needs the attribute 'file'"),
        (WITHOUT, GEAR, "is not a robot file with <DriveActuator> or <WheelDevice>"),
        ("<World/>", GEAR, "is not a robot file with"),
        ("<Robot", GEAR, "'robots/gear.xml': not well-formed XML"),
        (with_gear(), GEAR, "takes its own <RunningGear> from another file: name that one"),
        (ROBOT.replace('"chassis"', '"body"'), GEAR, "body"),
        (ROBOT.replace('<Radius value="0.36"/>', '<Radius value="x"/>'), GEAR, "Radius"),
    ],
)
def test_faults_of_a_running_gear_stand_at_the_line_of_its_element(
    tmp_path: Path, gear: str, element: str, expected: str
) -> None:
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "gear.xml").write_text(gear)
    text = with_gear(element)
    found = faults(tmp_path, text)
    line = text[: text.index("<RunningGear")].count("\n") + 1
    assert any(expected in each.message and each.line == line for each in found), found


def test_the_file_of_a_running_gear_is_a_file_of_the_world(tmp_path: Path) -> None:
    path = write_world(tmp_path)
    (tmp_path / "robots" / "gear.xml").write_text(ROBOT)
    (tmp_path / "robots" / "cart.xml").write_text(with_gear())
    world = load_world(path)
    assert dict(world.files)["robots/gear.xml"]
    written = dict(written_files(world, (tmp_path,)))
    assert written["robots/gear.xml"] == dict(world.files)["robots/gear.xml"]
    (tmp_path / "robots" / "gear.xml").write_text(ROBOT.replace("0.36", "0.37"))
    assert load_world(path).files != world.files


def test_a_world_around_a_map_has_the_files_that_its_robot_names() -> None:
    world = world_for_osm("worlds/circle_town/circle_town.osm", robot="robots/ins_car.xml")
    assert dict(world.files)["robots/impreza.xml"]
    assert any(path.name == "impreza.xml" for path, _ in world.texts)
