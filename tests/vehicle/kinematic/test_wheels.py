"""Wheels of kinematic vehicles, which are to be seen."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.config.descriptions import PlacedRobot
from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_robot
from autosim.model.commands import Command
from tests.config.samples import ROBOT, faults
from tests.worlds import flat_world, impreza_world

RADIUS = 0.316


@pytest.fixture
def car():
    robot = load_robot("robots/kinematic_car.xml")
    placed = PlacedRobot("car", robot, position=(0.0, 0.0, None), yaw=0.0)
    world = replace(impreza_world(), robots=(placed,))
    with Simulation(world, compiled=flat_world(), report=lambda notice: None) as simulation:
        yield simulation


def drive(simulation, seconds, *, acceleration=0.0, steering=0.0):
    command = np.array([acceleration, 0.0, steering]).tobytes()
    simulation.queue([Command("car.chassis.vehicle", command)])
    for _ in range(round(240 * seconds)):
        simulation.step()


def wheel(simulation, name):
    word = simulation.tree.find(f"car.chassis.{name}").start // 8
    return simulation.state.floats[word : word + 3]


def chassis(simulation, field):
    word = simulation.tree.find("car.chassis").field_offset(field) // 8
    return simulation.state.floats[word : word + 3]


def test_wheels_turn_as_far_as_the_car_drives(car):
    drive(car, 3.0, acceleration=1.0)
    way, speed = chassis(car, "position")[0], chassis(car, "velocity")[0]
    assert way > 3.0
    for name in ("front_left", "rear_right"):
        steering, rotation, rate = wheel(car, name)
        assert steering == 0.0
        assert rotation == pytest.approx(way / RADIUS, rel=0.01)
        assert rate == pytest.approx(speed / RADIUS, rel=1e-6)
    drive(car, 2.0, acceleration=-100.0)
    assert wheel(car, "rear_left")[2] == pytest.approx(0.0, abs=1e-6)


def test_front_wheels_steer_about_one_point_with_the_rear_axle(car):
    drive(car, 3.0, acceleration=0.5, steering=0.3)
    left, right = (wheel(car, f"front_{side}")[0] for side in ("left", "right"))
    radius = 2.52 / np.tan(0.3)
    assert np.tan(left) == pytest.approx(2.52 / (radius - 0.75), rel=1e-3)
    assert np.tan(right) == pytest.approx(2.52 / (radius + 0.75), rel=1e-3)
    assert wheel(car, "rear_left")[0] == 0.0
    inner, outer = wheel(car, "rear_left")[2], wheel(car, "rear_right")[2]
    assert outer / inner == pytest.approx((radius + 0.75) / (radius - 0.75), rel=0.01)


def test_wheels_on_a_part_that_no_model_moves_are_refused(tmp_path):
    children = '<Part name="chassis"/><Position x="0" y="0" z="0"/>'
    children += '<Radius value="0.3"/><Width value="0.2"/>'
    device = f'<KinematicWheel name="w">{children}</KinematicWheel>'
    (fault,) = faults(tmp_path, ROBOT.replace("</Devices>", f"{device}</Devices>"))
    assert "<KinematicWheel> 'w' is on 'chassis', which no KinematicVehicle moves" in str(fault)
