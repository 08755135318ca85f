"""Streets made in memory, with OSM ways, and vehicles that set out on them."""

import numpy as np

from autosim.config.demand import Demand, Departure, StatedRoute, VehicleType
from autosim.config.world_settings import TrafficDescription
from autosim.traffic.demand.departures import Departures
from autosim.traffic.demand.edges import Edges
from autosim.traffic.vehicles.native_vehicles import NativeVehicles
from autosim.traffic.vehicles.traffic_area import TrafficArea
from autosim.world.lanes.roads import LaneRecord, RoadNetwork
from tests.traffic.vehicles.towns import BOUNDS, DT, line


def street(road, way, *points, successors=(), is_connector=False):
    ways = () if is_connector else ((way, True),)
    points = line(*points)
    return LaneRecord(road, points, 3.5, 13.9, "residential", is_connector, successors, ways=ways)


def fork():
    """Way 10 to the east; then way 20 straight on, or 30 to the north, on two lanes of way 10.

    Lane 0 of way 10, the left one, leads to way 30, and lane 1 to way 20.
    """
    return RoadNetwork.from_lanes(
        [
            street(0, 10, (0.0, 0.0), (300.0, 0.0), successors=(2,)),
            street(0, 10, (0.0, -3.5), (300.0, -3.5), successors=(3,)),
            street(
                2, 30, (300.0, 0.0), (310.0, 3.0), (315.0, 15.0), successors=(4,), is_connector=True
            ),
            street(1, 20, (300.0, -3.5), (315.0, -3.5), successors=(5,), is_connector=True),
            street(2, 30, (315.0, 15.0), (315.0, 200.0)),
            street(1, 20, (315.0, -3.5), (500.0, -3.5)),
        ]
    )


def demand_of(*routes, kind="hatchback", lane=None, seconds=0.0):
    """One vehicle for each route, all at one time."""
    return Demand(
        (VehicleType(kind, kind),),
        tuple(
            StatedRoute(tuple(each.split()), f"town.rou.xml:{k}")
            for k, each in enumerate(routes, 2)
        ),
        tuple(Departure(f"v{k}", seconds, 0, k, lane) for k in range(len(routes))),
    )


def vehicles_with(roads, demand, *, count=4, side="right", people=0):
    traffic = TrafficDescription(
        vehicles=count, shares=demand.shares(), imperfection=0.0, demand=demand
    )
    return NativeVehicles(
        TrafficArea(roads, BOUNDS),
        traffic,
        step_seconds=DT,
        people=people,
        departures=lambda lanes: Departures(demand, Edges(roads, lanes, side)),
    )


def lanes_passed(vehicles, seconds):
    """The lanes under the front of the first vehicle, in their order."""
    from autosim.traffic.vehicles.vehicle_pool import lane_on_path

    vehicles.begin()
    found = []
    for step in range(round(seconds / DT)):
        vehicles.advance(step)
        row = vehicles.rows[0]
        lane = lane_on_path(row, row.front)
        if row.active and (not found or found[-1] != lane):
            found.append(lane)
    return found


def edges_of(roads):
    from autosim.traffic.vehicles.lanes.lane_table import lane_table_of

    return Edges(roads, lane_table_of(roads, [0]), "right")


__all__ = ["DT", "demand_of", "edges_of", "fork", "lanes_passed", "np", "vehicles_with"]
