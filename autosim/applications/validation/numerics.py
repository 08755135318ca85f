"""Influence of the step size, and conservation of energy and momentum."""

import numpy as np

from autosim.applications.validation.laboratory import SETTLING, Laboratory
from autosim.applications.validation.proving_ground import (
    DriveCommand,
    DriveSamples,
    ProvingGround,
    holding_speed,
    strip,
)
from autosim.applications.validation.results import Chart, ChartCurve, Check, Section
from autosim.applications.validation.steering_manoeuvres import ramp
from autosim.arrays import Floats
from autosim.config.world_settings import GRAVITY
from autosim.kinds.kind import body_of

RATES = (60.0, 120.0, 240.0, 480.0, 960.0)
"""[Hz] of the steps: from the slowest that is of use up to what is hardly real time."""


def convergence(laboratory: Laboratory) -> Section:
    """The same turn with steps of different lengths."""
    ends, leads = [], []
    for hertz in RATES:
        last = laboratory.steer(15.0, 3.0, ramp(0.05, 0.1), hertz=hertz).last
        ends.append((last.x, last.y, last.yaw))
        leads.append(last.yaw_rate)
    found = np.array(ends)
    # With steps of no length: what is left of first order halves with each halving.
    limit = 2.0 * found[-1] - found[-2]
    apart = np.hypot(*(found[:, :2] - limit[:2]).T)
    orders = np.log2(np.hypot(*np.diff(found[:-1, :2], axis=0).T))
    orders -= np.log2(np.hypot(*np.diff(found[1:, :2], axis=0).T))
    lead = (found[:, 2] - limit[2]) / leads[-1] * np.array(RATES)
    checks = _convergence_checks(orders, lead, apart)
    chart = Chart(
        "convergence",
        "Where the turn at 15 m/s to 0.05 rad ends after 3 s",
        "step [ms]",
        "distance from where it ends with steps of no length [m]",
        (ChartCurve("bmw_320i", 1000.0 / np.array(RATES), apart),),
    )
    text = (
        "The turn of the first section, with 60 to 960 steps per second. Each step takes the "
        "velocity from the forces at its end, and the place from that velocity (semi-implicit, as "
        "PyBullet does): of first order, stable, and without gain of energy. So the car is a step "
        "ahead of one that is integrated exactly."
    )
    return Section("Convergence", text, checks, (chart,))


def _convergence_checks(orders: Floats, lead: Floats, apart: Floats) -> tuple[Check, ...]:
    """Checks of the orders (3,), of the leads [steps] and of the distances [m] (4,)."""
    return (
        *(
            Check(
                f"order, {first:g} and {second:g} Hz halved",
                float(order),
                "1",
                0.95,
                1.05,
                "1: steps are semi-implicit",
            )
            for first, second, order in zip(RATES, RATES[1:], orders, strict=False)
        ),
        *(
            Check(
                f"by how much the car is ahead in its turn, {hertz:g} Hz",
                float(each),
                "steps",
                0.8,
                1.2,
                "1: half a step from force to velocity, half a step on to the place",
            )
            for hertz, each in zip(RATES[:-1], lead, strict=False)
        ),
        *(
            Check(
                f"distance at 3 s from where it is with steps of no length, {hertz:g} Hz",
                float(each),
                "m",
                0.0,
                1.2 * 15.0 / hertz,
                "1.2 steps of driving: the car is a step ahead",
            )
            for hertz, each in zip(RATES[:-1], apart, strict=False)
        ),
    )


def energy(laboratory: Laboratory) -> Section:
    """Rolling freely, with turns and over hills: the energy only falls."""
    along = np.linspace(-100.0, 700.0, 401)
    hills = strip(lambda x: 1.5 * (1.0 - np.cos(2.0 * np.pi * np.maximum(x, 0.0) / 100.0)), along)
    gained, curves = {}, []
    for hertz in (60.0, 240.0, 960.0):
        with ProvingGround(laboratory.car, hills, hertz=hertz) as track:
            track.start(20.0)
            track.drive(SETTLING, holding_speed(20.0, lambda track: 0.0))
            run = track.drive(12.0, _weaving)
        values = _energies(laboratory, run)
        # Springs and tyres hold some for a while, and give it back: over a whole swing.
        swing = round(hertz)
        gained[hertz] = float((values[swing:] - values[:-swing]).max()) / float(values[0])
        curves.append(ChartCurve(f"{hertz:g} Hz", run["time"] - run["time"][0], values / values[0]))
    checks = tuple(
        Check(
            f"greatest gain over a second, {hertz:g} Hz",
            gain,
            "of all",
            -1.0,
            0.0,
            "none: the car rolls, and nothing drives it",
        )
        for hertz, gain in gained.items()
    )
    chart = Chart(
        "energy",
        "Energy of a car that rolls over hills, weaving",
        "time [s]",
        "share of the energy at the beginning",
        tuple(curves),
    )
    text = (
        "From 20 m/s in neutral over hills 3 m high, the wheels swinging by 0.05 rad. The energy "
        "is that of height, motion and rotation of the body; the zero of height is the valley."
    )
    return Section("Energy", text, checks, (chart,))


def _weaving(track: ProvingGround) -> DriveCommand:
    return DriveCommand(steering=0.05 * float(np.sin(2.0 * track.time)), gear=0.0)


def _energies(laboratory: Laboratory, run: DriveSamples) -> Floats:
    body = body_of(laboratory.car.parts[0])
    height = run["z"] - run["z"].min()
    rise = np.gradient(run["z"], run["time"])
    moving = 0.5 * body.mass * (run["forward"] ** 2 + run["left"] ** 2 + rise**2)
    turning = 0.5 * (
        body.moments[0] * run["roll_rate"] ** 2 + body.moments[2] * run["yaw_rate"] ** 2
    )
    result: Floats = moving + turning + body.mass * GRAVITY * height
    return result
