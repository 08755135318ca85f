"""Propellers, against what mechanics says of them."""

from pathlib import Path

import numpy as np
import pytest

from autosim.engine.step.simulation import Simulation
from tests.server.linked_robots import box, command, record, simulation_of, value

GRAVITY = 9.81
LAG = 0.08
DRAG = 0.5 * 1.2041 * 1.05 * 0.5**2
"""[kg/m] of the air, upwards: it has sunk a little by the time the propellers turn."""
PLACES = {"fl": (-0.2, 0.2), "fr": (0.2, 0.2), "rl": (-0.2, -0.2), "rr": (0.2, -0.2)}


def propeller(
    name: str, at: tuple[float, float], *, clockwise: bool = False, torque: float = 0.0
) -> str:
    return (
        f'<Propeller name="{name}"><Part name="body"/><Position x="{at[0]}" y="0" z="{at[1]}"/>'
        f'<MaxThrust value="6"/><MaxTorque value="{torque}"/><TimeConstant value="{LAG}"/>'
        f'<Clockwise value="{str(clockwise).lower()}"/></Propeller>'
    )


BODY = box("body", size=(0.5, 0.1, 0.5), mass=1.2)
INERTIA = 1.2 * (0.5**2 + 0.5**2) / 12.0


def copter(folder: Path, *, torque: float = 0.1, **world: float) -> Simulation:
    """Four propellers, of which those across from each other turn alike."""
    devices = "".join(
        propeller(name, at, clockwise=name in ("fl", "rr"), torque=torque)
        for name, at in PLACES.items()
    )
    return simulation_of(folder, BODY, devices, **world)


def throttle(simulation: Simulation, **values: float) -> None:
    for name, share in values.items():
        command(simulation, f"r.body.{name}", share)


def test_a_copter_hovers_at_the_thrust_that_weighs_as_much(tmp_path: Path):
    share = np.sqrt(1.2 * GRAVITY / (4.0 * 6.0))
    with copter(tmp_path) as simulation:
        throttle(simulation, **dict.fromkeys(PLACES, share))
        record(simulation, 8.0 * LAG, lambda: 0.0)
        speed = record(simulation, 0.2, lambda: value(simulation, "r.body.velocity"))
        turning = value(simulation, "r.body.angular_velocity")
    gained = (speed[-1] - speed[0])[2] / 0.2 - DRAG * speed[0, 2] ** 2 / 1.2
    assert abs(gained) < 0.01 * GRAVITY
    assert turning == pytest.approx([0.0, 0.0, 0.0], abs=1e-4)


def test_thrust_follows_with_the_time_constant_of_the_motor(tmp_path: Path):
    with copter(tmp_path, gravity=0.0) as simulation:
        throttle(simulation, **dict.fromkeys(PLACES, 1.0))
        speed = record(simulation, 0.2, lambda: value(simulation, "r.body.velocity")[2])
    steps = np.arange(1, len(speed) + 1) / 240.0
    pushed = np.cumsum((1.0 - np.exp(-steps / LAG)) ** 2) / 240.0
    assert speed == pytest.approx(4.0 * 6.0 / 1.2 * pushed, rel=0.01, abs=1e-3)


def test_one_pair_turns_it_the_other_way_about(tmp_path: Path):
    with copter(tmp_path, gravity=0.0) as simulation:
        throttle(simulation, fl=1.0, rr=1.0)  # clockwise, so the body turns counter-clockwise
        record(simulation, 8.0 * LAG, lambda: 0.0)
        turning = record(simulation, 0.2, lambda: value(simulation, "r.body.angular_velocity")[2])
    assert (turning[-1] - turning[0]) / (0.2 - 1 / 240.0) == pytest.approx(
        2.0 * 0.1 / INERTIA, rel=0.01
    )


def test_backwards_it_pushes_the_other_way(tmp_path: Path):
    with copter(tmp_path, gravity=0.0) as simulation:
        throttle(simulation, **dict.fromkeys(PLACES, -1.0))
        record(simulation, 0.2, lambda: 0.0)
        assert value(simulation, "r.body.velocity")[2] < -1.0


def test_a_propeller_at_one_side_tilts_its_part(tmp_path: Path):
    with copter(tmp_path, torque=0.0, gravity=0.0) as simulation:
        throttle(simulation, fl=0.3, fr=0.3)
        record(simulation, 0.3, lambda: 0.0)
        rate = value(simulation, "r.body.angular_velocity")
    assert rate[1] < -0.1  # the front goes up: about the axis to the left, clockwise
    assert rate[[0, 2]] == pytest.approx([0.0, 0.0], abs=1e-3)


def test_its_speed_lasts_when_a_world_is_changed(tmp_path: Path):
    with copter(tmp_path) as first, copter(tmp_path) as second:
        throttle(first, **dict.fromkeys(PLACES, 0.8))
        record(first, 0.1, lambda: 0.0)
        second.restore(first.snapshot())
        one, two = (
            record(each, 0.1, lambda each=each: value(each, "r.body.velocity"))
            for each in (first, second)
        )
    assert one == pytest.approx(two, abs=1e-9)
