"""What sensors tell of the tyres, the motor, the gearbox and the steering of a car."""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from autosim.config.descriptions import PlacedRobot
from autosim.engine.step.simulation import Simulation
from autosim.kinds.sensors.driving.drive_sensor import DriveSensor
from autosim.kinds.sensors.driving.wheel_force_sensor import WheelForceSensor
from autosim.loading.loader import load_robot
from autosim.model.commands import Command
from tests.config.samples import ROBOT, faults
from tests.worlds import flat_world, impreza_world

MASS = 1093.2952334674046
WHEELS = ("front_left", "front_right", "rear_left", "rear_right")


@contextmanager
def simulate(robot):
    world = impreza_world()
    placed = PlacedRobot("car", robot, position=(0.0, 0.0, None), yaw=0.0)
    world = replace(world, robots=(placed,))
    with Simulation(world, compiled=flat_world(), report=lambda notice: None) as simulation:
        yield simulation


@pytest.fixture(scope="module")
def car():
    robot = load_robot("robots/bmw_320i.xml")
    sensors = [WheelForceSensor(f"on_{each}", "chassis", wheel=each) for each in WHEELS]
    drive = DriveSensor("tested_sensor", "chassis", drive_actuator="drive_chassis")
    return replace(robot, devices=(drive, *sensors, *robot.devices))


def value(simulation, name, field):
    node = simulation.tree.find(f"car.chassis.{name}")
    (found,) = [each for each in node.fields if each.name == field]
    return simulation.state.value(node, found)


def drive(simulation, seconds, *, steering=0.0, acceleration=0.0, brake=0.0):
    command = np.array([steering, acceleration, brake]).tobytes()
    simulation.queue([Command("car.chassis.drive_chassis", command)])
    for _ in range(round(240 * seconds)):
        simulation.step()


def total(simulation, field):
    return sum(value(simulation, f"on_{each}", field) for each in WHEELS)


def speed(simulation):
    return value(simulation, "velocimeter", "velocity")


def test_the_forces_at_the_wheels_are_those_that_move_the_car(car):
    with simulate(car) as simulation:
        drive(simulation, 1.0, brake=1.0)
        assert total(simulation, "load") == pytest.approx(9.81 * MASS, rel=1e-3)
        drive(simulation, 1.5, acceleration=1.0)
        x = simulation.tree.find("car.chassis").field_offset("velocity") // 8
        before = simulation.state.floats[x]
        pushed = total(simulation, "forward_force")
        drive(simulation, 1 / 240, acceleration=1.0)
        faster = 240.0 * (simulation.state.floats[x] - before)
        assert pushed == pytest.approx(MASS * faster, rel=0.05)
        assert value(simulation, "on_rear_left", "slip_ratio") > 0.01


def test_a_turn_to_the_left_needs_forces_to_the_left(car):
    with simulate(car) as simulation:
        drive(simulation, 3.0, acceleration=1.0)
        drive(simulation, 1.0, steering=0.05, acceleration=0.2)
        assert all(value(simulation, f"on_{each}", "left_force") > 100.0 for each in WHEELS)
        assert value(simulation, "on_front_right", "load") > value(
            simulation, "on_front_left", "load"
        )
        assert value(simulation, "tested_sensor", "steering_angle") == pytest.approx(0.05)


def test_the_motor_turns_as_its_gear_says_and_is_in_none_while_it_shifts(car):
    ratios = (3.45, 2.21, 1.59, 1.0, 0.76)
    gears = []
    with simulate(car) as simulation:
        drive(simulation, 0.5, brake=1.0)
        assert value(simulation, "tested_sensor", "motor_speed") == pytest.approx(73.3)
        for _ in range(50):
            drive(simulation, 0.1, acceleration=1.0)
            gears.append(value(simulation, "tested_sensor", "gear"))
        rates = [value(simulation, each, "angular_velocity") for each in WHEELS[2:]]
        ratio = 3.38 * ratios[int(gears[-1]) - 1]
        found = value(simulation, "tested_sensor", "motor_speed")
        assert found == pytest.approx(ratio * np.mean(rates), rel=0.01)
        assert value(simulation, "tested_sensor", "motor_torque") > 150.0
    assert gears[0] == 1.0
    assert gears[-1] == 2.0
    assert 0.0 in gears


def test_the_tyres_turn_the_steering_straight():
    robot = impreza_world().robots[0].robot
    sensor = DriveSensor("tested_sensor", "chassis", drive_actuator="drive_chassis")
    front = [
        WheelForceSensor(f"on_{each}", "chassis", wheel=each)
        for each in ("front_left", "front_right")
    ]
    with simulate(replace(robot, devices=(*robot.devices, sensor, *front))) as simulation:
        drive(simulation, 3.0, acceleration=1.0)
        drive(simulation, 0.5, steering=0.03)
        torque = value(simulation, "tested_sensor", "steering_torque")
        assert torque < -1.0
        both = [value(simulation, each.name, "aligning_torque") for each in front]
        assert torque == pytest.approx(sum(both))


def test_a_sensor_of_a_drive_that_is_not_there_is_told_by_its_line(tmp_path):
    children = '<Part name="chassis"/><DriveActuator name="drvie"/>'
    device = f'<DriveSensor name="s">{children}</DriveSensor>'
    (fault,) = faults(tmp_path, ROBOT.replace("</Devices>", f"{device}</Devices>"))
    told = "<DriveActuator> of <DriveSensor> 's' names 'drvie', which is none of its part"
    assert told in str(fault)
