"""The files that AutoSim's author documented load as they stand."""

from pathlib import Path

import pytest

from autosim.config.descriptions import HighwayDimension
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.loading.checker import check_file
from autosim.loading.loader import load_house_list, load_map_setup, load_robot
from tests.conftest import shared


@pytest.mark.parametrize("name", ["impreza_listing.xml", "setup.xml", "house_list.xml"])
def test_a_documented_file_has_no_faults_but_what_is_not_there_or_ignored(name: str) -> None:
    found = check_file(shared(f"autosim_formats/{name}"))
    expected = ("a plain shape is drawn", "AutoSim's own is drawn", "is ignored: ")
    assert all(any(each in fault.message for each in expected) for fault in found)
    assert not any(fault.level == "error" for fault in found)


def test_the_robot() -> None:
    robot = load_robot(shared("autosim_formats/impreza_listing.xml"))
    assert [part.name for part in robot.parts] == ["chassis", "trailer"]
    assert [link.name for link in robot.links] == ["towbar"]
    names = ["drive_chassis", "front_left", "front_view", "third_person", "gyro0", "psd0"]
    assert [device.name for device in robot.devices] == names
    wheel = robot.devices[1]
    assert isinstance(wheel, WheelDevice)
    assert (wheel.suspension_ks, wheel.suspension_kd) == (200.0, 23.0)


def test_the_map_set_up() -> None:
    setup = load_map_setup(shared("autosim_formats/setup.xml"))
    assert setup.origin == (-31.9728, 115.827)
    assert len(setup.highways) == 13
    assert setup.highways[0] == ("motorway", HighwayDimension(16.0, 1.5, 1.5))
    assert len(setup.road_textures) == 6
    assert (setup.tile_size, setup.maximum_lod, setup.texture_repeat) == (64.0, 6, 300.0)


def test_the_house_list() -> None:
    houses = load_house_list(shared("autosim_formats/house_list.xml")).houses
    assert [(each.name, each.landuse) for each in houses] == [
        ("oldschoolhouse", "residential"),
        ("modernhouse", "residential"),
        ("tree0", "forest"),
    ]


def test_odd_map_files_are_no_configuration_files(tmp_path: Path) -> None:
    copy = tmp_path / "odd.xml"
    for path in sorted(each for each in shared("osm/odd").rglob("*.osm*") if each.is_file()):
        copy.write_bytes(path.read_bytes())
        assert [each.level for each in check_file(copy)] == ["error"], path.name
