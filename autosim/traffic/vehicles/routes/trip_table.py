"""The trips of vehicles that come and go by chance, as arrays for kernels."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autosim.arrays import Booleans, Floats, Integers

SHORTEST_TRIP = 30.0
"""Shortest trip [s] that is made by car."""


class TripTable(NamedTuple):
    """Origins and destinations of trips, and the travel time from each lane to each destination.

    `groups` (kinds,): the row of `costs` for each kind of vehicle, -1 for a kind without trips.
    `origins` (o,) lanes on which trips begin, and `origin_ends` (o,) the sums of their weights up
    to each; `entries` and `entry_ends` the same for trips that come in at the border of the map.
    `targets` (d,) lanes on which trips end, with the `weights` (d,) of each; those that `leave`
    (d,) the map end at the end of their lane. `costs` (groups, d, lanes) s, float32: the time from
    the beginning of a lane to a target, infinite where no way leads there. `penalties`
    (successors,) s: what each successor of a lane costs on top; `changes` (lanes,) s: what a change
    to a lane beside costs.
    """

    groups: Integers
    origins: Integers
    origin_ends: Floats
    entries: Integers
    entry_ends: Floats
    targets: Integers
    weights: Floats
    leave: Booleans
    costs: npt.NDArray[np.float32]
    penalties: Floats
    changes: Floats


def no_trips(kinds: int, lanes: int, successors: int) -> TripTable:
    """The table of a network on which vehicles have no destinations."""
    none, nothing = np.zeros(0, dtype=np.int64), np.zeros(0)
    return TripTable(
        groups=np.full(kinds, -1, dtype=np.int64),
        origins=none,
        origin_ends=nothing,
        entries=none,
        entry_ends=nothing,
        targets=none,
        weights=nothing,
        leave=np.zeros(0, dtype=np.bool_),
        costs=np.zeros((0, 0, lanes), dtype=np.float32),
        penalties=np.zeros(successors),
        changes=np.zeros(lanes),
    )
