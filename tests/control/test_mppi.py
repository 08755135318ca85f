"""The controller takes the actions that the theory says, however many threads compute them."""

import json
from itertools import pairwise

import numpy as np
import pytest

from autosim.control.costs import Costs
from autosim.control.mppi import MPPI
from autosim.control.obstacle_grid import obstacle_grid
from autosim.tracks.curvilinear_table import CurvilinearTable
from tests.control.cases import (
    CASES,
    COMMANDS,
    COSTS,
    SAMPLES,
    SECONDS,
    STEPS,
    circle,
    moved,
    noise,
)
from tests.control.oracle import KEPT, TEMPERATURE, oracle_actions


def controller(name, **options):
    model, state, limits = CASES[name]
    given = {"samples": SAMPLES, "steps": STEPS, "temperature": TEMPERATURE, "costs": COSTS}
    return MPPI(model, **{**limits, **given, "seconds": SECONDS, **options}), state


def actions(name, **options):
    """The actions of some commands in a row, as `oracle_actions` has them."""
    mppi, state = controller(name, **options)
    found = []
    for command in range(COMMANDS):
        drawn = noise(command, CASES[name][2]["deviation"])
        found.append(mppi.command(state, circle(), noise=drawn))
        state = moved(CASES[name][0], state, found[-1])
    return found


@pytest.mark.parametrize("name", CASES)
def test_its_actions_are_those_of_pytorch_mppi(name):
    np.testing.assert_allclose(actions(name), json.loads(KEPT.read_text())[name], atol=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_what_is_kept_of_pytorch_mppi_is_what_it_does(name):
    pytest.importorskip("pytorch_mppi", reason="pip install torch pytorch_mppi==0.9.1")
    np.testing.assert_allclose(json.loads(KEPT.read_text())[name], oracle_actions(name), atol=1e-9)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("by", ["numpy", "torch", "cupy"])
def test_arrays_of_any_library_give_the_compiled_actions(name, by):
    try:
        found = actions(name, by=by)
    except ValueError as error:
        pytest.skip(str(error))
    np.testing.assert_allclose(found, actions(name), atol=1e-9)


@pytest.mark.parametrize("by", ["compiled", "numpy"])
def test_limits_and_rates_hold_in_all_that_is_tried_and_in_the_plan(by):
    mppi, state = controller("slipless", rates=(0.5, 20.0), samples=500, by=by)
    for _ in range(3):
        before = mppi.plan[0].copy()
        action = mppi.command(state, circle())
        assert (np.abs(action - before) <= np.array([0.5, 20.0]) * SECONDS + 1e-12).all()
        assert (np.abs(np.diff(mppi.plan, axis=0)) <= np.array([0.5, 20.0]) * SECONDS + 1e-12).all()
    assert (np.abs(mppi.plan) <= [0.33, 8.0]).all()


def test_any_number_of_threads_gives_the_same_bits():
    found = []
    for threads in (1, 2, 3):
        mppi, state = controller("slipless", samples=3000, threads=threads)
        found.append([mppi.command(state, circle()).tobytes() for _ in range(3)])
    assert found[0] == found[1] == found[2]


def test_a_seed_repeats_a_run_and_another_does_not():
    def first(seed):
        mppi, state = controller("slipless", seed=seed)
        return [mppi.command(state, circle()).tolist() for _ in range(2)]

    assert first(1) == first(1) != first(2)


def drive(mppi, state, table, commands, obstacles=()):
    """The states on the way; the car does what the model says."""
    model, states = CASES["slipless"][0], [state]
    for _ in range(commands):
        grid = obstacle_grid(np.array(obstacles), 0.5, table)
        states.append(moved(model, states[-1], mppi.command(states[-1], table, obstacles=grid)))
    return np.array(states)


def racer(**options):
    given = {"samples": 1024, "steps": 24, "temperature": 1.0, "effort": 0.0}
    return controller("slipless", **{**given, **options})[0]


def test_it_drives_around_and_over_the_place_where_the_distance_begins_again():
    table = circle()
    states = drive(racer(), (-5.0, 0.86, -0.34, 5.0), table, 120)
    places = table.look_up(states[:, 0], states[:, 1])
    assert (np.abs(places.offset) < COSTS.half_width).all()
    assert places.distance[0] > 80.0
    gained = np.diff(np.unwrap(places.distance, period=2.0 * np.pi * 15.0)).sum()
    assert gained > 0.8 * COSTS.speed * 120 * SECONDS


def test_it_drives_around_what_stands_on_its_line():
    table = circle()
    post = np.array([9.0, 3.1])
    way = drive(racer(), (0.0, 0.0, 0.0, 5.0), table, 60)[:, :2]
    around = drive(racer(), (0.0, 0.0, 0.0, 5.0), table, 60, [post])[:, :2]
    assert np.linalg.norm(way - post, axis=1).min() < 0.36
    assert np.linalg.norm(around - post, axis=1).min() > 0.45
    assert around[-1, 1] > 5.0


def test_from_beside_the_track_it_drives_back():
    table = circle()
    states = drive(racer(), (0.0, -1.8, 0.0, 4.0), table, 60)
    beside = np.abs(table.look_up(states[:, 0], states[:, 1]).offset)
    assert beside[0] > COSTS.half_width
    assert (beside[-20:] < COSTS.half_width).all()


def test_it_shows_its_plan_and_the_best_of_what_it_tried():
    mppi, state = controller("slipless")
    assert mppi.best(5).shape == (0, STEPS, 2)
    mppi.command(state, circle())
    best, path = mppi.best(5), mppi.path()
    assert (best.shape, path.shape) == ((5, STEPS, 2), (STEPS, 2))
    assert all(np.linalg.norm(a - b) < 0.5 for a, b in pairwise([state[:2], *path]))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"state": (0.0, 0.0, 0.0)}, "4 finite numbers"),
        ({"state": (0.0, 0.0, np.nan, 1.0)}, "4 finite numbers"),
        ({"noise": np.zeros((3, STEPS, 2))}, "noise has the shape"),
        ({"obstacles": np.zeros((4, 4), dtype=np.float32)}, "obstacles"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(given, message):
    mppi, state = controller("slipless")
    with pytest.raises(ValueError, match=message):
        mppi.command(**{"state": state, "table": circle(), **given})
    assert not mppi.plan.any()


def test_a_table_without_a_way_is_refused():
    table = circle()
    table.values[..., 4] = -1.0
    mppi, state = controller("slipless")
    with pytest.raises(ValueError, match="in bounds"):
        mppi.command(state, table)


@pytest.mark.parametrize(
    "options",
    [
        {"samples": 0},
        {"seconds": 0.0},
        {"deviation": (0.0, 1.0)},
        {"by": "abacus"},
        {"least": (1.0, 0.0)},
    ],
)
def test_values_out_of_range_are_refused(options):
    with pytest.raises(ValueError, match=r"positive|no action|no library"):
        controller("slipless", **options)


def test_a_curve_that_ends_is_driven_too():
    points = np.column_stack([np.linspace(-2.0, 30.0, 60), np.zeros(60)])
    table = CurvilinearTable.of(points, size=256)
    states = drive(racer(), (0.0, 0.3, 0.0, 4.0), table, 60)
    assert states[-1, 0] > 15.0
    assert abs(states[-1, 1]) < 0.5


def test_correlated_noise_makes_smoother_plans():
    def roughness(correlation):
        mppi, state = controller("slipless", samples=2000, correlation=correlation)
        mppi.command(state, circle())
        return np.abs(np.diff(mppi.best(50), n=2, axis=1)).mean()

    assert roughness(0.9) < 0.7 * roughness(0.0)


@pytest.mark.parametrize("correlation", [-0.1, 1.0, float("nan")])
def test_a_correlation_lies_between_0_and_1(correlation):
    with pytest.raises(ValueError, match="a correlation is 0 or more and less than 1"):
        controller("slipless", correlation=correlation)


def test_whole_numbers_among_costs_and_measures_are_taken_as_they_are():
    whole, real = (
        controller("slipless", costs=Costs(speed=speed, obstacle=price))
        for speed, price in ((7, 90), (7.0, 90.0))
    )
    found = [mppi.command(state, circle()) for mppi, state in (whole, real)]
    assert found[0].tobytes() == found[1].tobytes()
