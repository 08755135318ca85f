"""The paths of vehicles that SUMO moves: which lanes are under them, and which come next."""

from collections.abc import Sequence

from autosim.traffic.demand.edges import Edges
from autosim.traffic.vehicles.lanes.lane_table import LaneTable
from autosim.traffic.vehicles.vehicle_pool import (
    PATH_LANES,
    VehicleRow,
    lane_on_path,
)

_DEEP = 6
"""Number of lanes within which SUMO's vehicle is looked for ahead: more than it comes to pass from
one decision to the next."""


def enter_lane(row: VehicleRow, lane: int) -> bool:
    """Puts the front of a vehicle onto a lane; whether it is of its path, and not beside it."""
    front, count = row.front, row.count
    for place in range(front, count):
        if lane_on_path(row, place) == lane:
            row.front = place
            return True
    row.path[0], row.count, row.front = lane, 1, 0
    return False


def way_to(lanes: LaneTable, row: VehicleRow, lane: int, station: float) -> float | None:
    """Distance [m] to a place ahead; None if it is on no lane that follows.

    Afterwards the path of the vehicle leads there.
    """
    front = row.front
    ahead = [lane_on_path(row, place) for place in range(front, row.count)]
    if lane not in ahead:
        chain = _chain(lanes, ahead[0], lane)
        if chain is None or front + len(chain) > PATH_LANES:
            return None
        ahead = chain
        row.count = front + len(chain)
        row.path[front : row.count] = chain
    before = sum(float(lanes.lengths[each]) for each in ahead[: ahead.index(lane)])
    return before + station - float(row.station)


def _chain(lanes: LaneTable, first: int, last: int) -> list[int] | None:
    """The shortest sequence of lanes from one to another one near."""
    chains = [[first]]
    for _ in range(_DEEP):
        longer = []
        for chain in chains:
            starts = lanes.successor_starts
            for follower in lanes.successors[starts[chain[-1]] : starts[chain[-1] + 1]].tolist():
                if follower == last:
                    return [*chain, follower]
                longer.append([*chain, follower])
        chains = longer
    return None


def look_ahead(edges: Edges, row: VehicleRow, kind: int, route: Sequence[int], way: float) -> None:
    """Extends a path along a route (edges that are still ahead) by `way` [m]."""
    lane = lane_on_path(row, row.count - 1)
    edge = edges.edge_of(lane)
    if edge not in route:
        return
    place = route.index(edge)
    while way > 0.0 and place + 1 < len(route) and row.count + _DEEP <= PATH_LANES:
        place += 1
        ways = [w for w in edges.ways_of(lane, kind) if edges.edge_of(w[-1]) == route[place]]
        if not ways:
            return
        for lane in ways[0]:
            row.path[row.count] = lane
            row.count += 1
            way -= edges.length_of(lane)
