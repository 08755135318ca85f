"""Attractions of trips in a compiled world: floor area of buildings, and parked cars."""

import numpy as np

from autosim.arrays import Floats
from autosim.world.compiled.compiled_world import CompiledWorld, PropKind
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.lanes.roads import RoadNetwork

_STOREY = 3.2
"""Height [m] of a storey."""

_MOST_STOREYS = 60.0
"""Number of storeys above which masts and spires are not floor area."""

_BAY_AREA = 35.0
"""Floor area [m²] of shops and offices that attracts as many trips as a parking bay: parking codes
ask for a bay for each 30 m² to 40 m²."""

_REACHED = 120.0
"""Distance [m] from a street up to which a place is reached from it."""


def attractions_of(world: CompiledWorld) -> Floats:
    """The floor area [m²] (lanes,) that is reached from each lane: the lane nearest to it."""
    roads, found = world.roads, np.zeros(len(world.roads.roads))
    if not len(found):
        return found
    places, areas = _roofs(world.buildings, roads)
    boxes = np.array([(*each.position, *each.size) for each in world.houses]).reshape(-1, 6)
    storeys = np.clip(boxes[:, 5] / _STOREY, 1.0, _MOST_STOREYS)
    parked = np.isin(world.props.kinds, (PropKind.PARKED_CAR, PropKind.PARKED_VAN))
    bays = world.props.positions[parked, :2]
    places = np.concatenate([places, boxes[:, :2], bays])
    areas = np.concatenate(
        [areas, boxes[:, 3] * boxes[:, 4] * storeys, np.full(len(bays), _BAY_AREA)]
    )
    if not len(places):
        return found
    nearest, coordinates = roads.nearest_lanes(places)
    is_near = (np.abs(coordinates[:, 1]) < _REACHED) & ~roads.connectors[nearest]
    np.add.at(found, nearest[is_near], areas[is_near])
    return found


def _roofs(buildings: Mesh, roads: RoadNetwork) -> tuple[Floats, Floats]:
    """The middles (n, 2) m of roof triangles, and the floor area (n,) m² below each."""
    corners = buildings.vertices[buildings.triangles[buildings.surfaces == Surface.ROOF]]
    if not len(corners):
        return np.zeros((0, 2)), np.zeros(0)
    along, across = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    plan = 0.5 * (along[:, 0] * across[:, 1] - along[:, 1] * across[:, 0])
    corners, plan = corners[plan > 0.0], plan[plan > 0.0]
    middles = corners.sum(axis=1) / 3.0
    nearest, _ = roads.nearest_lanes(middles[:, :2])
    ground = roads.points[roads.starts[:-1], 2][nearest]
    storeys = np.clip((middles[:, 2] - ground) / _STOREY, 1.0, _MOST_STOREYS)
    return middles[:, :2], plan * storeys
