"""How the car answers to its steering: on a circle, to a step, and to oscillations."""

from collections.abc import Callable

import numpy as np

from autosim.applications.validation.laboratory import Laboratory, Steering
from autosim.applications.validation.results import Chart, Check, Curve, Section, around
from autosim.arrays import Floats

RATE = 0.4
"""[rad/s] at which the front wheels are turned: the greatest that CommonRoad's vehicle 2 has."""


def ramp(angle: float, rate: float = RATE) -> Steering:
    """Turns the wheels to `angle` [rad] at `rate` [rad/s] and holds them."""
    return lambda time: min(max(rate * time, 0.0), angle)


def reference_turn(laboratory: Laboratory) -> Section:
    """The turn of which the values are published for KS, ST and MB."""
    checks: list[Check] = []
    charts: list[Chart] = []
    for angle in (0.03, 0.05):
        steering = ramp(angle, 0.1)
        run = laboratory.steer(15.0, 3.0, steering)
        models = {
            name: laboratory.reference(name, 15.0, 3.0, steering) for name in ("KS", "ST", "MB")
        }
        told = f"{angle:g} rad"
        rates = [(name, float(models[name].yaw_rate[-1])) for name in models]
        ways = [(name, float(models[name].y[-1])) for name in models]
        checks += [
            around(f"yaw rate at 3 s, {told}", run.last.yaw_rate, "rad/s", rates, share=0.03),
            around(f"y at 3 s, {told}", run.last.y, "m", ways, share=0.05),
        ]
        curves = [Curve(name, each.time, each.yaw_rate) for name, each in models.items()]
        charts.append(
            Chart(
                f"turn_{round(1000 * angle)}",
                f"Turn at 15 m/s to {told}",
                "time [s]",
                "yaw rate [rad/s]",
                (Curve("bmw_320i", run["time"], run["yaw_rate"]), *curves),
            )
        )
    text = (
        "At 15 m/s the front wheels turn at 0.1 rad/s to 0.03 rad (2.6 m/s² lateral) and to "
        "0.05 rad (4.4 m/s²), and stay there. The speed is kept. The band reaches from the lowest "
        "to the highest of the three models, widened."
    )
    return Section("Turning in, against KS, ST and MB", text, tuple(checks), tuple(charts))


def steady_circle(laboratory: Laboratory) -> Section:
    """ISO 4138: steady turns, one angle after the other."""
    speed, angles = 22.0, (0.01, 0.02, 0.03, 0.04)
    rows = [_steady(laboratory, speed, angle) for angle in angles]
    car, models = (
        np.array([row[0] for row in rows]),
        {name: np.array([row[1][name] for row in rows]) for name in ("ST", "MB")},
    )
    checks = []
    for number, (what, unit, share, room) in enumerate(
        (
            ("lateral acceleration", "m/s²", 0.08, 0.0),
            ("sideslip angle", "rad", 0.1, 0.003),
            ("roll angle", "rad", 0.2, 0.0),
        )
    ):
        for row in (1, 3):
            told = [(name, float(each[row, number])) for name, each in models.items()]
            told = told[1:] if what == "roll angle" else told
            value = float(car[row, number])
            where = f"{what} at {angles[row]:g} rad"
            checks.append(around(where, value, unit, told, share=share, room=room))
    series = {"bmw_320i": car, **models}
    names = ("lateral acceleration [m/s²]", "sideslip angle [rad]", "roll angle [rad]")
    charts = tuple(
        Chart(
            f"circle_{number}",
            f"Steady circle at {speed:g} m/s",
            "angle of the front wheels [rad]",
            name,
            tuple(
                Curve(label, np.array(angles), each[:, number])
                for label, each in series.items()
                if not (number == 2 and label == "ST")
            ),
        )
        for number, name in enumerate(names)
    )
    text = (
        f"ISO 4138, constant speed: at {speed:g} m/s the wheels turn to each angle and stay there "
        "until the turn is steady. ST does not roll. The car has air drag and rolling resistance, "
        "which the models have not: to keep its speed its rear wheels push, which shifts load to "
        "them, and it turns 4 % less than without (measured with both switched off)."
    )
    return Section("Steady-state circle (ISO 4138)", text, tuple(checks), charts)


def _steady(
    laboratory: Laboratory, speed: float, angle: float
) -> tuple[list[float], dict[str, list[float]]]:
    """Lateral acceleration, sideslip and roll of the car and of the models at the end."""
    seconds = 6.0
    run = laboratory.steer(speed, seconds, ramp(angle))
    last = run.last
    sideslip = float(np.arctan2(last.left, last.forward))
    car = [last.yaw_rate * last.forward, sideslip, last.roll]
    others = {}
    for name in ("ST", "MB"):
        course = laboratory.reference(name, speed, seconds, ramp(angle))
        others[name] = [
            float(course.yaw_rate[-1] * course.speed[-1]),
            float(course.sideslip[-1]),
            abs(float(course.roll[-1])),
        ]
    return car, others


def step_steer(laboratory: Laboratory) -> Section:
    """ISO 7401: the open-loop response to a step."""
    speed, angle = 22.0, 0.025
    run = laboratory.steer(speed, 4.0, ramp(angle))
    models = {name: laboratory.reference(name, speed, 4.0, ramp(angle)) for name in ("ST", "MB")}
    car = _response(run["time"], run["yaw_rate"])
    others = {name: _response(each.time, each.yaw_rate) for name, each in models.items()}
    bands: tuple[tuple[str, str, float, float], ...] = (
        ("steady yaw rate", "rad/s", 0.08, 0.0),
        ("time to 90 % of it", "s", 0.1, 0.03),
        ("overshoot", "1", 0.0, 0.06),
    )
    checks = tuple(
        around(
            what,
            car[number],
            unit,
            [(name, each[number]) for name, each in others.items()],
            share=share,
            room=room,
        )
        for number, (what, unit, share, room) in enumerate(bands)
    )
    chart = Chart(
        "step",
        f"Step to {angle:g} rad at {speed:g} m/s",
        "time [s]",
        "yaw rate [rad/s]",
        (
            Curve("bmw_320i", run["time"], run["yaw_rate"]),
            *(Curve(name, each.time, each.yaw_rate) for name, each in models.items()),
        ),
    )
    text = (
        f"ISO 7401: at {speed:g} m/s the wheels turn as fast as they can (0.4 rad/s) to "
        f"{angle:g} rad, for about 4 m/s² lateral."
    )
    return Section("Step input (ISO 7401)", text, checks, (chart,))


def _response(time: Floats, rate: Floats) -> list[float]:
    """Steady value, time to 90 % of it, overshoot as a share of it."""
    steady = float(rate[-1])
    reached = float(time[np.flatnonzero(rate >= 0.9 * steady)[0]])
    return [steady, reached, float(rate.max()) / steady - 1.0]


FREQUENCIES = (0.2, 0.5, 1.0, 1.5, 2.0)
"""[Hz] of the oscillations: from slow driving up to as fast as a person turns a wheel."""


def frequency_response(laboratory: Laboratory) -> Section:
    """ISO 7401: the response to sinusoidal inputs."""
    speed, amplitude = 22.0, 0.008
    gains: dict[str, list[float]] = {"bmw_320i": [], "ST": [], "MB": []}
    lags: dict[str, list[float]] = {"bmw_320i": [], "ST": [], "MB": []}
    for frequency in FREQUENCIES:
        steering = _sine(frequency, amplitude)
        seconds = 2.0 + 3.0 / frequency
        run = laboratory.steer(speed, seconds, steering)
        courses = {
            name: laboratory.reference(name, speed, seconds, steering) for name in ("ST", "MB")
        }
        answers = {"bmw_320i": (run["time"], run["yaw_rate"])}
        answers |= {name: (each.time, each.yaw_rate) for name, each in courses.items()}
        for name, (time, rate) in answers.items():
            gain, lag = _fit(time, rate, frequency)
            gains[name].append(gain / amplitude)
            lags[name].append(lag)
    checks = []
    for number, frequency in enumerate(FREQUENCIES):
        models = [(name, gains[name][number]) for name in ("ST", "MB")]
        what = f"yaw-rate gain at {frequency:g} Hz"
        checks.append(around(what, gains["bmw_320i"][number], "1/s", models, share=0.1))
        delays = [(name, lags[name][number]) for name in ("ST", "MB")]
        what = f"phase at {frequency:g} Hz"
        checks.append(around(what, lags["bmw_320i"][number], "°", delays, share=0.0, room=10.0))
    charts = tuple(
        Chart(
            name,
            f"Frequency response at {speed:g} m/s",
            "frequency [Hz]",
            label,
            tuple(Curve(each, np.array(FREQUENCIES), np.array(values[each])) for each in values),
        )
        for name, label, values in (
            ("gain", "yaw rate per angle [1/s]", gains),
            ("phase", "phase [°]", lags),
        )
    )
    text = (
        f"ISO 7401: at {speed:g} m/s the wheels oscillate by {amplitude:g} rad. Gain and phase are "
        "those of the sine that fits the last two periods best."
    )
    return Section("Frequency response (ISO 7401)", text, tuple(checks), charts)


def _sine(frequency: float, amplitude: float) -> Callable[[float], float]:
    return lambda time: amplitude * float(np.sin(2.0 * np.pi * frequency * max(time, 0.0)))


def _fit(time: Floats, rate: Floats, frequency: float) -> tuple[float, float]:
    """Amplitude, and phase [°] against the steering, over the last two periods."""
    chosen = time > time[-1] - 2.0 / frequency
    turn = 2.0 * np.pi * frequency * time[chosen]
    basis = np.stack([np.sin(turn), np.cos(turn), np.ones(len(turn))], axis=1)
    (sine, cosine, _), *_ = np.linalg.lstsq(basis, rate[chosen], rcond=None)
    return float(np.hypot(sine, cosine)), float(np.degrees(np.arctan2(cosine, sine)))
