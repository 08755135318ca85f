"""Trips by class of road and land use: where vehicles come from, where they go, and which way."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.config.world_settings import TrafficDescription
from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import world_for_osm
from autosim.traffic.demand.gravity import DEMANDS, is_for_access, trip_table_of
from autosim.traffic.typed_rows import make_rows
from autosim.traffic.vehicles.lanes.lane_table import lane_table_of
from autosim.traffic.vehicles.native_vehicles import NativeVehicles
from autosim.traffic.vehicles.routes.trips import place_along, trip_wish
from autosim.traffic.vehicles.spawning import end_trips
from autosim.traffic.vehicles.traffic_area import TrafficArea
from autosim.traffic.vehicles.traffic_context import ARRIVALS
from autosim.traffic.vehicles.vehicle_pool import (
    VehicleRow,
    lane_on_path,
)
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.pipeline.cache import compile_world
from tests.paths import SHARED
from tests.traffic.vehicles.towns import DT, lane, line, run
from tests.worlds import flat_world, impreza_world

BOUNDS = (-400.0, -100.0, 400.0, 300.0)


def shortcut():
    """A main street round three sides of a block, and an alley straight through it.

    Lanes 0, 2, 4, 6 and 8 are the street's, 10 is the alley's, the others join them.
    """

    def part(road, *points, highway="primary", then=(), turns=False):
        return lane(road, line(*points), successors=then, is_connector=turns, highway=highway)

    alley = "service"
    return RoadNetwork.from_lanes(
        [
            part(0, (-400.0, 0.0), (-20.0, 0.0), then=(1, 9)),
            part(1, (-20.0, 0.0), (-10.0, 0.0), (-10.0, 10.0), then=(2,), turns=True),
            part(1, (-10.0, 10.0), (-10.0, 190.0), then=(3,)),
            part(2, (-10.0, 190.0), (-10.0, 200.0), (0.0, 200.0), then=(4,), turns=True),
            part(2, (0.0, 200.0), (5.0, 200.0), then=(5,)),
            part(3, (5.0, 200.0), (10.0, 200.0), (10.0, 190.0), then=(6,), turns=True),
            part(3, (10.0, 190.0), (10.0, 10.0), then=(7,)),
            part(4, (10.0, 10.0), (10.0, 0.0), (20.0, 0.0), then=(8,), turns=True),
            part(4, (20.0, 0.0), (400.0, 0.0)),
            part(5, (-20.0, 0.0), (-15.0, 0.0), highway=alley, then=(10,), turns=True),
            part(5, (-15.0, 0.0), (15.0, 0.0), highway=alley, then=(11,)),
            part(4, (15.0, 0.0), (20.0, 0.0), then=(8,), turns=True),
        ]
    )


def town(roads, count, **others):
    traffic = TrafficDescription(vehicles=count, shares=(("hatchback", 1.0),), imperfection=0.0)
    vehicles = NativeVehicles(TrafficArea(roads, BOUNDS), traffic, step_seconds=DT, **others)
    vehicles.begin()
    return vehicles


def test_no_trip_leads_through_a_way_for_access_unless_it_begins_or_ends_there():
    roads = shortcut()
    vehicles = town(roads, 8)
    trips, on_alley = vehicles.town.lanes.trips, set()
    assert trips.leave.any()

    def look():
        for place in np.flatnonzero(vehicles.rows["active"]).tolist():
            row = vehicles.rows[place]
            if lane_on_path(row, row.front) == 9 and trips.leave[row.target]:
                on_alley.add(place)

    run(vehicles, 120.0, each=look)
    assert vehicles.counts[ARRIVALS] > 4
    assert not on_alley


def test_trips_to_a_way_for_access_turn_into_it():
    roads = shortcut()
    table = lane_table_of(roads, (0,))
    trips = trip_table_of(roads, table, kinds=(0,), bounds=BOUNDS)
    assert np.flatnonzero(is_for_access(roads)).tolist() == [9, 10]
    (alley,) = np.flatnonzero(trips.targets == 10).tolist()
    assert np.isfinite(trips.costs[0, alley, 0])
    (out,) = np.flatnonzero(trips.leave).tolist()
    by_alley, by_street = trips.costs[0, out, 9] + trips.penalties[1], trips.costs[0, out, 1]
    assert by_street < by_alley


def test_no_vehicle_vanishes_at_its_destination_while_a_robot_watches():
    vehicles = town(shortcut(), 4, robots=1)
    trips, (place, *_) = vehicles.town.lanes.trips, np.flatnonzero(vehicles.rows["active"])
    (alley,) = np.flatnonzero(trips.targets == 10).tolist()
    row = vehicles.rows[place]
    row.count, row.front, row.path[0], row.station, row.speed = 1, 0, 10, 9.9, 4.0
    row.target, row.goal = alley, 10.0
    vehicles.place()
    x, y = vehicles.boxes[place, :2]
    vehicles.robots[0] = (x, y + 20.0, 0.0, 0.0, 2.0, 1.0, 0.0, 0.0)
    end_trips(vehicles.town, 1, 0.05, np.uint64(0))
    assert row.active
    assert row.target != alley
    row.target, row.goal = alley, 10.0
    vehicles.robots[0] = 0.0
    end_trips(vehicles.town, 1, 0.05, np.uint64(0))
    assert not row.active
    assert vehicles.counts[ARRIVALS] == 1


def two_lanes():
    """Lanes 0 and 1 side by side, which lead to 2 and 3."""
    return RoadNetwork.from_lanes(
        [
            lane(0, line((0.0, 3.5), (200.0, 3.5)), successors=(2,)),
            lane(0, line((0.0, 0.0), (200.0, 0.0)), successors=(3,)),
            lane(1, line((200.0, 3.5), (400.0, 3.5))),
            lane(2, line((200.0, 0.0), (400.0, 0.0))),
        ]
    )


def trips_on(roads, *costs):
    """The lanes with one destination at the end of the last one, and the time to it from each."""
    table = lane_table_of(roads, (0,))
    lanes = len(roads.roads)
    return table._replace(
        trips=table.trips._replace(
            groups=np.zeros_like(table.trips.groups),
            targets=np.array([lanes - 1]),
            weights=np.ones(1),
            leave=np.ones(1, dtype=np.bool_),
            costs=np.array([[costs]], dtype=np.float32),
            penalties=np.full(len(roads.successors), 30.0),
            changes=np.full(lanes, 2.0),
        )
    )


def test_where_no_way_leads_no_change_of_lane_is_wanted():
    lanes = trips_on(two_lanes(), np.inf, np.inf, np.inf, 0.0)
    (row,) = make_rows(VehicleRow, 1)
    assert trip_wish(lanes, row, 0, 0, 1) == 0
    lanes.trips.costs[0, 0, 1] = 9.0
    assert [trip_wish(lanes, row, 0, 0, 1), trip_wish(lanes, row, 0, 1, 0)] == [1, -1]


def test_the_first_vehicles_are_on_their_ways_by_time_spent_in_turns_too():
    roads = RoadNetwork.from_lanes(
        [
            lane(0, line((0.0, 0.0), (139.0, 0.0)), successors=(1,)),
            lane(1, line((139.0, 0.0), (278.0, 0.0))),
        ]
    )
    # 10 s on the first lane, 30 s for the turn and 10 s on the second one.
    lanes = trips_on(roads, 40.0, 0.0)
    (row,) = make_rows(VehicleRow, 1)
    row.goal = 139.0
    found = [place_along(lanes, row, 0, 0, share) for share in (0.1, 0.5, 0.9)]
    assert [lane for lane, _ in found] == [0, 1, 1]
    np.testing.assert_allclose([station for _, station in found], [69.5, 0.0, 69.5])


def test_a_destination_that_does_not_exist_here_is_forgotten():
    vehicles = town(shortcut(), 2)
    before = vehicles.rows.copy()
    vehicles.restore()
    assert vehicles.rows.tobytes() == before.tobytes()
    vehicles.rows["target"][0] = 99
    vehicles.restore()
    assert vehicles.rows["target"][0] == -1


def test_vehicles_leave_the_map_as_fast_as_they_drive():
    vehicles = town(shortcut(), 6)
    speeds = []

    def look():
        rows = vehicles.rows[vehicles.rows["active"]]
        near = [r for r in rows if lane_on_path(r, r.front) == 8 and r.station > 360.0]
        speeds.extend(r.speed for r in near)

    run(vehicles, 120.0, each=look)
    assert np.median(speeds) > 0.95 * 13.9


def test_more_vehicles_come_in_on_more_important_roads():
    roads = RoadNetwork.from_lanes(
        lane(k, line((-400.0, 30.0 * k), (400.0, 30.0 * k)), highway=highway)
        for k, highway in enumerate(("primary", "residential"))
    )
    trips = trip_table_of(roads, lane_table_of(roads, (0,)), kinds=(0,), bounds=BOUNDS)
    assert trips.entries.tolist() == [0, 1]
    shares = np.diff(trips.entry_ends, prepend=0.0)
    assert shares[1] / shares[0] == pytest.approx(
        DEMANDS["residential"].flow / DEMANDS["primary"].flow
    )


def test_floor_area_attracts_trips():
    roads = RoadNetwork.from_lanes(
        lane(k, line((-400.0, 30.0 * k), (400.0, 30.0 * k))) for k in range(2)
    )
    table, areas = lane_table_of(roads, (0,)), np.array([3000.0, 0.0])
    with_land_use = trip_table_of(
        roads, table, kinds=(0,), bounds=BOUNDS, attractions=lambda: areas
    )
    plain = trip_table_of(roads, table, kinds=(0,), bounds=BOUNDS)
    assert np.diff(plain.origin_ends, prepend=0.0).tolist() == pytest.approx([800.0, 800.0])
    first, second = np.diff(with_land_use.origin_ends, prepend=0.0).tolist()
    assert first / second == pytest.approx(3.0)


def test_as_many_drive_as_are_asked_for_and_too_many_are_refused_aloud():
    vehicles = town(shortcut(), 30)
    assert vehicles.shortage == ""
    run(vehicles, 40.0)
    assert vehicles.active() == 30
    crowded = town(shortcut(), 500)
    assert (
        f"500 vehicles are asked for, and the streets of this map have room for {crowded.capacity}"
        in crowded.shortage
    )
    assert crowded.active() <= crowded.capacity < 500


def test_a_simulation_says_how_many_there_is_room_for():
    notices, compiled = [], flat_world()
    room = int(compiled.roads.lengths().sum() / 25.0)
    world = replace(impreza_world(), traffic=TrafficDescription(vehicles=room + 1))
    with Simulation(world, compiled=compiled, report=notices.append):
        pass
    (notice,) = (each for each in notices if each.source == "traffic")
    assert notice.level == "warning"
    assert f"{room + 1} vehicles are asked for" in notice.text
    assert f"room for {room}" in notice.text


def test_traffic_of_a_town_is_on_its_main_roads():
    path = SHARED / "osm" / "city" / "leeds_cycleway.osm"
    if not path.exists():
        pytest.skip("needs the real maps")
    compiled = compile_world(world_for_osm(path).terrain)
    vehicles = NativeVehicles(
        TrafficArea(compiled.roads, compiled.bounds),
        TrafficDescription(vehicles=100),
        step_seconds=0.05,
    )
    vehicles.begin()
    access, spent = is_for_access(compiled.roads), []
    for step in range(120 * 20):
        vehicles.advance(step)
        rows = vehicles.rows[vehicles.rows["active"]]
        lanes = np.array([lane_on_path(row, row.front) for row in rows[:: 5 if step % 20 else 1]])
        spent.extend(access[lanes].tolist())
    # The place of one that has just arrived, or that a jam removed, may be free.
    assert vehicles.active() >= 95
    assert np.mean(spent) < 0.1
    assert vehicles.counts[ARRIVALS] > 60
