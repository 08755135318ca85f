"""Belief that is the truth and noise."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.config.descriptions import Device, Vector3
from autosim.config.reading.blocks import Block
from autosim.config.schema import Element, Interval
from autosim.config.schemas.common import NOT_NEGATIVE, parameter, vector
from autosim.estimation.error_process import (
    RATES,
    SteadyErrors,
    add_rate_errors,
    add_steady_errors,
)
from autosim.kinds.banks import BankContext, MountedDevice, memory_of, vectors
from autosim.kinds.element_reader import extent
from autosim.kinds.elements import ORIGIN, device_element
from autosim.kinds.kind import DeviceKind
from autosim.kinds.owners.state_words import state_words_of, streams_of
from autosim.model.belief import ERRORS
from autosim.model.bodies import BodyStates
from autosim.model.state import State
from autosim.model.tree import Access

ROUGH: Vector3 = (5.0, 5.0, 1.0)
"""Standard deviations [m], [m/s] along B where a file gives no error at all: those of a plain
receiver."""

_NONE: Vector3 = (0.0, 0.0, 0.0)
"""Standard deviations [m], [m/s] or [rad] of a quantity for which a file gives no error."""

_COVERED = ("position", "orientation", "velocity")
"""Quantities that the covariance describes, in its order."""

_RATES = ("angular_velocity", "acceleration")

SHORTEST = 1e-9
"""Time constant [s] below which nothing is left of an error after any step."""


@dataclass(frozen=True, slots=True)
class NoisyState(Device):
    """The robot believes the truth and an error that is normally distributed.

    Deviations and means are along the axes of B: of the position [m], the velocity [m/s], the
    orientation [rad] (a rotation vector), the angular velocity [rad/s] and the acceleration [m/s²].
    A deviation of None is zero; without any deviation and mean, the position is off by `ROUGH` [m]
    and the velocity by `ROUGH` [m/s]. `time_constant` [s]: how long an error lasts.

    Attributes:
        position_deviation: standard deviations [m].
        position_mean: mean errors [m].
        velocity_deviation: standard deviations [m/s].
        velocity_mean: mean errors [m/s].
        orientation_deviation: standard deviations [rad].
        orientation_mean: mean errors [rad].
        angular_velocity_deviation: standard deviations [rad/s].
        angular_velocity_mean: mean errors [rad/s].
        acceleration_deviation: standard deviations [m/s²].
        acceleration_mean: mean errors [m/s²].
    """

    position_deviation: Vector3 | None = None
    position_mean: Vector3 = (0.0, 0.0, 0.0)
    velocity_deviation: Vector3 | None = None
    velocity_mean: Vector3 = (0.0, 0.0, 0.0)
    orientation_deviation: Vector3 | None = None
    orientation_mean: Vector3 = (0.0, 0.0, 0.0)
    angular_velocity_deviation: Vector3 | None = None
    angular_velocity_mean: Vector3 = (0.0, 0.0, 0.0)
    acceleration_deviation: Vector3 | None = None
    acceleration_mean: Vector3 = (0.0, 0.0, 0.0)
    time_constant: float = 0.0

    def deviation(self, name: str) -> Vector3:
        """The deviation of `position`, `velocity`, `orientation`, `angular_velocity` …."""
        given: Vector3 | None = getattr(self, f"{name}_deviation")
        if given is not None:
            return given
        return ROUGH if self._is_plain and name in ("position", "velocity") else _NONE

    def mean(self, name: str) -> Vector3:
        """The mean of the same."""
        found: Vector3 = getattr(self, f"{name}_mean")
        return found

    @property
    def _is_plain(self) -> bool:
        return all(
            getattr(self, f"{name}_deviation") is None and self.mean(name) == _NONE
            for name in (*_COVERED, *_RATES)
        )


class NoisyStateBank:
    """All noisy states, in one call."""

    def __init__(self, devices: Sequence[MountedDevice[NoisyState]], context: BankContext) -> None:
        records = [mounted.device for mounted in devices]
        times = np.array([each.time_constant for each in records])
        powers = -context.step_seconds / np.maximum(times, SHORTEST)
        kept = portable.exp(powers)

        def errors(names: tuple[str, ...], first: int) -> SteadyErrors:
            numbers = range(first, first + 3 * len(names))
            return SteadyErrors(
                deviation=np.hstack(
                    [vectors([each.deviation(name) for each in records]) for name in names]
                ),
                mean=np.hstack([vectors([each.mean(name) for each in records]) for name in names]),
                kept=kept,
                stream=streams_of(devices, context, numbers=numbers),
            )

        self._places = state_words_of(devices)
        self._errors, self._add = errors(_COVERED, 0), add_steady_errors
        self._rates, self._add_rates = errors(_RATES, ERRORS), add_rate_errors
        self._has_rates = bool(self._rates.deviation.any() or self._rates.mean.any())
        self.memory = memory_of(devices, width=ERRORS + RATES)

    def estimate(self, bodies: BodyStates, state: State) -> None:
        """Writes the beliefs."""
        rows: Floats = self.memory.rows
        self._add(state.floats, state.step, self._places, self._errors, rows[:, :ERRORS])
        if self._has_rates:
            self._add_rates(state.floats, state.step, self._places, self._rates, rows[:, ERRORS:])


def _deviation(name: str, what: str, unit: str, without: str) -> Element:
    return vector(
        name,
        f"Standard deviation of {what}, along the axes of the part. {without}",
        unit=unit,
        interval=NOT_NEGATIVE,
    )


def _mean(name: str, what: str, unit: str) -> Element:
    return vector(
        name,
        f"By how much {what} is off on average, along the axes of the part.",
        unit=unit,
        default=ORIGIN,
    )


def _extent_or_none(block: Block, tag: str) -> Vector3 | None:
    return extent(block, tag) if block.first(tag) else None


_PLACE, _SPEED, _TURN, _TURNING, _PUSH = (
    "the believed position",
    "the believed velocity",
    "the believed orientation, as a rotation vector",
    "the believed angular velocity",
    "the believed acceleration",
)
_PLAIN = (
    "Without it 0; where there is no deviation and no mean at all, 5 to the right, 1 up, 5 forward."
)
_ZERO = "Without it 0."

_SIZES = (
    *("PositionDeviation", "VelocityDeviation", "OrientationDeviation"),
    *("AngularVelocityDeviation", "AccelerationDeviation"),
)

KIND = DeviceKind(
    record=NoisyState,
    element=device_element(
        "NoisyState",
        "The robot believes the truth and normal noise: `<robot>.state` is off by an error whose "
        "covariance it tells. It owns the belief.",
        _deviation("PositionDeviation", _PLACE, "m", _PLAIN),
        _mean("PositionMean", _PLACE, "m"),
        _deviation("VelocityDeviation", _SPEED, "m/s", _PLAIN),
        _mean("VelocityMean", _SPEED, "m/s"),
        _deviation("OrientationDeviation", _TURN, "rad", _ZERO),
        _mean("OrientationMean", _TURN, "rad"),
        _deviation("AngularVelocityDeviation", _TURNING, "rad/s", _ZERO),
        _mean("AngularVelocityMean", _TURNING, "rad/s"),
        _deviation("AccelerationDeviation", _PUSH, "m/s²", _ZERO),
        _mean("AccelerationMean", _PUSH, "m/s²"),
        parameter(
            "TimeConstant",
            "How long an error lasts: after this time 37 % of it are left. 0: another one in each "
            "step. The size of the errors does not depend on it, nor on the step.",
            unit="s",
            default=0.0,
            interval=Interval(0.0, 1e6),
        ),
    ),
    codecs=dict.fromkeys(_SIZES, _extent_or_none),
    state_access=Access.READ,
    make_bank=NoisyStateBank,
)
