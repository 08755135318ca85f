"""Drives of the racer whose sensors and actuators are late: with projection and without.

`tests/test_late_race.py` compares them, and `scripts/draw_projection.py` draws them.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from autosim.applications.run.demo import wheel_places
from autosim.arrays import Floats
from autosim.config.descriptions import PlacedRobot, WorldDescription
from autosim.config.noise_records import Delay, WhiteGaussianNoise
from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_world
from autosim.model.belief import StateEstimate, state_words, truth_of
from autosim.tracks.cone_track import Cone, ConeTrack, is_cone, track_between
from autosim.tracks.nearest_points import nearest_points
from tests.paths import ROOT

SEEDS = range(10)

LATENCY = 0.1
"""Time [s] from a measurement to the program, and again from its command to the wheels."""

NOISE = 2.0
"""Factor on the noise of all sensors of the shipped car."""

SPEED = 14.0
"""Speed [m/s] that is wanted."""

GRIP, BRAKING = 9.0, 3.0
"""Accelerations [m/s²] up to which plans go, to the side and in braking: together four fifths of
what the tyres hold."""

START, SECONDS = 70.0, 12.0
"""Distance along the track [m] at which a drive starts, and how long [s] it takes at most: a
straight on which the car comes up to speed, and bends to both sides."""

SHOWN = 5.0, 125.0
"""Distances [m] behind and ahead of the start within which cones stand: the rest is not seen."""

INTERVAL = 0.05
"""Time [s] between two samples."""


@dataclass(frozen=True, slots=True)
class LateDrive:
    """Where a car was.

    samples: (n, 4) x, y, z [m] in W and yaw [rad]; room: (n,) how far inside the cones [m] the
    wheel was that was nearest to them, below 0 outside; speeds: (n,) [m/s].
    """

    samples: Floats
    room: Floats
    speeds: Floats

    @property
    def leaves_the_track(self) -> bool:
        """Whether a wheel was outside the cones."""
        return bool((self.room < 0.0).any())


@cache
def race_world() -> WorldDescription:
    """The shipped world of cones."""
    return load_world(ROOT / "worlds" / "cone_track.xml")


@cache
def race_track() -> ConeTrack:
    """Its track."""
    objects = race_world().objects
    track = track_between(Cone(each.name, *each.position[:2]) for each in objects)
    assert track is not None
    return track


def late_drive(seed: int, *, is_projected: bool) -> LateDrive:
    """A drive with late devices, which ends where the car leaves the track.

    Raises:
        AssertionError: the program has failed.
    """
    reports: list[Any] = []
    world = _late_world(is_projected=is_projected)
    car = world.robots[0]
    samples, speeds, room = [], [], []
    with Simulation(world, seed=seed, report=reports.append) as simulation:
        simulation.start()
        node = truth_of(simulation.tree, car.name)
        every = round(INTERVAL / simulation.step_seconds)
        while simulation.state.time < SECONDS and not (room and room[-1] < 0.0):
            for _ in range(every):
                simulation.step()
            state = simulation.state
            truth = StateEstimate.of(state_words(state.floats, node), state.time)
            x, y, z, w = truth.orientation
            yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
            samples.append([*truth.position, float(yaw)])
            speeds.append(float(np.hypot(*truth.velocity[:2])))
            room.append(_room(np.array(samples[-1:]), car))
    assert not [each for each in reports if each.level == "error"], reports
    return LateDrive(np.array(samples), np.array(room), np.array(speeds))


def _late_world(*, is_projected: bool) -> WorldDescription:
    world, centre = race_world(), race_track().centre
    (car,) = world.robots
    devices = tuple(_late(each) for each in car.robot.devices)
    place, ahead = centre.at([START, START + 0.5])
    x, y = place.tolist()
    how = "projected" if is_projected else "stale"
    car = replace(
        car,
        robot=replace(car.robot, devices=devices),
        position=(x, y, None),
        yaw=float(np.arctan2(*(ahead - place)[::-1])),
        program_arguments=("cones", f"{SPEED:g}", how, f"{GRIP:g}", f"{BRAKING:g}"),
    )
    cones = [each for each in world.objects if is_cone(each.name)]
    stations = nearest_points(centre, np.array([each.position[:2] for each in cones])).distance
    shown = (stations > START - SHOWN[0]) & (stations < START + SHOWN[1])
    objects = tuple(cone for cone, is_shown in zip(cones, shown, strict=True) if is_shown)
    return replace(world, robots=(car,), objects=objects)


def _late(device: Any) -> Any:
    """The device with the latency and the noise of these drives."""
    noises = tuple(map(_worse, getattr(device, "noises", ())))
    return replace(device, noises=noises) if noises else device


def _worse(noise: Any) -> Any:
    if isinstance(noise, Delay):
        return replace(noise, seconds=LATENCY)
    if isinstance(noise, WhiteGaussianNoise):
        return replace(noise, range=NOISE * noise.range)
    return noise


def _room(sample: Floats, car: PlacedRobot) -> float:
    wheels = wheel_places(sample, car.robot).reshape(-1, 2)
    place = nearest_points(race_track().centre, wheels)
    return float(race_track().room(place.distance, place.offset).min())
