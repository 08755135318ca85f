"""Friction of each triangle of the ground, for the wheels that stand on it."""

import numpy as np
from scipy.spatial import cKDTree

from autosim.arrays import Floats32
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.osm.surface_friction import GROUND_FRICTIONS

_LOT = 100_000

Frictions = Floats32


def ground_friction(mesh: Mesh, roads: RoadNetwork) -> Frictions:
    """Friction (m,) of each triangle relative to asphalt, 1 where nothing else is known.

    A carriageway's triangle has that of the lane nearest to its middle.
    """
    table = np.ones(max(Surface) + 1, dtype=np.float32)
    for surface, friction in GROUND_FRICTIONS.items():
        table[surface] = friction
    found: Frictions = table[mesh.surfaces]
    rows = np.flatnonzero(mesh.surfaces == Surface.CARRIAGEWAY)
    if len(rows) and (roads.frictions != 1.0).any():
        lanes, tree = roads.lane_of_points(), cKDTree(roads.points)
        # In lots: the corners of all are more than the mesh itself.
        for lot in np.array_split(rows, len(rows) // _LOT + 1):
            _, nearest = tree.query(mesh.vertices[mesh.triangles[lot]].mean(axis=1))
            found[lot] = roads.frictions[lanes[nearest]]
    return found
