"""Shipped robots drive, and their sensors agree with what they do."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.loading.loader import load_robot
from autosim.server.step.simulation import Simulation
from tests.paths import ROOT
from tests.worlds import flat_world, impreza_world


def test_the_car_with_all_sensors_is_driven_by_them_and_they_agree():
    world = impreza_world(program="userprograms/driver.py")
    car = load_robot(ROOT / "robots" / "sensor_car.xml")
    world = replace(world, robots=(replace(world.robots[0], robot=car),))
    notices = []
    with Simulation(world, compiled=flat_world(), report=notices.append) as simulation:

        def value(name):
            node = simulation.tree.find(f"impreza.chassis.{name}" if name else "impreza.chassis")
            return simulation.state.value(node, node.fields[0])

        start, speeds = value(""), []
        for _ in range(720):
            simulation.step()
            speeds.append(value("velocimeter"))
        way = np.linalg.norm(value("") - start)
        seconds = simulation.step_seconds * len(speeds)
        driven, ticks = value("odometer"), value("encoder_left")
    assert not [each for each in notices if each.level == "error"]
    assert way > 3.0
    assert np.mean(speeds) * seconds == pytest.approx(way, rel=0.05)
    assert driven == pytest.approx(way * 0.319 / 0.316, rel=0.05, abs=0.1)
    assert ticks / 48 * 2 * np.pi * 0.316 == pytest.approx(way, rel=0.05, abs=0.1)


def test_the_car_with_the_trailer_is_driven_and_the_trailer_follows():
    world = impreza_world(program="userprograms/driver.py")
    rig = load_robot(ROOT / "robots" / "trailer_rig.xml")
    world = replace(world, robots=(replace(world.robots[0], robot=rig),))
    notices = []
    with Simulation(world, compiled=flat_world(), report=notices.append) as simulation:
        trailer = simulation.tree.find("impreza.trailer")
        start = simulation.state.value(trailer, trailer.fields[0])
        for _ in range(1200):
            simulation.step()
        way = np.linalg.norm(simulation.state.value(trailer, trailer.fields[0]) - start)
    assert not [each for each in notices if each.level == "error"]
    assert way > 5.0
