"""Lidar points of a moving car stand where the world is."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.client.overlays.lidar_points import LidarPoints, height_bands
from autosim.engine.step.simulation import Simulation
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor
from autosim.model.commands import command_for
from tests.worlds import flat_world, impreza_world

LIDAR = LidarSensor("lidar", "chassis", position=(0.3, 0.0, 0.9), channels=8, columns=96, range=60)


def moving(*, rate: float = 10.0, slip: float = 0.0) -> Simulation:
    """A car with a lidar that has driven for a second towards another one."""
    world = impreza_world(position=(0.0, 0.0, None), yaw=0.3)
    car = world.robots[0]
    devices = (*car.robot.devices, replace(LIDAR, update_rate=rate))
    first = replace(car, robot=replace(car.robot, devices=devices))
    second = replace(car, name="other", position=(18.0, 9.0, None))
    simulation = Simulation(
        replace(world, robots=(first, second)), compiled=flat_world(), report=lambda notice: None
    )
    drive = command_for(simulation.tree, "impreza.chassis.drive_chassis", [0.3, 1.0, 0.0])
    simulation.queue([drive])
    for _ in range(240):
        simulation.step()
    return simulation


@pytest.mark.parametrize("stride", [1, 3, 16])
def test_points_are_set_out_from_where_they_were_seen(stride):
    with moving() as simulation:
        cloud = LidarPoints(simulation.world, simulation.tree)
        cloud.take(simulation.state)
        for _ in range(48 // stride):
            for _ in range(stride):
                simulation.step()
            cloud.take(simulation.state)
        points, heights = cloud.points()
    on_road = points[points[:, 2] < 0.1]
    assert len(on_road) > 100
    # The car pitches and turns; where states are skipped the poses between them are nearly right.
    np.testing.assert_allclose(on_road[:, 2], 0.0, atol=1e-3 if stride == 1 else 0.01)
    assert len(points) > len(on_road)
    assert (heights < 0.9).all()


def test_the_newest_pose_alone_would_be_wrong():
    with moving() as simulation:
        cloud = LidarPoints(simulation.world, simulation.tree)
        for _ in range(24):
            simulation.step()
            cloud.take(simulation.state)
        exact, _ = cloud.points()
        fresh = LidarPoints(simulation.world, simulation.tree)
        fresh.take(simulation.state)
        guessed, _ = fresh.points()
    assert len(exact) == len(guessed)
    assert np.linalg.norm(exact - guessed, axis=1).max() > 0.2


def test_an_earlier_state_and_clear_begin_anew():
    with moving() as simulation:
        cloud = LidarPoints(simulation.world, simulation.tree)
        assert len(cloud.points()[0]) == 0
        cloud.take(simulation.state)
        assert len(cloud.points()[0]) > 0
        simulation.state.ints[0] = 5
        ranges = simulation.tree.find("impreza.chassis.lidar")
        simulation.state.buffer[ranges.start : ranges.own_stop] = bytes(ranges.own_size)
        cloud.take(simulation.state)
        assert len(cloud.points()[0]) == 0
        cloud.clear()
        assert len(cloud.points()[0]) == 0


def test_a_world_without_lidars_has_no_points():
    world = impreza_world()
    with Simulation(world, compiled=flat_world(), report=lambda notice: None) as simulation:
        cloud = LidarPoints(world, simulation.tree)
        cloud.take(simulation.state)
        assert cloud.points()[0].shape == (0, 3)


def test_heights_fall_into_bands():
    heights = np.array([-50.0, -2.0, 1.0, 3.9, 4.0, 70.0])
    assert height_bands(heights, 6).tolist() == [0, 0, 3, 5, 5, 5]
