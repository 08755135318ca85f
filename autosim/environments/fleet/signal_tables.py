"""Signals of a fleet's town: stop lines along its paths, and fixed-time signal states.

All copies of a town have the same signals, each with its own clock.
"""

from typing import NamedTuple

import numpy as np

from autosim.arrays import Bytes, Floats, Integers
from autosim.tracks.lane_paths import SPACING, PathArrays
from autosim.traffic.signals.signal_plan import SignalPlan
from autosim.world.lanes.lane_rules import SignalState
from autosim.world.lanes.roads import RoadNetwork

TICK = 0.5
"""Time [s] between two entries of a table of states."""


class StopLines(NamedTuple):
    """Stop lines with signals along paths, by the points of all paths (n,).

    `following`: the point at or after each one behind which the next line of its path is, -1: none;
    `stations` [m] of the line along its path, and its `signals`, where a line follows a point.
    """

    following: Integers
    stations: Floats
    signals: Integers


class StateTable(NamedTuple):
    """States of signals over time: `states` (signals, ticks) of `SignalState`, which repeat.

    Signal k repeats after `lengths[k]` ticks of `TICK`.
    """

    states: Bytes
    lengths: Integers


def no_lines() -> StopLines:
    """No stop lines."""
    none = np.zeros(0, dtype=np.int64)
    return StopLines(none, np.zeros(0), none)


def no_states() -> StateTable:
    """The table of a town without signals."""
    return StateTable(np.zeros((0, 1), dtype=np.uint8), np.zeros(0, dtype=np.int64))


def stop_lines_of(paths: PathArrays, roads: RoadNetwork, plan: SignalPlan) -> StopLines:
    """The stop lines with signals along paths."""
    count = len(paths.points)
    following, signals = np.full(count, -1), np.full(count, -1)
    stations = np.zeros(count)
    lanes, places = roads.nearest_lanes(paths.points, paths.headings)
    lines = roads.traffic.stop_lines[lanes]
    groups = np.asarray(plan.lane_groups, dtype=np.int64)[lanes]
    for first, last in zip(paths.starts[:-1].tolist(), paths.starts[1:].tolist(), strict=True):
        nearest = -1
        for row in range(last - 1, first - 1, -1):
            left = lines[row] - places[row, 0]
            is_before = groups[row] >= 0 and 0.0 <= left < 2.0 * SPACING
            is_last = row + 1 == last or lanes[row + 1] != lanes[row]
            if is_before and (is_last or places[row + 1, 0] > lines[row]):
                nearest = row
                signals[row] = groups[row]
                stations[row] = (row - first) * SPACING + left
            following[row] = nearest
    return StopLines(following, stations, signals)


def state_table_of(plan: SignalPlan) -> StateTable:
    """The states of all signals with fixed times: green, amber, and red until all is clear."""
    rows: list[Bytes] = [np.zeros(1, dtype=np.uint8)] * len(plan)
    for controller in range(len(plan.group_starts) - 1):
        groups = range(*plan.group_starts[controller : controller + 2].tolist())
        for group, states in zip(groups, _cycle_of(plan, controller), strict=True):
            rows[group] = states
    longest = max((len(each) for each in rows), default=1)
    table = np.zeros((len(rows), longest), dtype=np.uint8)
    for number, states in enumerate(rows):
        table[number, : len(states)] = states
    return StateTable(table, np.array([len(each) for each in rows], dtype=np.int64))


def _cycle_of(plan: SignalPlan, controller: int) -> list[Bytes]:
    """The states (ticks,) of each group of a controller over its cycle."""
    first, last = plan.group_starts[controller : controller + 2].tolist()
    begin, end = plan.phase_starts[controller : controller + 2].tolist()
    greens = plan.greens[begin:end, : last - first]
    parts: list[Bytes] = []
    for phase in range(len(greens)):
        now, then = greens[phase], greens[(phase + 1) % len(greens)]
        lit = np.where(now, SignalState.GREEN, SignalState.RED).astype(np.uint8)
        parts += [lit] * max(1, round(plan.fixed_greens[begin + phase] / TICK))
        ends = np.flatnonzero(now & ~then)
        if not len(ends):
            continue
        ambers = np.ceil(plan.ambers[first + ends] / TICK).astype(int)
        clears = np.ceil(plan.clearances[first + ends] / TICK).astype(int)
        lead = round(plan.red_amber / TICK)
        length = max(int((ambers + clears).max()), lead)
        for tick in range(length):
            states = np.where(now & then, SignalState.GREEN, SignalState.RED).astype(np.uint8)
            states[ends[tick < ambers]] = SignalState.AMBER
            begins = then & ~now & ~plan.is_people[first:last]
            if tick >= length - lead:
                states[begins] = SignalState.RED_AMBER
            parts.append(states)
    return list(np.stack(parts, axis=1)) if parts else []
