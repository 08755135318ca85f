"""One problem for both sides of the road: left-hand traffic as seen in a mirror.

A policy learns in right-hand traffic. Where traffic keeps to the left, what it sees is multiplied
by these signs, and so is its steering.
"""

import numpy as np

from autosim.arrays import Floats
from autosim.tracks import lane_view
from autosim.tracks.neighbour_view import NEIGHBOUR_WIDTH

_LANE = (lane_view.OFFSET, lane_view.HEADING_SIN, lane_view.STEERING)
"""Lateral numbers of the view of the lane, in addition to those of the points ahead."""

_NEIGHBOUR = (2, 4, 5)
"""Lateral numbers of a neighbour: y, relative velocity y, and heading."""


def lane_signs() -> Floats:
    """Factors (`lane_view.WIDTH`,) of the view of the lane in a mirror."""
    signs = np.ones(lane_view.WIDTH)
    signs[list(_LANE)] = signs[lane_view.BEARINGS :] = -1.0
    return signs


def neighbour_signs(count: int) -> Floats:
    """Factors (`count` times `NEIGHBOUR_WIDTH`,) of the view of neighbours in a mirror."""
    signs = np.ones((count, NEIGHBOUR_WIDTH))
    signs[:, list(_NEIGHBOUR)] = -1.0
    return signs.reshape(-1)
