"""Any number of kinematic vehicles, of any models, as arrays that one kernel moves."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import bind_arguments
from autosim.kinds.kinematic.model_catalogue import CODES, KinematicModel, Values
from autosim.kinds.kinematic.model_parameters import PARAMETERS
from autosim.vehicle.kinematic.kinematic_step import (
    ACCELERATION,
    GEAR,
    QUEUES,
    RUN,
    TURNED,
    X,
    step_vehicles,
)
from autosim.vehicle.kinematic.lookup_maps import NO_MAP, read_map
from autosim.vehicle.kinematic.motion_equations import DRIVE

_PEDALS = ("accel_time_delay", "steer_time_delay", "brake_time_delay")

_DELAYS = {
    "IDEAL_STEER_VEL": ("", "", ""),
    "IDEAL_STEER_ACC": ("", "", ""),
    "IDEAL_STEER_ACC_GEARED": ("", "", ""),
    "DELAY_STEER_VEL": ("vel_time_delay", "steer_time_delay", ""),
    "ACTUATION_CMD": _PEDALS,
    "ACTUATION_CMD_STEER_MAP": _PEDALS,
    "ACTUATION_CMD_VGR": _PEDALS,
    "ACTUATION_CMD_MECHANICAL": _PEDALS,
    "KS": ("", "", ""),
    "ST": ("", "", ""),
}
"""The dead times of driving, steering and braking, of models that have others than
`_USUAL_DELAYS`."""

_USUAL_DELAYS = ("acc_time_delay", "steer_time_delay", "")


@dataclass(frozen=True, slots=True)
class VehicleModel:
    """A model and the parameters that differ from its defaults; of maps the text of their files."""

    model: KinematicModel
    values: Values = field(default_factory=dict)
    """Values by the names of the parameters."""

    def value(self, name: str) -> float | bool | str:
        """The value of one of its parameters."""
        return self.values.get(name, self.model.parameter(name).default)


class KinematicFleet:
    """n kinematic vehicles, which begin at the origin, at rest.

    Args:
        vehicles: their models.
        step_seconds: length of a step [s].

    `rows`: (n, w) float64, see `steps.X`: what the vehicles keep from step to step. `commands`:
    (n, 6), see `steps.DRIVEN`, and `ways`: (n, 2), see `steps.RUN`: what acts on them in the next
    step. All are written in place, also by others.

    Raises:
        MapError: the text of a map is none.
    """

    def __init__(self, vehicles: Sequence[VehicleModel], *, step_seconds: float) -> None:
        count = len(vehicles)
        self.models: Integers = np.array(
            [CODES.index(each.model.name) for each in vehicles], dtype=np.int64
        )
        self.parameters, maps = _columns_of(vehicles)
        delays = [_delays_of(each, step_seconds) for each in vehicles]
        self.delays: Integers = np.array(delays, dtype=np.int64).reshape(-1, 3)
        self.rows: Floats = np.zeros((count, QUEUES + 3 * int(self.delays.max(initial=0))))
        self.commands: Floats = np.zeros((count, 6))
        self.commands[:, GEAR], self.commands[:, TURNED] = DRIVE, np.nan
        self.ways: Floats = np.zeros((count, 2))
        self.ways[:, RUN] = 1.0
        self._move = bind_arguments(
            step_vehicles,
            self.models,
            self.parameters,
            maps,
            self.delays,
            self.commands,
            self.ways,
            float(step_seconds),
            self.rows,
        )

    @property
    def state(self) -> Floats:
        """The first columns (n, 9) of `rows`, which are the motion."""
        return self.rows[:, X : ACCELERATION + 1]

    def advance(self) -> None:
        """Moves all vehicles on by a step."""
        self._move()


def _columns_of(vehicles: Sequence[VehicleModel]) -> tuple[Floats, Floats]:
    """The parameters (n, p) of vehicles, and their maps, one after the other."""
    starts: dict[str, int] = {}
    maps: list[Floats] = []

    def number_of(value: float | bool | str) -> float:
        if not isinstance(value, str):
            return float(value)
        if not value:
            return NO_MAP
        if value not in starts:
            starts[value] = sum(each.size for each in maps)
            maps.append(read_map(value))
        return float(starts[value])

    columns = np.array([[number_of(each.default) for each in PARAMETERS]] * len(vehicles))
    columns = columns.reshape(-1, len(PARAMETERS))
    for row, vehicle in enumerate(vehicles):
        for column, parameter in enumerate(PARAMETERS):
            if any(each.name == parameter.name for each in vehicle.model.parameters):
                columns[row, column] = number_of(vehicle.value(parameter.name))
    return columns, np.concatenate([*maps, np.zeros(1)])


def _delays_of(vehicle: VehicleModel, step_seconds: float) -> list[int]:
    names = _DELAYS.get(vehicle.model.name, _USUAL_DELAYS)
    # As C rounds: a half up.
    return [int(float(vehicle.value(name)) / step_seconds + 0.5) if name else 0 for name in names]
