"""Ride over a bump, compared with a half car of springs and dampers."""

import numpy as np

from autosim.applications.validation.laboratory import SETTLING, Laboratory
from autosim.applications.validation.proving_ground import ProvingGround, holding_speed, strip
from autosim.applications.validation.results import Chart, ChartCurve, Check, Section
from autosim.arrays import Floats
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.kind import body_of

HEIGHT, LENGTH, BEGIN = 0.04, 4.0, 60.0
"""[m] of the bump, and where it begins: as high as a speed cushion, and so long that all of a
wheel's contact meets it."""

SPEED, SECONDS = 8.0, 10.0
"""[m/s] and [s] of the ride: over the bump at a town's speed, and until the car is calm."""


def bump(along: Floats) -> Floats:
    """Height (n,) [m] of the road: half a period of a cosine, up and down."""
    share = np.clip((along - BEGIN) / LENGTH, 0.0, 1.0)
    height: Floats = 0.5 * HEIGHT * (1.0 - np.cos(2.0 * np.pi * share))
    return height


def cosine_bump(laboratory: Laboratory) -> Section:
    """Over a cosine bump, heave and pitch against a linear half car."""
    along = np.concatenate([[-100.0], np.linspace(BEGIN, BEGIN + LENGTH, 81), [400.0]])
    with ProvingGround(laboratory.car, strip(bump, along)) as track:
        track.start(SPEED)
        track.drive(SETTLING, holding_speed(SPEED, lambda track: 0.0))
        level = track.sample()
        run = track.drive(SECONDS, holding_speed(SPEED, lambda track: 0.0))
    time = run["time"] - level.time
    heave, pitch = run["z"] - level.z, run["pitch"] - level.pitch
    expected = _half_car(laboratory, run["x"], time)
    checks = tuple(
        Check(
            what,
            value,
            unit,
            0.9 * reference,
            1.1 * reference,
            f"half car {reference:.4g} {unit} ± 10 %",
        )
        for what, value, reference, unit in (
            ("greatest heave", float(heave.max()), float(expected[:, 0].max()), "m"),
            ("greatest nose up", float(pitch.max()), float(expected[:, 1].max()), "rad"),
            ("greatest nose down", float(-pitch.min()), float(-expected[:, 1].min()), "rad"),
        )
    )
    shown = (time > 6.0) & (time < 9.5)
    charts = tuple(
        Chart(
            name,
            f"Over a bump of {1000 * HEIGHT:g} mm at {SPEED:g} m/s",
            "time [s]",
            f"{label} [{unit}]",
            (
                ChartCurve("bmw_320i", time[shown], values[shown]),
                ChartCurve("half car", time[shown], own[shown]),
            ),
        )
        for name, label, unit, values, own in (
            ("heave", "heave", "m", heave, expected[:, 0]),
            ("pitch", "nose up", "rad", pitch, expected[:, 1]),
        )
    )
    text = (
        f"A cosine bump {1000 * HEIGHT:g} mm high and {LENGTH:g} m long at {SPEED:g} m/s. The "
        "half car has the same mass, pitch inertia, springs and dampers, and follows the road with "
        "points; it is linear and integrated by itself."
    )
    return Section("Ride over a cosine bump", text, checks, charts)


def _half_car(laboratory: Laboratory, way: Floats, time: Floats) -> Floats:
    """Heave [m] and pitch [rad], rows by `time`, where the centre of mass is at `way` [m]."""
    body = body_of(laboratory.car.parts[0])
    mass, inertia, centre = body.mass, body.moments[1], body.centre_of_mass[0]
    wheels = [each for each in laboratory.car.devices if isinstance(each, WheelDevice)]
    arms = np.array([each.position[0] - centre for each in wheels])
    springs = mass * np.array([each.suspension_ks for each in wheels])
    dampers = mass * np.array([each.suspension_kd for each in wheels])
    roads = bump(way[:, None] + arms)
    rates = np.gradient(roads, time, axis=0)
    state, states = np.zeros(4), []
    for road, rate, step in zip(roads, rates, np.diff(time, prepend=0.0).tolist(), strict=True):
        # Semi-implicit, in the steps of the track: a quarter of a percent at these frequencies.
        heave, pitch, rise, turn = state
        pushed = springs * (road - heave - arms * pitch) + dampers * (rate - rise - arms * turn)
        rise += step * pushed.sum() / mass
        turn += step * (arms * pushed).sum() / inertia
        state = np.array([heave + step * rise, pitch + step * turn, rise, turn])
        states.append(state)
    return np.array(states)
