"""Values of the tree as `autosim ctl` writes them."""

import json

import numpy as np
import pytest

from autosim.applications.common.tree_values import select, tree_record, tree_text
from autosim.kinds.director import build_tree
from autosim.loading.loader import load_robot
from autosim.model.commands import DeviceState
from autosim.model.state import State
from tests.server.light_simulation import light_world
from tests.userprogram.rig import tree_of


@pytest.fixture
def state():
    tree = build_tree(light_world())
    state = State(tree)
    state.ints[tree.find("r0").start // 8] = DeviceState.BLOCKED
    return state


def test_a_tree_is_shown_with_fields_and_units(state):
    lines = tree_text(state, state.tree).splitlines()
    assert lines[0] == "(tree) [SimulationTree] step=0 time=0 ns"
    assert "    box [Box] position=(0 0 0) m orientation=(0 0 0 0) velocity=(0 0 0) m/s" in lines[2]
    assert lines[3].startswith("      drive [DriveActuator] steering=0 rad acceleration=0 brake=0")


def test_the_state_of_a_robot_has_a_name_wherever_it_is_shown(state):
    assert "r0 [Robot] device_state=BLOCKED collisions=0" in tree_text(state, state.tree)
    assert select(state.tree, "r0").as_text(state) == "r0 device_state=BLOCKED collisions=0"
    assert select(state.tree, "r0.device_state").read(state) == {"device_state": "BLOCKED"}
    record = json.loads(json.dumps(tree_record(state, state.tree.find("r0"))))
    assert record["fields"][0]["value"] == "BLOCKED"


def test_a_value_that_is_no_number_is_invalid():
    state = State(tree_of(load_robot("robots/impreza.xml"), "car"))
    name = "car.chassis.psd_front"
    chosen = select(state.tree, name)
    state.floats[chosen.node.start // 8] = np.inf
    assert chosen.as_text(state) == f"{name} distance=inf m (INVALID)"
    assert chosen.read(state) == {"distance": None}
