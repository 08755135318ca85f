"""The sensors that an inertial navigation system reads: where they are, how wrong they are."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.config.descriptions import Device, RobotDescription, Vector3
from autosim.config.noise_records import TIMING, Dropout
from autosim.estimation.corrections import DISTANCE, HEADING, MOTION, PLACE, PRESSURE, SPEED
from autosim.estimation.inertial_filter import CHANNELS, Channels, Noises
from autosim.jit import compiled
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.banks import BankContext, MountedDevice
from autosim.kinds.owners.data_sheet import DataSheet, data_sheet
from autosim.kinds.owners.ins_device import INS
from autosim.kinds.owners.state_words import device_of, robot_of
from autosim.kinds.sensors.driving.odometer import Odometer
from autosim.kinds.sensors.driving.wheel_encoder import WheelEncoder
from autosim.kinds.sensors.motion.imu import IMU
from autosim.kinds.sensors.motion.velocimeter import VelocimeterSensor
from autosim.kinds.sensors.positioning.barometer import Barometer
from autosim.kinds.sensors.positioning.compass import CompassSensor
from autosim.kinds.sensors.positioning.gps import GPSSensor
from autosim.model.tree import WORD, SimulationTree
from autosim.portable import TAU

DeviceT = TypeVar("DeviceT", bound=Device)

LEAST = {PLACE: 0.01, PRESSURE: 1e-6, HEADING: 1e-3, SPEED: 0.01, MOTION: 3e-3, DISTANCE: 0.01}
"""Standard deviation [m], [1], [rad], [m/s] that a sensor has at least: what its last digit and the
length of a step leave open."""

LEAST_RATE, LEAST_FORCE = 1e-5, 1e-3
"""Least deviation of a gyroscope [rad/s] and of an accelerometer [m/s²]."""

FIX = 5
"""Number of channels of a receiver, the first of a robot: east, north, height, and the velocities
east and north."""

_LAST_DIGIT = 0.1 / math.sqrt(12.0)
"""Standard deviation [m] of the rounding of the height in a GGA sentence, to 0.1 m."""

_WALK_SHARE = 1e-3
"""Share of the deviation of a sample that its bias walks in √s at least: a filter that is sure of a
bias forever would not notice when it changes."""

_WINDOW = 0.1
"""Time [s] over which wheels count: long enough for some ticks, short beside a change of speed."""

_FORWARD, _LEFT, _UP = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
"""Axes, without unit, of a body or of the world."""


class InertialSensors(NamedTuple):
    """The inertial measurement units of n robots.

    word: (n,) places of their values in `State.floats`; offset: (n, 6) what is known of their
    errors.
    """

    word: Integers
    offset: Floats


class AidingSensors(NamedTuple):
    """Further measurements of n robots, each in c channels.

    word: (n, c) positions in the words of the state, -1 for none; is_whole: (n, c) whether the
    word is an integer; offset: (n, c) the known part of the error; factor: (n, c) by which
    the number is multiplied; is_held: (n, c) whether an unchanged value is not a new one;
    window: (n, c) number of steps over which the change of the value counts, 0 for the value;
    reach: (n, c) how many steps ago such a window may have begun.
    """

    word: Integers
    is_whole: Booleans
    offset: Floats
    factor: Floats
    is_held: Booleans
    window: Integers
    reach: Integers


@dataclass(frozen=True, slots=True)
class _Meter:
    """The measurement of one channel: see `Sensor` and `AidingSensors`.

    `deviation` is that of the measured number, after the factor.
    """

    sort: int
    deviation: float
    point: Vector3 = (0.0, 0.0, 0.0)
    axis: Vector3 = _FORWARD
    factor: float = 1.0
    window: int = 0
    is_whole: bool = False


class SensorSuite:
    """The sensors of the robots that have `devices`.

    `receivers` (n,) are the places of their RMC sentences and `heights` (n,) those of their GGA
    sentences, -1 without one; `is_late` (n,): these may come late. `ages` (n, c) are those of
    numbers in their channels [steps], `oldest` the greatest age that a number may have. `biases`
    (n, 6) are the standard deviations of those of accelerometers [m/s²] and gyroscopes [rad/s].
    """

    def __init__(self, devices: Sequence[MountedDevice[INS]], context: BankContext) -> None:
        count = len(devices)
        self._seconds = context.step_seconds
        self.channels = Channels.none(count)
        self.noises = Noises(*np.zeros((4, count)))
        self.inertial = InertialSensors(
            np.zeros(count, dtype=np.int64),
            np.zeros((count, 6)),
        )
        shape = (count, CHANNELS)
        self.others = AidingSensors(
            word=np.full(shape, -1),
            is_whole=np.zeros(shape, dtype=np.bool_),
            offset=np.zeros(shape),
            factor=np.ones(shape),
            is_held=np.zeros(shape, dtype=np.bool_),
            window=np.zeros(shape, dtype=np.int64),
            reach=np.zeros(shape, dtype=np.int64),
        )
        self.receivers = np.full(count, -1)
        self.heights = np.full(count, -1)
        self.is_late = np.zeros(count, dtype=np.bool_)
        self.ages = np.zeros(shape, dtype=np.int64)
        self.biases = np.zeros((count, 6))
        self.oldest = 0
        for number, mounted in enumerate(devices):
            self._add(number, mounted)

    def _add(self, number: int, mounted: MountedDevice[INS]) -> None:
        own = [each for each in _description(mounted).devices if each.part == mounted.device.part]
        self._add_unit(number, mounted, own)
        for receiver in _all(own, GPSSensor)[:1]:
            self._add_receiver(number, mounted, receiver)
        rolling = [each for each in _all(own, WheelDevice) if not each.is_steering]
        meters = [
            *self._axle(mounted.device, rolling),
            *((each, self._meter_of(each, mounted.device, rolling)) for each in own),
        ]
        known = [(device, meter) for device, meter in meters if meter is not None]
        for channel, (device, meter) in enumerate(known[: CHANNELS - FIX], start=FIX):
            self._add_other(number, channel, mounted, device, meter)

    def _add_unit(self, number: int, mounted: MountedDevice[INS], own: Sequence[Device]) -> None:
        unit = _all(own, IMU)[0]
        rate, force = (
            data_sheet(unit.noises, field, self._seconds)
            for field in ("angular_velocity", "acceleration")
        )
        self.inertial.word[number] = device_of(mounted, unit.name).start // WORD
        self.inertial.offset[number, :3] = rate.offset
        self.inertial.offset[number, 3:] = force.offset
        self.noises.gyroscope[number], self.noises.gyroscope_walk[number] = self._errors(
            rate, LEAST_RATE
        )
        self.noises.accelerometer[number], self.noises.accelerometer_walk[number] = self._errors(
            force, LEAST_FORCE
        )
        self.biases[number, :3] = max(LEAST_FORCE, force.bias)
        self.biases[number, 3:] = max(LEAST_RATE, rate.bias)

    def _errors(self, sheet: DataSheet, least: float) -> tuple[float, float]:
        """Deviation and walk of inertial sensors.

        A sample that is held for k steps counts k times: its error is √k times as large.
        """
        deviation = max(least, sheet.deviation * math.sqrt(sheet.held / self._seconds))
        return deviation, max(_WALK_SHARE * deviation, sheet.walk)

    def _add_receiver(self, number: int, mounted: MountedDevice[INS], receiver: GPSSensor) -> None:
        node = device_of(mounted, receiver.name)
        self.receivers[number] = node.start
        if receiver.has_gga:
            self.heights[number] = node.field_offset("gga")
        in_metres = receiver.noises
        in_speed = [each for each in in_metres if each.field or isinstance(each, TIMING)]
        rounding = (0.0, 0.0, _LAST_DIGIT)
        for channel in range(FIX):
            is_place = channel < len(rounding)
            field = ("east", "north", "up", "east_speed", "north_speed")[channel]
            sheet = data_sheet(in_metres if is_place else in_speed, field, self._seconds)
            sort, axis = PLACE if is_place else MOTION, channel % len(rounding)
            turning = self._turning(number, receiver.position)
            error = math.hypot(sheet.deviation, rounding[axis] if is_place else turning)
            self.channels.sort[number, channel] = sort
            self.channels.point[number, channel] = receiver.position
            self.channels.axis[number, channel, axis] = 1.0
            self.channels.deviation[number, channel] = max(LEAST[sort], error)
            self.others.offset[number, channel] = sheet.offset
            self.is_late[number] |= sheet.latest > 0.0
            self._allow(sheet)

    def _turning(self, number: int, point: Vector3) -> float:
        """Deviation [m/s] of a point's believed speed that results from the gyroscope's noise."""
        return float(self.noises.gyroscope[number] * math.hypot(*point))

    def _axle(self, ins: INS, rolling: Sequence[WheelDevice]) -> list[tuple[Device, _Meter]]:
        """A robot on wheels does not slide: the speeds to the left and upwards are about 0.

        They are those of the middle of the wheels that are not steered.
        """
        if not rolling:
            return []
        x, y, z = np.mean([each.position for each in rolling], axis=0).tolist()
        steps, error = self._window(0.0), ins.sliding_deviation
        return [
            (ins, _Meter(SPEED, error, (x, y, z), axis, factor=0.0, window=steps))
            for axis in (_LEFT, _UP)
        ]

    def _window(self, held: float) -> int:
        """Number of steps, odd, over which wheels count, or of whole times that a value stays."""
        if held > self._seconds:
            return round(math.ceil(_WINDOW / held) * held / self._seconds)
        return 2 * int(_WINDOW / self._seconds / 2.0) + 1

    def _meter_of(self, device: Device, ins: INS, rolling: Sequence[WheelDevice]) -> _Meter | None:
        """The measurement of a device; None for one that is not read."""
        sheet = data_sheet(device.noises, "", self._seconds)
        match device:
            case CompassSensor():
                return _Meter(HEADING, sheet.deviation, axis=device.axis)
            case VelocimeterSensor(alpha=1.0):
                return _Meter(SPEED, sheet.deviation, axis=device.axis)
            case Barometer():
                share = 1.0 / device.sea_level_pressure
                return _Meter(PRESSURE, share * sheet.deviation, device.position, _UP, share)
            case WheelEncoder() | Odometer():
                wheel = next((each for each in rolling if each.name == device.wheel), None)
                is_lossy = any(isinstance(each, Dropout) for each in device.noises)
                return None if wheel is None or is_lossy else self._roll(device, ins, wheel, sheet)
        return None

    def _roll(
        self, device: WheelEncoder | Odometer, ins: INS, wheel: WheelDevice, sheet: DataSheet
    ) -> _Meter:
        """The speed that a wheel tells by how far it rolls in a window."""
        steps = self._window(sheet.held)
        per_window = 1.0 / (steps * self._seconds)
        if isinstance(device, WheelEncoder):
            sort, factor = SPEED, wheel.radius * TAU / device.ticks_per_turn * per_window
            variance = sheet.deviation * sheet.deviation + 1.0 / 12.0
        else:
            sort, factor = DISTANCE, per_window
            variance = sheet.deviation * sheet.deviation
        # Two counts make a window.
        error = math.hypot(ins.rolling_deviation, factor * math.sqrt(2.0 * variance))
        is_whole = sort == SPEED
        return _Meter(sort, error, wheel.position, _FORWARD, factor, steps, is_whole)

    def _add_other(
        self, number: int, channel: int, mounted: MountedDevice[INS], device: Device, meter: _Meter
    ) -> None:
        sheet = data_sheet(device.noises, "", self._seconds)
        self.channels.sort[number, channel] = meter.sort
        self.channels.point[number, channel] = meter.point
        self.channels.axis[number, channel] = meter.axis
        turning = 0.0 if meter.sort == PRESSURE else self._turning(number, meter.point)
        error = math.hypot(meter.deviation, turning)
        self.channels.deviation[number, channel] = max(LEAST[meter.sort], error)
        others = self.others
        others.word[number, channel] = device_of(mounted, device.name).start // WORD
        others.is_whole[number, channel] = meter.is_whole
        # Of a change, a lasting error is gone.
        others.offset[number, channel] = 0.0 if meter.window else sheet.offset
        others.factor[number, channel] = meter.factor
        others.is_held[number, channel] = sheet.is_held and not meter.window
        others.window[number, channel] = meter.window
        others.reach[number, channel] = meter.window + round(sheet.latest / self._seconds)
        # A mean speed is that of the middle of its window.
        middle = (meter.window - 1) // 2 if meter.factor else 0
        age = round(sheet.delay / self._seconds) + max(middle, 0)
        self.ages[number, channel] = age
        self.oldest = max(self.oldest, age)
        self._allow(sheet)

    def _allow(self, sheet: DataSheet) -> None:
        late = int(np.ceil(sheet.latest / self._seconds)) + 1 if sheet.latest else 0
        self.oldest = max(self.oldest, late)


def _all(devices: Sequence[Device], kind: type[DeviceT]) -> list[DeviceT]:
    return [each for each in devices if isinstance(each, kind)]


def _description(mounted: MountedDevice[INS]) -> RobotDescription:
    tree = mounted.node.root
    assert isinstance(tree, SimulationTree)
    return tree.descriptions[robot_of(mounted).name]


@compiled
def read_sensors(
    words: Floats,
    whole_words: Integers,
    step: int,
    inertial: InertialSensors,
    others: AidingSensors,
    begun: Floats,
    last: Floats,
    samples: Floats,
    measured: Floats,
) -> None:
    """Reads what the sensors of n robots say.

    Args:
        words: of the whole state.
        whole_words: the same, as whole numbers.
        step: number of the step.
        inertial: the inertial measurement units.
        others: the rest, but for GPS receivers.
        begun: (n,) steps in which the filters have begun; NaN before.
        last: (n, c) values of the step before, or of the beginning of a window; NaN before the
            first; changed.
        samples: (n, 6) into which angular velocities and specific forces in B are written.
        measured: (n, c) into which new values are written, NaN where there is none.
    """
    for i in range(len(samples)):
        for k in range(6):
            samples[i, k] = words[inertial.word[i] + k] - inertial.offset[i, k]
        for c in range(measured.shape[1]):
            measured[i, c] = np.nan
            place, window = others.word[i, c], others.window[i, c]
            if place < 0 or (window > 0 and step % window != 0):
                continue
            value = float(whole_words[place]) if others.is_whole[i, c] else words[place]
            before, last[i, c] = last[i, c], value
            if window > 0:
                if step - others.reach[i, c] >= begun[i]:
                    measured[i, c] = others.factor[i, c] * (value - before)
            elif not others.is_held[i, c] or value != before:
                measured[i, c] = others.factor[i, c] * (value - others.offset[i, c])
