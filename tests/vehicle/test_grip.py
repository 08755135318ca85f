"""The friction under wheels is that of the triangle that each stands on."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.engine.step.simulation import Simulation
from autosim.model.commands import command_for
from autosim.rays.ray_scene import RayScene
from autosim.vehicle.contact.grip import Grip, friction_of
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.compiled.tile_grid import sort_into_tiles
from autosim.world.geometry.meshes import Mesh, Surface
from tests.vehicle.rig import grid
from tests.worlds import flat_world, impreza_world

UP = np.array([0.0, 0.0, 1.0])
BOUNDS = (-400.0, -400.0, 400.0, 400.0)


def patchwork(x, y):
    return 3.0 * np.sin(x / 50.0) * np.cos(y / 35.0)


@pytest.fixture(scope="module")
def world():
    vertices, triangles = grid(patchwork, half=400.0, spacing=12.5)
    ground = Mesh(vertices, triangles, np.full(len(triangles), Surface.GROUND, dtype=np.uint8))
    frictions = np.random.default_rng(5).choice([1.0, 0.8, 0.5, 0.1], len(triangles))
    frictions = frictions.astype(np.float32)
    return sort_into_tiles(
        replace(flat_world(), ground=ground, ground_friction=frictions, bounds=BOUNDS)
    )


def frictions_under(points, grip, *meshes):
    """Under wheels that touch the ground at `points`."""
    rays = RayScene(meshes)
    _, _, numbers = rays.cast(points + 0.7 * UP, points - 0.3 * UP)
    return [friction_of(grip, number) if number >= 0 else 1.0 for number in numbers.tolist()]


def test_it_is_that_of_the_triangle_under_the_wheel(world):
    plan = np.random.default_rng(0).uniform(-399.0, 399.0, (5000, 2))
    index = GroundIndex.build(world.ground)
    points = np.column_stack([plan, index.heights_at(plan)])
    expected = world.ground_friction[index.triangles_at(plan)]
    assert len(np.unique(expected)) == 4
    found = frictions_under(points, Grip(world.ground_friction, 1.0), world.ground)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("asphalt", [1.0, 0.7])
def test_on_a_bridge_it_is_that_of_asphalt_in_the_weather(world, asphalt):
    vertices, triangles = grid(lambda x, y: patchwork(x, y) + 5.0, half=400.0, spacing=12.5)
    bridge = Mesh(vertices, triangles, np.zeros(len(triangles), dtype=np.uint8))
    plan = np.random.default_rng(1).uniform(-399.0, 399.0, (400, 2))
    above = np.column_stack([plan, GroundIndex.build(bridge).heights_at(plan)])
    grip = Grip(world.ground_friction, asphalt)
    assert frictions_under(above, grip, world.ground, bridge) == [asphalt] * 400


def braking_distance(
    friction: float, *, wetness: float = 0.0, snow_cover: float = 0.0, factor: float = 1.0
) -> float:
    world = replace(flat_world(), ground_friction=np.full(2, friction, dtype=np.float32))
    described = impreza_world(position=(-100.0, 0.0, None), yaw=0.0)
    physics = replace(described.physics, wetness=wetness, snow_cover=snow_cover, friction=factor)
    described = replace(described, physics=physics)
    with Simulation(described, compiled=world, report=lambda notice: None) as simulation:
        drive = "impreza.chassis.drive_chassis"
        simulation.queue([command_for(simulation.tree, drive, [0.0, 0.0, 1.0])])
        simulation.systems.physics.set_velocity(0, (20.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        for _ in range(1200):
            simulation.step()
        return float(simulation.systems.bodies.states.positions[0, 0]) + 100.0


def test_a_car_needs_twice_as_long_to_stop_with_half_the_friction():
    asphalt = braking_distance(1.0)
    assert asphalt < 32.0
    assert braking_distance(0.5) == pytest.approx(asphalt / 0.5, rel=0.15)


def test_on_a_wet_road_it_needs_longer():
    asphalt = braking_distance(1.0)
    assert braking_distance(1.0, wetness=1.0) == pytest.approx(asphalt * 0.85 / 0.6, rel=0.15)


def test_on_snow_it_has_the_grip_of_packed_snow():
    packed = braking_distance(0.24)
    assert braking_distance(1.0, snow_cover=1.0) == pytest.approx(packed, rel=0.01)


@pytest.mark.parametrize(
    ("wetness", "snow_cover", "friction"),
    [(0.0, 0.0, 1.0), (1.0, 0.0, 0.6 / 0.85), (1.0, 1.0, 0.24)],
)
def test_a_world_that_states_no_friction_is_asphalt(wetness, snow_cover, friction):
    assert flat_world().ground_friction.size == 0
    described = impreza_world()
    physics = replace(described.physics, wetness=wetness, snow_cover=snow_cover)
    described = replace(described, physics=physics)
    with Simulation(described, compiled=flat_world(), report=lambda notice: None) as made:
        made.step()
        assert made.systems.vehicles.surface_friction == pytest.approx(friction)


def test_the_factor_of_friction_lengthens_braking():
    assert braking_distance(1.0, factor=0.5) == pytest.approx(braking_distance(0.5), rel=0.01)
