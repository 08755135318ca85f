"""The shipped program that flies a quadcopter."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.config.descriptions import PlacedRobot
from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_robot
from autosim.model.notices import Notice
from tests.server.linked_robots import value
from tests.worlds import ROOT, flat_world, impreza_world

SECONDS = 24.0
SIDE, HEIGHT = 4.0, 3.0


def test_it_flies_around_its_square_and_comes_down_where_it_began():
    copter = PlacedRobot(
        "copter",
        load_robot(ROOT / "robots" / "quadcopter.xml"),
        position=(10.0, 5.0, None),
        yaw=0.6,
        program="userprograms/quadcopter.py",
    )
    said: list[Notice] = []
    world = replace(impreza_world(), robots=(copter,))
    with Simulation(world, compiled=flat_world(), report=said.append) as simulation:
        places = []
        for step in range(round(SECONDS * 240)):
            simulation.step()
            if step % 24 == 0:
                places.append(value(simulation, "copter.body.position"))
        speed = np.linalg.norm(value(simulation, "copter.body.velocity"))
    assert not [notice for notice in said if notice.level == "error"], said
    track = np.array(places)
    ahead, left = np.array([np.cos(0.6), np.sin(0.6)]), np.array([-np.sin(0.6), np.cos(0.6)])
    for along, across in ((0, 0), (1, 0), (1, 1), (0, 1)):
        corner = np.array([10.0, 5.0]) + SIDE * (along * ahead + across * left)
        near = np.linalg.norm(track[:, :2] - corner, axis=1) < 0.4
        assert np.abs(track[near, 2] - HEIGHT).min() < 0.3, (along, across)
    assert track[:, 2].max() < HEIGHT + 0.5
    assert track[-1, :2] == pytest.approx([10.0, 5.0], abs=0.5)
    assert track[-1, 2] < 0.3
    assert speed < 0.2
