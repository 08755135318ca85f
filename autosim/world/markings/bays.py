"""Paints the lines of bays along streets."""

import numpy as np
from scipy.spatial import cKDTree

from autosim import portable
from autosim.arrays import Floats
from autosim.world.geometry.meshes import Surface
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.markings.patches import Patches, oblongs
from autosim.world.markings.traits import StreetTraits
from autosim.world.surfaces.parking_strips import BayRows, bay_lines

_WIDTH = 0.12
"""Width [m] of a line: the narrow one of RMS 1."""

_FROM_KERB = 0.4
"""Distance [m] from kerbs at which lines end: kerbs are simplified by 0.3 m."""


def bay_patches(bays: BayRows, traits: StreetTraits, network: RoadNetwork) -> Patches:
    """Lines between bays and the lanes, and between one bay and the next.

    Streets whose surface or tags take no paint have none.
    """
    painted = bays.select(traits.painted[bays.streets])
    if not len(painted):
        return Patches.joined([])
    lines = bay_lines(painted, short_of_kerb=_FROM_KERB)
    middles, ahead = lines.mean(axis=1), lines[:, 1] - lines[:, 0]
    own = np.isin(network.roads, painted.streets)[network.lane_of_points()]
    nearest = cKDTree(network.points[own, :2]).query(middles)[1]
    heights: Floats = network.points[own, 2][nearest]
    marks = oblongs(
        np.column_stack([middles, heights]),
        portable.arctan2(ahead[:, 1], ahead[:, 0]),
        length=portable.hypot(ahead[:, 0], ahead[:, 1]),
        width=_WIDTH,
    )
    return Patches.of(marks, Surface.PAINT)
