"""`autosim validate`: the models, the shipped car against them, and the page."""

from pathlib import Path

import numpy as np
import pytest

from autosim.applications.validation.chart import draw
from autosim.applications.validation.laboratory import Laboratory
from autosim.applications.validation.oracle import (
    ANTI_ROLL,
    HEIGHT,
    LOAD_SENSITIVITY,
    STEP,
    TRACKS,
    Oracle,
)
from autosim.applications.validation.report import write_report
from autosim.applications.validation.results import Chart, ChartCurve, Check, Section, band_check
from autosim.applications.validation.rollover import rollover
from autosim.applications.validation.shipped_vehicles import VEHICLES, checks_of
from autosim.applications.validation.steering_manoeuvres import (
    cornering_stiffness,
    frequency_response,
    reference_turn,
    step_steer,
)
from autosim.applications.validation.validate import (
    default_car_rollover,
    default_car_stops_and_turns,
    run_all,
)
from autosim.config.world_settings import GRAVITY
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.loading.loader import load_robot
from autosim.vehicle.body.body_state import body_parameters
from autosim.vehicle.info.standing_height import standing_height
from tests.paths import ROOT

GOLDEN = {
    "KS": (40.73416, 15.69024, 0.800389, 0.291062, 15.0),
    "ST": (40.93809, 15.23532, 0.779546, 0.290820, 15.0),
    "MB": (40.65003, 15.18444, 0.781973, 0.290596, 14.791),
}
"""x, y [m], yaw [rad], yaw rate [rad/s] and speed [m/s] after 3 s, independently computed."""


@pytest.fixture(scope="module")
def laboratory() -> Laboratory:
    return Laboratory.of_shipped_cars()


@pytest.mark.parametrize("model", ["KS", "ST", "MB"])
def test_the_oracle_gives_the_published_values(model):
    turn = round(0.5 / STEP)
    course = Oracle().drive(
        model, 15.0, 3.0, lambda time, state: (0.1 if round(time / STEP) < turn else 0.0, 0.0)
    )
    last = [each[-1] for each in (course.x, course.y, course.yaw, course.yaw_rate, course.speed)]
    np.testing.assert_allclose(last, GOLDEN[model], rtol=5e-5)


def test_the_shipped_car_turns_as_the_models_do(laboratory):
    for section in run_all(laboratory, (reference_turn, step_steer)):
        for check in section.checks:
            assert check.is_inside, check


@pytest.mark.parametrize("manoeuvre", [rollover, default_car_rollover, default_car_stops_and_turns])
def test_shipped_cars_slide_before_they_roll_over_and_stop_within_forty_metres(
    laboratory, manoeuvre
):
    (section,) = run_all(laboratory, (manoeuvre,))
    assert len(section.checks) >= 6
    for check in section.checks:
        assert check.is_inside, check


@pytest.mark.parametrize("vehicle", VEHICLES, ids=lambda vehicle: vehicle.name)
def test_shipped_vehicles_brake_and_do_not_roll_over(vehicle):
    for check in checks_of(vehicle):
        assert check.is_inside, check


def test_every_shipped_robot_with_steered_wheels_is_driven():
    robots = (load_robot(path) for path in (ROOT / "robots").glob("*.xml"))
    steered = {
        robot.name
        for robot in robots
        if any(isinstance(each, WheelDevice) and each.is_steering for each in robot.devices)
    }
    assert steered == {each.name for each in VEHICLES}


def test_the_multi_body_model_has_the_chassis_and_the_tyres_of_the_car(laboratory):
    """`SPRINGS` and `TYRE` [N/m] are K_sf, K_sr and K_zt of CommonRoad's vehicle 2."""
    springs, tyre = (24453.137879749014, 19635.504745231297), 158294.1398119115
    car = laboratory.car
    mass = float(body_parameters([car.parts[0]]).mass[0])
    wheels = [each for each in car.devices if isinstance(each, WheelDevice)]
    height = standing_height(car, gravity=GRAVITY) + car.parts[0].centre_of_mass[2]
    assert height == pytest.approx(HEIGHT, abs=1e-5)
    for left, right, track, bar, spring in zip(
        wheels[::2], wheels[1::2], TRACKS, ANTI_ROLL, springs, strict=True
    ):
        assert left.position[1] - right.position[1] == pytest.approx(track)
        arm = 0.5 * track * track
        in_series = 1.0 / (1.0 / (spring * arm + bar) + 1.0 / (tyre * arm))
        own = mass * (left.suspension_ks * arm + left.anti_roll_bar.ks * track * track)
        assert own == pytest.approx(in_series, rel=1e-4)
    for load in (1000.0, 2700.0, 5000.0):
        stiffness = 21.92 * LOAD_SENSITIVITY.stiffness(load)
        assert cornering_stiffness(wheels[0], load) == pytest.approx(stiffness, rel=2e-3)


def test_a_number_outside_its_band_is_listed_with_its_reason(tmp_path):
    checks = (
        Check("width", 3.0, "m", 1.0, 2.0, "a rule"),
        Check("depth", 3.0, "m", 1.0, 2.0, "a rule", why="It was measured wet."),
        Check("height", 1.5, "m", 1.0, 2.0, "a rule"),
    )
    chart = Chart("slope", "A slope", "x", "y", (ChartCurve("a", np.arange(3.0), np.arange(3.0)),))
    page = write_report([Section("Sizes", "Measured.", checks, (chart,))], tmp_path)
    text = page.read_text(encoding="utf-8")
    assert "| Sizes | 3 | 1 |" in text
    assert "Sizes, width: 3 m, band 1 … 2. No reason is known: a fault." in text
    assert "Sizes, depth: 3 m, band 1 … 2. It was measured wet." in text
    assert "Sizes, height" not in text
    assert (tmp_path / "validation" / "slope.svg").read_text() == draw(chart)
    assert "![A slope: y](validation/slope.svg)" in text


def test_a_band_reaches_from_the_lowest_model_to_the_highest_and_beyond_by_its_share():
    check = band_check("y", 10.4, "m", [("A", 10.0), ("B", 9.0)], share=0.05)
    assert check.is_inside
    assert not band_check("y", 10.4, "m", [("A", 10.0), ("B", 9.0)], share=0.03).is_inside
    assert check.low == pytest.approx(8.55)
    assert band_check("y", -10.4, "m", [("A", -10.0), ("B", -9.0)], share=0.05).is_inside


def test_a_chart_without_height_has_a_scale():
    level = Chart("level", "Level", "x", "y", (ChartCurve("a", np.arange(3.0), np.full(3, 2.0)),))
    assert draw(level).count("<polyline") == 2


def test_the_page_that_is_shipped_shows_all_charts():
    docs = Path(__file__).parents[3] / "docs"
    text = (docs / "validation.md").read_text(encoding="utf-8")
    shown = {line.split("(")[-1].rstrip(")") for line in text.splitlines() if line.startswith("![")}
    assert shown == {f"validation/{each.name}" for each in (docs / "validation").iterdir()}


@pytest.mark.parametrize("model", ["KS", "ST"])
@pytest.mark.parametrize("seed", range(3))
def test_own_models_move_as_commonroads_do_under_random_inputs(model, seed):
    """Over five seconds, by the same integrator: steering rates and accelerations of any size."""
    vehicles = pytest.importorskip("vehiclemodels.parameters_vehicle2").parameters_vehicle2()
    name = f"vehicle_dynamics_{model.lower()}"
    dynamics = getattr(pytest.importorskip(f"vehiclemodels.{name}"), name)
    random = np.random.default_rng(seed)
    inputs = random.uniform(-1.0, 1.0, (20, 2)) * [0.15, 4.0]

    def held(time):
        return list(inputs[min(int(time / 0.25), 19)])

    course = Oracle().drive(model, 20.0, 5.0, lambda time, state: tuple(held(time)))
    state = np.array([0.0, 0.0, 0.0, 20.0, 0.0, 0.0, 0.0][: 5 if model == "KS" else 7])
    for number in range(round(5.0 / STEP)):
        u = held(number * STEP)
        rates = [np.array(dynamics(state.tolist(), u, vehicles))]
        for share in (0.5, 0.5, 1.0):
            at = state + share * STEP * rates[-1]
            rates.append(np.array(dynamics(at.tolist(), u, vehicles)))
        state = state + STEP / 6.0 * (rates[0] + 2.0 * rates[1] + 2.0 * rates[2] + rates[3])
    found = [each[-1] for each in (course.x, course.y, course.steering, course.speed, course.yaw)]
    np.testing.assert_allclose(found, state[:5], rtol=1e-9, atol=1e-9)


def test_without_commonroads_package_the_page_does_without_mb(monkeypatch, laboratory):
    monkeypatch.setattr("autosim.applications.validation.oracle.find_spec", lambda name: None)
    alone = Laboratory(laboratory.car, Oracle())
    assert alone.oracle.names == ("KS", "ST", "ST*")
    for section in run_all(alone, (reference_turn, step_steer)):
        assert section.checks
        for check in section.checks:
            assert "MB" not in check.reference
            assert check.is_inside, check


def test_the_car_turns_within_two_percent_at_all_frequencies(monkeypatch, laboratory):
    # Without MB, which takes its time and is only drawn here.
    monkeypatch.setattr("autosim.applications.validation.oracle.find_spec", lambda name: None)
    (section,) = run_all(Laboratory(laboratory.car, Oracle()), (frequency_response,))
    assert len(section.checks) == 10
    for check in section.checks:
        assert check.is_inside, check
