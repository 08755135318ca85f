"""Lane changes between cones, by the same driver in the car and in the models."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from autosim.applications.validation.laboratory import SAME, Laboratory
from autosim.applications.validation.oracle import HEIGHT, STEP
from autosim.applications.validation.proving_ground import ProvingGround, Sample
from autosim.applications.validation.results import Chart, ChartCurve, Check, Section, band_check
from autosim.arrays import Floats
from autosim.kinds.bodies.box import BoxPart

PREVIEWS = (0.5, 0.55, 0.6, 0.65, 0.7)
"""[s] that drivers look ahead: with less they swing, with more they cut corners."""

PREVIEW = 0.6
"""[s] that the driver looks ahead whose way is compared."""

RATE = 0.4
"""[rad/s] at which the wheels turn at most, in the models too."""

WHEELBASE = 1.1561957064 + 1.4227170936
"""[m] of CommonRoad's vehicle 2."""


Values = Floats | float


@dataclass(frozen=True)
class Gate:
    """Cones on both sides from `begin` to `end` [m] along the track, between `low` and `high`."""

    begin: float
    end: float
    low: float
    high: float

    @property
    def middle(self) -> float:
        """Its middle line [m] to the left of the first one's."""
        return 0.5 * (self.low + self.high)


def double_lane_change(width: float) -> tuple[Gate, ...]:
    """ISO 3888-1 for a car of `width` [m]: lanes 1, 3 and 5, the second 3.5 m to the left."""
    first, second, third = (share * width + 0.25 for share in (1.1, 1.2, 1.3))
    right = -0.5 * first
    return (
        Gate(0.0, 15.0, right, right + first),
        Gate(45.0, 70.0, right + 3.5, right + 3.5 + second),
        Gate(95.0, 125.0, right, right + third),
    )


def obstacle_avoidance(width: float) -> tuple[Gate, ...]:
    """ISO 3888-2 for a car of `width` [m]: the second lane 1 m beside the first."""
    first, second, third = 1.1 * width + 0.25, width + 1.0, max(1.3 * width + 0.25, 3.0)
    left = 0.5 * first
    return (
        Gate(0.0, 12.0, left - first, left),
        Gate(25.5, 36.5, left + 1.0, left + 1.0 + second),
        Gate(49.0, 61.0, left - third, left),
    )


def severe_lane_change(laboratory: Laboratory) -> Section:
    """ISO 3888-1 at 80 km/h."""
    return _section(
        laboratory,
        "Double lane change (ISO 3888-1)",
        "lane_change",
        double_lane_change,
        80.0 / 3.6,
        6.5,
    )


def avoidance(laboratory: Laboratory) -> Section:
    """ISO 3888-2 at 50 km/h."""
    return _section(
        laboratory,
        "Obstacle avoidance (ISO 3888-2)",
        "avoidance",
        obstacle_avoidance,
        50.0 / 3.6,
        5.0,
    )


def _section(
    laboratory: Laboratory,
    title: str,
    name: str,
    gates_of: Callable[[float], tuple[Gate, ...]],
    speed: float,
    seconds: float,
) -> Section:
    body = laboratory.car.parts[0]
    assert isinstance(body, BoxPart)
    length, width, _ = body.size
    gates = gates_of(width)
    ways = {each: _drive(laboratory, gates, speed, seconds, each) for each in PREVIEWS}
    room: dict[str, list[float]] = {}
    for driven in ways.values():
        for who, way in driven.items():
            room.setdefault(who, []).append(_clearance(way, gates, length, width))
    models = dict(ways[PREVIEW])
    car = models.pop("bmw_320i")
    chart = _chart(name, f"{title.split(' (')[0]} at {3.6 * speed:.0f} km/h", car, models, gates)
    return Section(title, _text(speed, width), _checks(car, models, room), (chart,))


def _checks(
    car: Floats, models: dict[str, Floats], room: dict[str, list[float]]
) -> tuple[Check, ...]:
    """Checks of the car's way against those of the models.

    Args:
        car: its samples (n, values), see `_drive`.
        models: samples of each model.
        room: least distance [m] to a cone of the car and of each model, for each preview.
    """
    told = [(model, float(np.abs(each[:, 3]).max())) for model, each in models.items()]
    nearest = min(
        (float(np.abs(car[:, 1] - np.interp(car[:, 0], each[:, 0], each[:, 1])).max()), model)
        for model, each in models.items()
    )
    place = PREVIEWS.index(PREVIEW)
    return (
        Check(
            "least distance to a cone, the best driver",
            max(room["bmw_320i"]),
            "m",
            0.0,
            max(max(room[model]) for model in models) + 0.03,
            "no cone falls, and "
            + ", ".join(f"{model} {max(room[model]):.3g}" for model in models)
            + " + 0.03 m",
        ),
        band_check(
            f"least distance to a cone, the driver who looks {PREVIEW:g} s ahead",
            room["bmw_320i"][place],
            "m",
            [(model, room[model][place]) for model in models],
            share=0.0,
            room=0.03,
        ),
        band_check("greatest yaw rate", float(np.abs(car[:, 3]).max()), "rad/s", told, share=0.03),
        Check(
            "greatest distance from the way of the nearest model",
            nearest[0],
            "m",
            0.0,
            0.1,
            f"the same course as {nearest[1]}",
        ),
    )


def _chart(
    name: str, title: str, car: Floats, models: dict[str, Floats], gates: tuple[Gate, ...]
) -> Chart:
    return Chart(
        name,
        title,
        "x [m]",
        "y [m]",
        (
            ChartCurve("bmw_320i", car[:, 0], car[:, 1]),
            *(ChartCurve(model, each[:, 0], each[:, 1]) for model, each in models.items()),
            ChartCurve("middle of the lanes", *_middle(gates)),
        ),
    )


def _text(speed: float, width: float) -> str:
    """Description of the manoeuvre at `speed` [m/s] by a car of `width` [m]."""
    return (
        f"At {3.6 * speed:.0f} km/h, the speed kept, drivers who look {PREVIEWS[0]:g} s to "
        f"{PREVIEWS[-1]:g} s ahead steer the car and the models along the middle of the lanes, and "
        "turn the wheels by at most 0.4 rad/s. The lanes are as wide as the standard has it for a "
        f"car of {width:g} m: a driver has 0.1 to 0.2 m on each side, and the standard allows any "
        "number of attempts until no cone falls. The car is where its middle is on the ground: its "
        "body leans out of a turn by up to 0.03 m more, which ST* does not. The driver who looks "
        f"{PREVIEW:g} s ahead is drawn. A distance below 0 is a cone that falls."
    )


def _steer(gates: tuple[Gate, ...], x: float, y: float, yaw: float, reach: float) -> float:
    """The angle [rad] of an arc to the point of the middle line that is `reach` [m] ahead."""
    dx, dy = reach, _line(gates, x + reach) - y
    sine, cosine = np.sin(yaw), np.cos(yaw)
    across, along = cosine * dy - sine * dx, cosine * dx + sine * dy
    return float(np.arctan(2.0 * WHEELBASE * across / (along * along + across * across)))


def _line(gates: tuple[Gate, ...], x: float) -> float:
    """The middle line [m] at x [m]: level in the lanes, cosines between them."""
    for gate, following in pairwise(gates):
        if x <= gate.end:
            return gate.middle
        if x < following.begin:
            share = (x - gate.end) / (following.begin - gate.end)
            bend = 0.5 - 0.5 * np.cos(np.pi * share)
            return float(gate.middle + bend * (following.middle - gate.middle))
    return gates[-1].middle


def _middle(gates: tuple[Gate, ...]) -> tuple[Floats, Floats]:
    x = np.linspace(gates[0].begin, gates[-1].end, 200)
    return x, np.array([_line(gates, each) for each in x.tolist()])


def _drive(
    laboratory: Laboratory,
    gates: tuple[Gate, ...],
    speed: float,
    seconds: float,
    preview: float,
) -> dict[str, Floats]:
    """Rows of x, y [m], yaw [rad], yaw rate [rad/s] at the centre of mass, of car and models."""
    reach = preview * speed

    def steering(track: ProvingGround, first: Sample) -> float:
        now = track.sample()
        x, y = _on_ground(now.x, now.y, now.yaw, now.roll)
        return _steer(gates, float(x) - first.x, float(y) - first.y, now.yaw, reach)

    def command(time: float, state: Floats) -> tuple[float, float]:
        x, y, angle, forward, yaw = state[:5].tolist()
        wanted = (_steer(gates, x, y, yaw, reach) - angle) / STEP
        return float(np.clip(wanted, -RATE, RATE)), 4.0 * (speed - forward)

    run = laboratory.drive(speed, seconds, steering)
    x, y = _on_ground(run["x"], run["y"], run["yaw"], run["roll"])
    ways = {"bmw_320i": np.stack([x, y, run["yaw"], run["yaw_rate"]], axis=1)}
    for model, course in laboratory.driven(SAME, speed, seconds, command).items():
        ways[model] = np.stack([course.x, course.y, course.yaw, course.yaw_rate], axis=1)
    return ways


def _on_ground(x: Values, y: Values, yaw: Values, roll: Values) -> tuple[Values, Values]:
    """The place [m] on the ground that a centre of mass is over, which leans out of a turn."""
    lean = HEIGHT * np.sin(roll)
    return x - lean * np.sin(yaw), y + lean * np.cos(yaw)


def _clearance(way: Floats, gates: tuple[Gate, ...], length: float, width: float) -> float:
    """The least distance [m] of the corners of the car from the cones; negative: one fell."""
    least = np.inf
    for ahead in (-0.5 * length, 0.5 * length):
        for side in (-0.5 * width, 0.5 * width):
            cosine, sine = np.cos(way[:, 2]), np.sin(way[:, 2])
            x = way[:, 0] + cosine * ahead - sine * side
            y = way[:, 1] + sine * ahead + cosine * side
            for gate in gates:
                inside = (x >= gate.begin) & (x <= gate.end)
                if inside.any():
                    room = np.minimum(y[inside] - gate.low, gate.high - y[inside])
                    least = min(least, float(room.min()))
    return float(least)
