"""Side of the road that traffic keeps to, as the lanes show it."""

import numpy as np

from autosim import portable
from autosim.world.lanes.roads import RoadNetwork

_OPPOSITE = -0.8
"""Cosine of the angle of two lanes from which they lead in opposite directions."""

_FARTHEST = 15.0
"""Distance [m] up to which an opposite lane of the same street counts."""


def keeps_left(roads: RoadNetwork) -> bool:
    """Whether most lanes have those of the opposite direction on their right."""
    lanes = np.flatnonzero(~roads.connectors)
    middles = ((roads.starts[:-1] + roads.starts[1:]) // 2)[lanes]
    points, tangents = roads.points[middles, :2], roads.tangents[middles]
    cos, sin = portable.cos(tangents), portable.sin(tangents)
    votes = 0
    for street in np.unique(roads.roads[lanes]).tolist():
        rows = np.flatnonzero(roads.roads[lanes] == street)
        if len(rows) < 2:
            continue
        away = points[rows][None] - points[rows][:, None]
        along = cos[rows][:, None] * away[..., 0] + sin[rows][:, None] * away[..., 1]
        side = cos[rows][:, None] * away[..., 1] - sin[rows][:, None] * away[..., 0]
        turned = cos[rows][:, None] * cos[rows] + sin[rows][:, None] * sin[rows]
        is_opposite = (turned < _OPPOSITE) & (abs(along) < _FARTHEST) & (abs(side) < _FARTHEST)
        votes += int(np.sign(side[is_opposite]).sum())
    return votes < 0
