"""The ways of a network that cross streets: who wants to cross there, and what signals show."""

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.traffic.ways.walk_network import WalkNetwork, WayKind

_NEAR = 2.5
"""Distance [m] of a crossing of the map from the way that people take across it, at most."""


class CrossingWays:
    """Exchange between traffic and the users of a network of ways at its crossings.

    `wanted` (n,): 1 for a crossing way that is in use or at which a person waits; `signals` (n,):
    state of the pedestrian signals at each way, -1 where there are none.

    Args:
        network: of n ways.
        crossings: (z, 3) [m] places of crossings on lanes.
    """

    def __init__(self, network: WalkNetwork, crossings: Floats) -> None:
        count = len(network.lengths)
        self.wanted: Integers = np.zeros(count, dtype=np.int64)
        self.signals: Integers = np.full(count, -1, dtype=np.int64)
        self._ways = _ways_at(network, crossings)

    def wanted_crossings(self) -> Integers:
        """Whether each crossing (z,) is in use or has a person waiting: 1 or 0."""
        found = np.zeros(len(self._ways), dtype=np.int64)
        known = self._ways >= 0
        found[known] = self.wanted[self._ways[known]]
        return found

    def see_signals(self, shown: Integers) -> None:
        """Takes what the signals for people show at each crossing (z,); -1: there are none."""
        known = (self._ways >= 0) & (shown >= 0)
        self.signals[self._ways[known]] = shown[known]


def _ways_at(network: WalkNetwork, places: Floats) -> Integers:
    """The marked way across (z,) at each of some places (z, 3), -1 for none."""
    found = np.full(len(places), -1, dtype=np.int64)
    for way in np.flatnonzero(network.kinds == WayKind.CROSSING).tolist():
        first, second = network.points[network.starts[way]], network.points[network.starts[way] + 1]
        ahead = (second - first)[:2]
        gap = places[:, :2] - first[:2]
        share = np.clip((gap * ahead).sum(axis=1) / max(float((ahead**2).sum()), 1e-9), 0.0, 1.0)
        beside = gap - share[:, None] * ahead
        found[portable.hypot(beside[:, 0], beside[:, 1]) < _NEAR] = way
    return found
