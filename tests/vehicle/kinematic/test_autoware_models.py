"""The models of Autoware against published values and closed forms."""

import numpy as np
import pytest

from autosim.kinds.kinematic.model_catalogue import MODELS
from autosim.kinds.kinematic.model_parameters import MECHANISM
from autosim.vehicle.runs.kinematic_run import drive
from tests.vehicle.kinematic.drives import STEP, inputs, run, vehicle

GOLDEN = {
    0.100: (0, 0, 0, 0, 0, 0),
    0.125: (0.000024414, 0, 0, 0.002880859, 0, 0.221191406),
    0.275: (0.006074639, 0.000000005, 0.000006883, 0.092378614, 0.017687028, 0.826213857),
    0.500: (0.049816804, 0.000024436, 0.001351346, 0.301831858, 0.120767065, 0.981681422),
    1.000: (0.324983555, 0.002579222, 0.018155468, 0.800012345, 0.187564672, 0.999876546),
    2.000: (1.621817541, 0.086214999, 0.111333024, 1.800000001, 0.199693691, 0.999999994),
}
"""Time [s]: x, y, yaw, velocity, steering angle, acceleration."""

DELAYED = ("DELAY_STEER_ACC", "DELAY_STEER_ACC_GEARED", "DELAY_STEER_MAP_ACC_GEARED")
ACTUATED = (
    *("ACTUATION_CMD", "ACTUATION_CMD_STEER_MAP"),
    *("ACTUATION_CMD_VGR", "ACTUATION_CMD_MECHANICAL"),
)
PUSHED = (*DELAYED, *ACTUATED)
STEERED_LATE = (*DELAYED, "ACTUATION_CMD", "DELAY_STEER_VEL")


def test_a_start_from_rest_has_the_published_values():
    motion = run("DELAY_STEER_ACC_GEARED", (0, 0.2, 1.0, "DRIVE"))
    for time, expected in GOLDEN.items():
        row = motion.table[round(time / STEP)]
        assert row[1:] == pytest.approx(expected, abs=1e-9)


def after(delay, time):
    """Time [s] since the steps of a dead time are over."""
    return np.maximum(time - int(delay / STEP + 0.5) * STEP, 0.0)


@pytest.mark.parametrize("model", STEERED_LATE)
def test_the_steering_follows_its_closed_form(model):
    motion = run(model, (0, 0.2, 0.0, "DRIVE"), kind=MODELS[model].drive)
    expected = 0.2 * (1.0 - np.exp(-after(0.24, motion.column("time")) / 0.27))
    assert np.abs(motion.column("steering") - expected).max() < 2e-5


@pytest.mark.parametrize("model", PUSHED)
def test_acceleration_and_velocity_follow_their_closed_forms(model):
    motion = run(model, (0, 0.0, 1.0, "DRIVE"))
    time = after(0.1, motion.column("time"))
    decayed = 1.0 - np.exp(-time / 0.1)
    assert np.abs(motion.column("acceleration") - decayed).max() < 2e-5
    assert np.abs(motion.column("velocity") - (time - 0.1 * decayed)).max() < 2e-5


def test_a_velocity_is_reached_to_63_percent_after_dead_time_and_time_constant():
    delay, lag = 0.25, 0.5
    motion = run("DELAY_STEER_VEL", (0, 0.0, 2.0), kind="velocity", vel_time_constant=lag)
    reached = motion.column("velocity")[round((delay + lag) / STEP)]
    assert reached == pytest.approx(2.0 * (1.0 - np.exp(-1.0)), abs=2e-5)


def test_a_rate_of_velocity_is_limited():
    motion = run("DELAY_STEER_VEL", (0, 0.0, 50.0), kind="velocity", seconds=1.0)
    assert motion.column("acceleration").max() == pytest.approx(7.0)


def test_an_ideal_vehicle_drives_the_circle_of_its_wheelbase():
    motion = run("IDEAL_STEER_VEL", (0, 0.3, 5.0), kind="velocity", seconds=4.0)
    radius = 2.79 / np.tan(0.3)
    away = np.hypot(motion.column("x"), motion.column("y") - radius)
    assert away == pytest.approx(radius, abs=1e-5)


def test_an_ideal_vehicle_has_its_acceleration_at_once():
    motion = run("IDEAL_STEER_ACC", (0, 0.0, 2.0), seconds=1.0)
    assert motion.column("velocity") == pytest.approx(2.0 * motion.column("time"))
    assert motion.column("x") == pytest.approx(motion.column("time") ** 2)


GEARED = [each.name for each in MODELS.values() if each.is_geared]


@pytest.mark.parametrize("model", GEARED)
def test_a_geared_vehicle_never_moves_against_its_gear(model):
    forwards = run(model, (0, 0.1, 1.0, "DRIVE"), (1, 0.1, -3.0, "DRIVE"), seconds=4.0)
    assert forwards.column("velocity").min() >= 0.0
    assert forwards.column("velocity")[-1] == 0.0
    assert np.ptp(forwards.column("x")[-10:]) == 0.0
    sense = -1.0 if model in ACTUATED else 1.0
    backwards = run(model, (0, 0.1, -sense, "REVERSE"), (1, 0.1, 3.0 * sense, "REVERSE"))
    assert backwards.column("velocity").min() < -0.5
    assert backwards.column("velocity").max() <= 0.0


@pytest.mark.parametrize("model", GEARED)
def test_a_vehicle_that_shifts_to_reverse_as_it_rolls_moves_alike_at_any_step(model):
    """It stops at once, as Autoware's does, and starts again from rest."""
    back = 0.5 if model in ACTUATED else -0.5
    rows = (0, 0.0, 3.0, "DRIVE"), (1.5, 0.0, 0.0, "DRIVE"), (2, 0.0, back, "REVERSE")
    last = []
    for step in (1.0 / 240.0, 0.025, 0.1):
        motion = run(model, *rows, seconds=4.0, step=step)
        time, velocity = motion.column("time"), motion.column("velocity")
        assert velocity[time < 1.99].max() > 4.0
        after = velocity[time > 2.0 + 0.5 * step]
        assert -0.5 * step - 1e-9 <= after[0] <= 0.0
        assert np.diff(after).max() <= 1e-9
        last.append(after[-1])
    assert last == pytest.approx(len(last) * [last[0]], abs=0.06)
    assert last[0] == pytest.approx(-0.9, abs=0.11)


@pytest.mark.parametrize("gear", ["PARK", "NONE", "NEUTRAL"])
def test_in_another_gear_a_vehicle_stands(gear):
    motion = run("DELAY_STEER_ACC_GEARED", (0, 0.0, 2.0, "DRIVE"), (1, 0.0, 2.0, gear))
    stop = round(1.0 / STEP) + 1
    assert not motion.column("velocity")[stop:].any()
    before = motion.column("velocity")[stop - 1]
    assert motion.column("acceleration")[stop] == pytest.approx(-before / STEP)
    assert motion.column("x")[stop] == motion.column("x")[stop - 1]


def test_without_a_fall_guard_the_acceleration_is_a_pedal():
    rows = (0, 0.0, 1.0, "REVERSE"), (1, 0.0, -1.0, "REVERSE")
    motion = run("DELAY_STEER_ACC_GEARED_WO_FALL_GUARD", *rows, seconds=4.0)
    assert motion.column("velocity").min() < -0.7
    assert motion.column("velocity")[-1] == 0.0


def test_the_steering_does_not_move_within_its_dead_band():
    motion = run("DELAY_STEER_ACC", (0, 0.2, 0.0), seconds=4.0, steer_dead_band=0.05)
    assert motion.column("steering")[-1] == pytest.approx(0.15, abs=1e-4)
    assert not run("DELAY_STEER_ACC", (0, 0.04, 0.0), steer_dead_band=0.05).column("steering").any()


def test_a_biased_steering_measures_what_was_asked_for_and_has_less():
    motion = run("DELAY_STEER_ACC", (0, 0.2, 2.0), seconds=5.0, steer_bias=0.05)
    time, yaw = motion.column("time"), motion.column("yaw")
    turning = (yaw[-1] - yaw[-2]) / (time[-1] - time[-2])
    assert motion.column("steering")[-1] == pytest.approx(0.2, abs=1e-4)
    speed = motion.column("velocity")[-2:].mean()
    assert turning == pytest.approx(speed * np.tan(0.15) / 2.79, rel=1e-3)


def test_scalings_act_on_what_is_asked_for():
    scaled = {"debug_acc_scaling_factor": 0.5, "debug_steer_scaling_factor": 2.0}
    motion = run("DELAY_STEER_ACC", (0, 0.1, 2.0), seconds=4.0, **scaled)
    assert motion.table[-1, 5:] == pytest.approx((0.2, 1.0), abs=1e-4)


def test_slip_widens_a_curve_with_the_square_of_the_speed():
    rows = (0, 0.1, 10.0), (1, 0.1, 10.0)
    plain, slipping = (
        run("DELAY_STEER_VEL", *rows, kind="velocity", seconds=10.0, stability_factor=factor)
        for factor in (0.0, 0.002)
    )
    turns = [np.diff(each.column("yaw"))[-1] for each in (plain, slipping)]
    assert turns[0] / turns[1] == pytest.approx(1.0 + 0.002 * 10.0**2, rel=1e-6)


def test_limits_hold():
    motion = run("DELAY_STEER_ACC", (0, 3.0, 100.0), seconds=12.0)
    assert motion.column("velocity").max() == 50.0
    assert motion.column("acceleration").max() <= 7.0
    assert motion.column("steering").max() == pytest.approx(1.0)
    assert np.diff(motion.column("steering")).max() <= 5.0 * STEP + 1e-12


def test_a_map_says_what_comes_of_an_acceleration():
    table = "default,0,10\n-4,-4,-2\n0,0,0\n4,4,2\n"
    values = {"acceleration_map_path": table}
    motion = run("DELAY_STEER_MAP_ACC_GEARED", (0, 0.0, 2.0, "DRIVE"), seconds=20.0, **values)
    speed, expected = motion.column("velocity")[-1], motion.column("acceleration")[-1]
    assert speed > 10.0
    assert expected == pytest.approx(1.0, abs=1e-3)


def test_accelerator_and_brake_are_turned_into_acceleration_by_their_maps():
    values = {
        "accel_map_path": "default,0,50\n0,0,0\n0.5,1,1\n1,3,3\n",
        "brake_map_path": "default,0,50\n0,0,0\n1,-4,-4\n",
    }
    accelerated = run("ACTUATION_CMD", (0, 0.0, 0.75, "DRIVE"), **values)
    assert accelerated.column("acceleration")[-1] == pytest.approx(2.0, abs=1e-5)
    rows = inputs((0, 0, 0.75), (2, 0, 0.0), brake=np.array([0.0, 0.5]))
    braked = drive(vehicle("ACTUATION_CMD", **values), rows, step_seconds=STEP, steps=140)
    assert braked.column("acceleration")[-1] == pytest.approx(-2.0, abs=2e-3)


def test_the_angle_of_a_steering_wheel_turns_the_wheels_by_a_ratio_that_varies():
    """a + b v² - c |angle of the steering wheel|, here at rest and at 10 m/s."""
    rows = (0, 4.0, 0.0, "DRIVE"), (5, 4.0, 0.0, "DRIVE")
    still = run("ACTUATION_CMD_VGR", *rows, seconds=5.0)
    assert still.column("steering")[-1] == pytest.approx(4.0 / (15.713 - 0.042 * 4.0), abs=1e-5)
    rows = (0, 0.0, 5.0, "DRIVE"), (2.0, 4.0, 0.0, "DRIVE")
    rolling = run("ACTUATION_CMD_VGR", *rows, seconds=8.0)
    speed = rolling.column("velocity")[-1]
    ratio = 15.713 + 0.053 * speed**2 - 0.042 * 4.0
    assert speed > 9.0
    assert rolling.column("steering")[-1] == pytest.approx(4.0 / ratio, abs=1e-5)


def test_a_steering_map_says_at_which_rate_the_wheels_turn():
    table = "default,0,10\n-2,-0.054,-0.027\n0,0,0\n2,0.054,0.027\n"
    values = {"steer_map_path": table, "steer_time_delay": 0.0}
    motion = run("ACTUATION_CMD_STEER_MAP", (0, 1.0, 0.0, "DRIVE"), seconds=3.0, **values)
    assert motion.column("steering")[-1] == pytest.approx(3.0 * 0.027 / 0.27)


def mechanism_after(wanted, seconds, step=1e-4):
    """Angle [rad] of the steering of ACTUATION_CMD_MECHANICAL at rest, by Euler's method."""
    values = {each.name.split(".")[-1]: each.default for each in MECHANISM}
    kp, ki, kd, ff = (values[name] for name in ("kp", "ki", "kd", "ff_gain"))
    powers = [values[f"poly_{each}"] for each in "abch"]
    inertia, damping = values["inertia"], values["damping"]
    stiffness, friction = values["stiffness"], values["friction"]
    angle = rate = total = 0.0
    for _ in range(round(seconds / step)):
        error = wanted - angle
        total += step * error
        asked = kp * error + ki * total - kd * rate + ff * wanted
        torque = float(np.clip(np.polyval(powers, asked), -30.0, 30.0))
        rubbed = friction if rate >= 0.0 else -friction
        rate += step * (torque - damping * rate - stiffness * angle - rubbed) / inertia
        angle += step * rate
    return angle


@pytest.mark.parametrize("step", [1.0 / 240.0, 0.025])
def test_a_mechanical_steering_turns_as_its_equations_say(step):
    wanted = 2.0 / (15.713 - 0.042 * 2.0)
    rows = (0, 2.0, 0.0, "DRIVE")
    values = {"steer_time_delay": 0.0}
    motion = run("ACTUATION_CMD_MECHANICAL", rows, seconds=3.0, step=step, **values)
    time, angle = motion.column("time"), motion.column("steering")
    for at in (0.25, 0.5, 1.0, 3.0):
        # It moves from the second step on, and is asked for the final angle as it gets there.
        found = float(np.interp(at + step, time, angle))
        assert found == pytest.approx(mechanism_after(wanted, at), abs=0.004)
    assert angle[-1] == pytest.approx(wanted, abs=0.003)
