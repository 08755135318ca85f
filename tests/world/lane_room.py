"""How close structures stand to lanes."""

import numpy as np
import shapely

from autosim.world.geometry.meshes import Mesh
from autosim.world.lanes.roads import RoadNetwork

LEVELS = (0.35, 0.7, 1.1, 1.5)
"""Heights [m] above a lane at which a car's body may meet something."""


def least_room(roads: RoadNetwork, mesh: Mesh, *, most: float = 2.0):
    """Distance [m] in plan (n,) of each lane's middle line from a mesh beside it; at most `most`.

    A point each half metre of the lines counts.
    """
    lanes, points = [], []
    for lane in roads.lanes:
        stations = np.linspace(0.0, lane.length, max(2, int(2.0 * lane.length)))
        points += [lane.position(float(s)) for s in stations]
        lanes += [lane.index] * len(stations)
    places = np.array(points)
    room = np.full(len(places), most)
    corners = mesh.vertices[mesh.triangles]
    low, high = corners[:, :, :2].min(axis=1), corners[:, :, :2].max(axis=1)
    tree = shapely.STRtree(shapely.box(*low.T, *high.T))
    which, near = tree.query(shapely.points(places[:, :2]), predicate="dwithin", distance=most)
    for level in LEVELS:
        _meet(room, places, which, corners[near], level)
    found = np.full(len(roads.roads), most)
    np.minimum.at(found, lanes, room)
    return found


def _meet(room, places, which, corners, level):
    """Lessens the room at places by the lines in which triangles cut a level above them."""
    above = corners[:, :, 2] - (places[which, 2] + level)[:, None]
    is_cut = (above.min(axis=1) < 0.0) & (above.max(axis=1) > 0.0)
    which, corners, above = which[is_cut], corners[is_cut], above[is_cut]
    following = np.roll(above, -1, axis=1)
    crosses = (above < 0.0) != (following < 0.0)
    share = np.where(crosses, above / np.where(crosses, above - following, 1.0), 0.0)
    ends = corners[:, :, :2] + share[:, :, None] * (np.roll(corners, -1, axis=1) - corners)[..., :2]
    lines = shapely.linestrings(ends[crosses].reshape(-1, 2, 2))
    gaps = shapely.distance(lines, shapely.points(places[which, :2]))
    np.minimum.at(room, which, gaps)
