"""The kinematic models against published numbers and closed forms."""

import numpy as np

from autosim.applications.validation.laboratory import Laboratory
from autosim.applications.validation.results import Chart, ChartCurve, Check, Section
from autosim.arrays import Floats
from autosim.kinds.kinematic.model_catalogue import MODELS
from autosim.vehicle.kinematic.kinematic_fleet import VehicleModel
from autosim.vehicle.kinematic.motion_equations import GEARS
from autosim.vehicle.runs.drive_inputs import DriveInputs
from autosim.vehicle.runs.kinematic_run import drive

STEP = 0.025
"""[s]: the period of Autoware's simulator."""

DEAD_TIMES = (0.25, 0.1)
"""[s] of steering and acceleration, in whole steps."""

GOLDEN = (
    (0.125, 0.000024414, 0.0, 0.0, 0.002880859, 0.0, 0.221191406),
    (0.275, 0.006074639, 0.000000005, 0.000006883, 0.092378614, 0.017687028, 0.826213857),
    (0.5, 0.049816804, 0.000024436, 0.001351346, 0.301831858, 0.120767065, 0.981681422),
    (1.0, 0.324983555, 0.002579222, 0.018155468, 0.800012345, 0.187564672, 0.999876546),
    (2.0, 1.621817541, 0.086214999, 0.111333024, 1.800000001, 0.199693691, 0.999999994),
)
"""Time [s], x, y [m], yaw [rad], velocity [m/s], steering [rad], acceleration [m/s²] of
DELAY_STEER_ACC_GEARED from rest, accelerated by 1 m/s² and steered by 0.2 rad: an independent
evaluation of the published equations."""

TOLERANCE = 1e-9
"""[m], [rad] and so on: the scheme is the same, so that only rounding is left."""


def kinematic_models(laboratory: Laboratory) -> Section:
    """DELAY_STEER_ACC_GEARED against golden values and closed forms."""
    del laboratory
    gear = np.array([float(GEARS.index("DRIVE"))])
    held = {"steering": np.array([0.2]), "acceleration": np.array([1.0]), "gear": gear}
    motion = drive(
        VehicleModel(MODELS["DELAY_STEER_ACC_GEARED"], {}),
        DriveInputs(np.zeros(1), held),
        step_seconds=STEP,
        steps=80,
    )
    time, steering = motion.column("time"), motion.column("steering")
    closed = 0.2 * (1.0 - np.exp(-_after(DEAD_TIMES[0], time) / 0.27))
    pushed = 1.0 - np.exp(-_after(DEAD_TIMES[1], time) / 0.1)
    checks = (
        *(
            Check(
                f"largest difference at {row[0]:g} s",
                float(np.abs(motion.table[round(row[0] / STEP), 1:] - row[1:]).max()),
                "m, rad, …",
                0.0,
                TOLERANCE,
                "published values",
            )
            for row in GOLDEN
        ),
        *(
            Check(f"{name}, from its closed form", difference, unit, 0.0, 2e-5, "closed form")
            for name, difference, unit in (
                ("steering", float(np.abs(steering - closed).max()), "rad"),
                (
                    "acceleration",
                    float(np.abs(motion.column("acceleration") - pushed).max()),
                    "m/s²",
                ),
            )
        ),
    )
    chart = Chart(
        "kinematic",
        "DELAY_STEER_ACC_GEARED from rest",
        "time [s]",
        "steering [rad]",
        (ChartCurve("AutoSim", time, steering), ChartCurve("closed form", time, closed)),
    )
    text = (
        "Wheelbase 2.79 m, steps of 25 ms, accelerated by 1 m/s² and steered by 0.2 rad from rest. "
        "All other models are tested likewise in `tests/vehicle/kinematic`."
    )
    return Section("Kinematic models, against golden values", text, checks, (chart,))


def _after(dead_time: float, time: Floats) -> Floats:
    since: Floats = np.maximum(time - dead_time, 0.0)
    return since
