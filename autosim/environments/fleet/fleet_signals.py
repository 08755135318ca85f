"""Signals for the road users of a fleet: what cars see and pass, and where traffic waits."""

import numpy as np
import numpy.typing as npt

from autosim.arrays import Integers
from autosim.environments.fleet.fleet_kernels import Cars
from autosim.environments.fleet.shared_town import (
    ACCELERATION,
    BRAKING,
    LOOK_AHEAD,
    MIN_GAP,
    SIGNAL_WIDTH,
    TIME_GAP,
    FleetUsers,
)
from autosim.environments.fleet.signal_tables import TICK
from autosim.jit import compiled_nogil, inlined
from autosim.tracks.conflict_view import HALF_LENGTH
from autosim.tracks.lane_paths import SPACING, PathArrays
from autosim.tracks.lane_view import STATION
from autosim.world.lanes.lane_rules import SignalState

SIGNAL_RANGE = 60.0
"""Distance [m] to a stop line up to which its signal is observed."""

_LINE_ROOM = 0.5
"""Distance [m] behind a stop line from which it counts as passed."""

_AMBER_BRAKING = 3.0
"""Deceleration [m/s²] up to which vehicles stop at amber."""


@inlined
def signal_of(users: FleetUsers, copy: int, signal: int) -> int:
    """The current state of a signal in a copy."""
    tick = int(users.clocks[copy] / TICK) % users.state_lengths[signal]
    return int(users.states[signal, tick])


@inlined
def _line_ahead(users: FleetUsers, row: int, end: int, station: float) -> int:
    """The point before the next stop line ahead of a front at a station [m]; -1 for none.

    `row` is a point of the path that ends before `end`.
    """
    line = users.following[row]
    while line >= 0 and users.line_stations[line] + _LINE_ROOM < station:
        line = users.following[line + 1] if line + 1 < end else -1
    return int(line)


@inlined
def acceleration_for_signal(
    users: FleetUsers, copy: int, row: int, end: int, station: float, speed: float
) -> float:
    """Acceleration [m/s²] by the model towards a stop line at which a vehicle has to wait."""
    line = _line_ahead(users, row, end, station + HALF_LENGTH)
    wanted = ACCELERATION
    if line >= 0:
        state = signal_of(users, copy, users.line_signals[line])
        gap = max(users.line_stations[line] - station - HALF_LENGTH + MIN_GAP - 0.5, 0.1)
        is_amber = state == SignalState.AMBER and speed * speed < 2.0 * _AMBER_BRAKING * gap
        if (state == SignalState.RED or state == SignalState.RED_AMBER or is_amber) and (
            gap < LOOK_AHEAD
        ):
            closing = speed * speed / (2.0 * np.sqrt(ACCELERATION * BRAKING))
            desired = MIN_GAP + speed * TIME_GAP + closing
            wanted = ACCELERATION * (1.0 - (desired / gap) * (desired / gap))
    return wanted


@compiled_nogil
def note_red_lights(
    paths: PathArrays, cars: Cars, users: FleetUsers, seconds: float, chosen: Integers
) -> None:
    """Writes which of the `chosen` cars have passed a stop line at red in this step."""
    for car in chosen:
        front = cars.told[car, STATION] + HALF_LENGTH
        before = users.fronts[car]
        if cars.since[car, 0] < 1.5 * seconds:
            before = front
        users.fronts[car] = front
        begin, end = paths.starts[cars.path[car]], paths.starts[cars.path[car] + 1]
        row = min(max(begin, begin + int((before - 2.0 * SPACING) / SPACING)), end - 1)
        line = users.following[row]
        ran = False
        while line >= 0 and line < end and users.line_stations[line] + _LINE_ROOM <= front:
            if users.line_stations[line] + _LINE_ROOM > before:
                state = signal_of(users, car // users.cars, users.line_signals[line])
                ran |= state == SignalState.RED or state == SignalState.RED_AMBER
            line = users.following[line + 1] if line + 1 < end else -1
        users.ran_red[car] = ran


@inlined
def see_signal(
    users: FleetUsers,
    car: int,
    row: int,
    end: int,
    station: float,
    seen: npt.NDArray[np.float32],
) -> None:
    """Writes the next signal as a car at a station [m] of its path sees it."""
    line = _line_ahead(users, row, end, station + HALF_LENGTH)
    seen[:SIGNAL_WIDTH] = 0.0
    if line >= 0:
        gap = max(users.line_stations[line] - station - HALF_LENGTH, 0.0)
        if gap < SIGNAL_RANGE:
            state = signal_of(users, car // users.cars, users.line_signals[line])
            seen[0], seen[1] = 1.0, 1.0 - gap / SIGNAL_RANGE
            if state == SignalState.RED or state == SignalState.RED_AMBER:
                seen[2] = 1.0
            elif state == SignalState.AMBER:
                seen[2] = 0.5
