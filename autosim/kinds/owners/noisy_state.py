"""Belief that is the truth and noise."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.config.descriptions import Device, Vector3
from autosim.config.schema import Element, Interval
from autosim.config.schemas.common import NOT_NEGATIVE, parameter, vector
from autosim.kinds.banks import BankContext, Mounted, memory_of, vectors
from autosim.kinds.elements import ORIGIN, device_element
from autosim.kinds.kind import DeviceKind
from autosim.kinds.reading import extent
from autosim.simulation.belief import ERRORS
from autosim.simulation.bodies import BodyStates
from autosim.simulation.state import State
from autosim.simulation.tree import Access

SHORTEST = 1e-9
"""Time constant [s] below which nothing is left of an error after any step."""


@dataclass(frozen=True, slots=True)
class NoisyState(Device):
    """The robot believes the truth and an error that is normally distributed.

    Deviations and means are along the axes of B: of the position [m], the velocity [m/s] and the
    orientation [rad] (a rotation vector). `time_constant` [s]: how long an error lasts.
    """

    position_deviation: Vector3 = (5.0, 5.0, 1.0)
    position_mean: Vector3 = (0.0, 0.0, 0.0)
    velocity_deviation: Vector3 = (5.0, 5.0, 1.0)
    velocity_mean: Vector3 = (0.0, 0.0, 0.0)
    orientation_deviation: Vector3 = (0.0, 0.0, 0.0)
    orientation_mean: Vector3 = (0.0, 0.0, 0.0)
    time_constant: float = 0.0


class NoisyStateBank:
    """All noisy states, in one call."""

    def __init__(self, devices: Sequence[Mounted[NoisyState]], context: BankContext) -> None:
        # Its kernels take numba, which programs and clients do without.
        from autosim.estimation.error_process import SteadyErrors, add_steady_errors
        from autosim.kinds.owners.places import places_of, streams_of

        records = [mounted.device for mounted in devices]
        times = np.array([each.time_constant for each in records])
        powers = -context.step_seconds / np.maximum(times, SHORTEST)
        errors = SteadyErrors(
            deviation=np.hstack(
                [
                    vectors([each.position_deviation for each in records]),
                    vectors([each.orientation_deviation for each in records]),
                    vectors([each.velocity_deviation for each in records]),
                ]
            ),
            mean=np.hstack(
                [
                    vectors([each.position_mean for each in records]),
                    vectors([each.orientation_mean for each in records]),
                    vectors([each.velocity_mean for each in records]),
                ]
            ),
            kept=portable.exp(powers),
            stream=streams_of(devices, context),
        )
        self._places, self._errors, self._add = places_of(devices), errors, add_steady_errors
        self.memory = memory_of(devices, width=ERRORS)

    def estimate(self, bodies: BodyStates, state: State) -> None:
        """Writes the beliefs."""
        rows: Floats = self.memory.rows
        self._add(state.floats, state.step, self._places, self._errors, rows)


def _deviations(name: str, what: str, unit: str, default: Vector3) -> Element:
    return vector(
        name,
        f"Standard deviation of {what}, along the axes of the part.",
        unit=unit,
        default=default,
        interval=NOT_NEGATIVE,
    )


def _mean(name: str, what: str, unit: str) -> Element:
    return vector(
        name,
        f"By how much {what} is off on average, along the axes of the part.",
        unit=unit,
        default=ORIGIN,
    )


_PLACE, _SPEED, _TURN = (
    "the believed position",
    "the believed velocity",
    "the believed orientation, as a rotation vector",
)
_ROUGH = (5.0, 1.0, 5.0)
"""Standard deviations [m], [m/s] to the right, up and forward where a file gives none: those of a
plain receiver."""

_SIZES = ("PositionDeviation", "VelocityDeviation", "OrientationDeviation")

KIND = DeviceKind(
    record=NoisyState,
    element=device_element(
        "NoisyState",
        "The robot believes the truth and normal noise: `<robot>.state` is off by an error whose "
        "covariance it tells. It owns the belief.",
        _deviations("PositionDeviation", _PLACE, "m", _ROUGH),
        _mean("PositionMean", _PLACE, "m"),
        _deviations("VelocityDeviation", _SPEED, "m/s", _ROUGH),
        _mean("VelocityMean", _SPEED, "m/s"),
        _deviations("OrientationDeviation", _TURN, "rad", ORIGIN),
        _mean("OrientationMean", _TURN, "rad"),
        parameter(
            "TimeConstant",
            "How long an error lasts: after this time 37 % of it are left. 0: another one in each "
            "step. The size of the errors does not depend on it, nor on the step.",
            unit="s",
            default=0.0,
            interval=Interval(0.0, 1e6),
        ),
    ),
    codecs=dict.fromkeys(_SIZES, extent),
    state_access=Access.READ,
    make_bank=NoisyStateBank,
)
