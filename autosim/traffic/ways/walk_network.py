"""The network on which people walk: ways between nodes, as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from autosim import portable
from autosim.arrays import Bytes, Floats, Integers32


class WayKind(IntEnum):
    """Kind of a way of the network."""

    PAVEMENT = 0
    CROSSING = 1
    """Across a street at a marked crossing."""
    UNMARKED = 2
    """Across a street where no crossing is marked."""


@dataclass(frozen=True, slots=True)
class WalkNetwork:
    """Ways between nodes, both as arrays.

    points: (p, 3) [m] in W and stations: (p,) [m], the middle lines of all ways one after another;
    way k has the rows `starts[k]:starts[k + 1]`. lengths: (n,) [m]; half_widths: (n,) [m]; kinds:
    (n,) uint8 of `WayKind`; ends: (n, 2) int32, the nodes at its start and end. lanes: int32, those
    that way k crosses are `lanes[lane_starts[k]:lane_starts[k + 1]]`. nodes: (m, 3) [m] in W.
    one_ways: (n,) uint8, 1 for ways on which one goes along their points only.
    """

    points: Floats
    stations: Floats
    starts: Integers32
    lengths: Floats
    half_widths: Floats
    kinds: Bytes
    ends: Integers32
    lanes: Integers32
    lane_starts: Integers32
    nodes: Floats
    one_ways: Bytes


def network_of_lines(
    lines: Sequence[tuple[Floats, int, int, float, WayKind]],
    nodes: Floats,
    lanes: Sequence[Sequence[int]] | None = None,
    one_ways: Sequence[bool] | None = None,
) -> WalkNetwork:
    """A network of ways: (points (n, 3), node at the start, node at the end, half width, kind).

    Args:
        lines: the ways.
        nodes: (m, 3) [m].
        lanes: those that each way crosses; by default none.
        one_ways: whether one goes along each only from its start to its end; by default on none.
    """
    crossed = lanes if lanes is not None else [()] * len(lines)
    stations = []
    for points, *_ in lines:
        step = np.diff(points[:, :2], axis=0)
        lengths = portable.hypot(step[:, 0], step[:, 1])
        stations.append(np.concatenate([[0.0], np.cumsum(lengths)]))
    return WalkNetwork(
        points=np.concatenate([np.zeros((0, 3)), *(points for points, *_ in lines)]),
        stations=np.concatenate([np.zeros(0), *stations]),
        starts=np.cumsum([0, *(len(points) for points, *_ in lines)]).astype(np.int32),
        lengths=np.array([each[-1] for each in stations]),
        half_widths=np.array([half for *_, half, _ in lines], dtype=np.float64),
        kinds=np.array([kind for *_, kind in lines], dtype=np.uint8),
        ends=np.array([(a, b) for _, a, b, *_ in lines], dtype=np.int32).reshape(-1, 2),
        lanes=np.array([lane for each in crossed for lane in each], dtype=np.int32),
        lane_starts=np.cumsum([0, *map(len, crossed)]).astype(np.int32),
        nodes=nodes,
        one_ways=np.array(one_ways or [False] * len(lines), dtype=np.uint8),
    )
