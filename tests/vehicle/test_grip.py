"""The friction under wheels is that of the triangle that each stands on."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.server.simulation import Simulation
from autosim.simulation.commands import command_for
from autosim.vehicle.grip import Grip, frictions_of
from autosim.world.compiled import Mesh, Surface
from autosim.world.ground_index import GroundIndex
from autosim.world.tiles import TileGrid, in_tiles, sheets_of
from tests.vehicle.rig import grid
from tests.worlds import flat_world, impreza_world

UP = np.array([0.0, 0.0, 1.0])
BOUNDS = (-400.0, -400.0, 400.0, 400.0)


def patchwork(x, y):
    return 3.0 * np.sin(x / 50.0) * np.cos(y / 35.0)


@pytest.fixture(scope="module")
def world():
    vertices, triangles = grid(patchwork, half=400.0, spacing=12.5)
    kinds = np.array([Surface.CARRIAGEWAY, Surface.GROUND, Surface.PARK, Surface.PAVEMENT])
    surfaces = np.random.default_rng(5).choice(kinds, len(triangles)).astype(np.uint8)
    return in_tiles(
        replace(flat_world(), ground=Mesh(vertices, triangles, surfaces), bounds=BOUNDS)
    )


@pytest.fixture
def grip(world):
    return Grip(sheets_of(world)[0], frictions_of(world.ground.surfaces), TileGrid.of(BOUNDS))


def looked_up(grip, points, *, fraction=0.7):
    origins, ends = points + 0.7 * UP, points - 0.3 * UP
    found = np.zeros(len(points))
    grip.look_up(origins, ends, np.full(len(points), fraction), found)
    return found


def test_it_is_that_of_the_triangle_under_the_wheel(world, grip):
    plan = np.random.default_rng(0).uniform(-399.0, 399.0, (5000, 2))
    index = GroundIndex.build(world.ground)
    points = np.column_stack([plan, index.heights_at(plan)])
    expected = frictions_of(world.ground.surfaces)[index.triangles_at(plan)]
    assert len(np.unique(expected)) == 4
    for part in np.array_split(np.arange(5000), 7):
        assert np.array_equal(looked_up(grip, points[part]), expected[part])


def test_on_a_bridge_and_in_the_air_it_is_one(world, grip):
    plan = np.random.default_rng(1).uniform(-399.0, 399.0, (400, 2))
    above = np.column_stack([plan, patchwork(*plan.T) + 5.0])
    assert (looked_up(grip, above) == 1.0).all()
    assert (looked_up(grip, above - 5.0 * UP, fraction=1.0) == 1.0).all()


def test_outside_the_world_it_is_one(grip):
    assert (looked_up(grip, np.array([[5000.0, -7000.0, 0.0], [401.0, 0.0, 0.0]])) == 1.0).all()


def test_grass_is_softer_than_earth_and_asphalt_is_one():
    surfaces = np.array([Surface.CARRIAGEWAY, Surface.GROUND, Surface.PARK], dtype=np.uint8)
    road, earth, grass = frictions_of(surfaces)
    assert road == 1.0 > earth > grass > 0.0


def braking_distance(surface: Surface) -> float:
    ground = replace(flat_world().ground, surfaces=np.full(2, surface, dtype=np.uint8))
    world = replace(flat_world(), ground=ground)
    described = impreza_world(position=(-100.0, 0.0, None), yaw=0.0)
    with Simulation(described, compiled=world, report=lambda notice: None) as simulation:
        drive = "impreza.chassis.drive_chassis"
        simulation.queue([command_for(simulation.tree, drive, [0.0, 0.0, 1.0])])
        simulation._physics.set_velocity(0, (20.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        for _ in range(1500):
            simulation.step()
        return float(simulation._bodies.states.positions[0, 0]) + 100.0


def test_a_car_needs_longer_to_stop_on_grass():
    road, grass = braking_distance(Surface.CARRIAGEWAY), braking_distance(Surface.PARK)
    assert road < 32.0
    assert grass == pytest.approx(road / 0.53, rel=0.15)
