"""How far actuators go, and what is asked of them by hand."""

import pytest

from autosim.kinds.director import build_tree
from autosim.loading.loader import load_world
from autosim.model.actuator_limits import within_limits
from autosim.model.commands import DeviceError, DeviceErrorCode, command_for
from autosim.model.tree import Access, TreeNode
from tests.server.light_simulation import light_world

TREE = build_tree(light_world())
DRIVE = "r0.box.drive"


def test_every_field_of_every_kind_of_actuator_has_limits():
    tree = build_tree(load_world("worlds/circle_town.xml"))
    actuators = [node for node in tree.walk() if node.access is Access.DRIVE]
    kinds = {"DriveActuator", "LightDevice", "HeadLightDevice"}
    assert {node.kind for node in actuators} == kinds
    for node in actuators:
        assert all(field.limits for field in node.fields), node.name


def test_a_drive_steers_as_far_as_its_description_says():
    node = TREE.find(DRIVE)
    assert isinstance(node, TreeNode)
    steering, acceleration, brake, hand_brake, gear = (field.limits for field in node.fields)
    assert (steering.low, steering.high) == (-0.6, 0.6)
    assert (acceleration.low, acceleration.high) == (-1.0, 1.0)
    assert (brake.low, brake.high) == (hand_brake.low, hand_brake.high) == (0.0, 1.0)
    assert (gear.low, gear.high) == (-1.0, 1.0)


@pytest.mark.parametrize("values", [(0.6, 1.0, 1.0), (-0.6, -1.0, 0.0)])
def test_the_limits_themselves_are_taken(values):
    command = command_for(TREE, DRIVE, values)
    assert within_limits(TREE, command) is command


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ((100.0, 50.0, -3.0), "steering: expected a number in [-0.6, 0.6] rad, not 100"),
        ((0.0, 50.0, -3.0), "acceleration: expected a number in [-1, 1], not 50"),
        ((0.0, 0.0, -3.0), "brake: expected a number in [0, 1], not -3"),
    ],
)
def test_what_is_beyond_is_refused_with_range_and_unit(values, words):
    with pytest.raises(DeviceError) as caught:
        within_limits(TREE, command_for(TREE, DRIVE, values))
    assert caught.value.code is DeviceErrorCode.INVALID_OPERATION
    assert caught.value.reason == f"'{DRIVE}' {words}"
