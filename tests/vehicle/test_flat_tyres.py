"""Tyres that lose their air."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.engine.step.simulation import Simulation
from autosim.kinds.actuators.flat_tyre import FlatTyre
from autosim.model.commands import command_for
from autosim.vehicle.wheels.deflation import FLAT_RADIUS
from autosim.vehicle.wheels.wheel_arrays import LENGTH, LOAD, SPEED
from tests.vehicle.rig import GRAVITY, Rig, car
from tests.worlds import flat_world, impreza_world

RADIUS = 0.316


def test_a_car_sinks_to_the_side_of_its_flat_tyres_without_a_blow():
    with Rig([car()]) as rig:
        rig.run(1.0, brake=1.0)
        rig.vehicles.flatten([0, 2], np.ones(2))
        fastest = 0.0
        for _ in range(480):
            rig.step()
            fastest = max(fastest, np.abs(rig.bodies.velocities).max())
        x, y, z, w = rig.bodies.orientations[0]
        sunk = FLAT_RADIUS * RADIUS
        assert 2.0 * (w * x + y * z) == pytest.approx(-sunk / 1.5, rel=0.1)
        assert fastest < 0.2
        assert rig.wheels[:, LOAD].sum() == pytest.approx(1400.0 * GRAVITY, rel=1e-3)


def test_a_car_pulls_to_its_flat_tyre_and_rolls_not_as_far():
    ways = []
    for flat in (0.0, 1.0):
        with Rig([car()]) as rig:
            rig.vehicles.flatten([0], np.array([flat]))
            rig.run(1.5)
            rig.start(15.0)
            rig.run(3.0)
            ways.append(rig.bodies.positions[0].copy())
    assert ways[0][1] == pytest.approx(0.0, abs=1e-6)
    assert ways[1][1] > 0.2  # the left one is flat
    assert ways[1][0] < ways[0][0] - 0.5


def test_flat_tyres_hold_half():
    speeds = []
    for flat in (0.0, 1.0):
        with Rig([car()]) as rig:
            rig.vehicles.flatten(range(4), np.full(4, flat))
            rig.run(1.5)
            rig.start(25.0)
            rig.run(0.5, brake=1.0)
            before = rig.forward_speed()
            rig.run(0.5, brake=1.0)
            speeds.append(before - rig.forward_speed())
            assert (rig.wheels[:, SPEED] == 0.0).all()
    assert speeds[1] / speeds[0] == pytest.approx(0.5, abs=0.05)


def test_a_program_lets_the_air_out_and_in_again():
    world = impreza_world()
    robot = world.robots[0].robot
    device = FlatTyre("puncture", "chassis", wheel="rear_left")
    robot = replace(robot, devices=(*robot.devices, device))
    world = replace(world, robots=(replace(world.robots[0], robot=robot),))
    with Simulation(world, compiled=flat_world(), report=lambda notice: None) as simulation:
        lengths = []
        for flat in (0.0, 1.0, 0.0):
            name = "impreza.chassis.puncture"
            simulation.queue([command_for(simulation.tree, name, [flat])])
            for _ in range(600):
                simulation.step()
            lengths.append(simulation.systems.vehicles.wheel_output[2, LENGTH])
        assert lengths[1] - lengths[0] > 0.01
        assert lengths[2] == pytest.approx(lengths[0], abs=1e-3)
