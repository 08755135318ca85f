"""Springs, two-way dampers, bump stops and anti-roll bars, and how exact their steps are."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from autosim.config.descriptions import RobotDescription
from autosim.engine.step.simulation import Simulation
from autosim.kinds.actuators.wheel import AntiRollBar, WheelDevice
from autosim.kinds.bodies.box import BoxPart
from autosim.kinds.bodies.fixed_link import FixedLink
from autosim.vehicle.wheels.wheel_arrays import LENGTH, LOAD, SPEED
from tests.vehicle.rig import GRAVITY, Rig, car, flat, robot
from tests.worlds import flat_world, impreza_world

MASS, REST, KS = 1400.0, 0.2, 30.0


def with_bars(ks: float, **values: object) -> RobotDescription:
    """A car with an anti-roll bar on each axle."""
    plain = car(**values)
    bars = {"front_left": "front_right", "rear_left": "rear_right"}

    def fitted(device):
        if isinstance(device, WheelDevice) and device.name in bars:
            return replace(device, anti_roll_bar=AntiRollBar(bars[device.name], ks))
        return device

    return robot(plain.name, list(plain.parts), [fitted(each) for each in plain.devices])


def roll_angle(described: RobotDescription, *, hertz: float = 240.0) -> float:
    """Of a car that goes round in a steady circle [rad], positive to its right."""
    with Rig([described], hertz=hertz) as rig:
        rig.start(15.0)
        rig.hold_speed(5.0, 15.0, steering=0.04)
        x, y, z, w = rig.bodies.orientations[0]
        return float(np.arcsin(2.0 * (w * x + y * z)))


def test_anti_roll_bars_take_their_share_of_the_roll():
    """Roll stiffness: of springs K t²/4 a wheel, of a bar K_b t² an axle's pair."""
    plain, stiff = roll_angle(car()), roll_angle(with_bars(15.0))
    springs, bars = 4 * KS * 0.75**2, 2 * 15.0 * 2.0 * 2.0 * 0.75**2
    assert 0.01 < plain < 0.1
    # The car rolls about its tyres, so its own weight tips it a little further.
    tip = GRAVITY * (0.734 - 0.25)
    assert stiff / plain == pytest.approx((springs - tip) / (springs + bars - tip), rel=0.05)


def test_a_bar_at_the_rear_loads_its_outer_wheel_more_than_the_front():
    def rear_only(device):
        is_rear = isinstance(device, WheelDevice) and device.name == "rear_left"
        return replace(device, anti_roll_bar=AntiRollBar("rear_right", 30.0)) if is_rear else device

    plain = car()
    described = robot("rear", list(plain.parts), [rear_only(each) for each in plain.devices])
    with Rig([described]) as rig:
        rig.start(15.0)
        rig.hold_speed(5.0, 15.0, steering=0.04)
        left, right, rear_left, rear_right = rig.wheels[:, LOAD]
        assert rear_right - rear_left > 1.5 * (right - left) > 0.0


def test_bars_do_nothing_to_a_car_that_stands_level():
    loads = []
    for described in (car(), with_bars(40.0)):
        with Rig([described]) as rig:
            rig.run(1.0)
            loads.append(rig.wheels[:, LOAD].copy())
    assert loads[1] == pytest.approx(loads[0])


def bounce(**wheel: float) -> tuple[float, float]:
    """How far [m] a car swings below and then above its height of rest, let go 8 cm above it."""
    with Rig([car(**wheel)], lift=0.08) as rig:
        rest = rig.bodies.positions[0, 2] - 0.08
        heights = []
        for _ in range(360):
            rig.step()
            heights.append(rig.bodies.positions[0, 2] - rest)
        lowest = int(np.argmin(heights))
        return -heights[lowest], max(heights[lowest:])


def test_a_damper_that_is_stronger_in_rebound_lets_a_car_down_as_before_and_up_less():
    below, above = bounce(suspension_kd=3.0)
    stronger_below, stronger_above = bounce(suspension_kd=3.0, suspension_kd_rebound=9.0)
    assert stronger_above < 0.5 * above
    assert stronger_below < 1.02 * below


def test_the_bump_stop_ends_the_travel():
    """A car dropped from half a metre: pressed by the travel, and hardly further."""
    deepest = []
    for travel in (0.12, 0.2):
        stop = {"suspension_travel": travel, "bump_stop_ks": 3000.0}
        with Rig([car(suspension_kd=1.0, **stop)], lift=0.5) as rig:
            shortest = REST
            for _ in range(240):
                rig.step()
                shortest = min(shortest, rig.wheels[:, LENGTH].min())
            deepest.append(REST - shortest)
    for found, travel in zip(deepest, (0.12, 0.2), strict=True):
        assert travel < found < travel + 0.035


def test_a_wheel_hangs_no_lower_than_its_rest_length():
    with Rig([car()], lift=1.0) as rig:
        rig.step()
        assert (rig.wheels[:, LENGTH] == REST).all()


@pytest.mark.parametrize("hertz", [60, 120, 240, 480, 960])
def test_stiff_suspensions_with_all_that_there_is_come_to_rest(hertz):
    stiff = with_bars(
        100.0,
        suspension_ks=200.0,
        suspension_kd=23.0,
        suspension_kd_rebound=60.0,
        suspension_travel=0.06,
        bump_stop_ks=5000.0,
    )
    with Rig([stiff], hertz=hertz, lift=0.3) as rig:
        rig.run(4.0, brake=1.0)
        assert np.abs(rig.bodies.velocities).max() < 1e-6
        assert np.abs(rig.bodies.angular_velocities).max() < 1e-6
        assert rig.wheels[:, LOAD].sum() == pytest.approx(MASS * GRAVITY, rel=1e-6)


def wavy(x, y):
    return 0.03 * np.sin(0.7 * x) * np.cos(0.5 * y)


def end_of_drive(hertz: float, *, height=flat) -> np.ndarray:
    """Position [m] of a car after two seconds of a smooth drive."""
    with Rig([car()], hertz=hertz, height=height, half=60.0, spacing=0.5) as rig:
        rig.start(12.0)
        for step in range(round(2.0 * hertz)):
            time = step / hertz
            rig.commands[:] = (0.05 * np.sin(2.0 * time), 0.3 * np.sin(1.5 * time), 0.0)
            rig.step()
        return rig.bodies.positions[0].copy()


def test_half_the_step_makes_half_the_error():
    """Semi-implicit Euler is of first order, from 60 to 960 Hz."""
    ends = [end_of_drive(hertz) for hertz in (60, 120, 240, 480, 960)]
    changes = [float(np.linalg.norm(b - a)) for a, b in pairwise(ends)]
    orders = [np.log2(a / b) for a, b in pairwise(changes)]
    assert changes[0] < 0.3
    assert orders == pytest.approx([1.0] * 3, abs=0.25)


def energy(rig: Rig) -> float:
    """Of a car [J]: kinetic, potential, and that of its springs and wheels."""
    part = rig.parts[0]
    rig.bodies.update_rotations()
    R, turning = rig.bodies.rotations[0], rig.bodies.angular_velocities[0]
    arm = R @ np.array(part.centre_of_mass)
    velocity = rig.bodies.velocities[0] + np.cross(turning, arm)
    height = rig.bodies.positions[0, 2] + arm[2]
    x, y, z = part.size
    moments = MASS / 12.0 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    pressed = REST - rig.wheels[:, LENGTH]
    wheel = 0.012 * 0.6 * MASS * 0.316**2
    return float(
        0.5 * MASS * velocity @ velocity
        + 0.5 * moments @ (R.T @ turning) ** 2
        + MASS * GRAVITY * height
        + 0.5 * KS * MASS * (pressed @ pressed)
        + 0.5 * wheel * (rig.wheels[:, SPEED] @ rig.wheels[:, SPEED])
    )


def steep(x, y):
    return 0.15 * np.sin(0.9 * x) * np.cos(0.7 * y)


@pytest.mark.parametrize("hertz", [60, 240])
@pytest.mark.parametrize("height", [flat, wavy, steep])
def test_a_car_that_coasts_in_a_circle_gains_no_energy(height, hertz):
    """Round and round without drive: what it has at the end of each half second only falls."""
    with Rig([car()], hertz=hertz, height=height, half=60.0, spacing=0.5) as rig:
        rig.run(2.0, brake=1.0)
        rig.start(10.0)
        rig.commands[:] = (0.15, 0.0, 0.0)
        energies = []
        for step in range(round(8.0 * hertz)):
            if step % (hertz // 2) == 0:
                energies.append(energy(rig))
            rig.step()
        assert np.diff(energies[1:]).max() < 20.0
        assert energies[-1] < 0.9 * energies[1]


@pytest.mark.parametrize("slope", [(0.0, 0.0), (0.3, 0.1)])
def test_a_parked_car_does_not_shake(slope):
    with Rig([car()], slope=slope, hertz=60) as rig:
        rig.run(5.0, brake=1.0)
        poses = []
        for _ in range(120):
            rig.step()
            poses.append(np.concatenate([rig.bodies.positions[0], rig.bodies.orientations[0]]))
        assert np.ptp(poses, axis=0).max() < 1e-9


def test_a_load_on_a_fixed_link_presses_the_suspension_by_its_weight():
    world = impreza_world()
    plain = world.robots[0].robot
    cargo = BoxPart("cargo", (0.0, 0.0, 0.75), (1.0, 1.0, 0.2), mass=200.0)
    link = FixedLink("straps", "chassis", "cargo", (0.0, 0.0, 0.7))
    loaded = replace(plain, parts=(*plain.parts, cargo), links=(*plain.links, link))
    sunk = []
    for each in (plain, loaded):
        changed = replace(world, robots=(replace(world.robots[0], robot=each),))
        with Simulation(changed, compiled=flat_world(), report=lambda notice: None) as simulation:
            for _ in range(480):
                simulation.step()
            output = simulation.systems.vehicles.wheel_output
            sunk.append(output[:, LENGTH].mean())
            weight = GRAVITY * sum(part.mass for part in each.parts)
            assert output[:, LOAD].sum() == pytest.approx(weight, rel=1e-3)
    stiffness = 2 * (40.0 + 32.5) * MASS
    assert sunk[0] - sunk[1] == pytest.approx(200.0 * GRAVITY / stiffness, rel=0.1)
