"""Lidar points over a picture."""

from dataclasses import replace

import numpy as np
import pytest

from tests.applications.gui.client.painted_overlays import HEIGHT, WIDTH, painted

pytest.importorskip("PyQt6")
pytest.importorskip("panda3d")


from autosim.applications.gui.client.pictures.pane_overlays import OVERLAYS, Chosen, Overlays
from autosim.engine.step.simulation import Simulation
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor
from tests.worlds import flat_world, impreza_world


@pytest.fixture
def scanned():
    """Overlays of a world in which a lidar has turned once; the car stands at the origin."""
    world = impreza_world(position=(0.0, 0.0, None), yaw=0.0)
    (car,) = world.robots
    lidar = LidarSensor("lidar", "chassis", position=(0.0, 0.0, 0.9), channels=8, columns=120)
    world = replace(
        world, robots=(replace(car, robot=replace(car.robot, devices=(*car.robot.devices, lidar))),)
    )
    with Simulation(world, compiled=flat_world(), report=lambda notice: None) as simulation:
        for _ in range(24):
            simulation.step()
        overlays = Overlays(world, flat_world(), simulation.tree)
        overlays.take(simulation.state)
        yield overlays, simulation.state


def test_points_are_rings_around_the_lidar(application, scanned):
    pixels = painted(*scanned, Chosen(lidar=True))
    rows, columns = np.nonzero(pixels.any(axis=-1))
    assert len(rows) > 200
    # Channel 0 meets level ground at 1.7 m / tan(15°), all around the middle of the picture.
    focal = HEIGHT / 2 / np.tan(0.5)
    radii = np.hypot(rows - HEIGHT / 2, columns - WIDTH / 2) * 60.0 / focal
    assert radii.min() == pytest.approx(1.7 / np.tan(np.pi / 12), abs=1.5)
    assert pixels[rows, columns, 2].mean() > pixels[rows, columns, 0].mean()  # low is blue


def test_they_are_shown_only_where_they_are_chosen(application, scanned):
    assert "lidar" in OVERLAYS
    assert not painted(*scanned, Chosen()).any()
    overlays, state = scanned
    overlays.clear()
    assert not painted(overlays, state, Chosen(lidar=True)).any()


def test_points_below_a_roof_are_not_painted(application, scanned):
    assert painted(*scanned, Chosen(lidar=True), ceiling=0.0).any()
    assert not painted(*scanned, Chosen(lidar=True), ceiling=20.0).any()


def test_lines_and_names_below_a_roof_are_faint(application, scanned):
    open_ = painted(*scanned, Chosen(lanes=True, names=True), ceiling=0.0)
    below = painted(*scanned, Chosen(lanes=True, names=True), ceiling=20.0)
    assert below.any()
    assert below.max() < 0.5 * open_.max()
