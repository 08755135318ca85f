"""Drives one kinematic vehicle on level ground."""

import numpy as np

from autosim.arrays import Floats
from autosim.errors import UserError
from autosim.vehicle.kinematic.kinematic_fleet import KinematicFleet, VehicleModel
from autosim.vehicle.kinematic.kinematic_step import (
    ACCELERATION,
    BRAKED,
    DRIVEN,
    GEAR,
    STEER,
    STEERED,
    TURNED,
    VELOCITY,
    YAW,
    X,
    Y,
)
from autosim.vehicle.kinematic.motion_equations import STEER_BIAS
from autosim.vehicle.runs.drive_inputs import DriveInputs
from autosim.vehicle.runs.drive_results import DriveResult

_SHOWN = [X, Y, YAW, VELOCITY, STEER, ACCELERATION]


def drive(
    vehicle: VehicleModel, inputs: DriveInputs, *, step_seconds: float, steps: int
) -> DriveResult:
    """The motion of a vehicle from rest, at the origin.

    Args:
        vehicle: its model. Its reference point moves: the rear axle, of ST the centre of mass.
        inputs: what it is commanded.
        step_seconds: length of a step [s].
        steps: how many.

    Raises:
        UserError: the inputs lack what the model is commanded.
        MapError: the text of a map is none.
    """
    _check(vehicle, inputs)
    fleet = KinematicFleet([vehicle], step_seconds=step_seconds)
    times: Floats = step_seconds * np.arange(steps + 1, dtype=np.float64)
    table = np.zeros((steps + 1, 1 + len(_SHOWN)))
    table[:, 0] = times
    commands = np.zeros((steps + 1, fleet.commands.shape[1]))
    commands[:, DRIVEN] = inputs.at(times, vehicle.model.drive)
    commands[:, STEERED] = inputs.at(times, "steering")
    commands[:, BRAKED] = inputs.at(times, "brake")
    commands[:, GEAR] = inputs.at(times, "gear")
    has_rate = inputs.has("steering_rate")
    commands[:, TURNED] = inputs.at(times, "steering_rate") if has_rate else np.nan
    bias = fleet.parameters[0, STEER_BIAS]
    table[0, 1:] = fleet.rows[0, _SHOWN]
    for step in range(steps):
        fleet.commands[0] = commands[step]
        fleet.advance()
        table[step + 1, 1:] = fleet.rows[0, _SHOWN]
    table[:, 1 + _SHOWN.index(STEER)] += bias
    return DriveResult(table)


def _check(vehicle: VehicleModel, inputs: DriveInputs) -> None:
    model = vehicle.model
    if not inputs.has(model.drive):
        raise UserError(f"the model {model.name} is driven by the column '{model.drive}'")
    if inputs.has("steering_rate") and model.name not in ("KS", "ST"):
        raise UserError(f"the model {model.name} is steered by the column 'steering'")
    if inputs.has("brake") and not model.name.startswith("ACTUATION_CMD"):
        raise UserError(f"the model {model.name} has no brake: there the acceleration is negative")
