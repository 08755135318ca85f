"""All inertial navigation systems in a step: a few compiled calls, whatever their number."""

from collections.abc import Sequence

import numpy as np

from autosim.arrays import Floats
from autosim.estimation.error_process import Places, draw, write_belief
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
from autosim.kinds.banks import BankContext, Mounted, memory_of, word_indices
from autosim.kinds.owners.fixes import Fixes, read_fixes
from autosim.kinds.owners.ins import INS
from autosim.kinds.owners.ins_sensors import FIX, Equipment, read_sensors
from autosim.kinds.owners.places import places_of, streams_of
from autosim.kinds.sensors.place.gps import NMEA_BYTES
from autosim.simulation import belief as believed
from autosim.simulation.bodies import BodyStates
from autosim.simulation.frames import minus, read, rotation_matrix, to_world, write
from autosim.simulation.state import State

_DAY = 86400.0
"""Length of a day [s], after which the clock of a receiver begins anew."""


class INSBank:
    """All inertial navigation systems.

    A filter begins at the truth and a drawn error. From then on it reads the robot's sensors alone.
    """

    def __init__(self, devices: Sequence[Mounted[INS]], context: BankContext) -> None:
        self._equipment = Equipment(devices, context)
        self._seconds, self._gravity = context.step_seconds, context.gravity
        self._projection = context.projection
        self._places, self._word = places_of(devices), word_indices(devices)
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
        self._fixes, self._heights = Fixes.none(len(devices)), Fixes.none(len(devices))
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
        """Lets a filter begin at the truth and an error of the size that it knows of."""
        truth = state.floats[self._places.truth[number] :]
        drawn = np.zeros(9)
        draw(self._streams[number], state.step, drawn)
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
    places: Places,
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
        publish(P, read(slot[VELOCITY:]))
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
        rate = to_world(R, minus(read(sample), read(slot[GYROSCOPE_BIAS:])))
        force = to_world(R, minus(read(sample[3:]), read(slot[ACCELEROMETER_BIAS:])))
        write(rate, words[start + believed.ANGULAR_VELOCITY :])
        write((force[0], force[1], force[2] - gravity), words[start + believed.ACCELERATION :])
