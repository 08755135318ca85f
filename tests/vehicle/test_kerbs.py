"""Wheels that roll over kerbs: they climb by their radius, and nothing jumps."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.arrays import Floats, Integers32
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.rays.ray_scene import RayScene
from autosim.vehicle.wheels.wheel_arrays import LENGTH, LOAD
from tests.vehicle.rig import Rig, car

KERB = 0.15
RADIUS = 0.316


def kerb(degrees: float, *, ahead: float = 5.0, height: float = KERB) -> tuple[Floats, Integers32]:
    """A step up along a line that lies `ahead` [m] and turned by `degrees` from straight across."""
    turn, far = np.radians(degrees), 100.0
    across, along = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])

    def corner(u: float, v: float, z: float) -> list[float]:
        return [*(np.array([ahead, 0.0]) + u * across + v * along), z]

    low = [corner(u, v, 0.0) for u in (-far, 0.0) for v in (-far, far)]
    high = [corner(u, v, height) for u in (0.0, far) for v in (-far, far)]
    triangles = [[0, 2, 3], [0, 3, 1], [2, 4, 5], [2, 5, 3], [4, 6, 7], [4, 7, 5]]
    return np.array(low + high), np.array(triangles, dtype=np.int32)


def roll(rig: Rig, seconds: float, *, speed: float) -> Floats:
    """Loads (n, 4) [N] of a car that is held at a speed [m/s]."""
    loads = []
    for _ in range(round(seconds / rig.step_seconds)):
        push = np.clip(3.0 * (speed - rig.bodies.velocities[0, 0]), -1.0, 1.0)
        rig.commands[:] = (0.0, push, 0.0)
        rig.step()
        loads.append(rig.wheels[:, LOAD].copy())
    return np.array(loads)


@pytest.mark.parametrize("degrees", [0, 15, 30, 45, 60, 75])
def test_a_car_rolls_up_a_kerb_at_any_angle_and_no_load_jumps(degrees):
    jumps = []
    for hertz in (120, 480):
        with Rig([car()], surface=kerb(degrees), hertz=hertz) as rig:
            rig.start(1.0)
            before = rig.bodies.positions[0, 2]
            loads = roll(rig, 16.0, speed=1.0)
            assert rig.bodies.positions[0, 2] == pytest.approx(before + KERB, abs=0.002)
            assert abs(rig.bodies.positions[0, 1]) < 1.0
            assert loads.max() < 12_000.0
            jumps.append(np.abs(np.diff(loads, axis=0)).max())
    # What does not jump changes by a quarter in a quarter of the time.
    assert jumps[1] < 0.4 * jumps[0] < 800.0


@pytest.mark.parametrize(("force", "climbs"), [(3000.0, False), (11_000.0, True)])
@pytest.mark.parametrize("driven", ["front", "rear"])
def test_a_car_that_stands_at_a_kerb_climbs_it_with_the_force_that_statics_asks_for(
    driven, force, climbs
):
    """A rigid wheel that is pushed asks for W √(2 R h − h²) / (R − h), which is 11 kN here."""
    robot = car()
    devices = (
        replace(each, is_powered=each.name.startswith(driven))
        if isinstance(each, WheelDevice)
        else replace(each, motor_force=force)
        for each in robot.devices
    )
    robot = replace(robot, devices=tuple(devices))
    with Rig([robot], surface=kerb(0.0, ahead=1.26 + 0.3)) as rig:
        rig.run(0.5, brake=1.0)
        before = rig.bodies.positions[0, 2]
        for step in range(900):
            rig.commands[:] = (0.0, min(step / 480.0, 1.0), 0.0)
            rig.step()
            if rig.bodies.positions[0, 0] > 4.0:
                break
        risen = rig.bodies.positions[0, 2] - before
        assert (risen > 0.14) == climbs
        assert climbs or abs(rig.bodies.velocities[0, 0]) < 0.1


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_car_beside_a_kerb_rolls_on_along_it(side):
    vertices, triangles = kerb(90.0, ahead=0.0)
    vertices[:, 1] = side * (vertices[:, 1] + 1.2)
    with Rig([car()], surface=(vertices, triangles), places=[(0.0, 0.0)]) as rig:
        rig.start(2.0)
        height = rig.bodies.positions[0, 2]
        loads = roll(rig, 5.0, speed=2.0)
        assert rig.bodies.positions[0, 2] == pytest.approx(height, abs=1e-3)
        assert np.abs(np.diff(loads, axis=0)).max() < 30.0


def test_a_car_that_slides_sideways_onto_a_kerb_is_lifted_over_the_width_of_its_tyres():
    with Rig([car(width=0.2)], surface=kerb(90.0, ahead=0.0)) as rig:
        lengths = []
        for y in np.linspace(-1.2, -0.4, 81):  # the left wheels stand at 0.75 m
            rig.physics.place(
                0,
                position=np.array([0.0, y, 0.75]),
                orientation=np.array([0.0, 0.0, 0.0, 1.0]),
                velocity=np.zeros(3),
                angular_velocity=np.zeros(3),
            )
            rig.read()
            rig.vehicles.actuate(rig.all_commands)
            lengths.append(rig.wheels[0, LENGTH])
        change = np.abs(np.diff(lengths))
        assert lengths[0] - lengths[-1] == pytest.approx(KERB, abs=0.06)
        assert change.max() < 0.11


def test_a_wheel_feels_a_kerb_as_far_ahead_as_a_circle_touches_it():
    """A disc of radius r meets an edge of height h when that is √(2 r h - h²) ahead of its axle."""
    touch = np.sqrt(2.0 * RADIUS * KERB - KERB**2)
    half_patch = 0.15 * RADIUS
    for gap, is_felt in ((touch + half_patch + 0.01, False), (touch + half_patch - 0.01, True)):
        with Rig([car()], surface=kerb(0.0, ahead=1.26 + gap)) as rig:
            level = rig.wheels[2, LENGTH]
            rig.vehicles.actuate(rig.all_commands)
            level, ahead = rig.wheels[2, LENGTH], rig.wheels[0, LENGTH]
            assert (ahead < level - 1e-5) == is_felt


def test_a_wall_higher_than_the_axle_is_left_to_the_body():
    with Rig([car()], surface=kerb(0.0, ahead=1.26 + 0.2, height=1.0)) as rig:
        rig.vehicles.actuate(rig.all_commands)
        assert rig.wheels[0, LENGTH] == pytest.approx(rig.wheels[2, LENGTH], abs=1e-9)


def test_fine_and_coarse_triangles_of_one_plane_carry_the_same():
    loads = []
    for spacing in (20.0, 0.35):
        with Rig([car()], slope=(0.05, 0.02), half=6.0, spacing=spacing, hertz=120) as rig:
            rig.run(1.0, brake=1.0)
            loads.append(rig.wheels[:, LOAD].copy())
    assert loads[0] == pytest.approx(loads[1], rel=1e-6)


def test_what_is_kept_of_the_ground_does_not_change_where_wheels_touch_it():
    """A wheel that came a long way and one that was put there feel the same."""

    def rough(x: Floats, y: Floats) -> Floats:
        return 0.2 * np.sin(2.0 * x) * np.cos(3.0 * y)

    with Rig([car()], height=rough, half=30.0, spacing=0.5) as rig:
        rig.start(8.0)
        for _ in range(200):
            rig.step()
        rig.vehicles.actuate(rig.all_commands)
        came = rig.wheels[:, LENGTH].copy()
        fresh = RayScene(rig.meshes)
        again = rig.make_vehicles(fresh)
        again.turn_wheels(rig.wheels)
        again.actuate(rig.all_commands)
        assert np.array_equal(again.wheel_output[:, LENGTH], came)


@pytest.mark.parametrize("degrees", [0.0, 45.0])
def test_the_slope_that_a_wheel_climbs_adds_up_to_the_kerb(degrees):
    """A load that stays the same does the work of lifting its wheel: no energy comes or goes."""
    with Rig([car()], surface=kerb(degrees, ahead=1.26)) as rig:
        heights, slopes = [], []
        for x in np.arange(-1.5, 1.5, 0.005):
            rig.physics.place(
                0,
                position=np.array([x, 0.0, 0.75]),
                orientation=np.array([0.0, 0.0, 0.0, 1.0]),
                velocity=np.zeros(3),
                angular_velocity=np.zeros(3),
            )
            rig.read()
            rig.vehicles.actuate(rig.all_commands)
            normal = rig.vehicles.wheel_state.normal[0]
            heights.append(-rig.wheels[0, LENGTH])
            slopes.append(-normal[0] / normal[2])
        climbed = np.sum(slopes) * 0.005
        assert heights[-1] - heights[0] == pytest.approx(KERB, abs=1e-6)
        assert climbed == pytest.approx(KERB, rel=0.02)
        assert np.abs(np.diff(slopes)).max() < 0.15
