"""The rules of traffic on the lanes of a map of lanelets: its lights, signs and rights of way."""

from collections.abc import Iterator, Sequence

import shapely

from autosim.arrays import Floats
from autosim.config.descriptions import DrivingSide
from autosim.world.lanelets.lanelet_network import LaneletNetwork
from autosim.world.lanelets.lanelet_records import LaneletControl, LaneletMap, PathKey
from autosim.world.lanes.lane_rules import Control
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.opendrive.road_rules import NEAR_END, lanes_before, with_signs
from autosim.world.traffic.signs import Sign

_NEAR_LINE = 15.0
"""Distance [m] from the end of its lane within which a stop line is for that lane."""


def driving_side(content: LaneletMap, stated: DrivingSide | None) -> DrivingSide:
    """The side that traffic keeps to: where oncoming traffic is not, if none is stated."""
    if stated is not None:
        return stated
    known = {frozenset(pair) for pair in content.opposite}
    left = 0
    for first, second in known_pairs(known):
        one, other = (content.lanelets[key.lanelet] for key in (first, second))
        if one.id == other.id:
            continue
        left += 1 if _shares(one.right, other.right) else -1
    return "left" if left > 0 else "right"


def known_pairs(pairs: set[frozenset[PathKey]]) -> Iterator[tuple[PathKey, PathKey]]:
    """Pairs of different paths, each once, in the order of their ids."""
    for pair in sorted(pairs, key=sorted):
        members = sorted(pair)
        if len(members) == 2:
            yield members[0], members[1]


def _shares(first: Floats, second: Floats) -> bool:
    """Whether two borders have the same ends."""
    gap = min(
        abs(first[0] - second[-1]).max() + abs(first[-1] - second[0]).max(),
        abs(first[0] - second[0]).max() + abs(first[-1] - second[-1]).max(),
    )
    return bool(gap < 1e-6)


def with_lanelet_rules(
    content: LaneletMap,
    made: LaneletNetwork,
    network: RoadNetwork,
    crosswalks: Sequence[shapely.Polygon],
    side: DrivingSide,
) -> RoadNetwork:
    """The network, at its final heights, with controls, stop lines, crossings and conflicts."""
    if not len(network.roads):
        return network
    signs = list(_signs(content, made, network))
    return with_signs(network, made.forward, signs, crosswalks, side)


def _signs(content: LaneletMap, made: LaneletNetwork, network: RoadNetwork) -> Iterator[Sign]:
    before = lanes_before(network)
    given = set()
    for control in content.controls:
        for key in control.paths:
            if key not in made.lanes:
                continue
            lane = made.lanes[key]
            if network.connectors[lane]:
                lane = before[lane]
            if lane < 0 or network.connectors[lane]:
                continue
            sign = _sign(made, network, lane, control)
            if sign is not None and (street := (sign.street, sign.is_forward)) not in given:
                given.add(street)
                yield sign


def _sign(
    made: LaneletNetwork, network: RoadNetwork, lane: int, control: LaneletControl
) -> Sign | None:
    """The sign or light for a lane, at its stop line, or where the lane ends."""
    own = network.lanes[lane]
    station = own.length
    if len(control.place):
        middle = control.place[:, :2].mean(axis=0)
        stated, gap = own.local_coordinates(middle)[:2]
        if abs(gap) < _NEAR_LINE:
            station = min(max(float(stated), 0.0), own.length)
    ahead = own.length - station
    if ahead > NEAR_END and control.control is not Control.SIGNALS:
        return None
    street = int(network.roads[lane]), bool(made.forward[lane])
    place: Floats = own.position(station)[:2]
    return Sign(control.control, *street, place, street if ahead <= NEAR_END else None)
