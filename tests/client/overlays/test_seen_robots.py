"""Where robots see one another."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("panda3d")

from autosim.client.overlays.belief_overlays import QUANTILE, SeenRobots
from autosim.config.descriptions import PlacedRobot
from autosim.kinds.director import build_tree
from autosim.kinds.sensors.perception.noisy_contacts import NoisyContacts
from autosim.model.belief import state_words, truth_of
from autosim.model.state import State
from tests.worlds import impreza_world

LOOKOUT = NoisyContacts("contacts", "chassis", position_deviation=0.5)
ROW = [1.0, 10.0, 20.0, 0.8, 0.0, 0.0, 0.0, 0.5, 0.1]


def seen(*rows):
    """What the car sees of the other, which is at (13, 24, 0.8)."""
    world = impreza_world()
    (car,) = world.robots
    other = PlacedRobot("other", car.robot, position=(13.0, 24.0, None), yaw=0.0)
    car = replace(car, robot=replace(car.robot, devices=(*car.robot.devices, LOOKOUT)))
    world = replace(world, robots=(car, other))
    state = State(build_tree(world))
    state_words(state.floats, truth_of(state.tree, "other"))[1:4] = 13.0, 24.0, 0.8
    node = state.tree.find("impreza.chassis.contacts")
    state.write_rows(node, node.fields[0], np.array(rows).reshape(-1, len(ROW)))
    return SeenRobots(world, state.tree).seen(state)


def test_a_robot_is_drawn_where_it_is_seen_with_the_ellipse_of_the_error():
    (other,) = seen(ROW)
    assert other.text == "other seen by impreza: 5.00 m off"
    np.testing.assert_allclose(other.ellipse[:, :2].mean(axis=0), (10.0, 20.0), atol=1e-9)
    np.testing.assert_allclose(np.ptp(other.ellipse[:, 0]), QUANTILE, rtol=5e-3)
    np.testing.assert_allclose(other.true, (13.0, 24.0, 0.8))


def test_nobody_is_drawn_who_is_not_seen():
    assert seen() == []
