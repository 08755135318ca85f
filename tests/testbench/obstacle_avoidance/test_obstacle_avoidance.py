"""The rover among obstacles: what it perceives, how it moves, what its planner decides."""

import math
from pathlib import Path

import numpy as np
import pytest

from autosim_testbench.launch.bench import BenchOptions, LockstepBench, run_launch
from autosim_testbench.launch.launch_file import load_launch
from autosim_testbench.nodes.reality import RealityMode
from autosim_testbench.obstacle_avoidance.motor_controller import sabertooth_bytes, wheels_of
from autosim_testbench.obstacle_avoidance.rover import RoverModel
from autosim_testbench.obstacle_avoidance.surroundings import (
    BOUNDARY,
    NOTHING,
    Perceived,
    Surroundings,
    room,
)

BENCH = Path(__file__).parents[3] / "testbenches" / "obstacle_avoidance.xml"
WALLS = room(1.0, 1, 0.6, np.random.default_rng(0)).boundaries


def perceive(obstacles: list[tuple[float, float]], pose: tuple[float, float, float]) -> Perceived:
    points = np.array(obstacles, dtype=np.float64).reshape(-1, 2)
    seen = Surroundings(points, WALLS)
    return seen.perceive(*pose, reach=0.2, half_view=math.radians(30.0))


@pytest.mark.parametrize(
    ("obstacle", "is_seen"),
    [((0.19, 0.0), True), ((0.21, 0.0), False), ((0.1, 0.05), True), ((0.1, 0.07), False)],
)
def test_an_obstacle_is_perceived_within_reach_and_view(
    obstacle: tuple[float, float], is_seen: bool
) -> None:
    assert perceive([obstacle], (0.0, 0.0, 0.0)).obstacle == (0 if is_seen else NOTHING)


def test_the_nearest_obstacle_counts_also_across_the_turn_of_angles() -> None:
    found = perceive([(-0.15, 0.01), (-0.1, -0.02)], (0.0, 0.0, math.pi))
    assert found.obstacle == 1
    assert found.distance == pytest.approx(math.hypot(0.1, 0.02))


def test_a_boundary_is_perceived_where_an_edge_of_the_view_meets_it() -> None:
    found = perceive([], (0.9, 0.0, 0.0))
    assert (found.obstacle, found.x) == (BOUNDARY, pytest.approx(1.0))
    assert abs(found.y) == pytest.approx(0.1 * math.tan(math.radians(30.0)))
    assert perceive([], (0.9, 0.0, math.pi)).obstacle == NOTHING


def test_two_boundaries_are_a_corner() -> None:
    found = perceive([], (0.92, 0.9, math.pi / 4))
    assert found.obstacle == BOUNDARY
    assert (found.x, found.y) == (pytest.approx(1.0), pytest.approx(1.0))


def test_a_rover_turns_about_a_point_that_stays() -> None:
    model = RoverModel()
    x, y, yaw = model.move((1.0, 2.0, 0.3), -1, 1, 0.7)
    assert yaw == pytest.approx(0.3 + math.radians(23.0) * 0.7)
    before = np.array([1.0 + 0.05 * math.cos(0.3), 2.0 + 0.05 * math.sin(0.3)])
    after = np.array([x + 0.05 * math.cos(yaw), y + 0.05 * math.sin(yaw)])
    assert after == pytest.approx(before)


@pytest.mark.parametrize(
    ("left", "right", "moved"), [(1, 1, 0.07), (-1, -1, -0.07), (0, 0, 0.0), (1, 0, None)]
)
def test_a_rover_goes_where_both_sides_go(left: int, right: int, moved: float | None) -> None:
    x, y, yaw = RoverModel().move((0.0, 0.0, 0.0), left, right, 1.0)
    if moved is None:
        assert yaw == pytest.approx(-math.radians(23.0))
    else:
        assert (x, y, yaw) == (pytest.approx(moved), 0.0, 0.0)


def test_small_steps_add_up_to_a_large_one() -> None:
    pose = (0.0, 0.0, 0.0)
    for _ in range(100):
        pose = RoverModel().move(pose, 1, -1, 0.01)
    assert pose == pytest.approx(RoverModel().move((0.0, 0.0, 0.0), 1, -1, 1.0))


def test_the_motor_controller_is_told_as_its_manual_says() -> None:
    assert list(sabertooth_bytes(0, 0)) == [64, 192]
    assert list(sabertooth_bytes(1, 1)) == [127, 255]
    assert list(sabertooth_bytes(-1, 1)) == [127, 129]


@pytest.mark.parametrize("left", [-1, 0, 1])
@pytest.mark.parametrize("right", [-1, 0, 1])
def test_what_the_motor_controller_is_told_turns_the_wheels(left: int, right: int) -> None:
    assert wheels_of(*sabertooth_bytes(left, right)) == (left, right)
    assert wheels_of(0, 0) == (0, 0), "before the first command"


@pytest.mark.parametrize("seed", range(2))
def test_the_rover_avoids_obstacles_and_stays_in_its_room(seed: int) -> None:
    summary = run_launch(load_launch(BENCH), BenchOptions(seconds=90.0, seed=seed, period=0.02))
    seen = summary["nodes"]["visualisation"]
    assert seen["boundary_crossed"] == 0
    assert seen["distance"] > 3.0
    assert summary["nodes"]["planner"]["obstacles_avoided"] >= 5
    assert summary["topics"]["physical/wheels"]["sent"] == 0, "mode 1 leaves the real rover alone"


@pytest.mark.parametrize("mode", RealityMode)
def test_commands_go_to_the_rovers_of_the_mode_and_the_planner_sees_in_each(
    mode: RealityMode,
) -> None:
    options = BenchOptions(seconds=20.0, period=0.02, mode=mode)
    summary = run_launch(load_launch(BENCH), options)
    topics = summary["topics"]
    assert (topics["physical/wheels"]["sent"] > 1) == mode.uses_physical
    assert (topics["virtual/wheels"]["sent"] > 1) == mode.uses_virtual
    assert topics["physical/motors"]["sent"] == topics["physical/wheels"]["received"]
    assert summary["modes"]["detection_model"] == RealityMode.VIRTUAL, "it has a mode of its own"
    assert summary["nodes"]["planner"]["obstacles_avoided"] >= 1


def test_another_rover_is_an_obstacle() -> None:
    seen = Surroundings(np.array([[0.15, 0.0]]), WALLS).with_obstacle(0.1, 0.01)
    found = seen.perceive(0.0, 0.0, 0.0, reach=0.2, half_view=0.5)
    assert (found.obstacle, found.x, found.y) == (1, 0.1, 0.01)


def test_the_path_is_drawn_as_far_as_the_rover_came(tmp_path: Path) -> None:
    options = BenchOptions(seconds=4.0, folder=tmp_path)
    with LockstepBench(load_launch(BENCH), options) as bench:
        bench.run()
        shown = bench.nodes[-1].figures()["path"]
    assert (tmp_path / "visualisation_path.svg").read_text() == shown
    assert shown.count('r="4.5"') == 10
    assert len((tmp_path / "visualisation_path.csv").read_text().splitlines()) == 201
