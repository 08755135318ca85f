"""From an OpenDRIVE file to a compiled world.

The file states lanes, heights and connections; from there on the steps are those of maps: one
watertight ground, lanes on the mesh, rules of traffic, paint, and the checks of the whole.
"""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import DrivingSide
from autosim.config.diagnostics import Diagnostics, printable
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.extent import Box
from autosim.world.geometry.meshes import Mesh, joined
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.opendrive.georeference import origin_of
from autosim.world.opendrive.lane_network import OdrNetwork, make_network
from autosim.world.opendrive.lane_shapes import lane_strips
from autosim.world.opendrive.road_frames import RoadFrame
from autosim.world.opendrive.road_objects import PlacedObjects, place_objects
from autosim.world.opendrive.road_paint import paint_roads
from autosim.world.opendrive.road_rules import control_of
from autosim.world.opendrive.road_rules import with_rules as with_rules_of_file
from autosim.world.opendrive.road_tunnels import tunnel_solids
from autosim.world.opendrive.xodr_reader import read_xodr
from autosim.world.opendrive.xodr_records import XodrFile
from autosim.world.pipeline.lane_map_world import (
    HIGHEST,
    LARGEST_SIDE,
    MARGIN,
    MappedLanes,
    compile_lanes,
    warn_of_unused,
)
from autosim.world.pipeline.world_inputs import Progress, WorldInputs

_FAR = 10_000.0
"""Distance [m] of roads from the origin from which on they are moved to it: surveyors' coordinates
have a million metres, which single precision does not hold."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """The roads of a file in W: `shift` [m] is added to its coordinates."""

    content: XodrFile
    frames: dict[str, RoadFrame]
    shift: tuple[float, float, float]
    box: Box
    side: DrivingSide


def build_opendrive(inputs: WorldInputs, tell: Progress, found: Diagnostics) -> CompiledWorld:
    """Compiles an OpenDRIVE file into a world.

    Args:
        inputs: the file with its set-up; a height map is not used.
        tell: called with the name of each step and the share of work done (0..1).
        found: receives the warnings too.

    Raises:
        ConfigError: the file cannot make a world; it holds every fault found.
    """
    tell("read the map", 0.0)
    content = read_xodr(inputs.osm, found)
    warn_of_unused(inputs, "an OpenDRIVE file", found)
    tell("place roads", 0.1)
    placed = _place(inputs, content, found)
    made = make_network(content, placed.frames)
    _warn_of_lost(inputs, content, made, found)
    objects = place_objects(placed.frames)

    def with_rules(network: RoadNetwork) -> RoadNetwork:
        moved = replace(made, network=network)
        return with_rules_of_file(content, moved, placed.frames, objects.crosswalks, placed.side)

    def paint(index: GroundIndex) -> Mesh:
        return paint_roads(placed.frames, list(objects.crosswalks), index)

    strips = lane_strips(placed.frames)
    lanes = MappedLanes(
        origin=origin_of(content, placed.shift),
        box=placed.box,
        side=placed.side,
        strips=strips,
        network=made.network,
        with_rules=with_rules,
        paint=paint,
        buildings=objects.buildings,
        obstacles=joined([objects.obstacles, tunnel_solids(placed.frames, strips)]),
        props=objects.props,
        attribution=content.data.get("attribution", ""),
        used=_used(content, objects),
        ignored=_ignored(content, objects),
    )
    return compile_lanes(inputs, tell, lanes)


def _place(inputs: WorldInputs, content: XodrFile, found: Diagnostics) -> _Placed:
    with np.errstate(over="ignore", invalid="ignore"):
        frames = {road.id: RoadFrame.of(road, (0.0, 0.0, 0.0)) for road in content.roads.values()}
    points = np.vstack([frame.points for frame in frames.values()])
    low, high = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
    reach, highest = _reach(frames)
    # Infinite and undefined values fail these comparisons, too.
    if not float((high - low).max()) + 2.0 * reach <= LARGEST_SIDE:
        message = f"the roads with their lanes extend over more than {LARGEST_SIDE / 1000.0:g} km"
        found.error(inputs.osm, 0, message)
    elif not highest <= HIGHEST:
        message = f"the heights of the roads exceed {HIGHEST / 1000.0:g} km"
        found.error(inputs.osm, 0, message)
    found.raise_if_errors()
    shift = _shift(low, high)
    if any(shift):
        frames = {key: RoadFrame.of(frame.road, shift) for key, frame in frames.items()}
    x_min, y_min = (low + shift[:2] - reach).tolist()
    x_max, y_max = (high + shift[:2] + reach).tolist()
    return _Placed(content, frames, shift, (x_min, y_min, x_max, y_max), _side(inputs, content))


def _shift(low: Floats, high: Floats) -> tuple[float, float, float]:
    if float(np.abs(np.concatenate([low, high])).max()) <= _FAR:
        return (0.0, 0.0, 0.0)
    x, y = (np.round((low + high) / 2.0)).tolist()
    return (-x, -y, 0.0)


def shift_of(content: XodrFile) -> tuple[float, float, float]:
    """Offset [m] from the coordinates of a file to those of its world."""
    origin = (0.0, 0.0, 0.0)
    points = [RoadFrame.of(road, origin).points for road in content.roads.values()]
    if not points:
        return origin
    every = np.vstack(points)
    return _shift(every[:, :2].min(axis=0), every[:, :2].max(axis=0))


def _reach(frames: dict[str, RoadFrame]) -> tuple[float, float]:
    """Width [m] of the ground beyond reference lines: over the widest road; greatest height [m]."""
    widest, highest = 0.0, 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        for frame in frames.values():
            for section in range(len(frame.road.sections)):
                rows = frame.rows_of(section)
                borders = np.stack([*frame.borders(section, frame.s[rows]).values()])
                outer = (borders.min(axis=0), borders.max(axis=0)) if len(rows) else ()
                for border in outer:
                    points = frame.beside(rows, border)
                    # In this order, a value that is not a number stays.
                    widest = float(np.maximum(np.abs(border).max(), widest))
                    highest = float(np.maximum(np.abs(points[:, 2]).max(), highest))
    return MARGIN + widest, highest


def _side(inputs: WorldInputs, content: XodrFile) -> DrivingSide:
    if inputs.driving_side is not None:
        return inputs.driving_side
    own = content.data.get("drivingSide")
    if own in ("left", "right"):
        return "left" if own == "left" else "right"
    left = sum(road.length for road in content.roads.values() if road.is_left_hand)
    return "left" if left > sum(road.length for road in content.roads.values()) / 2.0 else "right"


def _warn_of_lost(
    inputs: WorldInputs, content: XodrFile, made: OdrNetwork, found: Diagnostics
) -> None:
    for first, second, gap in made.lost:
        one, other = (printable(each.road, 40) for each in (first, second))
        message = (
            f"lane {first.lane} of road {one} and lane {second.lane} of road "
            f"{other} are linked but {gap:.1f} m apart; the link is left out"
        )
        found.warning(inputs.osm, content.roads[first.road].line, message)
    if not len(made.network.roads):
        message = "no lane of the file is one on which traffic drives: there are no routes"
        found.warning(inputs.osm, 0, message)


def _used(content: XodrFile, objects: PlacedObjects) -> tuple[tuple[str, int], ...]:
    counts = Counter({"roads": len(content.roads), "junctions": len(content.junctions)})
    counts["signals"] = sum(
        1 for road in content.roads.values() for each in road.signals if control_of(each)
    )
    counts["tunnels"] = sum(len(road.tunnels) for road in content.roads.values())
    return tuple(sorted((counts + objects.used).items()))


def _ignored(content: XodrFile, objects: PlacedObjects) -> tuple[tuple[str, int], ...]:
    signals = Counter(
        f"signals: {each.type}"
        for road in content.roads.values()
        for each in road.signals
        if not control_of(each) and not each.refers_to
    )
    return tuple(sorted((signals + objects.ignored).items()))
