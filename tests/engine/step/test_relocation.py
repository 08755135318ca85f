"""A robot is put elsewhere between two steps: it stands there, and nothing else notices."""

import hashlib
import math
from dataclasses import replace

import numpy as np
import pytest

from autosim.engine.engine_errors import PlacementError
from autosim.engine.step.simulation import Simulation
from autosim.model.commands import command_for
from autosim.world.compiled.tile_grid import sort_into_tiles
from autosim.world.geometry.meshes import Mesh, Surface
from tests.server.rows_of_cars import cars_in_a_row, simulate
from tests.worlds import flat_world

HALF_HOUSE = 10.0


def drive(simulation, steps):
    """Lets all cars but the last drive off."""
    for _ in range(steps):
        simulation.queue(
            [
                command_for(simulation.tree, f"{robot.name}.chassis.drive_chassis", [0, 0.6, 0])
                for robot in simulation.tree.children[:-1]
            ]
        )
        simulation.step()


def part(simulation, robot, field):
    node = simulation.tree.find(f"{robot}.chassis")
    named = next(each for each in node.fields if each.name == field)
    return np.array(simulation.state.value(node, named))


def bytes_of(simulation, robot):
    return simulation.state.to_bitstream(simulation.tree.find(robot))


def world_with_a_house():
    """The plain, with a house of 20 m × 20 m about x = 100."""
    base = HALF_HOUSE * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) + [100.0, 0.0]
    corners = np.vstack([np.column_stack([base, np.full(4, z)]) for z in (0.0, 8.0)])
    walls = [(k, (k + 1) % 4, 4 + k) for k in range(4)]
    walls += [((k + 1) % 4, 4 + (k + 1) % 4, 4 + k) for k in range(4)]
    faces = np.array([*walls, (4, 5, 6), (4, 6, 7)], dtype=np.int32)
    house = Mesh(corners, faces, np.full(len(faces), Surface.WALL, dtype=np.uint8))
    return sort_into_tiles(replace(flat_world(), buildings=house))


def test_a_moved_robot_stands_where_it_was_put_and_heads_as_was_said():
    with simulate(cars_in_a_row(0.0, 60.0)) as simulation:
        drive(simulation, 240)
        assert np.linalg.norm(part(simulation, "car0", "velocity")) > 1.0
        simulation.place("car0", (-50.0, 30.0), yaw=math.pi / 2)
        assert part(simulation, "car0", "position")[:2] == pytest.approx([-50.0, 30.0], abs=0.05)
        assert not part(simulation, "car0", "velocity").any()
        for _ in range(240):
            simulation.queue(
                [command_for(simulation.tree, "car0.chassis.drive_chassis", [0, 0, 1])]
            )
            simulation.step()
        x, y, z = part(simulation, "car0", "position")
        assert (x, y) == (pytest.approx(-50.0, abs=0.1), pytest.approx(30.0, abs=0.1))
        assert 0.2 < z < 1.0
        assert np.linalg.norm(part(simulation, "car0", "velocity")) < 0.01
        turn = part(simulation, "car0", "orientation")
        assert 2.0 * math.atan2(turn[2], turn[3]) == pytest.approx(math.pi / 2, abs=0.01)


def test_without_a_heading_it_heads_as_before_and_can_be_moved_back():
    with simulate(cars_in_a_row(0.0, 60.0)) as simulation:
        drive(simulation, 24)
        before = part(simulation, "car0", "orientation")
        simulation.place("car0", (30.0, 30.0))
        assert part(simulation, "car0", "orientation")[2:] == pytest.approx(before[2:], abs=1e-3)


def test_the_other_robots_go_on_to_the_same_bytes():
    with (
        simulate(cars_in_a_row(0.0, 60.0, 120.0)) as moved,
        simulate(cars_in_a_row(0.0, 60.0, 120.0)) as left,
    ):
        for simulation in (moved, left):
            drive(simulation, 48)
        moved.place("car2", (-80.0, -80.0), yaw=1.0)
        assert bytes_of(moved, "car1") == bytes_of(left, "car1")
        for simulation in (moved, left):
            drive(simulation, 48)
        for robot in ("car0", "car1"):
            assert bytes_of(moved, robot) == bytes_of(left, robot)
        assert bytes_of(moved, "car2") != bytes_of(left, "car2")


def test_the_same_move_at_the_same_step_gives_the_same_bytes():
    def run():
        digest = hashlib.sha256()
        with simulate(cars_in_a_row(0.0, 60.0)) as simulation:
            drive(simulation, 30)
            simulation.place("car0", (-40.0, 12.5), yaw=0.5)
            for _ in range(60):
                drive(simulation, 1)
                digest.update(simulation.state.buffer)
        return digest.hexdigest()

    assert run() == run()


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ((1000.0, 0.0), "no ground at x=1000 m"),
        ((59.0, 0.5), "would stand in 'car1'"),
        ((100.0, 0.0), "a building stands"),
        ((100.0 - HALF_HOUSE - 1.0, 0.0), "would stand in the ground, a building or a tree"),
    ],
    ids=["off the map", "in a car", "in a house", "in a wall"],
)
def test_a_robot_that_cannot_stand_there_stays_and_nothing_changes(place, reason):
    def make():
        world = cars_in_a_row(0.0, 60.0)
        return Simulation(world, compiled=world_with_a_house(), report=lambda notice: None)

    with make() as refused, make() as left:
        for simulation in (refused, left):
            drive(simulation, 48)
        with pytest.raises(PlacementError, match=reason):
            refused.place("car0", place)
        for simulation in (refused, left):
            drive(simulation, 48)
        assert bytes(refused.state.buffer) == bytes(left.state.buffer)


def test_a_robot_that_is_not_there_cannot_be_moved():
    with (
        simulate(cars_in_a_row(0.0)) as simulation,
        pytest.raises(PlacementError, match="no robot or object 'nobody'"),
    ):
        simulation.place("nobody", (0.0, 0.0))


def test_a_car_that_is_put_in_motion_rolls_on_without_a_jerk():
    with simulate(cars_in_a_row(0.0)) as simulation:
        simulation.place("car0", (0.0, 20.0), yaw=math.pi / 2, velocity=(10.0, 0.0, 0.0))
        assert part(simulation, "car0", "velocity") == pytest.approx([0.0, 10.0, 0.0], abs=0.02)
        coast = command_for(simulation.tree, "car0.chassis.drive_chassis", [0.0, 0.0, 0.0])
        for _ in range(240):
            simulation.queue([coast])
            simulation.step()
        assert part(simulation, "car0", "position")[1] == pytest.approx(30.0, abs=0.3)
        assert part(simulation, "car0", "velocity")[1] == pytest.approx(10.0, abs=0.5)


def test_bodies_that_are_put_in_rotation_turn_about_the_origin_of_their_robot():
    with simulate(cars_in_a_row(0.0)) as simulation:
        simulation.place("car0", (0.0, 20.0), yaw=0.0, angular_velocity=(0.0, 0.0, 0.5))
        assert part(simulation, "car0", "angular_velocity").tolist() == [0.0, 0.0, 0.5]


def test_the_log_has_placements_and_a_replay_gives_the_same_bytes():
    def stepped(simulation, steps):
        digest = hashlib.sha256()
        simulation.on_publish.append(lambda: digest.update(simulation.state.buffer))
        for step in range(steps):
            yield step
            simulation.step()
        yield digest.hexdigest()

    log = []
    with simulate(cars_in_a_row(0.0, 60.0)) as recorded:
        recorded.on_command.append(lambda step, command: log.append((step, command)))
        for step in stepped(recorded, 80):
            if step == 20:
                recorded.queue(
                    [command_for(recorded.tree, "car0.chassis.drive_chassis", [0.2, 0.8, 0.0])]
                )
            if step == 40:
                placed = recorded.place("car1", (-40.0, 12.5), yaw=0.5, velocity=(8.0, 0.0, 0.0))
        original = step
    assert log[-1] == (40, placed)
    with simulate(cars_in_a_row(0.0, 60.0)) as replay:
        for step in stepped(replay, 80):
            replay.queue([command for at, command in log if at == step])
    assert step == original


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"velocity": (1.0, 2.0)}, "velocity: expected three finite numbers"),
        ({"angular_velocity": (0.0, 0.0, math.nan)}, "angular velocity: expected three finite"),
    ],
)
def test_what_is_no_velocity_is_refused(given, reason):
    with simulate(cars_in_a_row(0.0)) as simulation, pytest.raises(PlacementError, match=reason):
        simulation.place("car0", (5.0, 5.0), **given)


def test_a_placement_of_nobody_is_refused_before_the_step():
    with simulate(cars_in_a_row(0.0)) as simulation:
        placed = simulation.place("car0", (5.0, 5.0))
        with pytest.raises(PlacementError, match="no robot or object 'nobody'"):
            simulation.queue([replace(placed, name="nobody")])
        simulation.step()


def test_a_move_is_said():
    said = []
    with simulate(cars_in_a_row(0.0), notices=said) as simulation:
        simulation.place("car0", (12.0, -7.0))
    assert "was moved to x=12.00 m, y=-7.00 m" in [each.text for each in said]
