"""Belief of an inertial system in short: an error that drifts without a fix."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.config.descriptions import Device
from autosim.config.reading.attribute_values import suggestion
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Attribute, Element, Interval, ValueType
from autosim.config.schemas.common import parameter
from autosim.estimation.error_process import (
    DRIFT_ITEMS,
    RATES,
    Drift,
    SteadyErrors,
    add_drift,
    add_rate_errors,
)
from autosim.kinds.banks import BankContext, MountedDevice, memory_of
from autosim.kinds.checks import RobotBlocks
from autosim.kinds.elements import device_element
from autosim.kinds.kind import DeviceKind
from autosim.kinds.owners.gps_sentences import ReceiverFixes, read_fixes
from autosim.kinds.owners.noisy_state import SHORTEST
from autosim.kinds.owners.state_words import device_of, state_words_of, streams_of
from autosim.kinds.sensors.positioning.gps import NMEA_BYTES
from autosim.model.belief import ERRORS
from autosim.model.bodies import BodyStates
from autosim.model.state import State
from autosim.model.tree import WORD, Access, Field

CIRCULAR = 1.1774100225154747
"""Ratio of the circular error probable to the standard deviation along each axis: √(2 ln 2)."""


GYROSCOPE_NOISE, ACCELEROMETER_NOISE = 0.0014, 0.018
"""Standard deviations [rad/s], [m/s²] of an inertial unit for vehicles at a bandwidth of 100 Hz:
0.008 °/s/√Hz and 180 µg/√Hz (Analog Devices, ADIS16470, data sheet)."""


@dataclass(frozen=True, slots=True)
class SimpleINS(Device):
    """The robot believes the truth and an error that drifts where there is no fix.

    `gps` is the receiver that gives the fix, "" for none ever. `velocity_walk` [m/s/√s] and
    `turn_walk` [rad/√s] say how fast the errors of velocity and orientation grow. A fix counts
    after `fix_time` [s]; from then on errors decay with `fix_time_constant` [s] to
    `fix_position_deviation` [m], `fix_velocity_deviation` [m/s] and `fix_turn_deviation` [rad].
    `angular_velocity_deviation` [rad/s] and `acceleration_deviation` [m/s²] are those of the white
    noise of its rates along each axis, at any time.
    """

    gps: str = ""
    velocity_walk: float = 0.05
    turn_walk: float = 0.0005
    fix_time: float = 1.0
    fix_time_constant: float = 1.0
    fix_position_deviation: float = 1.0
    fix_velocity_deviation: float = 0.1
    fix_turn_deviation: float = 0.01
    angular_velocity_deviation: float = GYROSCOPE_NOISE
    acceleration_deviation: float = ACCELEROMETER_NOISE


class SimpleINSBank:
    """All simple inertial systems, in one call."""

    def __init__(self, devices: Sequence[MountedDevice[SimpleINS]], context: BankContext) -> None:
        records = [mounted.device for mounted in devices]

        def values(name: str) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
            return np.array([float(getattr(each, name)) for each in records])

        constants = np.maximum(values("fix_time_constant"), SHORTEST)
        self._drift = Drift(
            velocity_walk=values("velocity_walk"),
            turn_walk=values("turn_walk"),
            kept=portable.exp(-context.step_seconds / constants),
            fix_position=values("fix_position_deviation"),
            fix_turn=values("fix_turn_deviation"),
            fix_velocity=values("fix_velocity_deviation"),
            stream=streams_of(devices, context),
        )
        receivers = [
            device_of(each, each.device.gps) if each.device.gps else None for each in devices
        ]
        self._sentences = np.array(
            [node.start if node else -1 for node in receivers], dtype=np.int64
        )
        self._words = np.array([each.node.start // WORD for each in devices], dtype=np.int64)
        self._fix_time, self._seconds = values("fix_time"), context.step_seconds
        self._fixes, self._heard = ReceiverFixes.none(len(devices)), np.zeros(len(devices))
        self._places, self._add, self._read = state_words_of(devices), add_drift, read_fixes
        noise = [values("angular_velocity_deviation"), values("acceleration_deviation")]
        self._rates = SteadyErrors(
            deviation=np.repeat(np.stack(noise, axis=1), 3, axis=1),
            mean=np.zeros((len(devices), RATES)),
            kept=np.zeros(len(devices)),
            stream=streams_of(devices, context, numbers=range(ERRORS, ERRORS + RATES)),
        )
        # White noise: nothing of it is remembered.
        self._add_rates, self._white = add_rate_errors, np.zeros((len(devices), RATES))
        self._has_rates = bool(self._rates.deviation.any())
        # Behind the errors: for how long there has been a fix [s].
        self.memory = memory_of(devices, width=DRIFT_ITEMS + 1)

    def estimate(self, bodies: BodyStates, state: State) -> None:
        """Writes the beliefs, and how sure they are."""
        rows = self.memory.rows
        self._read(state.bytes, self._sentences, NMEA_BYTES, self._heard, self._fixes)
        fixed = np.nan_to_num(rows[:, -1]) + self._seconds
        rows[:, -1] = np.where(self._fixes.is_valid, fixed, 0.0)
        has_fix = rows[:, -1] >= self._fix_time
        self._add(
            state.floats,
            state.step,
            self._seconds,
            self._places,
            self._drift,
            has_fix,
            rows[:, :-1],
        )
        if self._has_rates:
            self._add_rates(state.floats, state.step, self._places, self._rates, self._white)
        state.floats[self._words] = has_fix
        state.floats[self._words + 1] = CIRCULAR * np.sqrt(rows[:, ERRORS])


def _check(ins: Block, robot: RobotBlocks, faults: Faults) -> None:
    name = ins.text("GPS")
    receivers = [each.name for each in robot.devices if each.tag == "GPSSensor"]
    if name and name not in receivers:
        message = f"<GPS> of {ins.title} names '{name}', which is no GPSSensor of this robot"
        faults.error(ins.line_of("GPS"), message + suggestion(name, receivers))


def _size(name: str, description: str, unit: str, default: float) -> Element:
    return parameter(name, description, unit=unit, default=default, interval=Interval(0.0, 1e6))


KIND = DeviceKind(
    record=SimpleINS,
    element=device_element(
        "SimpleINS",
        "The robot believes the truth and the error of an inertial system: it drifts without a fix "
        "and stays bounded with one. `<robot>.state` tells its covariance; the device, whether "
        "there is a fix, and the circular error probable. It owns the belief.",
        Element(
            "GPS",
            "The receiver whose fixes hold the error down; without it there is never a fix.",
            (Attribute("name", "", ValueType.NAME, required=True),),
        ),
        _size(
            "VelocityWalk", "Error of the velocity after one second without a fix.", "m/s/√s", 0.05
        ),
        _size(
            "TurnWalk", "Error of the orientation after one second without a fix.", "rad/√s", 0.0005
        ),
        _size("FixTime", "How long a fix must have lasted before it counts.", "s", 1.0),
        _size("FixTimeConstant", "How fast a fix brings errors down to those below.", "s", 1.0),
        _size("FixPositionDeviation", "Standard deviation of the position with a fix.", "m", 1.0),
        _size("FixVelocityDeviation", "That of the velocity.", "m/s", 0.1),
        _size("FixTurnDeviation", "That of the orientation.", "rad", 0.01),
        _size(
            "AngularVelocityDeviation",
            "Standard deviation of the angular velocity, along each axis, at any time.",
            "rad/s",
            GYROSCOPE_NOISE,
        ),
        _size("AccelerationDeviation", "That of the acceleration.", "m/s²", ACCELEROMETER_NOISE),
    ),
    names={"GPS": "gps"},
    fields=(Field("has_fix"), Field("circular_error", unit="m")),
    check=_check,
    state_access=Access.READ,
    make_bank=SimpleINSBank,
)
