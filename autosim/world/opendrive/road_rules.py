"""The rules of traffic on the lanes of an OpenDRIVE file: its signals, signs and priorities."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import shapely

from autosim.arrays import Booleans, Bytes, Floats, Integers32
from autosim.config.descriptions import DrivingSide
from autosim.world.geometry import overlays
from autosim.world.lanes.lane_rules import Control
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.opendrive.lane_network import OdrNetwork
from autosim.world.opendrive.road_frames import RoadFrame
from autosim.world.opendrive.xodr_records import XodrFile, XodrSignal
from autosim.world.streets.crossings import Crossings
from autosim.world.streets.street_ends import StreetNodes
from autosim.world.traffic.conflicts import find_conflicts
from autosim.world.traffic.lane_controls import Directions, find_controls
from autosim.world.traffic.signs import Sign, Signs
from autosim.world.traffic.traffic_rules import with_conflicts

NEAR_END = 60.0
"""Distance [m] of a sign from the end of its road within which it is for the junction there."""

_CLASS = 20.0 / 3.6
"""Width [m/s] of the classes of speed limits: roads of a lower class give way."""

_ONE_LEVEL = 4.0
"""Difference in height [m] of a lane and a crosswalk from which on the lane is on a bridge above,
or below one."""

_LIGHTS = tuple(str(1000000 + k) for k in (1, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20))
"""Types of traffic lights for vehicles in ASAM OpenDRIVE's own catalogue."""

_STOP = frozenset({"206", "R1-1", "stop"})
"""Types of stop signs: those of Germany and of the United States."""

_GIVE_WAY = frozenset({"205", "R1-2", "yield"})
"""Types of give-way signs."""


def with_rules(
    content: XodrFile,
    made: OdrNetwork,
    frames: Mapping[str, RoadFrame],
    crosswalks: Sequence[shapely.Polygon],
    side: DrivingSide,
) -> RoadNetwork:
    """The network with the rules of traffic: controls, stop lines, crossings and conflicts."""
    if not len(made.network.roads):
        return made.network
    signs = list(_signs(content, made, frames))
    network = with_signs(made.network, made.forward, signs, crosswalks, side)
    groups = _signal_groups(content, replace(made, network=network))
    return replace(network, traffic=replace(network.traffic, signal_groups=groups))


def with_signs(
    network: RoadNetwork,
    forward: Booleans,
    signs: Sequence[Sign],
    crosswalks: Sequence[shapely.Polygon],
    side: DrivingSide,
) -> RoadNetwork:
    """The network with the rules that its signs and crosswalks make.

    Args:
        network: the lanes, at least one.
        forward: (n,) whether each leads along its street.
        signs: signs and lights.
        crosswalks: areas in plan, with heights.
        side: where traffic keeps.
    """
    limits = np.zeros(int(network.roads.max()) + 1)
    np.maximum.at(limits, network.roads, network.speed_limits)
    controls = find_controls(
        network,
        Directions(network.roads.astype(np.int64), forward),
        ranks=-np.floor(limits / _CLASS),
        signs=Signs(signs, {}),
        nodes=StreetNodes((), {}, {}),
        crossings=_no_crossings(),
    )
    lanes, stations = _crossings(network, crosswalks)
    traffic = replace(
        network.traffic,
        controls=controls.kinds,
        stop_lines=controls.stations,
        crossing_lanes=lanes,
        crossing_stations=stations,
    )
    network = replace(network, traffic=traffic)
    return _with_conflicts(network, controls.approaches, side)


def _with_conflicts(network: RoadNetwork, approaches: Bytes, side: DrivingSide) -> RoadNetwork:
    rings = np.zeros(len(network.roads), dtype=np.bool_)
    return with_conflicts(network, find_conflicts(network, approaches, side, rings=rings))


def _no_crossings() -> Crossings:
    none = np.zeros(0)
    return Crossings(np.zeros((0, 3)), none, none, np.zeros(0, dtype=np.bool_))


def control_of(signal: XodrSignal) -> Control:
    """The control of a signal; `Control.NONE` for one at which no vehicle waits."""
    if signal.is_dynamic and signal.type in _LIGHTS:
        return Control.SIGNALS
    if not signal.is_dynamic and signal.type in _STOP:
        return Control.STOP
    return Control.GIVE_WAY if signal.type in _GIVE_WAY else Control.NONE


def _signs(content: XodrFile, made: OdrNetwork, frames: Mapping[str, RoadFrame]) -> Iterator[Sign]:
    """The signals and signs of all roads, each for the lanes of a road and a direction."""
    known = {
        signal.id: signal
        for road in content.roads.values()
        for signal in road.signals
        if not signal.refers_to
    }
    before = lanes_before(made.network)
    lanes_of = lanes_of_roads(made)
    given = set()
    for road in content.roads.values():
        for placed in road.signals:
            signal = known.get(placed.refers_to, placed)
            control = control_of(signal)
            for lane in _lanes_for(placed, made, lanes_of.get(road.id, ())) if control else ():
                sign = _sign(made, before, frames[road.id], placed, lane, control)
                if sign is not None and (key := (sign.street, sign.is_forward)) not in given:
                    given.add(key)
                    yield sign
    yield from _priorities(content, made, before, lanes_of, given)


def _signal_groups(content: XodrFile, made: OdrNetwork) -> Integers32:
    """The number of the controller of each lane (n,) that waits at a light; -1: none, or several.

    A light on a way through a junction counts for the lane that leads into the way.
    """
    network = made.network
    stated = {
        signal: number
        for number, signals in enumerate(content.controllers.values())
        for signal in signals
    }
    found: dict[int, set[int]] = {}
    before = lanes_before(network)
    lanes_of = lanes_of_roads(made)
    for road in content.roads.values():
        for placed in road.signals:
            number = stated.get(placed.refers_to or placed.id)
            if number is None:
                continue
            for lane in _lanes_for(placed, made, lanes_of.get(road.id, ())):
                own = before[lane] if network.connectors[lane] else lane
                found.setdefault(own, set()).add(number)
    groups = np.full(len(network.roads), -1, dtype=np.int32)
    for lane, numbers in found.items():
        if lane >= 0 and len(numbers) == 1 and network.traffic.controls[lane] == Control.SIGNALS:
            groups[lane] = numbers.pop()
    return groups


def lanes_of_roads(made: OdrNetwork) -> dict[str, list[int]]:
    """The lanes of each road, by its id."""
    found: dict[str, list[int]] = {}
    for number, chain in enumerate(made.chains):
        found.setdefault(chain.keys[0].road, []).append(number)
    return found


def _lanes_for(signal: XodrSignal, made: OdrNetwork, lanes: Sequence[int]) -> list[int]:
    """The lanes, of those of its road, for which a signal is.

    Some writers state the direction in which a signal faces as its orientation. So an orientation
    that matches no lane is ignored.
    """
    valid = [
        lane
        for lane in lanes
        if not signal.lanes
        or any(
            low <= key.lane <= high for key in made.chains[lane].keys for low, high in signal.lanes
        )
    ]
    if signal.orientation not in ("+", "-"):
        return valid
    is_along = signal.orientation == "+"
    return [lane for lane in valid if made.chains[lane].is_along is is_along] or valid


def lanes_before(network: RoadNetwork) -> list[int]:
    """A lane that leads into each; -1 for none."""
    found = np.full(len(network.roads), -1, dtype=np.int64)
    sources = np.repeat(np.arange(len(found)), np.diff(network.successor_starts))
    found[network.successors] = sources
    return [int(each) for each in found]


def _sign(
    made: OdrNetwork,
    before: Sequence[int],
    frame: RoadFrame,
    signal: XodrSignal,
    lane: int,
    control: Control,
) -> Sign | None:
    """A sign for a lane: of a connector, at the end of the lane before it."""
    network = made.network
    if network.connectors[lane]:
        lane = before[lane]
        if lane < 0 or network.connectors[lane]:
            return None
        own = network.lanes[lane]
        place, ahead = own.position(own.length)[:2], 0.0
    else:
        own = network.lanes[lane]
        s = np.array([min(max(signal.s, 0.0), frame.road.length)])
        at = frame.at(s, np.zeros(1))[0]
        station = own.local_coordinates(at)[0]
        place, ahead = own.position(station)[:2], own.length - station
    street, forward = int(network.roads[lane]), bool(made.forward[lane])
    if ahead > NEAR_END and control is not Control.SIGNALS:
        return None
    return Sign(control, street, forward, place, (street, forward) if ahead <= NEAR_END else None)


def _priorities(
    content: XodrFile,
    made: OdrNetwork,
    before: Sequence[int],
    lanes_of: Mapping[str, Sequence[int]],
    given: set[tuple[int, bool]],
) -> Iterator[Sign]:
    """Give-way signs for what the priorities of junctions call low."""
    network = made.network
    for junction in content.junctions.values():
        for _, low in junction.priorities:
            lanes = _incoming(content, made, before, lanes_of, junction.id, low)
            for lane in lanes:
                own = network.lanes[lane]
                key = int(network.roads[lane]), bool(made.forward[lane])
                if key not in given:
                    given.add(key)
                    place: Floats = own.position(own.length)[:2]
                    yield Sign(Control.GIVE_WAY, *key, place, key)


def _incoming(
    content: XodrFile,
    made: OdrNetwork,
    before: Sequence[int],
    lanes_of: Mapping[str, Sequence[int]],
    junction: str,
    road: str,
) -> set[int]:
    """The lanes that lead into a junction from a road, or into a connecting road of it."""
    network = made.network
    if road in content.roads and content.roads[road].junction == junction:
        lanes = {before[lane] for lane in lanes_of.get(road, ())}
        return {lane for lane in lanes if lane >= 0 and not network.connectors[lane]}
    found = set()
    for lane in lanes_of.get(road, ()):
        for after in network.lanes[lane].successors:
            through = made.chains[after].keys[0].road
            if content.roads[through].junction == junction:
                found.add(lane)
    return found


def _crossings(
    network: RoadNetwork, crosswalks: Sequence[shapely.Polygon]
) -> tuple[Integers32, Floats]:
    """The lanes (c,) that lead over crosswalks, and the stations [m] (c,) of their middles."""
    if not crosswalks:
        return np.zeros(0, dtype=np.int32), np.zeros(0)
    lines = np.asarray(
        shapely.linestrings(network.points[:, :2], indices=network.lane_of_points()), dtype=object
    )
    areas = np.asarray(crosswalks, dtype=object)
    which, lanes = shapely.STRtree(lines).query(areas, predicate="intersects")
    met = overlays.intersection(lines[lanes], areas[which])
    stations = shapely.line_locate_point(lines[lanes], shapely.centroid(met))
    known = ~np.isnan(stations)
    which, lanes, stations = which[known], lanes[known], stations[known]
    heights = np.array(
        [float(np.nanmean(shapely.get_coordinates(each, include_z=True)[:, 2])) for each in areas]
    )
    floors = [
        network.lanes[lane].position(station)[2]
        for lane, station in zip(lanes.tolist(), stations.tolist(), strict=True)
    ]
    level = np.abs(np.array(floors) - heights[which]) < _ONE_LEVEL
    lanes, stations = lanes[level], stations[level]
    order = np.lexsort((stations, lanes))
    return lanes[order].astype(np.int32), stations[order]
