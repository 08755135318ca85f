"""Lidars in a simulation: what they see, how they sweep, and that all of it can be repeated."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.config.noise_records import WhiteGaussianNoise, WhiteNoise
from autosim.engine.step.simulation import Simulation
from autosim.kinds.sensors.ranging.lidar_scan import ray_directions
from autosim.model.commands import command_for
from autosim.world.compiled.tile_grid import sort_into_tiles
from tests.server.boxes import house
from tests.server.lidar_worlds import AHEAD, HEIGHT, PLAIN, world_with
from tests.worlds import flat_world


def simulate(world, seed: int = 0) -> Simulation:
    return Simulation(world, compiled=flat_world(), seed=seed, report=lambda notice: None)


def scan(simulation: Simulation, name: str = "lidar"):
    node = simulation.tree.find(f"impreza.chassis.{name}")
    ranges, newest = (simulation.state.value(node, field) for field in node.fields)
    return ranges, newest


def test_it_measures_the_sector_that_it_sweeps_in_a_step():
    with simulate(world_with(PLAIN)) as simulation:
        for step in range(1, 25):
            before, _ = scan(simulation)
            simulation.step()
            ranges, newest = scan(simulation)
            assert newest == (5 * step - 1) % 120
            changed = np.flatnonzero((ranges != before).any(axis=0))
            assert set(changed) <= set(range(5 * step - 5, 5 * step))
        below = np.flatnonzero(np.sin(ray_directions(PLAIN)[:, 0, 2]) < -0.05)
        assert (ranges[below] > 0.0).all()


def test_the_ground_is_where_it_is_and_above_the_horizon_there_is_none():
    with simulate(world_with(PLAIN)) as simulation:
        for _ in range(24):
            simulation.step()
        ranges, _ = scan(simulation)
        node = simulation.tree.find("impreza.chassis")
        centre = simulation.state.value(node, node.fields[0])
    rays = ray_directions(PLAIN)
    behind = slice(40, 80)
    # The car stands on its springs, level to some milliradians.
    lowest = ranges[0, behind] * rays[0, behind, 2]
    assert lowest == pytest.approx(-(centre[2] + HEIGHT), abs=0.15)
    assert (ranges[rays[:, 0, 2] > 0.0, behind] == 0.0).all()


def test_it_sees_the_other_car_and_not_its_own():
    level = replace(PLAIN, channels=1, min_elevation=-0.03, max_elevation=-0.02)
    low = replace(level, name="low", position=(0.0, 0.0, 0.0))
    with simulate(world_with(low)) as simulation:
        for _ in range(24):
            simulation.step()
        ranges, _ = scan(simulation, "low")
        length = simulation.tree.descriptions["other"].parts[0].size[0]
    assert ranges[0, 0] == pytest.approx(AHEAD - length / 2, abs=0.1)
    # Backwards it looks up by the angle at which the car stands, or meets the road far away.
    assert ranges[0, 60] == 0.0 or ranges[0, 60] > 10.0


def test_what_is_nearer_than_its_least_range_gives_no_return():
    near = replace(PLAIN, min_range=30.0)
    with simulate(world_with(PLAIN, replace(near, name="blind"))) as simulation:
        for _ in range(24):
            simulation.step()
        seen, _ = scan(simulation)
        left, _ = scan(simulation, "blind")
    assert ((seen > 0.0) & (seen < 29.9)).any()
    np.testing.assert_array_equal(left, np.where(seen >= 30.0, seen, 0.0))


def test_noise_and_dropout_are_as_described():
    noisy = replace(PLAIN, name="noisy", noises=(WhiteGaussianNoise(1.0),), dropout=0.25)
    with simulate(world_with(PLAIN, noisy)) as simulation:
        for _ in range(24):
            simulation.step()
        exact, _ = scan(simulation)
        measured, _ = scan(simulation, "noisy")
    returns = exact > 0.0
    assert (measured[~returns] == 0.0).all()
    assert (measured[returns] == 0.0).mean() == pytest.approx(0.25, abs=0.08)
    both = returns & (measured > 0.0) & (exact < 50.0)
    errors = measured[both] - exact[both]
    assert errors.std() == pytest.approx(0.05, abs=0.01)
    assert errors.mean() == pytest.approx(0.0, abs=0.01)


def bytes_of_a_run(seed: int) -> bytes:
    noisy = replace(
        PLAIN, update_rate=7.3, noises=(WhiteNoise(0.1),), dropout=0.1, direction=(0.2, 1.0, 0.1)
    )
    with simulate(world_with(noisy, replace(PLAIN, name="second")), seed) as simulation:
        drive = [0.1, 1.0, 0.0]
        simulation.queue([command_for(simulation.tree, "impreza.chassis.drive_chassis", drive)])
        for _ in range(60):
            simulation.step()
        return scan(simulation)[0].tobytes()


def test_the_same_seed_gives_the_same_scan_and_another_one_does_not():
    assert bytes_of_a_run(3) == bytes_of_a_run(3)
    assert bytes_of_a_run(3) != bytes_of_a_run(4)


def test_a_lidar_that_turns_more_than_once_in_a_step_measures_a_revolution():
    fast = replace(PLAIN, update_rate=1000.0)
    with simulate(world_with(fast)) as simulation:
        simulation.step()
        ranges, _ = scan(simulation)
    assert (ranges[0] > 0.0).all()


def test_it_sees_further_than_there_are_meshes_in_the_physics():
    far = replace(PLAIN, name="far", channels=1, min_elevation=0.0, max_elevation=0.0)
    wall = house(280.0, 0.0)
    bounds = (-600.0, -600.0, 600.0, 600.0)
    town = sort_into_tiles(replace(flat_world(), buildings=wall, bounds=bounds))
    world = world_with(replace(far, range=300.0))
    with Simulation(replace(world, robots=world.robots[:1]), compiled=town) as simulation:
        for _ in range(24):
            simulation.step()
        ranges, _ = scan(simulation, "far")
        pieces = simulation.systems.streaming._pieces.boxes
    assert ranges.max() == pytest.approx(280.0, abs=0.5)
    assert pieces[:, 0].max() < 280.0
