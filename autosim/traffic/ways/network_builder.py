"""Finds the ways of a compiled world."""

from functools import cached_property
from itertools import pairwise

import numpy as np

from autosim.arrays import Floats
from autosim.rays.ray_scene import RayScene
from autosim.traffic.ways.crossed_lanes import crossed_lanes, length_on_road
from autosim.traffic.ways.path_ways import add_paths
from autosim.traffic.ways.pavement_strips import find_strips, pedestrian_barriers
from autosim.traffic.ways.squares import add_squares
from autosim.traffic.ways.strip_joiner import StripJoiner
from autosim.traffic.ways.walk_network import WalkNetwork, WayKind, network_of_lines
from autosim.traffic.ways.way_draft import StandaloneWay, WayDraft, subline
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.ground_index import GroundIndex, all_levels
from autosim.world.compiled.paths import Users
from autosim.world.geometry.meshes import joined

_ON_ROAD = 1.5
"""Length [m] on a carriageway from which on a way is one across a street."""


class WalkableWorld:
    """A world where people walk and ride: its floors, walls and buildings, as one asks for them."""

    def __init__(self, world: CompiledWorld) -> None:
        self.world = world

    @cached_property
    def ground(self) -> GroundIndex:
        """All floors near streets, paths and squares."""
        return GroundIndex.build(all_levels(self.world), about=_about(self.world))

    @cached_property
    def walls(self) -> RayScene:
        """Barriers to pedestrians."""
        return pedestrian_barriers(self.world)

    @cached_property
    def solids(self) -> GroundIndex:
        """Buildings, which pedestrians do not enter."""
        houses = joined([self.world.buildings, self.world.house_boxes])
        return GroundIndex.build(houses, about=_about(self.world))


def find_walk_network(site: WalkableWorld) -> WalkNetwork:
    """Network of ways for pedestrians; empty if the world has none."""
    world = site.world
    draft = WayDraft(find_strips(world, site.ground), site.walls, site.ground, site.solids)
    StripJoiner(draft, world.roads).join()
    add_paths(draft, world.paths, Users.FOOT, crossing_positions(world))
    add_squares(draft, world.paths)
    draft.bridge_gaps()
    return _network_of(draft, world)


def find_ride_network(site: WalkableWorld) -> WalkNetwork:
    """Network of ways for bicycles beside streets; empty if the world has none."""
    draft, world = WayDraft([], site.walls, site.ground, site.solids), site.world
    add_paths(draft, world.paths, Users.BICYCLE | Users.ONE_WAY, crossing_positions(world))
    draft.bridge_gaps()
    return _network_of(draft, world)


def crossing_positions(world: CompiledWorld) -> Floats:
    """The places (z, 3) [m] of the crossings of `Traffic`, in its order."""
    rules = world.roads.traffic
    rows = zip(rules.crossing_lanes.tolist(), rules.crossing_stations.tolist(), strict=True)
    places = [world.roads.lanes[lane].position(station) for lane, station in rows]
    return np.array(places).reshape(-1, 3)


def _about(world: CompiledWorld) -> Floats:
    """Places (n, 2) [m] near all streets, paths and squares."""
    parts = (world.roads.points, world.paths.points, world.paths.ring_points)
    return np.concatenate([np.zeros((1, 2)), *(each[:, :2] for each in parts)])


def _network_of(draft: WayDraft, world: CompiledWorld) -> WalkNetwork:
    lines: list[tuple[StandaloneWay, WayKind]] = []
    for strip, at, cuts in zip(draft.strips, draft.stations, draft.cuts, strict=True):
        ordered = sorted(cuts, key=lambda cut: cut.station)
        for first, second in pairwise(ordered):
            points = subline(strip.points, at, first.station, second.station)
            line = StandaloneWay(points, first.node, second.node, strip.half_width)
            lines.append((line, WayKind.PAVEMENT))
    for line in draft.lines:
        kind = line.kind
        if kind is None:
            on_road = length_on_road(draft.ground, line.points)
            kind = WayKind.UNMARKED if on_road > _ON_ROAD else WayKind.PAVEMENT
        lines.append((line, kind))
    return network_of_lines(
        [(line.points, line.start, line.end, line.half, kind) for line, kind in lines],
        np.array(draft.nodes).reshape(-1, 3),
        crossed_lanes(world.roads, [line.points for line, _ in lines], [kind for _, kind in lines]),
        [line.is_one_way for line, _ in lines],
    )
