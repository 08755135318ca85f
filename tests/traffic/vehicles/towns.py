"""Roads made in memory, and vehicles that are put onto them."""

import hashlib

import numpy as np

from autosim.config.world_settings import TrafficDescription
from autosim.traffic.vehicles import spawning
from autosim.traffic.vehicles.driving import driver_decisions
from autosim.traffic.vehicles.native_vehicles import NativeVehicles
from autosim.traffic.vehicles.traffic_area import TrafficArea
from autosim.world.lanes.roads import LaneRecord, RoadNetwork

DT = 1.0 / 240.0
BOUNDS = (-2000.0, -2000.0, 2000.0, 2000.0)
CARS = (("hatchback", 1.0),)


def line(*points, spacing=3.0):
    """A centre line with a point every few metres."""
    points = np.array(points, dtype=np.float64)
    way = np.append(0.0, np.cumsum(np.hypot(*np.diff(points, axis=0).T)))
    s = np.linspace(0.0, way[-1], max(2, int(way[-1] / spacing) + 1))
    return np.column_stack([np.interp(s, way, points[:, k]) for k in (0, 1)] + [0.0 * s])


def lane(
    road,
    centre_line,
    *,
    successors=(),
    is_connector=False,
    limit=13.9,
    width=3.5,
    highway="residential",
):
    return LaneRecord(road, centre_line, width, limit, highway, is_connector, successors)


def ring(radius=200.0):
    """A circle in two halves, driven anticlockwise."""
    angle = np.linspace(0.0, 2.0 * np.pi, 401)
    points = radius * np.column_stack([np.cos(angle), np.sin(angle), 0.0 * angle])
    halves = points[:201], points[200:]
    return RoadNetwork.from_lanes(
        lane(0, half, successors=(1 - k,)) for k, half in enumerate(halves)
    )


def street(length=500.0, **others):
    """One straight lane to the east."""
    return RoadNetwork.from_lanes([lane(0, line((0.0, 0.0), (length, 0.0)), **others)])


def crossroads(arm=120.0):
    """Two one-way streets that cross: 0 → 1 → 2 to the east, 3 → 4 → 5 to the north."""
    return RoadNetwork.from_lanes(
        [
            lane(0, line((-arm, 0.0), (-8.0, 0.0)), successors=(1,)),
            lane(1, line((-8.0, 0.0), (8.0, 0.0)), successors=(2,), is_connector=True),
            lane(1, line((8.0, 0.0), (arm, 0.0))),
            lane(2, line((0.0, -arm), (0.0, -8.0)), successors=(4,)),
            lane(3, line((0.0, -8.0), (0.0, 8.0)), successors=(5,), is_connector=True),
            lane(3, line((0.0, 8.0), (0.0, arm))),
        ]
    )


def vehicles_on(roads, count, *, imperfection=0.0, seed=0, shares=CARS, signals=None, **others):
    """Vehicles of which none is there yet."""
    traffic = TrafficDescription(vehicles=count, shares=shares, imperfection=imperfection)
    area = TrafficArea(roads, BOUNDS, signals)
    found = NativeVehicles(area, traffic, step_seconds=DT, seed=seed, **others)
    found.wanted = 0
    return found


def put(vehicles, place, lane_number, station, speed=0.0, *, imperfection=0.0):
    driver_decisions.register_road_users(vehicles.town)
    is_there = spawning.spawn_at(
        vehicles.town, place, lane_number, station, speed, np.uint64(1), imperfection
    )
    assert is_there
    vehicles.wanted += 1
    vehicles.capacity = max(vehicles.capacity, vehicles.wanted)
    vehicles.place()


def run(vehicles, seconds, *, begin=0, each=lambda: None):
    """Steps on; returns the number of the next step."""
    end = begin + round(seconds / DT)
    for step in range(begin, end):
        vehicles.advance(step)
        each()
    return end


def speeds(vehicles):
    return vehicles.rows["speed"][vehicles.rows["active"]]


def digest(vehicles):
    return hashlib.sha256(vehicles.rows.tobytes() + vehicles.shown.tobytes()).hexdigest()
