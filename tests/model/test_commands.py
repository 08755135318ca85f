"""Commands to devices: how many values they take."""

import pytest

from autosim.model.commands import DeviceError, DeviceErrorCode, command_for, write_command
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from tests.kinds.rig import device_node, register_robot

DRIVE = "car.chassis.drive"


@pytest.fixture
def tree() -> SimulationTree:
    tree = SimulationTree()
    register_robot(tree, "car").register(device_node("DriveActuator", "drive"))
    return tree.lay_out()


def drive_after(tree: SimulationTree, *commands: tuple[float, ...]) -> list[float]:
    state, node = State(tree), tree.find(DRIVE)
    assert node is not None
    for values in commands:
        write_command(state, node, command_for(tree, DRIVE, values))
    return [float(state.value(node, field)) for field in node.fields]


def test_what_a_command_leaves_out_stays_as_it_was(tree: SimulationTree):
    values = drive_after(tree, (0.1, 0.2, 0.3, 0.4, -1.0), (0.5, 0.6, 0.7))
    assert values == [0.5, 0.6, 0.7, 0.4, -1.0]
    assert drive_after(tree, (0.5, 0.6, 0.7, 0.8)) == [0.5, 0.6, 0.7, 0.8, 0.0]


@pytest.mark.parametrize("count", [0, 2, 6])
def test_a_command_with_another_number_of_values_is_refused(tree: SimulationTree, count: int):
    with pytest.raises(DeviceError, match="takes 3 or 4 or 5 values") as caught:
        command_for(tree, DRIVE, [0.0] * count)
    assert caught.value.code is DeviceErrorCode.DATA_SIZE_MISMATCH
