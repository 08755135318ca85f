"""The rules of traffic on lanes, as arrays: where to wait, who gives way, which paths are barred.

`traffic_rules.py` makes the arrays, and the network keeps them with its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from autosim.arrays import Bytes, Floats, Integers, Integers32


class Control(IntEnum):
    """The sign, signal or rule that makes the vehicles on a lane wait before a junction."""

    NONE = 0
    """They go first, or there is no junction."""
    SIGNALS = 1
    STOP = 2
    GIVE_WAY = 3
    """A sign says so, or the street is less important than the one that it meets."""
    ALL_WAY_STOP = 4
    """All stop, and go in the order in which they came."""
    EQUAL = 5
    """Streets of one importance meet: vehicles from the right go first."""


class SignalState(IntEnum):
    """State of a traffic signal."""

    OFF = 0
    """Nothing: the signs and the general rules count."""
    RED = 1
    RED_AMBER = 2
    """Green follows shortly; vehicles must still wait."""
    GREEN = 3
    """For people: they may start to cross."""
    AMBER = 4
    """Red follows shortly: only vehicles that can no longer stop may pass."""
    FLASHING = 5
    """Amber, flashing: as off, with care."""


@dataclass(frozen=True, slots=True)
class LaneRules:
    """The rules of a network of n lanes.

    controls: (n,) uint8 of `Control`; stop_lines: (n,) float64 [m], where on the lane vehicles
    wait, nan without control. Crossings of people: crossing_lanes (c,) int32 and crossing_stations
    (c,) float64 [m] of their middles. Bus stops: bus_stop_lanes (b,) int32 and bus_stop_stations
    (b,) float64 [m] of where the fronts of buses stand.

    Conflicts in junctions, each pair of connectors once: conflict_lanes (k, 2) int32;
    conflict_spans (k, 2, 2) float64 [m], for each of the two from where to where on it the other is
    in the way; conflict_yields (k,) int8, which of the two gives way (0 or 1), -1 where no rule
    says, as under signals that take turns.

    signal_groups: (n,) int32, the number of the controller that the map states for the lights at
    which a lane waits: those of one show the same. -1 for none.

    No route may follow the streets `barred_streets[barred_starts[j]:barred_starts[j + 1]]` (int32,
    as in `RoadNetwork.roads`) one after another.
    """

    controls: Bytes
    stop_lines: Floats
    crossing_lanes: Integers32
    crossing_stations: Floats
    bus_stop_lanes: Integers32
    bus_stop_stations: Floats
    conflict_lanes: Integers32
    conflict_spans: Floats
    conflict_yields: npt.NDArray[np.int8]
    barred_streets: Integers32
    barred_starts: Integers32
    signal_groups: Integers32

    @classmethod
    def none(cls, lanes: int) -> "LaneRules":
        """No rules at all for a number of lanes."""
        return cls(
            controls=np.zeros(lanes, np.uint8),
            stop_lines=np.full(lanes, np.nan),
            crossing_lanes=np.zeros(0, np.int32),
            crossing_stations=np.zeros(0),
            bus_stop_lanes=np.zeros(0, np.int32),
            bus_stop_stations=np.zeros(0),
            conflict_lanes=np.zeros((0, 2), np.int32),
            conflict_spans=np.zeros((0, 2, 2)),
            conflict_yields=np.zeros(0, np.int8),
            barred_streets=np.zeros(0, np.int32),
            barred_starts=np.zeros(1, np.int32),
            signal_groups=np.full(lanes, -1, np.int32),
        )

    def barred_paths(self) -> list[tuple[int, ...]]:
        """The sequences of streets that no route may follow."""
        parts = np.split(self.barred_streets, self.barred_starts[1:-1])
        return [tuple(part.tolist()) for part in parts if len(part)]

    def conflicts_of(self, lane: int) -> Integers:
        """Rows of the conflicts in which a connector takes part."""
        return np.flatnonzero((self.conflict_lanes == lane).any(axis=1))

    def to_arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """The rules as named arrays, for a file."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> "LaneRules":
        """The rules that `to_arrays` took apart.

        Raises:
            KeyError: an array is missing.
        """
        return cls(**{each.name: arrays[each.name] for each in fields(cls)})
