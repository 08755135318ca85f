"""The sensors that an inertial navigation system reads: where they are, how wrong they are."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.config.descriptions import Device, RobotDescription
from autosim.estimation.corrections import HEADING, PLACE, SPEED
from autosim.estimation.inertial_filter import CHANNELS, Channels, Noises
from autosim.jit import compiled
from autosim.kinds.banks import BankContext, Mounted
from autosim.kinds.owners.data_sheet import DataSheet, data_sheet
from autosim.kinds.owners.ins import INS
from autosim.kinds.owners.places import device_of, robot_of
from autosim.kinds.sensors.motion.imu import IMU
from autosim.kinds.sensors.motion.velocimeter import VelocimeterSensor
from autosim.kinds.sensors.place.compass import CompassSensor
from autosim.kinds.sensors.place.gps import GPSSensor
from autosim.simulation.tree import WORD, SimulationTree

LEAST = {PLACE: 0.01, HEADING: 1e-3, SPEED: 0.01}
"""Standard deviation [m], [rad], [m/s] that a sensor has at least: what its last digit and the
length of a step leave open."""

LEAST_RATE, LEAST_FORCE = 1e-5, 1e-3
"""That of a gyroscope [rad/s] and of an accelerometer [m/s²]."""

_WALK_SHARE = 1e-3
"""Share of the deviation of a sample that its bias walks in √s at least: a filter that is sure of a
bias forever would not notice when it changes."""


class InertialSensors(NamedTuple):
    """The inertial measurement units of n robots.

    word: (n,) places of their values in `State.floats`; offset: (n, 6) what is known of their
    errors.
    """

    word: Integers
    offset: Floats


class OtherSensors(NamedTuple):
    """What n robots measure beside, each in c channels.

    word: (n, c) places in `State.floats`, -1 where there is none; offset: (n, c) what is known of
    the error; is_held: (n, c) whether a value that has not changed is no new one.
    """

    word: Integers
    offset: Floats
    is_held: Booleans


class Equipment:
    """The sensors of the robots that have `devices`.

    `receivers` (n,) are the places of their GPS sentences, -1 without one; `is_late` (n,): these
    may come late. `ages` (n, c) are those of numbers in their channels [steps], `oldest` the
    greatest age that a number may have. `biases` (n, 6) are the standard deviations of those of
    accelerometers [m/s²] and gyroscopes [rad/s].
    """

    def __init__(self, devices: Sequence[Mounted[INS]], context: BankContext) -> None:
        count = len(devices)
        self._seconds = context.step_seconds
        self.channels = Channels.none(count)
        self.noises = Noises(*np.zeros((4, count)))
        self.inertial = InertialSensors(
            np.zeros(count, dtype=np.int64),
            np.zeros((count, 6)),
        )
        self.others = OtherSensors(
            np.full((count, CHANNELS), -1),
            np.zeros((count, CHANNELS)),
            np.zeros((count, CHANNELS), dtype=np.bool_),
        )
        self.receivers = np.full(count, -1)
        self.is_late = np.zeros(count, dtype=np.bool_)
        self.ages = np.zeros((count, CHANNELS), dtype=np.int64)
        self.biases = np.zeros((count, 6))
        self.oldest = 0
        for number, mounted in enumerate(devices):
            self._add(number, mounted)

    def _add(self, number: int, mounted: Mounted[INS]) -> None:
        own = [each for each in _description(mounted).devices if each.part == mounted.device.part]
        self._add_unit(number, mounted, own)
        receiver = next((each for each in own if isinstance(each, GPSSensor)), None)
        channel = 0
        if receiver is not None:
            self._add_receiver(number, mounted, receiver)
            channel = 3
        for each in own:
            if isinstance(each, CompassSensor):
                sort = HEADING
            elif isinstance(each, VelocimeterSensor) and each.alpha == 1.0:
                sort = SPEED
            else:
                continue
            if channel < CHANNELS:
                self._add_other(number, channel, mounted, each, sort)
                channel += 1

    def _add_unit(self, number: int, mounted: Mounted[INS], own: Sequence[Device]) -> None:
        unit = next(each for each in own if isinstance(each, IMU))
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

    def _add_receiver(self, number: int, mounted: Mounted[INS], receiver: GPSSensor) -> None:
        self.receivers[number] = device_of(mounted, receiver.name).start
        for channel, field in enumerate(("east", "north", "height")):
            sheet = data_sheet(receiver.noises, field, self._seconds)
            self.channels.sort[number, channel] = PLACE
            self.channels.vector[number, channel] = receiver.position
            self.channels.axis[number, channel] = channel
            self.channels.deviation[number, channel] = max(LEAST[PLACE], sheet.deviation)
            self.others.offset[number, channel] = sheet.offset
            self.is_late[number] |= sheet.latest > 0.0
            self._allow(sheet)

    def _add_other(
        self, number: int, channel: int, mounted: Mounted[INS], device: Device, sort: int
    ) -> None:
        sheet = data_sheet(device.noises, "", self._seconds)
        self.channels.sort[number, channel] = sort
        self.channels.vector[number, channel] = device.axis  # type: ignore[attr-defined]
        self.channels.deviation[number, channel] = max(LEAST[sort], sheet.deviation)
        self.others.word[number, channel] = device_of(mounted, device.name).start // WORD
        self.others.offset[number, channel] = sheet.offset
        self.others.is_held[number, channel] = sheet.is_held
        self.ages[number, channel] = round(sheet.delay / self._seconds)
        self._allow(sheet)

    def _allow(self, sheet: DataSheet) -> None:
        late = int(np.ceil(sheet.latest / self._seconds)) + 1 if sheet.latest else 0
        self.oldest = max(self.oldest, late)


def _description(mounted: Mounted[INS]) -> RobotDescription:
    tree = mounted.node.root
    assert isinstance(tree, SimulationTree)
    return tree.descriptions[robot_of(mounted).name]


@compiled
def read_sensors(
    words: Floats,
    inertial: InertialSensors,
    others: OtherSensors,
    last: Floats,
    samples: Floats,
    measured: Floats,
) -> None:
    """Reads what the sensors of n robots say.

    Args:
        words: of the whole state.
        inertial: the inertial measurement units.
        others: the rest, but for GPS receivers.
        last: (n, c) values of the step before, NaN before the first; changed.
        samples: (n, 6) into which angular velocities and specific forces in B are written.
        measured: (n, c) into which new values are written, NaN where there is none.
    """
    for i in range(len(samples)):
        for k in range(6):
            samples[i, k] = words[inertial.word[i] + k] - inertial.offset[i, k]
        for c in range(measured.shape[1]):
            measured[i, c] = np.nan
            if others.word[i, c] < 0:
                continue
            value = words[others.word[i, c]]
            if not others.is_held[i, c] or value != last[i, c]:
                measured[i, c] = value - others.offset[i, c]
            last[i, c] = value
