"""From lanes that a file states to a compiled world: the steps that all such maps share.

Readers of OpenDRIVE and of maps of lanelets state strips of lanes with heights, a network and its
rules; from there on one watertight ground, lanes on the mesh, paint, and the checks of the whole.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from autosim.config.descriptions import DrivingSide
from autosim.config.diagnostics import Diagnostics
from autosim.config.reading.map_kinds import map_name
from autosim.world.compiled.compiled_world import CompiledWorld, Props
from autosim.world.compiled.ground_index import GroundIndex, levels_of
from autosim.world.geometry.extent import Box
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.geometry.meshes import Mesh
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.opendrive.lane_shapes import LaneStrips
from autosim.world.opendrive.road_surfaces import make_surfaces
from autosim.world.pipeline.assembly import worst_places
from autosim.world.pipeline.world_inputs import Progress, WorldInputs
from autosim.world.validation import invariants
from autosim.world.validation.diagnosis import StreetsAbout
from autosim.world.validation.level_invariants import lane_invariants

LARGEST_SIDE = 20_000.0
"""Greatest side [m] of a world: more ground does not fit into memory."""

HIGHEST = 10_000.0
"""Greatest height [m] of a road, up or down: the highest mountains have 9 km."""

MARGIN = 40.0
"""Width [m] of the ground about the outermost roads."""


@dataclass(frozen=True, slots=True)
class MappedLanes:
    """The lanes of a file in W, and what makes the rest of the world of them.

    Attributes:
        origin: latitude and longitude [deg] of W's origin.
        box: bounds of the world.
        side: where traffic keeps.
        strips: the lanes as strips of ground.
        network: the lanes, at the heights of the file.
        with_rules: adds the rules of traffic to the network at its final heights.
        paint: makes the paint on the floors of an index.
        buildings: walls and roofs.
        obstacles: other solids, which collide.
        props: trees and lamps.
        attribution: the author of the map.
        used: number of used elements of the file by kind.
        ignored: number of unused ones by kind.
    """

    origin: tuple[float, float]
    box: Box
    side: DrivingSide
    strips: LaneStrips
    network: RoadNetwork
    with_rules: Callable[[RoadNetwork], RoadNetwork]
    paint: Callable[[GroundIndex], Mesh]
    buildings: Mesh
    obstacles: Mesh
    props: Props
    attribution: str
    used: tuple[tuple[str, int], ...]
    ignored: tuple[tuple[str, int], ...]


def compile_lanes(inputs: WorldInputs, tell: Progress, lanes: MappedLanes) -> CompiledWorld:
    """Compiles the lanes of a file into a world."""
    tell("make the ground", 0.25)
    surfaces = make_surfaces(lanes.strips, lanes.box, inputs.kerb_height)
    tell("raise lanes", 0.65)
    index = GroundIndex.build(levels_of(surfaces.ground, surfaces.structures))
    roads = lanes.with_rules(_on_floors(lanes.network, index))
    tell("paint roads", 0.75)
    markings = lanes.paint(index)
    tell("check the world", 0.85)
    of_ground = index.part(0, len(surfaces.ground.triangles))
    findings = (
        *invariants.measure(of_ground, lanes.box),
        *lane_invariants(roads, index, StreetsAbout((), ())),
    )
    return CompiledWorld(
        name=map_name(inputs.osm),
        digest=inputs.digest(),
        origin=lanes.origin,
        bounds=lanes.box,
        driving_side=lanes.side,
        ground=surfaces.ground,
        structures=surfaces.structures,
        buildings=lanes.buildings,
        houses=(),
        roads=roads,
        invariants=tuple((each.name, each.value) for each in findings),
        worst_places=worst_places(findings, MapProjection(lanes.origin)),
        left_out=(),
        attribution=lanes.attribution,
        used=lanes.used,
        ignored=lanes.ignored,
        markings=markings,
        obstacles=lanes.obstacles,
        props=lanes.props,
    )


def _on_floors(network: RoadNetwork, index: GroundIndex) -> RoadNetwork:
    """The network at the heights of the meshes under it."""
    if not len(network.points):
        return network
    heights = index.heights_at(network.points)
    z = np.where(np.isnan(heights), network.points[:, 2], heights)
    return replace(network, points=np.column_stack([network.points[:, :2], z]))


def warn_of_unused(inputs: WorldInputs, kind: str, found: Diagnostics) -> None:
    """Warns of inputs that a map of the `kind` has no use for: it is compiled as a whole."""
    for name, value in (("window", inputs.window), ("height map", inputs.height_map)):
        if value is not None:
            message = f"the {name} is not used: {kind} is compiled as a whole"
            found.warning(inputs.osm, 0, message)
