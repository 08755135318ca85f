"""Values of the tree as `autosim ctl` writes them."""

import json

import pytest

from autosim.applications.common.values import select, tree_record, tree_text
from autosim.kinds.director import build_tree
from autosim.simulation.commands import DeviceState
from autosim.simulation.state import State
from tests.server.light_simulation import light_world


@pytest.fixture
def state():
    tree = build_tree(light_world())
    state = State(tree)
    state.ints[tree.find("r0").start // 8] = DeviceState.BLOCKED
    return state


def test_a_tree_is_shown_with_fields_and_units(state):
    lines = tree_text(state, state.tree).splitlines()
    assert lines[0] == "(tree) [SimulationTree] step=0 time=0 ns"
    assert "    box [Box] position=(0 0 0) m orientation=(0 0 0 0) velocity=(0 0 0) m/s" in lines[4]
    assert lines[5].startswith("      drive [DriveActuator] steering=0 rad acceleration=0 brake=0")


def test_the_state_of_a_robot_has_a_name_wherever_it_is_shown(state):
    assert "r0 [Robot] device_state=BLOCKED collisions=0" in tree_text(state, state.tree)
    assert select(state.tree, "r0").as_text(state) == "r0 device_state=BLOCKED collisions=0"
    assert select(state.tree, "r0.device_state").read(state) == {"device_state": "BLOCKED"}
    record = json.loads(json.dumps(tree_record(state, state.tree.find("r0"))))
    assert record["fields"][0]["value"] == "BLOCKED"
