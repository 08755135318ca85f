"""Belief of an inertial navigation system: a filter over the robot's own sensors."""

from collections.abc import Sequence

import numpy as np

from autosim.arrays import Floats
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Element, Interval
from autosim.config.schemas.common import parameter
from autosim.estimation.error_process import StateWords, draw_normals, write_belief
from autosim.estimation.inertial import (
    ACCELEROMETER_BIAS,
    ERRORS,
    GYROSCOPE_BIAS,
    ITEMS,
    ORIENTATION,
    VELOCITY,
    publish,
)
from autosim.estimation.inertial_filter import (
    CHANNELS,
    SLOT,
    advance,
    align,
    sample_of,
    slots_for,
)
from autosim.estimation.rotations import from_vector, turn_by
from autosim.jit import compiled
from autosim.kinds.banks import BankContext, MountedDevice, memory_of, word_indices
from autosim.kinds.checks import RobotBlocks, vector_of
from autosim.kinds.elements import device_element
from autosim.kinds.kind import DeviceKind
from autosim.kinds.owners.gps_sentences import ReceiverFixes, read_fixes
from autosim.kinds.owners.ins_device import INS
from autosim.kinds.owners.ins_sensors import FIX, SensorSuite, read_sensors
from autosim.kinds.owners.state_words import state_words_of, streams_of
from autosim.kinds.sensors.positioning.gps import NMEA_BYTES
from autosim.model import belief as believed
from autosim.model.bodies import BodyStates
from autosim.model.state import State
from autosim.model.tree import Access, Field
from autosim.model.vector_kernels import (
    read_vector,
    rotation_matrix,
    to_world,
    vec_sub,
    write_vector,
)


def _check(ins: Block, robot: RobotBlocks, faults: Faults) -> None:
    part = ins.text("Part")
    own = [each for each in robot.devices if each.text("Part") == part]
    if robot.bodies and part and robot.bodies[0].name != part:
        message = f"{ins.title} is on the part '{part}': expected the first part of the robot, "
        faults.error(ins.line_of("Part"), message + f"'{robot.bodies[0].name}'")
    unit = next((each for each in own if each.tag == "IMU"), None)
    if unit is None:
        faults.error(ins, f"{ins.title} needs an <IMU> on the part '{part}'")
    elif any(vector_of(unit, "Position") or ()):
        message = f"{ins.title} needs an <IMU> at the centre of its part, "
        message += f"which {unit.title} is not: without <Position>"
        faults.error(unit.line_of("Position"), message)
    _warn_of_lasting_errors(own, faults)


_MOVING = ("GPSSensor", "CompassSensor", "VelocimeterSensor", "Barometer")
"""The kinds of sensors that it reads beside the inertial unit and those of wheels."""


def _warn_of_lasting_errors(own: Sequence[Block], faults: Faults) -> None:
    """Notes errors that last of sensors whose errors it takes for others at each time."""
    for device in own:
        if device.tag in _MOVING:
            lasting = [each for each in device.all("Bias") if each.own_real("deviation")]
            lasting += [*device.all("RandomWalk"), *device.all("Scale")]
            for each in lasting:
                message = f"<INS> does not know of the <{each.tag}> of {device.title}, "
                faults.warning(each, message + "and will be surer than it may be")


def _start(name: str, what: str, unit: str, default: float) -> Element:
    return parameter(
        name,
        f"Standard deviation of the believed {what} at the start, along each axis.",
        unit=unit,
        default=default,
        interval=Interval(1e-6, 1e4),
    )


_DAY = 86400.0
"""Length of a day [s], after which the clock of a receiver starts again."""


class INSBank:
    """All inertial navigation systems.

    A filter begins at the truth and a drawn error. From then on it reads the robot's sensors alone.
    """

    def __init__(self, devices: Sequence[MountedDevice[INS]], context: BankContext) -> None:
        self._equipment = SensorSuite(devices, context)
        self._seconds, self._gravity = context.step_seconds, context.gravity
        self._projection = context.projection
        self._places, self._word = state_words_of(devices), word_indices(devices)
        starts = [
            [each.device.start_position] * 3
            + [each.device.start_turn] * 3
            + [each.device.start_velocity] * 3
            for each in devices
        ]
        self._start = np.hstack([np.array(starts), self._equipment.biases])
        self._streams = streams_of(devices, context)
        self._slots = slots_for(self._equipment.oldest)
        # Behind the filter's own items: the last values of the sensors, the times of the last
        # sentences of the receiver, RMC and GGA, and the step in which the filter has begun.
        self.memory = memory_of(devices, width=self._slots * SLOT + CHANNELS + 3)
        self._fixes, self._heights = (
            ReceiverFixes.none(len(devices)),
            ReceiverFixes.none(len(devices)),
        )
        self._samples = np.zeros((len(devices), 6))
        self._measured = np.zeros((len(devices), CHANNELS))

    def estimate(self, bodies: BodyStates, state: State) -> None:
        """Takes all filters to the present step, and writes what they believe."""
        rows, equipment = self.memory.rows, self._equipment
        before = rows[:, (state.step - 1) % self._slots * SLOT]
        new = np.flatnonzero(np.isnan(before))
        last, heard, begun = rows[:, -CHANNELS - 3 : -3], rows[:, -3:-1].T, rows[:, -1]
        read_sensors(
            state.floats,
            state.ints,
            state.step,
            equipment.inertial,
            equipment.others,
            begun,
            last,
            self._samples,
            self._measured,
        )
        ages = self._take_fixes(state, heard)
        advance(
            rows,
            self._slots,
            state.step,
            self._samples,
            self._measured,
            ages,
            equipment.channels,
            equipment.noises,
            self._gravity,
            self._seconds,
        )
        for number in new.tolist():
            self._align(number, state)
            begun[number] = state.step
        _write(
            state.floats,
            rows,
            state.step % self._slots * SLOT,
            self._places,
            self._word,
            self._gravity,
        )

    def _take_fixes(
        self, state: State, heard: Floats
    ) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
        """Puts new fixes into what was measured; returns how old all numbers are [steps]."""
        equipment, fixes, heights = self._equipment, self._fixes, self._heights
        read_fixes(state.bytes, equipment.receivers, NMEA_BYTES, heard[0], fixes)
        read_fixes(state.bytes, equipment.heights, NMEA_BYTES, heard[1], heights)
        new = np.flatnonzero(fixes.is_new)
        if not new.size:
            return equipment.ages
        # Both sentences of a receiver come at once.
        self._measured[new, :2] = self._projection.to_local(fixes.geographic[new])
        self._measured[new, 2] = np.where(heights.is_new[new], heights.height[new], np.nan)
        self._measured[new, 3:FIX] = fixes.velocity[new]
        self._measured[new, :FIX] -= equipment.others.offset[new, :FIX]
        late = np.mod(state.time - fixes.seconds[new] + _DAY / 2.0, _DAY) - _DAY / 2.0
        steps = np.rint(late / self._seconds) * equipment.is_late[new]
        ages = equipment.ages.copy()
        ages[new, :FIX] = np.clip(steps, 0, self._slots - 2)[:, None]
        return ages

    def _align(self, number: int, state: State) -> None:
        """Starts a filter at the truth plus an error of the size that it assumes."""
        truth = state.floats[self._places.truth[number] :]
        drawn = np.zeros(9)
        draw_normals(self._streams[number], state.step, drawn)
        error = self._start[number, :9] * drawn
        belief = np.zeros(ITEMS)
        belief[:3] = truth[believed.POSITION : believed.ORIENTATION] - error[:3]
        x, y, z, w = truth[believed.ORIENTATION : believed.VELOCITY].tolist()
        turn = (-error[3], -error[4], -error[5])
        belief[ORIENTATION:VELOCITY] = turn_by(turn, (x, y, z, w))
        velocity = truth[believed.VELOCITY : believed.ANGULAR_VELOCITY]
        R = np.empty((3, 3))
        rotation_matrix(np.array(from_vector(turn)), R)
        belief[VELOCITY:ACCELEROMETER_BIAS] = R @ velocity - error[6:]
        row = self.memory.rows[number]
        start = self._start[number]
        align(row[: self._slots * SLOT], state.step, belief, np.diag(start * start))
        sample_of(row[: self._slots * SLOT], state.step)[:] = self._samples[number]


@compiled
def _write(
    words: Floats,
    rows: Floats,
    place: int,
    places: StateWords,
    device: "np.ndarray[tuple[int], np.dtype[np.int64]]",
    gravity: float,
) -> None:
    """Writes n beliefs, which stand at `place` in their rows, into the state, and the biases."""
    R, P, nothing = np.empty((3, 3)), np.empty((9, 9)), np.zeros(9)
    for i in range(len(rows)):
        slot = rows[i][place : place + SLOT]
        for a in range(9):
            for b in range(9):
                P[a, b] = slot[ITEMS + a * ERRORS + b]
        publish(P, read_vector(slot[VELOCITY:]))
        start = places.belief[i]
        write_belief(words, places.truth[i], start, nothing, P)
        for k in range(3):
            words[start + believed.POSITION + k] = slot[k]
            words[start + believed.VELOCITY + k] = slot[VELOCITY + k]
            words[device[i] + k] = slot[ACCELEROMETER_BIAS + k]
            words[device[i] + 3 + k] = slot[GYROSCOPE_BIAS + k]
        for k in range(4):
            words[start + believed.ORIENTATION + k] = slot[ORIENTATION + k]
        rotation_matrix(slot[ORIENTATION:VELOCITY], R)
        sample = slot[ITEMS + ERRORS * ERRORS :]
        rate = to_world(R, vec_sub(read_vector(sample), read_vector(slot[GYROSCOPE_BIAS:])))
        force = to_world(
            R, vec_sub(read_vector(sample[3:]), read_vector(slot[ACCELEROMETER_BIAS:]))
        )
        write_vector(rate, words[start + believed.ANGULAR_VELOCITY :])
        write_vector(
            (force[0], force[1], force[2] - gravity), words[start + believed.ACCELERATION :]
        )


KIND = DeviceKind(
    record=INS,
    element=device_element(
        "INS",
        "An error-state Kalman filter over the robot's own sensors on the same part: an "
        "inertial measurement unit at its centre, and, where there are any, a GPS receiver (place, "
        "speed and course, and the height of its GGA sentence), compasses, velocimeters, "
        "barometers, and encoders and odometers of wheels that are not steered, at their own rates "
        "and delays. How wrong these are it reads from their noise. A robot with such wheels is "
        "taken not to slide. It owns the belief. Its values are the biases that it has found.",
        _start("StartPosition", "position", "m", 1.0),
        _start("StartTurn", "orientation", "rad", 0.01),
        _start("StartVelocity", "velocity", "m/s", 0.1),
        parameter(
            "RollingDeviation",
            "Standard deviation of the speed that an encoder or an odometer tells beside its "
            "noise, as tyres slip: of each tenth of a second.",
            unit="m/s",
            default=0.2,
            interval=Interval(1e-6, 1e4),
        ),
        parameter(
            "SlidingDeviation",
            "Standard deviation of the speeds sideways and upwards between the wheels that are not "
            "steered, which are taken for 0 ten times a second.",
            unit="m/s",
            default=0.6,
            interval=Interval(1e-6, 1e4),
        ),
    ),
    fields=(
        Field("accelerometer_bias", shape=(3,), unit="m/s^2"),
        Field("gyroscope_bias", shape=(3,), unit="rad/s"),
    ),
    check=_check,
    state_access=Access.READ,
    make_bank=INSBank,
)
