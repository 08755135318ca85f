"""The shipped programs that drive rovers, one of them with an arm."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.config.descriptions import PlacedRobot
from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_robot
from autosim.model.notices import Notice
from tests.server.linked_robots import record, value
from tests.worlds import ROOT, flat_world, impreza_world

YAW = 0.5
AHEAD, LEFT = np.array([np.cos(YAW), np.sin(YAW)]), np.array([-np.sin(YAW), np.cos(YAW)])
START = np.array([10.0, 5.0])


def simulation_of(robot: str, said: list[Notice]) -> Simulation:
    placed = PlacedRobot(
        "r",
        load_robot(ROOT / "robots" / f"{robot}.xml"),
        position=(10.0, 5.0, None),
        yaw=YAW,
        program=f"userprograms/{robot}.py",
    )
    world = replace(impreza_world(), robots=(placed,))
    return Simulation(world, compiled=flat_world(), report=said.append)


def test_the_rover_drives_around_its_square():
    said: list[Notice] = []
    with simulation_of("rover", said) as simulation:
        places = record(simulation, 26.0, lambda: value(simulation, "r.chassis.position"))
        speed = np.linalg.norm(value(simulation, "r.chassis.velocity"))
    assert not [notice for notice in said if notice.level != "info"], said
    for along, across in ((1, 0), (1, 1), (0, 1), (0, 0)):
        corner = START + 2.0 * (along * AHEAD + across * LEFT)
        near = np.linalg.norm(places[240:, :2] - corner, axis=1)
        assert near.min() < 0.15, (along, across)
    assert places[-1, :2] == pytest.approx(START, abs=0.2)
    assert speed < 0.01


def test_the_arm_reaches_out_and_folds_again():
    said: list[Notice] = []
    names = ("turn", "lift", "reach")
    with simulation_of("arm_rover", said) as simulation:
        links = record(
            simulation, 16.0, lambda: [value(simulation, f"r.{name}.position") for name in names]
        )
        place = value(simulation, "r.chassis.position")[:2]
        up = value(simulation, "r.hand.position")[2]
    assert not [notice for notice in said if notice.level != "info"], said
    assert links.max(axis=0) == pytest.approx([1.2, 0.7, 0.3], abs=0.01)
    assert links[-1] == pytest.approx([0.0, 0.0, 0.0], abs=0.01)
    assert place == pytest.approx(START + 2.0 * AHEAD, abs=0.2)
    assert up > 0.2
