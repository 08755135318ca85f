"""From a file of lanelets to a compiled world."""

import numpy as np

from autosim.config.diagnostics import Diagnostics
from autosim.config.reading.map_kinds import MapKind
from autosim.world.compiled.compiled_world import CompiledWorld, no_props
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.extent import Box
from autosim.world.geometry.meshes import Mesh
from autosim.world.lanelets.commonroad_map import read_commonroad_map
from autosim.world.lanelets.lanelet2_reader import read_lanelet2
from autosim.world.lanelets.lanelet_network import LaneletNetwork, make_lanelet_network
from autosim.world.lanelets.lanelet_paint import paint_lanelets
from autosim.world.lanelets.lanelet_records import LaneletMap
from autosim.world.lanelets.lanelet_rules import driving_side, with_lanelet_rules
from autosim.world.lanelets.lanelet_surfaces import (
    barriers_of,
    buildings_of,
    crosswalks_of,
    lanelet_strips,
)
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.pipeline.lane_map_world import (
    HIGHEST,
    LARGEST_SIDE,
    MARGIN,
    MappedLanes,
    compile_lanes,
    warn_of_unused,
)
from autosim.world.pipeline.world_inputs import Progress, WorldInputs


def build_lanelets(inputs: WorldInputs, tell: Progress, found: Diagnostics) -> CompiledWorld:
    """Compiles a file of lanelets into a world.

    Args:
        inputs: the file with its set-up; a height map is not used.
        tell: called with the name of each step and the share of work done (0..1).
        found: receives the warnings too.

    Raises:
        ConfigError: the file cannot make a world; it holds every fault found.
    """
    tell("read the map", 0.0)
    warn_of_unused(inputs, "a map of lanelets", found)
    content = read_lanelets(inputs, found)
    box = _box(inputs, content, found)
    tell("place lanes", 0.1)
    side = driving_side(content, inputs.driving_side)
    made = make_lanelet_network(content, keeps_left=side == "left")
    _warn_of_lost(inputs, content, made, found)
    crosswalks = crosswalks_of(content)

    def with_rules(network: RoadNetwork) -> RoadNetwork:
        return with_lanelet_rules(content, made, network, crosswalks, side)

    def paint(index: GroundIndex) -> Mesh:
        return paint_lanelets(content.marks, crosswalks, index)

    lanes = MappedLanes(
        origin=content.origin,
        box=box,
        side=side,
        strips=lanelet_strips(content, made.connectors),
        network=made.network,
        with_rules=with_rules,
        paint=paint,
        buildings=buildings_of(content),
        obstacles=barriers_of(content),
        props=no_props(),
        attribution="",
        used=tuple(sorted(content.used.items())),
        ignored=tuple(sorted(content.ignored.items())),
    )
    return compile_lanes(inputs, tell, lanes)


def read_lanelets(inputs: WorldInputs, found: Diagnostics) -> LaneletMap:
    """Reads a file of lanelets of any kind."""
    if inputs.kind is MapKind.COMMONROAD:
        return read_commonroad_map(inputs.osm, found)
    origin = None if inputs.setup is None else inputs.setup.origin
    return read_lanelet2(inputs.osm, found, origin)


def _box(inputs: WorldInputs, content: LaneletMap, found: Diagnostics) -> Box:
    lines = [line for each in content.lanelets.values() for line in (each.left, each.right)]
    points = np.vstack([*lines, *(area.ring for area in content.areas)])
    low, high = points.min(axis=0), points.max(axis=0)
    if not float((high - low)[:2].max()) + 2.0 * MARGIN <= LARGEST_SIDE:
        message = f"the lanelets extend over more than {LARGEST_SIDE / 1000.0:g} km"
        found.error(inputs.osm, 0, message)
    elif not float(np.abs(points[:, 2]).max()) <= HIGHEST:
        found.error(inputs.osm, 0, f"the heights exceed {HIGHEST / 1000.0:g} km")
    found.raise_if_errors()
    x_min, y_min = (low[:2] - MARGIN).tolist()
    x_max, y_max = (high[:2] + MARGIN).tolist()
    return (x_min, y_min, x_max, y_max)


def _warn_of_lost(
    inputs: WorldInputs, content: LaneletMap, made: LaneletNetwork, found: Diagnostics
) -> None:
    for first, second, gap in made.lost:
        message = (
            f"lanelets {first.lanelet} and {second.lanelet} are linked but {gap:.1f} m apart; "
            "the link is left out"
        )
        found.warning(inputs.osm, content.lanelets[first.lanelet].line, message)
    if not len(made.network.roads):
        message = "no lanelet of the file is one on which traffic drives: there are no routes"
        found.warning(inputs.osm, 0, message)
