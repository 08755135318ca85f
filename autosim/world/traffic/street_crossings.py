"""Finds the pedestrian crossings that lie on streets."""

from collections.abc import Sequence

import numpy as np
from scipy.spatial import cKDTree

from autosim.arrays import Floats
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.osm.tags import Tags
from autosim.world.streets.crossings import Crossings
from autosim.world.streets.on_streets import locate_on_streets
from autosim.world.streets.street_finding import Street


def find_crossings(
    points: Floats, tags: Sequence[Tags], *, streets: Sequence[Street], network: RoadNetwork
) -> Crossings:
    """The crossings at nodes that lie on streets.

    Args:
        points: (n, 2) places [m] of nodes that are marked crossings.
        tags: their tags.
        streets: the axes on which they may lie.
        network: gives the height.
    """
    found = locate_on_streets(points, streets)
    if not len(found.rows):
        return Crossings(np.zeros((0, 3)), np.zeros(0), np.zeros(0), np.zeros(0, np.bool_))
    _, rows = cKDTree(network.points[:, :2]).query(found.middles)
    return Crossings(
        centres=np.column_stack([found.middles, network.points[rows, 2]]),
        headings=found.headings,
        half_widths=found.half_widths,
        zebras=np.array([_is_zebra(tags[k]) for k in found.rows], dtype=np.bool_),
    )


def _is_zebra(tags: Tags) -> bool:
    markings = tags.get("crossing:markings")
    if markings in ("lines", "dashes", "dots"):
        return False
    return markings is not None or tags.get("crossing") != "traffic_signals"
