"""What devices are doing: BLOCKED and ACTIVE stand in the state, the rest follows from it."""

import numpy as np
import pytest

from autosim.model.commands import DeviceState
from autosim.model.device_states import device_state
from autosim.model.state import State
from tests.userprogram.rig import node, toy_tree


@pytest.fixture
def state() -> State:
    made = State(toy_tree())
    for robot in made.tree.robots:
        made.ints[robot.start // 8] = DeviceState.ACTIVE
    return made


def test_a_state_that_nobody_has_written_is_invalid():
    state = State(toy_tree())
    assert device_state(state, node(state.tree, "alpha")) is DeviceState.INVALID
    state.ints[node(state.tree, "alpha").start // 8] = 77
    assert device_state(state, node(state.tree, "alpha")) is DeviceState.INVALID


def test_a_device_whose_value_is_no_number_is_invalid_and_its_neighbours_are_not(state: State):
    psd = node(state.tree, "alpha.chassis.psd0")
    state.floats[psd.start // 8] = np.nan
    assert device_state(state, psd) is DeviceState.INVALID
    for name in ("alpha", "alpha.chassis.gps", "beta.chassis.psd0"):
        assert device_state(state, node(state.tree, name)) is DeviceState.ACTIVE


def test_what_is_active_is_paused_while_the_simulation_stands_still(state: State):
    state.ints[node(state.tree, "beta").start // 8] = DeviceState.BLOCKED
    state.is_standing = True
    assert device_state(state, node(state.tree, "alpha.chassis.drive")) is DeviceState.PAUSED
    assert device_state(state, node(state.tree, "beta")) is DeviceState.BLOCKED


def test_nodes_of_another_tree_with_the_same_layout_have_the_same_state(state: State):
    """A window keeps its rows when the same world is loaded again."""
    before = toy_tree()
    for name in ("alpha", "beta.chassis.psd0"):
        assert device_state(state, node(before, name)) is DeviceState.ACTIVE
