"""Drives one vehicle on level ground, without a server: a model by its name, or a robot's."""

from collections.abc import Sequence
from pathlib import Path

from autosim.config.descriptions import RobotDescription
from autosim.errors import UserError
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.kinematic.kinematic_vehicle import KinematicVehicle
from autosim.kinds.kinematic.model_catalogue import find_kinematic_model, parsed
from autosim.loading.loader import load_robot
from autosim.vehicle.kinematic.kinematic_fleet import VehicleModel
from autosim.vehicle.kinematic.lookup_maps import MapError, read_map
from autosim.vehicle.runs.drive_inputs import DriveInputs, read_inputs
from autosim.vehicle.runs.drive_results import DriveResult
from autosim.vehicle.runs.kinematic_run import drive

STEP = 0.025
"""Length [s] of a step, that of Autoware's simulator."""

MOST_STEPS = 10_000_000
"""Number of steps: a table of them fills half a gigabyte."""

Vehicle = VehicleModel | RobotDescription
"""A kinematic vehicle, or the robot that is a physical one."""


def simulate(
    vehicle: Vehicle,
    inputs: DriveInputs,
    *,
    step_seconds: float = STEP,
    seconds: float | None = None,
) -> DriveResult:
    """The motion of a vehicle from rest on level, dry ground.

    Args:
        vehicle: a model, see `named_model`, or that of a robot, see `vehicle_of`.
        inputs: what it is commanded, see `load_inputs`.
        step_seconds: length of a step [s]. A physical vehicle moves in as many equal parts of it
            as bring it to 1/240 s or below.
        seconds: how long [s]; None: to the last of the inputs.

    Raises:
        UserError: the inputs lack what the vehicle is commanded, or last for no time.
    """
    span = float(inputs.times[-1]) if seconds is None else seconds
    steps = round(span / step_seconds)
    if steps < 1:
        raise UserError(
            f"the inputs end at {span:g} s, before the first step of {step_seconds:g} s ends: say "
            "how long by --seconds"
        )
    if steps > MOST_STEPS:
        raise UserError(f"{steps} steps are more than {MOST_STEPS}: take longer ones")
    if isinstance(vehicle, VehicleModel):
        return drive(vehicle, inputs, step_seconds=step_seconds, steps=steps)
    # It takes the physics engine.
    from autosim.applications.vehicle.physical import drive_robot

    return drive_robot(vehicle, inputs, step_seconds=step_seconds, steps=steps)


def load_inputs(file: Path) -> DriveInputs:
    """The inputs in a CSV file.

    Raises:
        DriveInputsError: it holds none, with the line.
        UserError: it cannot be read.
    """
    return read_inputs(_text_of(file).splitlines(), str(file))


def named_model(name: str, parameters: Sequence[tuple[str, str]] = ()) -> VehicleModel:
    """The model called `name`, with parameters as they are written.

    Raises:
        ParameterError: there is no such model or parameter, or it cannot have that value.
        UserError: a map cannot be read.
    """
    model = find_kinematic_model(name)
    values: dict[str, float | bool | str] = {}
    for key, text in parameters:
        parameter, value = parsed(model, key, text)
        values[parameter.name] = _map_in(Path(text)) if parameter.is_map and text else value
    return VehicleModel(model, values)


def vehicle_of(file: Path) -> Vehicle:
    """The vehicle that a robot file describes.

    Raises:
        ConfigError: the file has errors.
        UserError: the robot has neither a KinematicVehicle nor a DriveActuator.
    """
    robot = load_robot(file)
    for device in robot.devices:
        if isinstance(device, KinematicVehicle):
            return VehicleModel(device.law, device.model_values)
    if not any(isinstance(each, DriveActuator) for each in robot.devices):
        raise UserError(f"{file}: the robot has neither a KinematicVehicle nor a DriveActuator")
    return robot


def _map_in(file: Path) -> str:
    text = _text_of(file)
    try:
        read_map(text)
    except MapError as error:
        raise MapError(f"{file}: {error}") from error
    return text


def _text_of(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise UserError(f"{file}: expected text in UTF-8") from error
