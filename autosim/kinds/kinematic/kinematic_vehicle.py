"""Kinematic vehicles: what moves a part as a model of a car says (see `vehicle.kinematic`)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from autosim.config.descriptions import Device, PartFile
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Attribute, Element, Interval, Occurs, Value, ValueType
from autosim.config.schemas.common import name_of, reference
from autosim.kinds.checks import RobotBlocks
from autosim.kinds.kind import DeviceKind
from autosim.kinds.kinematic.model_catalogue import (
    CODES,
    MODELS,
    KinematicModel,
    ParameterError,
    attribute_of,
)
from autosim.kinds.kinematic.model_parameters import BODY, COMMON, PARAMETERS, ModelParameter
from autosim.kinds.kinematic.vehicle_transform import FRAME_BYTES
from autosim.model.tree import Access, Field

_ALL = (*PARAMETERS, *COMMON, *BODY)


@dataclass(frozen=True, slots=True)
class KinematicVehicle(Device):
    """A `model` that moves its part, with the `values` that the file gives, by their names.

    `maps` are the files that these name.
    """

    model: str = CODES[0]
    values: tuple[tuple[str, Value], ...] = ()
    maps: tuple[PartFile, ...] = ()

    @property
    def law(self) -> KinematicModel:
        """The model."""
        return MODELS[self.model]

    def value(self, name: str) -> Value:
        """Value of a parameter, from the file or by default."""
        return dict(self.values).get(name, _default(self.model, name))

    def number(self, name: str) -> float:
        """The same of one that is a number or a switch."""
        return float(self.value(name))

    @property
    def model_values(self) -> Mapping[str, Value]:
        """The values that the model takes; of maps the text of their files."""
        texts = {each.name: each.content.decode("utf-8", "replace") for each in self.maps}
        own = {each.name: each for each in self.law.parameters}
        return {
            name: texts[str(value)] if own[name].is_map else value
            for name, value in self.values
            if name in own and (value or not own[name].is_map)
        }

    @property
    def reference_offset(self) -> float:
        """The point whose motion the model computes, ahead of the middle of the part [m]."""
        given = dict(self.values)
        if "axle_offset" in given or self.law.reference == "centre of mass":
            return float(given.get("axle_offset", 0.0))
        return -0.5 * self.number("wheelbase")

    @property
    def map_names(self) -> tuple[str, ...]:
        """The files that its parameters name."""
        maps = {each.name for each in PARAMETERS if each.is_map}
        return tuple(str(value) for name, value in self.values if name in maps and value)


@cache
def _default(model: str, name: str) -> Value:
    own = {each.name: each for each in (*_ALL, *MODELS[model].parameters)}
    return own[name].default


class KinematicVehicleKind(DeviceKind[KinematicVehicle]):
    """Reads a block whose children depend on its model."""

    def read(self, block: Block) -> KinematicVehicle:
        """The record of a block without errors."""
        own = {each.name: each for each in _ALL}
        values = tuple(
            (each.tag, each.get(attribute_of(own[each.tag]).name))
            for each in block.children
            if each.tag in own
        )
        given = tuple((name, value) for name, value in values if value is not None)
        return KinematicVehicle(
            block.name, block.text("Part"), model=str(block.get("model")), values=given
        )


def with_maps(vehicle: KinematicVehicle, files: tuple[PartFile, ...]) -> KinematicVehicle:
    """A vehicle with the files that it names."""
    return replace(vehicle, maps=files)


def _element_of(parameter: ModelParameter) -> Element:
    models = [
        model.name
        for model in MODELS.values()
        if any(each.name == parameter.name for each in model.parameters)
    ]
    what = parameter.meaning
    if parameter in PARAMETERS:
        what += f" Of {', '.join(models)}."
    return Element(parameter.name, what, (attribute_of(parameter),))


def _check(vehicle: Block, robot: RobotBlocks, faults: Faults) -> None:
    _check_parameters(vehicle, faults)
    _check_frames(vehicle, faults)
    _check_part(vehicle, robot, faults)
    first = next(each for each in robot.devices if each.tag == vehicle.tag)
    if first is not vehicle:
        message = f"{vehicle.title}: {first.title} in line {first.line} moves the robot already"
        faults.error(vehicle, message)


def _check_parameters(vehicle: Block, faults: Faults) -> None:
    """Notes parameters that only other models have."""
    name, known = vehicle.get("model"), {each.name for each in PARAMETERS}
    if name not in MODELS:
        return
    for each in vehicle.children:
        if each.tag in known:
            try:
                MODELS[str(name)].parameter(each.tag)
            except ParameterError as error:
                faults.error(each.line, str(error))


def _check_frames(vehicle: Block, faults: Faults) -> None:
    """Notes names of frames that do not fit into a VehicleTransform."""
    for each in vehicle.all("simulated_frame_id", "origin_frame_id"):
        name = str(each.get("value") or "")
        if len(name.encode("utf-8")) > FRAME_BYTES:
            message = f"<{each.tag}> of {vehicle.title}: '{name}' is longer than {FRAME_BYTES} "
            faults.error(each, f"{message}bytes of UTF-8: expected a shorter name")


def _check_part(vehicle: Block, robot: RobotBlocks, faults: Faults) -> None:
    """Notes a part that does not move, and what is joined to it or rolls on it."""
    part = vehicle.text("Part")
    if robot.motions.get(part, "dynamic") == "static":
        message = f"{vehicle.title} is on the part '{part}', which is static: "
        faults.error(vehicle.line_of("Part"), f"{message}expected one that moves")
    for each in robot.bodies:
        ends = (each.first("Parent"), each.first("Child"))
        if part and part in [end.name for end in ends if end]:
            message = f"{each.title} joins '{part}', which {vehicle.title} moves: nothing can hang "
            faults.error(each, f"{message}on it; make them one part, of <Compound>")
    for each in robot.devices:
        if each.tag == "WheelDevice" and part and each.text("Part") == part:
            message = f"{each.title} is on '{part}', which {vehicle.title} moves: "
            faults.error(each, f"{message}a kinematic vehicle has no wheels that roll")


_MEANINGS = {
    "long_accel_mps2": "Acceleration along the vehicle; -100: it brakes to a standstill and stays. "
    "Models that are driven by a velocity take no other.",
    "velocity_mps": "Velocity that the models VEL take; negative backwards.",
    "front_wheel_angle_rad": "Steering angle, positive to the left. Of ACTUATION_CMD_VGR and "
    "ACTUATION_CMD_MECHANICAL the angle of the steering wheel, of ACTUATION_CMD_STEER_MAP the "
    "value that its map takes.",
}


HOLD = -100.0
"""Acceleration [m/s²] that commands a vehicle to brake to a standstill and stay: no car has it."""

_MOST = {
    "long_accel_mps2": Interval(HOLD, -HOLD),
    "velocity_mps": Interval(-200.0, 200.0),
    "angle": Interval(-1.5, 1.5),
    "stamp": Interval(0.0, 1e9),
}
"""Limits of manual commands; each model has its own limits, which are lower."""


_STEERED_BY = {
    "wheels": _MOST["angle"],
    "steering wheel": Interval(-30.0, 30.0),
    "value": Interval(-1e3, 1e3),
}
"""Bounds of the steering command, by what it stands for: see `KinematicModel.steered_by`."""


def _fields(vehicle: KinematicVehicle) -> tuple[Field, ...]:
    return (
        *(
            Field(name, unit=unit, limits=_MOST[name], meaning=_MEANINGS[name])
            for name, unit in (("long_accel_mps2", "m/s²"), ("velocity_mps", "m/s"))
        ),
        Field(
            "front_wheel_angle_rad",
            unit="rad",
            limits=_STEERED_BY[vehicle.law.steered_by],
            meaning=_MEANINGS["front_wheel_angle_rad"],
        ),
        Field(
            "rear_wheel_angle_rad",
            unit="rad",
            limits=_MOST["angle"],
            is_optional=True,
            meaning="Of no effect: the models steer in front alone.",
        ),
        Field(
            "stamp",
            unit="s",
            limits=_MOST["stamp"],
            is_optional=True,
            meaning="Simulated time of the command: one that is older than command_timeout is "
            "late, and the vehicle brakes. 0: it holds until the next.",
        ),
        Field(
            "brake_cmd",
            limits=Interval(0.0, 1e3),
            is_optional=True,
            meaning="Brake that the models ACTUATION_CMD take; their accelerator is "
            "long_accel_mps2.",
        ),
    )


KIND = KinematicVehicleKind(
    record=KinematicVehicle,
    element=Element(
        "KinematicVehicle",
        "Moves its part as a model of a car says, over the ground on which it stands. Its values "
        "are those of Autoware's VehicleControlCommand. Nothing holds it up: what is in its way "
        "counts as a collision, and dynamic bodies are pushed aside. Until it is commanded, and "
        "when its program has failed, it brakes with 3 m/s² to a standstill.",
        (
            Attribute("model", "Its model.", ValueType.TEXT, required=True, allowed=tuple(MODELS)),
            name_of("the device"),
        ),
        (
            reference("Part", "The part that it moves."),
            *(_element_of(each) for each in (*PARAMETERS, *COMMON, *BODY)),
        ),
        occurs=Occurs.ANY,
        is_strict=True,
    ),
    names={each.name: "values" for each in _ALL},
    fields=_fields,
    access=Access.DRIVE,
    rest=(HOLD, 0.0, None, None, 0.0, 0.0),
    released=(0.0,),
    check=_check,
)
"""At rest it brakes; its steering stays as it is."""
