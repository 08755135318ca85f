"""The available kinematic models, and the parameters of each.

The models of Autoware are those of its simple_planning_simulator, with the names, units and
defaults of its parameters. KS and ST are those of CommonRoad (Althoff, Koschi, Manzinger:
CommonRoad: Composable Benchmarks for Motion Planning on Roads, 2017, and its vehicle models of
2020), with the parameters of its vehicle 2, a BMW 320i.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from autosim.config.reading.attribute_values import InvalidValueError, read_value, suggestion
from autosim.config.schema import Attribute
from autosim.errors import UserError
from autosim.kinds.kinematic import model_parameters as p
from autosim.kinds.kinematic.model_parameters import ModelParameter

CODES = (
    *("IDEAL_STEER_VEL", "IDEAL_STEER_ACC", "IDEAL_STEER_ACC_GEARED"),
    *("DELAY_STEER_VEL", "DELAY_STEER_ACC", "DELAY_STEER_ACC_GEARED"),
    *("DELAY_STEER_ACC_GEARED_WO_FALL_GUARD", "DELAY_STEER_MAP_ACC_GEARED", "ACTUATION_CMD"),
    *("ACTUATION_CMD_STEER_MAP", "ACTUATION_CMD_VGR", "ACTUATION_CMD_MECHANICAL"),
    *("KS", "ST"),
)
"""The names of the models; kernels know each by its place."""


class ParameterError(UserError):
    """There is no such model or parameter, or a parameter cannot have the value."""


@dataclass(frozen=True, slots=True)
class KinematicModel:
    """A model of a vehicle.

    `drive`: what it is commanded, besides the steering. `reference`: the point whose motion it
    computes. With `is_geared` it moves in the direction of its gear alone. `steered_by`: what its
    steering command is: the angle of the wheels or of the steering wheel [rad], or any value.

    Attributes:
        name: name as robot files state it.
        meaning: sentence for the documentation.
        parameters: parameters that robot files may state.
    """

    name: str
    meaning: str
    parameters: tuple[ModelParameter, ...]
    drive: Literal["acceleration", "velocity"] = "acceleration"
    is_geared: bool = False
    reference: Literal["rear axle", "centre of mass"] = "rear axle"
    steered_by: Literal["wheels", "steering wheel", "value"] = "wheels"

    def parameter(self, name: str) -> ModelParameter:
        """Its parameter of that name.

        Raises:
            ParameterError: it has none.
        """
        found = {each.name: each for each in self.parameters}
        found |= {each.former: each for each in self.parameters if each.former}
        if name not in found:
            known = [each.name for each in self.parameters]
            hint = suggestion(name, known) or f" (it has {', '.join(known)})"
            raise ParameterError(f"the model {self.name} has no parameter '{name}'{hint}")
        return found[name]


_DELAYED_STEERING = (
    *(p.STEER_TIME_DELAY, p.STEER_TIME_CONSTANT),
    *(p.VEL_LIM, p.VEL_RATE_LIM, p.STEER_LIM, p.STEER_RATE_LIM),
    *(p.STEER_BIAS, p.STABILITY_FACTOR),
)
_DELAYED_ACC = (p.WHEELBASE, p.ACC_TIME_DELAY, p.ACC_TIME_CONSTANT, *_DELAYED_STEERING)
_ACTUATED = (
    *(p.WHEELBASE, p.ACCEL_TIME_DELAY, p.ACCEL_TIME_CONSTANT),
    *(p.BRAKE_TIME_DELAY, p.BRAKE_TIME_CONSTANT),
    *(*_DELAYED_STEERING, p.ROAD_SLOPE, p.ACCEL_MAP, p.BRAKE_MAP),
)
_TUNED = (p.STEER_DEAD_BAND, p.ACC_SCALING, p.STEER_SCALING, p.ROAD_SLOPE)
_COMMONROAD = (
    *(p.STEERING_MIN, p.STEERING_MAX, p.STEERING_V_MIN, p.STEERING_V_MAX),
    *(p.V_MIN, p.V_MAX, p.V_SWITCH, p.A_MAX),
)
_BMW_WHEELBASE = 1.1561957064 + 1.4227170936
"""Wheelbase [m] of CommonRoad's vehicle 2."""

MODELS = {
    each.name: each
    for each in (
        KinematicModel(
            "IDEAL_STEER_VEL",
            "Has the velocity and the steering angle that it is commanded, at once.",
            (p.WHEELBASE,),
            drive="velocity",
        ),
        KinematicModel(
            "IDEAL_STEER_ACC",
            "Has the acceleration and the steering angle that it is commanded, at once.",
            (p.WHEELBASE, p.ROAD_SLOPE),
        ),
        KinematicModel(
            "IDEAL_STEER_ACC_GEARED",
            "The same, and moves in the direction of its gear alone.",
            (p.WHEELBASE, p.ROAD_SLOPE),
            is_geared=True,
        ),
        KinematicModel(
            "DELAY_STEER_VEL",
            "Velocity and steering angle follow commands after a dead time with a lag.",
            (
                *(p.WHEELBASE, p.VEL_TIME_DELAY, p.VEL_TIME_CONSTANT),
                *(*_DELAYED_STEERING, p.STEER_DEAD_BAND),
            ),
            drive="velocity",
        ),
        KinematicModel(
            "DELAY_STEER_ACC",
            "Acceleration and steering angle follow commands after a dead time with a lag.",
            (*_DELAYED_ACC, *_TUNED),
        ),
        KinematicModel(
            "DELAY_STEER_ACC_GEARED",
            "The same, and moves in the direction of its gear alone.",
            (*_DELAYED_ACC, *_TUNED),
            is_geared=True,
        ),
        KinematicModel(
            "DELAY_STEER_ACC_GEARED_WO_FALL_GUARD",
            "The same with pedals: the acceleration acts in the direction of the gear, and where "
            "it is negative it brakes; on a slope the vehicle may roll back.",
            (*_DELAYED_ACC, *_TUNED),
        ),
        KinematicModel(
            "DELAY_STEER_MAP_ACC_GEARED",
            "DELAY_STEER_ACC_GEARED with a map from commanded to actual acceleration.",
            (*_DELAYED_ACC, p.ROAD_SLOPE, p.ACCELERATION_MAP),
            is_geared=True,
        ),
        KinematicModel(
            "ACTUATION_CMD",
            "Commanded by accelerator and brake; maps give the resulting acceleration.",
            _ACTUATED,
            is_geared=True,
        ),
        KinematicModel(
            "ACTUATION_CMD_STEER_MAP",
            "ACTUATION_CMD with a steering that is commanded by any value, such as the voltage of "
            "a power steering; a map gives its rate.",
            (*_ACTUATED, p.STEER_MAP),
            is_geared=True,
            steered_by="value",
        ),
        KinematicModel(
            "ACTUATION_CMD_VGR",
            "ACTUATION_CMD, steered by the angle of the steering wheel through a gear ratio that "
            "varies with speed and angle.",
            (*_ACTUATED, *p.GEAR_RATIO),
            is_geared=True,
            steered_by="steering wheel",
        ),
        KinematicModel(
            "ACTUATION_CMD_MECHANICAL",
            "ACTUATION_CMD_VGR with a steering that has inertia, damping, stiffness and friction, "
            "and a controller that turns it.",
            (*_ACTUATED, *p.GEAR_RATIO, *p.MECHANISM),
            is_geared=True,
            steered_by="steering wheel",
        ),
        KinematicModel(
            "KS",
            "CommonRoad's kinematic single-track model: the steering turns at a bounded rate.",
            (p.WHEELBASE.with_default(_BMW_WHEELBASE), *_COMMONROAD),
        ),
        KinematicModel(
            "ST",
            "CommonRoad's single-track model: tyres slip, in proportion to their load.",
            (
                *(*_COMMONROAD, p.FRONT, p.REAR, p.MASS, p.INERTIA, p.HEIGHT, p.FRICTION),
                *(p.FRONT_STIFFNESS, p.REAR_STIFFNESS),
            ),
            reference="centre of mass",
        ),
    )
}
"""The models by their names."""


def find_kinematic_model(name: str) -> KinematicModel:
    """The model of that name.

    Raises:
        ParameterError: there is none.
    """
    if name not in MODELS:
        hint = suggestion(name, CODES) or f" (models: {', '.join(CODES)})"
        raise ParameterError(f"there is no model '{name}'{hint}")
    return MODELS[name]


Values = Mapping[str, float | bool | str]
"""Parameters by their names; maps as the text of their files."""


def parsed(
    model: KinematicModel, name: str, text: str
) -> tuple[ModelParameter, float | bool | str]:
    """A parameter of a model, and the value that is written in `text`.

    Raises:
        ParameterError: the model has no such parameter, or it cannot have that value.
    """
    parameter = model.parameter(name)
    try:
        return parameter, read_value(attribute_of(parameter), text)
    except InvalidValueError as error:
        raise ParameterError(f"{parameter.name}: {error}") from error


def attribute_of(parameter: ModelParameter) -> Attribute:
    """Spelling of a parameter in files and on the command line."""
    return Attribute(
        "path" if parameter.is_map else "value",
        "",
        parameter.type,
        parameter.unit,
        parameter.default,
        True,
        parameter.interval,
        parameter.allowed,
    )
