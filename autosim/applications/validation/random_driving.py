"""The car and the models under the same random steering, at speeds of their own."""

import numpy as np

from autosim.applications.validation.laboratory import SAME, Laboratory, Steering
from autosim.applications.validation.results import Chart, ChartCurve, Check, Section
from autosim.arrays import Floats

SPEEDS = (10.0, 15.0, 20.0, 25.0)
"""[m/s] from a town's to a country road's; each is driven with its own seed."""

SECONDS = 10.0
"""[s] of driving, in which the slowest of the waves comes twice."""

WAVES = 8
"""Number of sines that the steering is the sum of."""

LATERAL = 3.0
"""[m/s²] of lateral acceleration, the root of its mean square: as much as drivers like to have."""


def random_driving(laboratory: Laboratory) -> Section:
    """Seeded random steering, at constant speeds."""
    checks: list[Check] = []
    charts: list[Chart] = []
    for seed, speed in enumerate(SPEEDS):
        steering = random_steering(seed, speed)
        run = laboratory.steer(speed, SECONDS, steering)
        models = laboratory.references(SAME, speed, SECONDS, steering)
        rates = np.interp(run["time"], models["ST*"].time, models["ST*"].yaw_rate)
        checks.append(
            Check(
                f"difference of the yaw rate from ST*, {speed:g} m/s",
                _mean(run["yaw_rate"] - rates) / _mean(rates),
                "1",
                0.0,
                0.06,
                "root mean squares, over that of ST*",
            )
        )
        if seed == len(SPEEDS) - 1:
            curves = [ChartCurve(name, each.time, each.yaw_rate) for name, each in models.items()]
            charts.append(
                Chart(
                    "random",
                    f"Random steering at {speed:g} m/s",
                    "time [s]",
                    "yaw rate [rad/s]",
                    (ChartCurve("bmw_320i", run["time"], run["yaw_rate"]), *curves),
                )
            )
    text = (
        f"The steering is a sum of {WAVES} sines of 0.2 to 1.5 Hz with seeded phases, for "
        f"{LATERAL:g} m/s² lateral on average and three times as much at most. The speed is kept. "
        "ST* does not roll, and its tyres do not slide: what is left are tyres that give way."
    )
    return Section("Random steering", text, tuple(checks), tuple(charts))


def random_steering(seed: int, speed: float) -> Steering:
    """A smooth sum of sines with a smooth start."""
    random = np.random.default_rng(seed)
    turns = 2.0 * np.pi * np.linspace(0.2, 1.5, WAVES)
    phases = random.uniform(0.0, 2.0 * np.pi, WAVES)
    size = WHEELBASE * LATERAL / speed**2 * np.sqrt(2.0 / WAVES)

    def steering(time: float) -> float:
        share = min(max(time, 0.0), 1.0)
        return float(share * size * np.sin(turns * time + phases).sum())

    return steering


WHEELBASE = 2.579
"""[m] of vehicle 2, by which the angle for an acceleration is chosen."""


def _mean(values: Floats) -> float:
    """The root of the mean square."""
    return float(np.sqrt(np.mean(values**2)))
