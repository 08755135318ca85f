"""Finds the friction that wheels have on each triangle of the ground."""

import numpy as np
from scipy.spatial import cKDTree

from autosim.arrays import Floats32
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.osm.surface_friction import GROUND_FRICTIONS

_BATCH = 100_000
"""Number of triangles handled at once: their corners take a few megabytes."""

Frictions = Floats32


def ground_friction(mesh: Mesh, roads: RoadNetwork) -> Frictions:
    """Friction (m,) of each triangle relative to asphalt, 1 where nothing else is known.

    A triangle of the carriageway has the friction of the lane nearest to its middle.
    """
    table = np.ones(max(Surface) + 1, dtype=np.float32)
    for surface, friction in GROUND_FRICTIONS.items():
        table[surface] = friction
    found: Frictions = table[mesh.surfaces]
    rows = np.flatnonzero(mesh.surfaces == Surface.CARRIAGEWAY)
    if len(rows) and (roads.frictions != 1.0).any():
        lanes, tree = roads.lane_of_points(), cKDTree(roads.points)
        # In batches, because the corners of all triangles need more memory than the mesh itself.
        for batch in np.array_split(rows, len(rows) // _BATCH + 1):
            _, nearest = tree.query(mesh.vertices[mesh.triangles[batch]].mean(axis=1))
            found[batch] = roads.frictions[lanes[nearest]]
    return found
