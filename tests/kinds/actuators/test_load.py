"""Loads that come onto a car and leave it."""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from autosim.config.descriptions import PlacedRobot
from autosim.engine.step.simulation import Simulation
from autosim.kinds.actuators.load import Load
from autosim.loading.loader import load_robot
from autosim.model.commands import Command
from tests.worlds import flat_world, impreza_world

MASS = 1093.2952334674046


@contextmanager
def simulate(position=(0.0, 0.0, 0.0), steps=0, snapshot=None):
    robot = load_robot("robots/bmw_320i.xml")
    load = Load("load", "chassis", position=position, max_mass=600.0)
    placed = PlacedRobot(
        "car", replace(robot, devices=(*robot.devices, load)), position=(0.0, 0.0, None), yaw=0.0
    )
    world = replace(impreza_world(), robots=(placed,))
    with Simulation(world, compiled=flat_world(), report=lambda notice: None) as simulation:
        if snapshot is not None:
            simulation.restore(snapshot)
        yield simulation


def put(simulation, mass):
    simulation.queue([Command("car.chassis.load", np.array([mass]).tobytes())])


def drive(simulation, seconds, *, acceleration=0.0, brake=0.0, gear=1.0):
    command = np.array([0.0, acceleration, brake, 0.0, gear]).tobytes()
    simulation.queue([Command("car.chassis.drive_chassis", command)])
    for _ in range(round(240 * seconds)):
        simulation.step()


def loads(simulation):
    names = ("front_left", "front_right", "rear_left", "rear_right")
    nodes = [simulation.tree.find(f"car.chassis.{each}") for each in names]
    offsets = [node.field_offset("load") // 8 for node in nodes]
    return simulation.state.floats[offsets]


def speed(simulation):
    return simulation.state.floats[
        simulation.tree.find("car.chassis").field_offset("velocity") // 8
    ]


def test_a_load_presses_the_wheels_that_it_is_over_and_leaves_them_again():
    with simulate(position=(-1.8, 0.0, 0.0)) as simulation:
        drive(simulation, 2.0, brake=1.0)
        empty = loads(simulation)
        put(simulation, 300.0)
        drive(simulation, 3.0, brake=1.0)
        loaded = loads(simulation)
        assert (loaded - empty).sum() == pytest.approx(9.81 * 300.0, rel=1e-3)
        # By the lever: 1.8 m behind the middle of wheels that stand 2.579 m apart.
        rear = (loaded - empty)[2:].sum() / (9.81 * 300.0)
        assert rear == pytest.approx(0.5 + 1.8 / 2.5789, abs=0.03)
        put(simulation, 0.0)
        drive(simulation, 3.0, brake=1.0)
        np.testing.assert_allclose(loads(simulation), empty, rtol=1e-3)


def test_a_loaded_car_gathers_speed_as_its_mass_says():
    speeds = {}
    for mass in (0.0, 500.0):
        with simulate(position=(0.13, 0.0, -0.2)) as simulation:
            put(simulation, mass)
            drive(simulation, 1.0, brake=1.0)
            drive(simulation, 2.0, acceleration=0.5)
            speeds[mass] = speed(simulation)
    # Engine and wheels take part as some 230 kg.
    ratio = (MASS + 230.0) / (MASS + 500.0 + 230.0)
    assert speeds[500.0] / speeds[0.0] == pytest.approx(ratio, rel=0.05)


def test_a_load_on_the_roof_makes_a_car_dive_more_as_it_brakes():
    moved = {}
    for height in (-0.4, 1.0):
        with simulate(position=(0.0, 0.0, height)) as simulation:
            put(simulation, 300.0)
            drive(simulation, 3.0, acceleration=1.0)
            drive(simulation, 1.25, brake=0.15, gear=0.0)
            before = speed(simulation)
            drive(simulation, 0.25, brake=0.15, gear=0.0)
            slower = 4.0 * (before - speed(simulation))
            now = loads(simulation)
            moved[height] = now[:2].sum() - now[2:].sum()
    more = 2.0 * 300.0 * slower * 1.4 / 2.579
    assert moved[1.0] - moved[-0.4] == pytest.approx(more, rel=0.2)


def test_a_load_stays_where_another_simulation_goes_on():
    with simulate() as simulation:
        put(simulation, 300.0)
        drive(simulation, 1.0, acceleration=0.5)
        snapshot = simulation.snapshot()
        drive(simulation, 0.5, acceleration=0.5)
        expected = bytes(simulation.state.buffer)
    with simulate(snapshot=snapshot) as simulation:
        drive(simulation, 0.5, acceleration=0.5)
        found = np.frombuffer(bytes(simulation.state.buffer))
    np.testing.assert_allclose(found, np.frombuffer(expected), rtol=1e-5, atol=1e-5)


def test_a_load_is_never_more_than_a_part_can_carry():
    with simulate() as simulation:
        drive(simulation, 1.0, brake=1.0)
        before = loads(simulation).sum()
        simulation.state.floats[simulation.tree.find("car.chassis.load").start // 8] = 1e9
        drive(simulation, 4.0, brake=1.0)
        assert loads(simulation).sum() - before == pytest.approx(9.81 * 600.0, rel=0.01)
