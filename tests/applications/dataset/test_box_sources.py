"""Boxes of robots are where these are."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("panda3d")

from autosim import load_world
from autosim.applications.dataset.box_sources import BoxSources
from autosim.config.semantic_classes import BY_NAME
from autosim.engine.step.simulation import Simulation
from autosim.model.belief import ORIENTATION, POSITION, VELOCITY, truth_of
from autosim.model.instance_numbers import instance_numbers
from autosim.model.tree import WORD
from autosim.world.pipeline.cache import compile_world


def test_the_box_of_a_robot_is_around_it_and_moves_with_it() -> None:
    world = load_world("worlds/circle_town.xml")
    world = replace(world, traffic=None, robots=world.robots[:1])
    compiled = compile_world(world.terrain)
    name = world.robots[0].name
    with Simulation(world, compiled=compiled, idle=(name,)) as simulation:
        simulation.run(20)
        state = simulation.state
        words = state.floats[truth_of(state.tree, name).start // WORD :]
        words[VELOCITY : VELOCITY + 3] = 3.0, 4.0, 0.0
        boxes = BoxSources(world, compiled, state).at(state)
        own = boxes.numbers.tolist().index(instance_numbers(state.tree)[name])
        assert boxes.classes[own] == BY_NAME["car"].number
        assert boxes.sizes[own] == pytest.approx([4.4, 1.8, 1.4], abs=0.3)
        assert boxes.speeds[own] == pytest.approx(5.0)
        assert np.linalg.norm(boxes.centres[own] - words[POSITION:ORIENTATION]) < 1.0
        assert boxes.rotations[own] @ boxes.rotations[own].T == pytest.approx(np.eye(3), abs=1e-9)
        assert boxes.rotations[own][2, 2] > 0.99
