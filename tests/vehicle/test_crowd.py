"""Many robots at once: nothing bursts, nothing differs from one run to the next."""

import hashlib
import subprocess
import sys

import numpy as np
import pytest

from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.bodies.box import BoxPart
from autosim.kinds.bodies.spherical_link import SphericalLink
from autosim.vehicle.wheels.wheel_arrays import LOAD
from tests.paths import ROOT
from tests.vehicle.rig import GRAVITY, Rig, car, robot, wheel


def rough(x, y):
    return 0.8 * np.sin(x / 9.0) * np.cos(y / 7.0) + 0.15 * np.sin(x * 1.3 + y * 2.1)


def crowd(count: int, *, apart: float = 12.0, hertz: float = 240.0) -> Rig:
    side = int(np.ceil(np.sqrt(count)))
    places = [(apart * (i % side - side / 2), apart * (i // side - side / 2)) for i in range(count)]
    robots = [car(name=f"car{i}") for i in range(count)]
    return Rig(robots, places=places, height=rough, half=150.0, spacing=2.0, hertz=hertz)


def drive_wildly(rig: Rig, seconds: float) -> float:
    """Random commands, new four times a second; returns the greatest speed [m/s]."""
    random, fastest = np.random.default_rng(7), 0.0
    for step in range(round(seconds / rig.step_seconds)):
        if step % round(0.25 / rig.step_seconds) == 0:
            low, high = [-0.6, 0.3, -9.0], [0.6, 1.0, 1.0]
            rig.commands[:] = random.uniform(low, high, rig.commands.shape)
        rig.step()
        fastest = max(fastest, float(np.abs(rig.bodies.velocities).max()))
    return fastest


@pytest.mark.parametrize("hertz", [60, 240])
def test_a_hundred_wild_cars_on_rough_ground_stay_in_the_world(hertz):
    with crowd(100, hertz=hertz) as rig:
        fastest = drive_wildly(rig, 5.0)
        assert np.isfinite(rig.bodies.positions).all()
        assert np.isfinite(rig.wheels).all()
        assert 5.0 < fastest < 30.0
        assert (rig.bodies.positions[:, 2] > -1.5).all()


def digest_of_a_crowd() -> str:
    """SHA-256 over all steps of cars that also bump into each other."""
    digest = hashlib.sha256()
    with crowd(16, apart=5.0) as rig:
        for _ in range(20):
            drive_wildly(rig, 0.1)
            digest.update(rig.bodies.positions.tobytes() + rig.wheels.tobytes())
            digest.update(rig.physics.contacts().tobytes())
    return digest.hexdigest()


def test_two_runs_and_another_process_give_the_same_bits():
    first = digest_of_a_crowd()
    assert digest_of_a_crowd() == first
    script = "from tests.vehicle.test_crowd import digest_of_a_crowd; print(digest_of_a_crowd())"
    root = ROOT
    other = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    assert other.stdout.split()[-1] == first


def test_wheels_do_not_stand_on_other_robots():
    with Rig([car(), car()], places=[(0.0, 0.0), (0.4, 0.3)], lift=0.0) as rig:
        rig.vehicles.actuate(rig.all_commands)
        with Rig([car()]) as alone:
            alone.vehicles.actuate(alone.all_commands)
            assert rig.wheels[:4, LOAD] == pytest.approx(alone.wheels[:, LOAD])


def car_with_trailer():
    towing = car()
    devices = [
        *towing.devices,
        DriveActuator("trailer_drive", "trailer", brake_force=8.0),
        wheel("left", 0.0, 0.8, part="trailer", drive_actuator="trailer_drive"),
        wheel("right", 0.0, -0.8, part="trailer", drive_actuator="trailer_drive"),
    ]
    place, size, centre = (-5.0, 0.0, 0.0), (3.0, 1.7, 0.9), (0.2, 0.0, -0.2)
    trailer = BoxPart("trailer", place, size, mass=700.0, centre_of_mass=centre)
    hitch = SphericalLink("hitch", "chassis", "trailer", HITCH)
    return robot("combination", [towing.parts[0], trailer], devices, [hitch])


HITCH = (-2.7, 0.0, -0.3)


def hitch_gap(rig: Rig) -> float:
    """Distance [m] of the hitch's two halves."""
    rig.bodies.update_rotations()
    p, R = rig.bodies.positions, rig.bodies.rotations
    ball = p[0] + R[0] @ np.array(HITCH)
    socket = p[1] + R[1] @ (np.array(HITCH) - [-5.0, 0.0, 0.0])
    return float(np.linalg.norm(ball - socket))


@pytest.mark.parametrize("hertz", [60, 240])
def test_a_trailer_follows_and_stops_with_the_car(hertz):
    with Rig([car_with_trailer()], hertz=hertz) as rig:
        rig.run(2.0)
        assert rig.wheels[:, LOAD].sum() == pytest.approx(2100.0 * GRAVITY, rel=1e-3)
        widest = 0.0
        for angle in np.linspace(0.0, 6.0, 60):
            rig.run(0.1, drive=1.0, steering=0.15 * np.sin(angle))
            widest = max(widest, hitch_gap(rig))
        assert widest < 0.003
        assert np.linalg.norm(rig.bodies.velocities[:, :2], axis=1) == pytest.approx(10.0, rel=0.15)
        rig.run(6.0, brake=1.0)
        assert rig.bodies.velocities == pytest.approx(0.0, abs=1e-4)
