"""How bright lights are, and what may be set."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.config.descriptions import WorldDescription
from autosim.kinds.actuators.light import Brightness, placed_lights
from autosim.kinds.director import build_tree
from autosim.model.commands import DeviceError, command_for
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from tests.worlds import impreza_world


@pytest.fixture
def world() -> WorldDescription:
    return impreza_world(robots=2)


@pytest.fixture
def tree(world: WorldDescription) -> SimulationTree:
    return build_tree(world)


def put(state: State, device: str, *values: float) -> None:
    node = state.tree.find(device)
    assert node is not None
    state.floats[node.start // 8 : node.start // 8 + len(values)] = values


def brightness(world: WorldDescription, state: State) -> dict[str, float]:
    lights = placed_lights(world, state.tree)
    values = Brightness(lights, state.tree).of(state)
    return {each.node.name: float(v) for each, v in zip(lights, values, strict=True) if v}


def test_a_light_shines_as_brightly_as_it_was_set(world: WorldDescription, tree: SimulationTree):
    state = State(tree)
    put(state, "impreza.chassis.head_left", 0.5)
    put(state, "impreza1.chassis.tail_right", 7.0)
    put(state, "impreza1.chassis.tail_left", -1.0)
    assert brightness(world, state) == {
        "impreza.chassis.head_left": 0.5,
        "impreza1.chassis.tail_right": 1.0,
    }


def test_brake_lights_follow_the_brake_of_their_own_robot(
    world: WorldDescription, tree: SimulationTree
):
    state = State(tree)
    put(state, "impreza1.chassis.drive_chassis", 0.0, 0.5, 0.2)
    lit = {"impreza1.chassis.brake_left": 1.0, "impreza1.chassis.brake_right": 1.0}
    assert brightness(world, state) == lit


def test_reversing_lights_follow_a_negative_acceleration(
    world: WorldDescription, tree: SimulationTree
):
    state = State(tree)
    lit = {"impreza.chassis.reverse_left": 1.0, "impreza.chassis.reverse_right": 1.0}
    put(state, "impreza.chassis.drive_chassis", 0.0, -0.1, 0.0, 0.0, 1.0)
    assert brightness(world, state) == lit
    put(state, "impreza.chassis.drive_chassis", 0.0, 0.0, 0.0, 0.0, -1.0)
    assert brightness(world, state) == lit
    put(state, "impreza.chassis.drive_chassis", 0.0, -0.1, 0.0, 0.0, 0.0)
    assert brightness(world, state) == {}


def test_a_program_may_light_what_follows_an_actuator_too(
    world: WorldDescription, tree: SimulationTree
):
    state = State(tree)
    put(state, "impreza.chassis.brake_left", 0.3)
    assert brightness(world, state) == {"impreza.chassis.brake_left": 0.3}


def test_a_world_without_lights_has_none(world: WorldDescription):
    (first, *_) = world.robots
    dark = replace(world, robots=(replace(first, robot=replace(first.robot, devices=())),))
    tree = build_tree(dark)
    assert Brightness(placed_lights(dark, tree), tree).of(State(tree)).shape == (0,)


def test_lights_can_be_set(tree: SimulationTree):
    assert command_for(tree, "impreza.chassis.head_left", 1.0).data == np.float64(1.0).tobytes()
    with pytest.raises(DeviceError, match="takes 1 values"):
        command_for(tree, "impreza.chassis.head_left", [1.0, 2.0])
