"""A car that is seen late and obeys late, in arithmetic alone: to try controllers without a world.

`late_race` is the trial that the tests and the documents show: a winding track, a tenth of a second
of latency each way, and the same controller with projection and without.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.control.costs import Costs
from autosim.control.models import slipless_model
from autosim.control.mppi import MPPI
from autosim.estimation.slipless import (
    Action,
    Motion,
    SliplessCar,
    SliplessModel,
    saturating_torque,
)
from autosim.estimation.state_estimator import StateEstimator
from autosim.portable import TAU
from autosim.tracks.curvilinear_table import CurvilinearTable

_PARTS = 10
"""Number of parts of a control step in which the car moves: delays need be no whole steps."""


EDGE = 1.2
"""Distance [m] beside the line at which the trial's track ends."""

_KEPT_IN = 0.8
"""Distance [m] beside the line that the trial's plans keep to: the rest is for errors."""

_RADIUS, _BENDS, _DEPTH = 16.0, 3, 0.3
"""Mean radius [m] of the trial's track; number of its bends inwards; share of the radius by which
they go in and out."""

_SPEED, _GRIP, _PULL = 14.0, 12.0, 4.0
"""[m/s] wanted in the trial, and [m/s²] across and along the car: more than the bends allow, so
that the controller is always at the limit."""


@dataclass(frozen=True, slots=True)
class Lateness:
    """How late and how wrong what a controller knows and does is.

    upstream: from a measurement to the controller [s]; downstream: from a command to the wheels
    [s]; both are taken to whole tenths of a control step. place, yaw, speed: standard deviations of
    what is measured [m, rad, m/s].
    """

    upstream: float = 0.1
    downstream: float = 0.1
    place: float = 0.05
    yaw: float = 0.02
    speed: float = 0.2


class Drive(NamedTuple):
    """A drive: `motions` (n, 4) in W at each control step, and `actions` (n, 2) commanded then."""

    motions: Floats
    actions: Floats


def drive(
    mppi: MPPI,
    table: CurvilinearTable,
    start: Motion,
    *,
    lateness: Lateness,
    is_projected: bool = True,
    seconds: float,
    step: float = 0.05,
    seed: int = 0,
    car: SliplessCar = SliplessCar(),  # noqa: B008
) -> Drive:
    """Drives a slipless car along the curve of a table.

    Args:
        mppi: the controller, whose steps are as long as `step`.
        table: of the track, in W.
        start: how the car begins.
        lateness: of what it knows and does.
        is_projected: whether the controller plans from where the car will be when a command takes
            effect, or from the newest measurement.
        seconds: length of the drive.
        step: from command to command [s].
        seed: of the errors of the measurements.
        car: its measures.
    """
    model, rng = SliplessModel(car), np.random.default_rng(seed)
    part = step / _PARTS
    late, slow = round(lateness.upstream / part), round(lateness.downstream / part)
    now = [0.0]
    estimator = StateEstimator(
        model,
        lambda: now[0],
        propagation_delay=lateness.downstream,
        computing_time=lateness.downstream,
    )
    past: list[Motion] = [start]
    commands: list[Action] = [(0.0, 0.0)] * (slow + 1)
    motions, actions = [], []
    for number in range(round(seconds / step)):
        now[0] = number * step
        stamp = max(now[0] - lateness.upstream, 0.0)
        measured = _measured(past[max(len(past) - 1 - late, 0)], lateness, rng)
        if number == 0:
            estimator.on_spline(table.curve.points, stamp, pose=measured[:3], is_closed=True)
        estimator.on_pose(measured[:3], stamp)
        estimator.on_twist(measured[3:], stamp)
        projection = estimator.projector.project()
        is_known = is_projected and projection is not None
        motion = projection.motion if is_known and projection is not None else measured
        action = mppi.command(motion, table)
        estimator.record_control_action(action)
        motions.append(past[-1])
        actions.append(action)
        for _ in range(_PARTS):
            commands.append((float(action[0]), float(action[1])))
            past.append(model(past[-1], commands[len(past) - 1], part))
    return Drive(np.array(motions), np.array(actions))


def _measured(motion: Motion, lateness: Lateness, rng: np.random.Generator) -> Motion:
    x, y, yaw, speed = motion
    errors = rng.standard_normal(4)
    return (
        x + lateness.place * errors[0],
        y + lateness.place * errors[1],
        yaw + lateness.yaw * errors[2],
        max(speed + lateness.speed * errors[3], 0.0),
    )


def late_track() -> CurvilinearTable:
    """The winding track of the trial: a closed curve with bends to both sides."""
    turn = np.linspace(0.0, TAU, 240, endpoint=False)
    radius = _RADIUS * (1.0 + _DEPTH * portable.cos(_BENDS * turn))
    points = np.column_stack([radius * portable.sin(turn), -radius * portable.cos(turn)])
    return CurvilinearTable.of(points, is_closed=True, width=7.0, size=256)


def late_race(
    seed: int,
    *,
    is_projected: bool,
    table: CurvilinearTable,
    lateness: Lateness = Lateness(),
    seconds: float = 8.0,
) -> Drive:
    """A drive of the trial on its track: `late_track()`."""
    car = SliplessCar(longitudinal_acceleration=_PULL)
    mppi = MPPI(
        slipless_model(car),
        least=(-car.steering_limit, -2.0 * saturating_torque(car)),
        most=(car.steering_limit, saturating_torque(car)),
        deviation=(0.08, 4.0),
        rates=(2.0, 200.0),
        costs=Costs(speed=_SPEED, half_width=_KEPT_IN, lateral_acceleration=_GRIP),
        samples=512,
        steps=24,
        effort=0.0,
        seed=seed,
    )
    x, y = table.curve.points[0]
    return drive(
        mppi,
        table,
        (float(x), float(y), 0.0, 5.0),
        lateness=lateness,
        is_projected=is_projected,
        seconds=seconds,
        seed=seed,
        car=car,
    )


def worst_offset(race: Drive, table: CurvilinearTable) -> float:
    """The farthest that the car was beside the line [m]."""
    return float(np.abs(table.look_up(race.motions[:, 0], race.motions[:, 1]).offset).max())
