"""A person drives a kinematic vehicle as any car."""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from autosim.applications.driving.driver_input import DriverCommand, actuator_values
from autosim.applications.driving.kinematic_commands import KinematicCommands, wanted_of
from autosim.applications.driving.manual_driving import find_actuator, make_trip
from autosim.config.descriptions import PlacedRobot
from autosim.engine.step.simulation import Simulation
from autosim.kinds.kinematic.kinematic_vehicle import HOLD, KinematicVehicle
from autosim.loading.loader import load_robot
from autosim.model.commands import Command
from tests.worlds import flat_world, impreza_world


def robot_of(model):
    robot = load_robot("robots/kinematic_car.xml")
    devices = (
        KinematicVehicle(
            each.name, each.part, model=model, values=(("initialize_source", "ORIGIN"),)
        )
        if isinstance(each, KinematicVehicle)
        else each
        for each in robot.devices
    )
    return replace(robot, devices=tuple(devices))


class Car:
    """A kinematic car that a driver has in hand."""

    def __init__(self, simulation):
        self.simulation = simulation
        self.trip = make_trip("driver", simulation.tree, "car")
        node = simulation.tree.find("car.chassis")
        self.velocity = node.field_offset("velocity") // 8

    @property
    def speed(self):
        return float(self.simulation.state.floats[self.velocity])

    def drive(self, seconds, wish):
        kinematic, trip = self.trip.kinematic, self.trip
        for _ in range(round(seconds / 0.05)):
            wanted = actuator_values(wish, speed=self.speed, steering=trip.steering)
            gear = kinematic.gear(wanted, speed=self.speed)
            commands = [Command(trip.actuator.name, kinematic.values(wanted, speed=self.speed))]
            if gear:
                commands.append(Command(trip.gears.name, [0.0, 0.0, 0.0, gear]))
            self.simulation.queue(
                [Command(each.device, np.array(each.data).tobytes()) for each in commands]
            )
            for _ in range(12):
                self.simulation.step()


@contextmanager
def car(model):
    placed = PlacedRobot("car", robot_of(model), position=(0.0, 0.0, None), yaw=0.0)
    world = replace(impreza_world(), robots=(placed,))
    with Simulation(world, compiled=flat_world(), report=lambda notice: None) as simulation:
        yield Car(simulation)


@pytest.mark.parametrize(
    "model",
    [
        *("IDEAL_STEER_VEL", "IDEAL_STEER_ACC", "DELAY_STEER_VEL", "DELAY_STEER_ACC_GEARED"),
        *("DELAY_STEER_ACC_GEARED_WO_FALL_GUARD", "ACTUATION_CMD", "KS", "ST"),
    ],
)
def test_it_drives_forwards_brakes_and_drives_backwards(model):
    with car(model) as driven:
        driven.drive(2.0, DriverCommand(push=1.0))
        assert 3.0 < driven.speed < 7.0
        driven.drive(1.0, DriverCommand())
        assert 2.0 < driven.speed < 7.0
        driven.drive(3.0, DriverCommand(brake=1.0))
        assert abs(driven.speed) < 0.05
        driven.drive(2.0, DriverCommand(push=-1.0))
        assert -7.0 < driven.speed < -2.0
        driven.drive(3.0, DriverCommand(push=1.0))
        assert driven.speed > 0.5


def test_what_a_vehicle_is_told_is_shown_as_pedals():
    vehicle = KinematicVehicle("vehicle", "chassis", model="DELAY_STEER_ACC_GEARED")
    commands = KinematicCommands(vehicle)
    for wanted in ((0.1, 0.5, 0.0), (0.0, 0.0, 0.4), (-0.2, 0.0, 1.0)):
        told = tuple(commands.values(wanted, speed=8.0))
        assert wanted_of(told, speed=8.0) == pytest.approx(wanted)
    assert commands.values((0.0, 0.0, 1.0), speed=0.1)[0] == HOLD


def test_a_robot_is_driven_by_its_kinematic_vehicle():
    with car("DELAY_STEER_ACC_GEARED") as driven:
        found = find_actuator(driven.simulation.tree, "car")
        assert found.name == "car.chassis.vehicle"
        assert driven.trip.steering.largest == 1.0
        assert driven.trip.steering.wheelbase == pytest.approx(2.79)
