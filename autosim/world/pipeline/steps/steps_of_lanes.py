"""The steps of the pipeline that put lanes on the compiled meshes, with the rules of traffic."""

from dataclasses import dataclass, replace

import numpy as np

from autosim.arrays import Booleans, Bytes, Floats
from autosim.world.compiled.ground_index import GroundIndex, levels_of
from autosim.world.geometry.meshes import Mesh
from autosim.world.ground.ground_mesh import GroundMesh
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.levels.elevation import Heights
from autosim.world.pipeline.steps.steps_in_plan import PlanarWorld
from autosim.world.structures.decks import Deck
from autosim.world.surfaces.carriageway_shapes import StreetMap
from autosim.world.traffic.conflicts import Conflicts
from autosim.world.traffic.lane_heights import FlatNetwork
from autosim.world.traffic.traffic_rules import with_conflicts, with_controls

_POINTS_AT_ONCE = 50_000
"""Points of lanes of which a process finds the heights at once: 0.1 s of work, 100 km of lanes."""


@dataclass(frozen=True, slots=True)
class Floors:
    """All meshes on which a vehicle can stand, with their indices.

    `ground` is that of the steps before, but its mesh shares the arrays of `all_levels`;
    `by_level` are the indices of the floor of each level.
    """

    ground: GroundMesh
    all_levels: GroundIndex
    by_level: list[GroundIndex]

    @property
    def of_ground(self) -> GroundIndex:
        """The part of `all_levels` that is the ground."""
        return self.by_level[0]


@dataclass(frozen=True, slots=True)
class ControlledLanes:
    """Lanes with the rules of traffic, but for conflicts.

    `approaches` (n,) are the `Control` of each lane at its junction; `rings` (n,) are the lanes of
    roundabouts.
    """

    network: RoadNetwork
    """The lanes."""
    approaches: Bytes
    rings: Booleans


def index_floors(ground: GroundMesh, structures: Mesh, decks: tuple[Deck, ...]) -> Floors:
    """The indices of all floors: one large one serves all questions in all processes."""
    levels = levels_of(ground.mesh, structures)
    mesh = _first_of(levels, ground.mesh)
    index = GroundIndex.build(levels)
    of_ground = index.part(0, len(mesh.triangles))
    of_decks = [GroundIndex.build(deck.floor) for deck in decks]
    return Floors(replace(ground, mesh=mesh), index, [of_ground, *of_decks])


def _first_of(levels: Mesh, ground: Mesh) -> Mesh:
    """The ground as the first part of all levels: the same numbers, but kept only once."""
    rows = slice(0, len(ground.triangles))
    vertices = levels.vertices[: len(ground.vertices)]
    return Mesh(vertices, levels.triangles[rows], levels.surfaces[rows])


def ranges_of_points(flat_network: FlatNetwork) -> list[int]:
    """The first point of each range of points whose heights are found at once."""
    return list(range(0, len(flat_network.levels), _POINTS_AT_ONCE))


def find_lane_heights(
    first: int, flat_network: FlatNetwork, floors: Floors, heights: Heights
) -> Floats:
    """The heights of a range of points."""
    rows = slice(first, first + _POINTS_AT_ONCE)
    return flat_network.heights(rows, floors.by_level, heights.heights)


def control_lanes(
    layout: PlanarWorld,
    street_map: StreetMap,
    flat_network: FlatNetwork,
    lane_heights: tuple[Floats, ...],
) -> ControlledLanes:
    """The network at its heights, with the rules of traffic but for conflicts."""
    raised = flat_network.raised(np.concatenate([np.zeros(0), *lane_heights]))
    network, approaches = with_controls(
        raised,
        layout.data,
        layout.points,
        streets=street_map.streets,
        plan=street_map.plan,
        rules=layout.rules,
    )
    is_roundabout = np.array([each.profile.is_roundabout for each in street_map.streets], np.bool_)
    rings = is_roundabout[network.roads] & ~network.connectors
    return ControlledLanes(network, approaches, rings)


def finish_lanes(controlled: ControlledLanes, conflicts: Conflicts) -> RoadNetwork:
    """The network with all rules of traffic."""
    return with_conflicts(controlled.network, conflicts)
