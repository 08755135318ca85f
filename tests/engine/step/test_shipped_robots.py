"""Shipped robots drive, and their sensors agree with what they do."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_robot
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


def test_the_truck_is_driven_by_its_engine_and_its_trailer_follows_and_brakes_with_it():
    world = impreza_world(program="userprograms/driver.py")
    truck = load_robot(ROOT / "robots" / "truck.xml")
    world = replace(world, robots=(replace(world.robots[0], robot=truck),))
    notices = []
    with Simulation(world, compiled=flat_world(), report=notices.append) as simulation:
        parts = [simulation.tree.find(f"impreza.{name}") for name in ("chassis", "trailer")]

        def value(number, field):
            node = parts[number]
            return simulation.state.value(node, node.fields[field])

        starts = [value(number, 0).copy() for number in (0, 1)]
        angles = []
        for _ in range(2880):
            simulation.step()
            headings = [2.0 * np.arctan2(*value(number, 1)[[2, 3]]) for number in (0, 1)]
            angles.append(abs(np.angle(np.exp(1j * (headings[0] - headings[1])))))
        ways = [np.linalg.norm(value(number, 0) - starts[number]) for number in (0, 1)]
        speed = np.linalg.norm(value(0, 2))
    assert not [each for each in notices if each.level == "error"]
    assert min(ways) > 40.0
    assert speed > 5.0
    # The trailer follows in the turn of the street, of 60 m radius, and is not thrown about.
    assert 0.05 < max(angles) < 0.3
