"""Drives of one kinematic vehicle, as tests need them."""

import numpy as np

from autosim.kinds.kinematic.model_catalogue import MODELS
from autosim.vehicle.kinematic.kinematic_fleet import KinematicFleet, VehicleModel
from autosim.vehicle.kinematic.motion_equations import GEARS
from autosim.vehicle.runs.drive_inputs import DriveInputs
from autosim.vehicle.runs.kinematic_run import drive

STEP = 0.025


def vehicle(model, **values):
    return VehicleModel(MODELS[model], values)


def fleet_of(*vehicles, step=STEP):
    return KinematicFleet(vehicles, step_seconds=step)


def inputs(*rows, drive="acceleration", steer="steering", **columns):
    """Rows of time, steering, drive and, if there is a fourth, the name of a gear."""
    table = np.array([row[:3] for row in rows], dtype=np.float64)
    found = {steer: table[:, 1], drive: table[:, 2]}
    if len(rows[0]) > 3:
        found["gear"] = np.array([float(GEARS.index(row[3])) for row in rows])
    return DriveInputs(table[:, 0], found | columns)


def run(model, *rows, seconds=2.0, step=STEP, kind="acceleration", **values):
    found = inputs(*rows, drive=kind)
    steps = round(seconds / step)
    return drive(vehicle(model, **values), found, step_seconds=step, steps=steps)
