"""Addresses of attributes: what they lead to, and what is said where they lead nowhere."""

import pytest
from lxml import etree

from autosim.loading.robots.robot_schema import ROBOT
from autosim.loading.studies.attribute_paths import AttributePathError, set_attribute_at
from autosim.loading.world_schema import WORLD
from tests.paths import ROOT


def world() -> etree._Element:
    return etree.fromstring(
        "<World name='w'><Physics><Dynamics name='fine'><Gravity value='9'/></Dynamics></Physics>"
        "<Objects><Robot name='a'><File path='x.xml'/></Robot><Robot name='b'/></Objects></World>"
    )


def robot() -> etree._Element:
    return etree.parse(str(ROOT / "robots" / "impreza.xml")).getroot()


def test_a_step_is_a_tag_or_a_name_and_value_is_the_usual_attribute():
    for address in ("Physics/Dynamics/Gravity/@value", "Physics/fine/Gravity"):
        root = world()
        set_attribute_at(root, WORLD, address, "8.5")
        (gravity,) = root.iter("Gravity")
        assert gravity.get("value") == "8.5"


def test_a_tag_stands_for_all_elements_with_it_and_a_name_for_one():
    root = robot()
    set_attribute_at(root, ROBOT, "Devices/WheelDevice/Friction", "0.5")
    set_attribute_at(root, ROBOT, "Devices/front_left/Friction", "0.4")
    found = [each.find("Friction").get("value") for each in root.iter("WheelDevice")]
    assert sorted(found) == ["0.4", "0.5", "0.5", "0.5"]


def test_what_a_file_leaves_out_is_added_where_the_schema_has_it():
    root = world()
    set_attribute_at(root, WORLD, "Traffic/Vehicles/@count", "12")
    assert root.find("Traffic/Vehicles").get("count") == "12"


def test_the_root_has_attributes_too():
    root = world()
    set_attribute_at(root, WORLD, "@name", "other")
    assert root.get("name") == "other"


@pytest.mark.parametrize(
    ("address", "value", "said"),
    [
        ("Physics/Dynamic/Gravity", "9", "no 'Dynamic' in <Physics>; did you mean 'Dynamics'?"),
        ("Objects/c/File/@path", "x", "no 'c' in <Objects>; there is a, Robot, b"),
        ("Physics/fine/Gravity/@valeu", "9", "no '@valeu' in <Gravity>; did you mean '@value'?"),
        ("Physics/fine/StepsPerSecond", "5", "expected a number in [30, 10000] Hz, not 5"),
        ("Physics/fine/Gravity", "heavy", "expected a number [m/s²], not 'heavy'"),
        ("Physics//Gravity", "9", "is not an address: expected steps separated by /"),
    ],
)
def test_an_error_names_the_nearest_and_what_is_valid(address: str, value: str, said: str):
    with pytest.raises(AttributePathError) as error:
        set_attribute_at(world(), WORLD, address, value)
    assert said in str(error.value)
    assert address in str(error.value)
