"""The other robots, as one of them sees them."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.config.descriptions import PlacedObject, PlacedRobot
from autosim.engine.step.simulation import Simulation
from autosim.kinds.bodies.box import BoxPart
from autosim.kinds.sensors.perception.noisy_contacts import NoisyContacts
from tests.worlds import flat_world, impreza_world

LOOKOUT = NoisyContacts("contacts", "chassis", position=(0.0, 0.0, 1.0), update_rate=24.0)


def simulate(lookout: NoisyContacts, *places: tuple[float, float], seed: int = 0, wall=None):
    """The first robot has the device; cars stand at `places`, a wall between y = ±2 m at x."""
    (placed,) = impreza_world(position=(0.0, 0.0, None), yaw=0.0).robots
    robots = [
        replace(placed, robot=replace(placed.robot, devices=(*placed.robot.devices, lookout)))
    ]
    robots += [
        PlacedRobot(f"car{number}", placed.robot, position=(x, y, None), yaw=0.0)
        for number, (x, y) in enumerate(places)
    ]
    objects = ()
    if wall is not None:
        box = BoxPart("wall", (0.0, 0.0, 0.0), size=(1.0, 4.0, 6.0), mass=1000.0, motion="static")
        objects = (PlacedObject("wall", box, (wall, 0.0, None)),)
    world = replace(impreza_world(), robots=tuple(robots), objects=objects)
    return Simulation(world, compiled=flat_world(), seed=seed, report=lambda notice: None)


def seen(simulation: Simulation) -> np.ndarray:
    node = simulation.tree.find("impreza.chassis.contacts")
    return simulation.state.value(node, node.fields[0])


def after(lookout: NoisyContacts, *places, steps: int = 20, **kwargs) -> np.ndarray:
    with simulate(lookout, *places, **kwargs) as simulation:
        for _ in range(steps):
            simulation.step()
        return seen(simulation)


EXACT = replace(LOOKOUT, position_deviation=0.0, velocity_deviation=0.0)


def test_it_tells_of_those_in_range_the_nearest_first_and_not_of_itself():
    rows = after(EXACT, (30.0, 5.0), (10.0, 20.0), (150.0, 0.0))
    assert rows[:, 0].tolist() == [2.0, 1.0]
    np.testing.assert_allclose(rows[:, 1:3], [(10.0, 20.0), (30.0, 5.0)], atol=0.05)
    np.testing.assert_allclose(rows[:, 4:7], 0.0, atol=0.2)


def test_it_tells_of_no_more_than_it_has_room_for():
    rows = after(replace(EXACT, capacity=1), (30.0, 5.0), (10.0, 20.0))
    assert rows[:, 0].tolist() == [2.0]


def test_a_wall_hides_what_is_behind_and_so_does_another_robot():
    assert after(EXACT, (30.0, 0.0), (20.0, 15.0), wall=10.0)[:, 0].tolist() == [2.0]
    open_eyed = replace(EXACT, is_occluded=False)
    assert after(open_eyed, (30.0, 0.0), wall=10.0)[:, 0].tolist() == [1.0]
    low = replace(EXACT, position=(0.0, 0.0, 0.0))
    assert after(low, (30.0, 0.0), (15.0, 0.0))[:, 0].tolist() == [2.0]


def test_errors_have_the_size_that_it_tells_and_each_look_has_its_own():
    lookout = replace(LOOKOUT, position_deviation=0.7, velocity_deviation=0.3)
    errors = []
    with simulate(lookout, (30.0, 5.0), (10.0, 20.0)) as simulation:
        for step in range(1, 1201):
            simulation.step()
            if step % 10 == 0:
                rows = seen(simulation)
                assert rows[:, 7:].tolist() == [[0.7, 0.3]] * 2
                errors.append(rows[np.argsort(rows[:, 0]), 1:7])
    scatter = np.std(errors, axis=0)
    np.testing.assert_allclose(scatter[:, :3], 0.7, rtol=0.25)
    np.testing.assert_allclose(scatter[:, 3:], 0.3, rtol=0.25)


def test_between_two_looks_the_list_stays():
    with simulate(LOOKOUT, (30.0, 5.0)) as simulation:
        for _ in range(10):
            simulation.step()
        before = seen(simulation)
        for _ in range(9):
            simulation.step()
            np.testing.assert_array_equal(seen(simulation), before)
        simulation.step()
        assert (seen(simulation)[0, 1:7] != before[0, 1:7]).all()


def test_another_robot_changes_nobodys_errors():
    alone, both = after(LOOKOUT, (30.0, 5.0)), after(LOOKOUT, (30.0, 5.0), (10.0, 20.0))
    np.testing.assert_array_equal(alone[0, 1:], both[1, 1:])
    other = after(LOOKOUT, (30.0, 5.0), seed=1)
    assert (alone[0, 1:7] != other[0, 1:7]).all()
    assert both[0, 0] == pytest.approx(2.0)
