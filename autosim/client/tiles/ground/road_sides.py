"""Tells pavements and kerbs right of their streets from those left of them."""

from dataclasses import replace

import numpy as np

from autosim.arrays import Booleans, Floats
from autosim.client.materials.surfaces import Looks, RoadPart
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.lanes.roads import RoadNetwork

_RIGHT = ((Surface.PAVEMENT, RoadPart.RIGHT_PAVEMENT), (Surface.KERB, RoadPart.RIGHT_KERB))


class RoadSides:
    """Marks the area right of a street, where that has its own look.

    Args:
        roads: the network of lanes.
        looks: of all surfaces.
    """

    def __init__(self, roads: RoadNetwork, looks: Looks) -> None:
        self._roads = roads
        self._right = [(left, right) for left, right in _RIGHT if right in looks]
        self._is_forward = leads_forward(roads) if self._right else None

    def marked(self, mesh: Mesh) -> Mesh:
        """The mesh with `RoadPart`s among its surfaces."""
        if self._is_forward is None or not len(self._roads.roads):
            return mesh
        surfaces = mesh.surfaces.copy()
        for left, right in self._right:
            rows = np.flatnonzero(mesh.surfaces == left)
            middles = mesh.vertices[mesh.triangles[rows]].mean(axis=1)
            surfaces[rows[self._lie_right(middles, self._is_forward)]] = right
        return replace(mesh, surfaces=surfaces)

    def _lie_right(self, points: Floats, is_forward: Booleans) -> Booleans:
        lanes, places = self._roads.nearest_lanes(points)
        return np.asarray((places[:, 1] < 0.0) == is_forward[lanes])


def leads_forward(roads: RoadNetwork) -> Booleans:
    """Whether each lane (n,) leads along its street as the map draws it.

    Of each street the lanes along it come first in the network. A connector leads into its street.
    """
    plain = np.flatnonzero(~roads.connectors)
    streets, first = np.unique(roads.roads[plain], return_index=True)
    along = plain[first][np.searchsorted(streets, roads.roads)]
    starts, ends = roads.points[roads.starts[:-1], :2], roads.points[roads.starts[1:] - 1, :2]
    entry = np.where(roads.connectors[:, None], ends, starts)
    from_start = np.linalg.norm(entry - starts[along], axis=1)
    return np.asarray(from_start <= np.linalg.norm(entry - ends[along], axis=1))
