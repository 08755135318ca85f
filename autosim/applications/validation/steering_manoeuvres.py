"""Response of the car to steering: on a circle, to a step, and to oscillations."""

from collections.abc import Callable, Sequence

import numpy as np

from autosim.applications.validation.laboratory import SAME, Laboratory, Steering
from autosim.applications.validation.results import Chart, ChartCurve, Check, Section, band_check
from autosim.arrays import Floats
from autosim.config.world_settings import GRAVITY
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.vehicle.body.body_state import body_parameters
from autosim.vehicle.info.standing_height import standing_height
from autosim.vehicle.tyres.tyre_models import tyre_forces, tyre_table

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
        models = laboratory.references(("KS", "ST", "ST*", "MB*", "MB"), 15.0, 3.0, steering)
        told = f"{angle:g} rad"
        rates = [(name, float(models[name].yaw_rate[-1])) for name in models if name in SAME]
        ways = [(name, float(models[name].y[-1])) for name in models if name in SAME]
        checks += [
            band_check(f"yaw rate at 3 s, {told}", run.last.yaw_rate, "rad/s", rates, share=0.01),
            band_check(f"y at 3 s, {told}", run.last.y, "m", ways, share=0.02),
        ]
        curves = [ChartCurve(name, each.time, each.yaw_rate) for name, each in models.items()]
        charts.append(
            Chart(
                f"turn_{round(1000 * angle)}",
                f"Turn at 15 m/s to {told}",
                "time [s]",
                "yaw rate [rad/s]",
                (ChartCurve("bmw_320i", run["time"], run["yaw_rate"]), *curves),
            )
        )
    text = (
        "At 15 m/s the front wheels turn at 0.1 rad/s to 0.03 rad (2.6 m/s² lateral) and to "
        "0.05 rad (4.4 m/s²), and stay there. The speed is kept. The band reaches from the lower "
        "to the higher of ST* and MB*, widened."
    )
    return Section("Turning in, against KS, ST and MB", text, tuple(checks), tuple(charts))


def steady_circle(laboratory: Laboratory) -> Section:
    """ISO 4138: steady turns, one angle after the other."""
    angles = (0.01, 0.02, 0.03, 0.04)
    car = np.array([_steady(laboratory, angle) for angle in angles])
    models = _steady_models(laboratory, angles)
    checks = []
    for number, (what, unit, share, room) in enumerate(
        (
            ("lateral acceleration", "m/s²", 0.02, 0.0),
            ("sideslip angle", "rad", 0.05, 0.0005),
            ("roll angle", "rad", 0.1, 0.0),
        )
    ):
        for row in (1, 3):
            told = [(name, float(models[name][row, number])) for name in SAME if name in models]
            told = [each for each in told if what != "roll angle" or each[0] != "ST*"]
            where = f"{what} at {angles[row]:g} rad"
            if told:
                value = float(car[row, number])
                checks.append(band_check(where, value, unit, told, share=share, room=room))
    resisted = _steady(laboratory, angles[1], is_resisted=True)
    expected = _with_resistance(laboratory, angles[1], float(car[1, 0]))
    checks.append(
        band_check(
            f"lateral acceleration at {angles[1]:g} rad, in air and with rolling resistance, "
            "over that without",
            resisted[0] / float(car[1, 0]),
            "1",
            [("estimate", expected)],
            share=0.01,
        )
    )
    series = {"bmw_320i": car, **models}
    names = ("lateral acceleration [m/s²]", "sideslip angle [rad]", "roll angle [rad]")
    charts = tuple(
        Chart(
            f"circle_{number}",
            f"Steady circle at {CIRCLE:g} m/s",
            "angle of the front wheels [rad]",
            name,
            tuple(
                ChartCurve(label, np.array(angles), each[:, number])
                for label, each in series.items()
                if not (number == 2 and label == "ST*")
            ),
        )
        for number, name in enumerate(names)
    )
    text = (
        f"ISO 4138, constant speed: at {CIRCLE:g} m/s the wheels turn to each angle and stay there "
        "until the turn is steady. ST* does not roll. MB is drawn as published: its tyres lose "
        "neither grip nor stiffness under load, and the shifts of their curves push it further "
        "into the turn. MB* turns up to 2 % less than the car, since its axles weigh the same, "
        "though its centre of mass is nearer to the front one. The last row is the car "
        "against itself: to keep its speed in air its rear wheels push, which shifts load to them, "
        "and the wheels outside roll harder than those inside. The estimate is that of a bicycle "
        "whose tyres' stiffness is in proportion to their load."
    )
    return Section("Steady-state circle (ISO 4138)", text, tuple(checks), charts)


CIRCLE = 22.0
"""[m/s] on the circle: fast enough for 7 m/s² at the largest angle."""

LONG = 6.0
"""[s] after which the turn is steady."""


def _steady(laboratory: Laboratory, angle: float, *, is_resisted: bool = False) -> list[float]:
    """Lateral acceleration, sideslip and roll of the car at the end."""
    last = laboratory.steer(CIRCLE, LONG, ramp(angle), is_resisted=is_resisted).last
    return [last.yaw_rate * last.forward, float(np.arctan2(last.left, last.forward)), last.roll]


def _steady_models(laboratory: Laboratory, angles: Sequence[float]) -> dict[str, Floats]:
    """The same (n, 3) of the models."""
    rows: dict[str, list[list[float]]] = {}
    for angle in angles:
        courses = laboratory.references(("ST*", "MB*", "MB"), CIRCLE, LONG, ramp(angle))
        for name, each in courses.items():
            lateral, roll = each.yaw_rate[-1] * each.speed[-1], abs(each.roll[-1])
            rows.setdefault(name, []).append([lateral, each.sideslip[-1], roll])
    return {name: np.array(each) for name, each in rows.items()}


def _with_resistance(laboratory: Laboratory, angle: float, lateral: float) -> float:
    """The share of its `lateral` acceleration [m/s²] that a car keeps in air and as its tyres roll.

    A bicycle of cornering stiffness C for each newton of load: drag moves load F h / L to the rear,
    which asks for more steering in front; the load that goes to the outer wheels makes them roll
    harder, which asks for more to hold against it.
    """
    car = laboratory.car
    wheels = [each for each in car.devices if isinstance(each, WheelDevice)]
    parameters = body_parameters([car.parts[0]])
    weight, (x, _, z) = parameters.mass[0] * GRAVITY, parameters.centre_of_mass[0]
    places = np.array([each.position for each in wheels])
    front, rear = float(places[:, 0].max() - x), float(x - places[:, 0].min())
    height = standing_height(car, gravity=GRAVITY) + float(z)
    nominal = float(dict(wheels[0].tyre.coefficients)["FNOMIN"])
    base, stiffness = front + rear, cornering_stiffness(wheels[0], nominal)
    moved = float(parameters.drag[0, 0]) * CIRCLE**2 * height / base
    share = moved / (weight * rear / base) + moved / (weight * front / base)
    steering = lateral / GRAVITY / stiffness * share
    resistance = wheels[0].rolling_resistance * weight * lateral / GRAVITY * height
    steering += resistance / (stiffness * weight * rear / base * front)
    return float(1.0 - steering / angle)


def cornering_stiffness(wheel: WheelDevice, load: float) -> float:
    """Cornering stiffness [1/rad] of a wheel for each newton of its `load` [N], at little slip."""
    _, table = tyre_table([wheel.tyre], [wheel.radius])
    tangent = 1e-4
    _, across = tyre_forces(
        table.models, table.peaks, table.numbers, 0, 0.0, tangent, load, 0.0, wheel.friction
    )
    return abs(across) / (load * tangent)


def step_steer(laboratory: Laboratory) -> Section:
    """ISO 7401: the open-loop response to a step."""
    speed, angle = 22.0, 0.025
    run = laboratory.steer(speed, 4.0, ramp(angle))
    models = laboratory.references(SAME, speed, 4.0, ramp(angle))
    car = _response(run["time"], run["yaw_rate"])
    others = {name: _response(each.time, each.yaw_rate) for name, each in models.items()}
    bands: tuple[tuple[str, str, float, float], ...] = (
        ("steady yaw rate", "rad/s", 0.02, 0.0),
        ("time to 90 % of it", "s", 0.05, 0.01),
        ("overshoot", "1", 0.0, 0.01),
    )
    checks = tuple(
        band_check(
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
            ChartCurve("bmw_320i", run["time"], run["yaw_rate"]),
            *(ChartCurve(name, each.time, each.yaw_rate) for name, each in models.items()),
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
    gains: dict[str, list[float]] = {}
    lags: dict[str, list[float]] = {}
    for frequency in FREQUENCIES:
        steering = _sine(frequency, amplitude)
        seconds = 2.0 + 3.0 / frequency
        run = laboratory.steer(speed, seconds, steering)
        courses = laboratory.references(("ST", *SAME), speed, seconds, steering)
        answers = {"bmw_320i": (run["time"], run["yaw_rate"])}
        answers |= {name: (each.time, each.yaw_rate) for name, each in courses.items()}
        for name, (time, rate) in answers.items():
            gain, lag = _fit(time, rate, frequency)
            gains.setdefault(name, []).append(gain / amplitude)
            lags.setdefault(name, []).append(lag)
    checks = []
    for number, frequency in enumerate(FREQUENCIES):
        models = [("ST*", gains["ST*"][number])]
        what = f"yaw-rate gain at {frequency:g} Hz"
        checks.append(band_check(what, gains["bmw_320i"][number], "1/s", models, share=0.02))
        delays = [("ST*", lags["ST*"][number])]
        what = f"phase at {frequency:g} Hz"
        checks.append(band_check(what, lags["bmw_320i"][number], "°", delays, share=0.0, room=2.0))
    charts = tuple(
        Chart(
            name,
            f"Frequency response at {speed:g} m/s",
            "frequency [Hz]",
            label,
            tuple(
                ChartCurve(each, np.array(FREQUENCIES), np.array(values[each])) for each in values
            ),
        )
        for name, label, values in (
            ("gain", "yaw rate per angle [1/s]", gains),
            ("phase", "phase [°]", lags),
        )
    )
    text = (
        f"ISO 7401: at {speed:g} m/s the wheels oscillate by {amplitude:g} rad. Gain and phase are "
        "those of the sine that fits the last two periods best. Tyres that take a while to follow "
        "damp the yawing less: ST and MB*, whose tyres follow at once, turn up to a tenth less at "
        "2 Hz."
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
