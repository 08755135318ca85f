"""All vehicles of traffic: made from the roads of a world, moved step by step."""

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.config.descriptions import DrivingSide
from autosim.config.world_settings import TrafficDescription
from autosim.jit import bind_arguments, bind_leading_arguments
from autosim.model.noise import stream_of
from autosim.model.snapshot import Memory
from autosim.traffic.demand.departures import Departures
from autosim.traffic.demand.edges import Edges
from autosim.traffic.demand.gravity import drivable_metres, trip_table_of
from autosim.traffic.demand.route_orders import RouteOrders
from autosim.traffic.road_users import BOX, WALKER, B
from autosim.traffic.traffic_node import KIND, NAME, VEHICLE
from autosim.traffic.typed_rows import make_rows, memory_of
from autosim.traffic.vehicles import spawning, vehicle_motion
from autosim.traffic.vehicles.driving import driver_decisions
from autosim.traffic.vehicles.junctions import jams
from autosim.traffic.vehicles.lanes.lane_occupancy import LaneOccupancy
from autosim.traffic.vehicles.lanes.lane_table import LaneTable, lane_table_of
from autosim.traffic.vehicles.traffic_area import TrafficArea
from autosim.traffic.vehicles.traffic_context import TrafficContext
from autosim.traffic.vehicles.vehicle_pool import (
    VehicleRow,
    kinds_of_pool,
    medians_of,
    sizes_of,
)
from autosim.world.lanes.lane_index import find_lanes
from autosim.world.lanes.lane_rules import Control
from autosim.world.lanes.roads import RoadNetwork

DECISIONS = 20.0
"""Rate [Hz] of decisions: drivers take longer than its period to react, and between two of them the
acceleration of each holds."""

EACH_SECOND = 20
"""Number of decisions from one search for jams to the next: about a second."""

_METRES_EACH = 25.0
"""Length [m] of lane for each vehicle at least: about the density, 40 vehicles a kilometre of lane,
beyond which the flow of a town's network falls (N. Geroliminis, C. Daganzo, Existence of
urban-scale macroscopic fundamental diagrams, Transportation Research B 42, 2008)."""

MOST_STREETS = 64
"""Number of streets of the route that a program may give a vehicle: some kilometres in a town."""

_OFF_LANE = 0.6
"""Share of the width of a lane within which a robot counts as driving on it."""


class NativeVehicles:
    """The vehicles of a world.

    Args:
        area: where they drive.
        traffic: how many there are, and which.
        step_seconds: length of a step [s].
        seed: of the run.
        robots: how many robots and objects there are.
        people: how many places for people, and for cyclists who are not on lanes.
        departures: makes what lets vehicles set out by a demand from the lanes; None: they come and
            go by chance.
        attractions: gives the floor area [m²] (lanes,) that is reached from each lane; None where
            it is unknown.

    `kinds` (V,) of the slots; `robots` (R, 8) and `people` (P, 6), see `Surroundings`: what
    drivers see, to be written before each step that `is_due`; `wanted` target number of vehicles
    (limited by the `capacity` of the streets), and whether it `is_dark`. `elsewhere`
    (V,) marks slots of the pool that others move. `boxes` (V, 8), `shown` (V, 12) as in the
    state, and `motions` (V, 13) of
    their bodies: where they are. `counts` (5,): see `TrafficContext`.
    """

    def __init__(
        self,
        area: TrafficArea,
        traffic: TrafficDescription,
        *,
        step_seconds: float,
        seed: int = 0,
        robots: int = 0,
        people: int = 0,
        departures: Callable[[LaneTable], Departures] | None = None,
        attractions: Callable[[], Floats] | None = None,
    ) -> None:
        roads, bounds, count = area.roads, area.bounds, traffic.vehicles
        lanes = len(roads.roads)
        self.kinds = kinds_of_pool(count, traffic.shares)
        self.wanted, self.is_dark = count, False
        self._imperfection, self._bounds = traffic.imperfection, np.array(bounds)
        self._seed = np.uint64(stream_of(seed, NAME, traffic.seed))
        self._seconds = step_seconds
        self._steps = max(1, round(1.0 / (DECISIONS * step_seconds)))
        table = self._lanes_with_trips(roads, traffic, bounds, attractions)
        self._metres = metres = drivable_metres(roads, table)
        self.capacity = int(metres / _METRES_EACH)
        self._is_by_density = traffic.vehicle_density is not None
        if traffic.vehicle_density is not None:
            self.capacity = min(self.capacity, round(traffic.vehicle_density * metres / 1000.0))
        self._index = roads.lane_index() if lanes else None
        self.roads, self._widths = roads, roads.widths
        self.robots: Floats = np.zeros((robots, BOX))
        self.people: Floats = np.zeros((people, WALKER))
        unlit = np.full(lanes, -1, dtype=np.int64)
        self.signals: Integers = unlit if area.signals is None else area.signals
        self.rows = make_rows(VehicleRow, count)
        self.elsewhere: Booleans = np.zeros(count, dtype=np.bool_)
        self.boxes: Floats = np.zeros((count, BOX))
        self.motions: Floats = np.zeros((count, 13))
        self._counts: Floats = np.zeros((1, 5))
        self.counts: Floats = self._counts[0]
        self.shown: Floats = np.zeros((count, VEHICLE))
        self.departures = departures(table) if departures else None
        lit = np.flatnonzero(roads.traffic.controls == Control.SIGNALS)
        self._reds: Floats = np.zeros((1, len(lit)))
        self.town = self._context(table, lit, kerb=-1.0 if area.keeps_right else 1.0)

    def _context(self, table: LaneTable, lit: Integers, kerb: float) -> TrafficContext:
        """The arrays of all vehicles and of the lanes.

        Args:
            table: the lanes.
            lit: (n,) the lanes with signals.
            kerb: side on which vehicles drive; -1.0: right, 1.0: left.
        """
        count, lanes, robots = len(self.kinds), len(self.roads.roads), len(self.robots)
        longest = self.departures.longest if self.departures else 0
        places = _crossing_places(self.roads)
        signal_rows = np.full(lanes, -1, dtype=np.int64)
        signal_rows[lit] = np.arange(len(lit))
        return TrafficContext(
            lanes=table,
            routes=np.zeros((count, 2, max(longest, MOST_STREETS))),
            register=LaneOccupancy.of(lanes, count, robots),
            rows=self.rows,
            kinds=self.kinds,
            sizes=sizes_of(self.kinds),
            driving=medians_of(self.kinds),
            boxes=self.boxes,
            robots=self.robots,
            people=self.people,
            robot_lanes=np.full(robots, -1, dtype=np.int64),
            robot_places=np.zeros((robots, 2)),
            signals=self.signals,
            signal_lanes=lit,
            signal_rows=signal_rows,
            reds=self._reds[0],
            crossing_places=places,
            crossing_wanted=np.zeros(len(places), dtype=np.int64),
            counts=self.counts,
            kerb=kerb,
            trial=np.zeros(BOX),
        )

    def _lanes_with_trips(
        self,
        roads: RoadNetwork,
        traffic: TrafficDescription,
        bounds: tuple[float, float, float, float],
        attractions: Callable[[], Floats] | None,
    ) -> LaneTable:
        """The lanes with the destinations of those who come and go by chance."""
        kinds = tuple(self.kinds.tolist())
        table = lane_table_of(roads, kinds)
        if traffic.demand is not None or not kinds:
            return table
        trips = trip_table_of(roads, table, kinds=kinds, bounds=bounds, attractions=attractions)
        return table._replace(trips=trips)

    @cached_property
    def _move(self) -> Callable[[], None]:
        return bind_arguments(vehicle_motion.move_vehicles, self.town, self._seconds)

    @cached_property
    def _place(self) -> Callable[[], None]:
        return bind_arguments(
            vehicle_motion.write_vehicle_poses, self.town, self._seconds, self.shown, self.motions
        )

    @cached_property
    def edges(self) -> Edges:
        """The streets by name, made on first use."""
        side: DrivingSide = "right" if self.town.kerb < 0.0 else "left"
        return Edges(self.roads, self.town.lanes, side)

    @cached_property
    def _told_ways(self) -> RouteOrders:
        return RouteOrders(self.town, self.edges)

    @cached_property
    def _time_reds(self) -> Callable[[], None]:
        return bind_arguments(vehicle_motion.time_reds, self.town, self._steps * self._seconds)

    @cached_property
    def _end_routes(self) -> Callable[[], None]:
        return bind_arguments(spawning.despawn_arrived, self.town, self._steps * self._seconds)

    @cached_property
    def _decide_all(self) -> Callable[..., None]:
        like = (0, self._seconds, self._seed, self._imperfection, False)
        return bind_leading_arguments(driver_decisions.decide_driving, self.town, like=like)

    @cached_property
    def _count_collisions(self) -> Callable[[], None]:
        return bind_arguments(jams.count_collisions, self.town)

    @property
    def memories(self) -> tuple[Memory, ...]:
        """State that the vehicles keep from step to step."""
        names = tuple(f"{NAME}.{k}" for k in range(len(self.rows)))
        routes = self.town.routes.reshape(len(names), 2 * self.town.routes.shape[2])
        return (
            memory_of(KIND, names, self.rows),
            Memory(f"{KIND} routes", names, routes),
            Memory(f"{KIND} counts", (f"{NAME}.counts",), self._counts),
            Memory(f"{KIND} reds", (f"{NAME}.reds",), self._reds),
            *(self.departures.memories if self.departures else ()),
        )

    def is_due(self, step: int) -> bool:
        """Whether drivers decide in the step of that number."""
        return step % self._steps == 0

    def place(self) -> None:
        """Says where the vehicles are, by their rows."""
        vehicle_motion.write_vehicle_poses(self.town, 0.0, self.shown, self.motions)

    def restore(self) -> None:
        """Continues from rows that were written from outside, such as those of a snapshot."""
        self.drop_unknown_targets()
        if self.departures:
            self.departures.restore()
            for place in range(len(self.rows)):
                self.departures.drive_as_stated(self.town, place)
        self.place()

    def drop_unknown_targets(self) -> None:
        """Ends the trips to destinations that do not exist here: their vehicles drive by chance.

        The rows may come from traffic with other destinations.
        """
        targets = self.rows["target"]
        is_known = targets < len(self.town.lanes.trips.targets)
        targets[~is_known & self.rows["active"]] = -1

    def begin(self) -> None:
        """Puts the first vehicles onto the lanes."""
        self.rows["leaves"][self.elsewhere] = True
        self._find_robots()
        driver_decisions.register_road_users(self.town)
        self._come(0, is_first=True)
        self.place()

    def advance(self, step: int) -> None:
        """Moves all vehicles on by the step of that number."""
        if not len(self.rows):
            return
        if self.is_due(step):
            self._time_reds()
            self._decide(step // self._steps)
        self._move()
        self._place()

    @property
    def shortage(self) -> str:
        """The message where streets have no room for all vehicles that are asked for, else ""."""
        if self.departures or self._is_by_density or self.wanted <= self.capacity:
            return ""
        return (
            f"{self.wanted} vehicles are asked for, and the streets of this map have room for "
            f"{self.capacity}: {self._metres / 1000.0:.1f} km of lanes, one vehicle for each "
            f"{_METRES_EACH:.0f} m, beyond which towns jam; ask for fewer, or take a larger map"
        )

    def active(self) -> int:
        """Number of vehicles under way."""
        return int(np.count_nonzero(self.rows["active"]))

    def _decide(self, tick: int) -> None:
        self._find_robots()
        town, interval = self.town, self._steps * self._seconds
        if tick % EACH_SECOND == 0:
            spawning.despawn_vehicles(town, self._most(), self._bounds)
            jams.resolve_jams(town)
        self._end_routes()
        spawning.end_trips(town, tick, interval, self._seed)
        self._decide_all(tick, interval, self._seed, self._imperfection, self.is_dark)
        if town.rows["lost"].any():
            self._find_again()
        self._count_collisions()
        self._come(tick)

    def _most(self) -> int:
        """Current upper limit of the number of vehicles."""
        wanted = max(self.wanted - int(self.elsewhere.sum()), 0)
        return wanted if self.departures else min(wanted, self.capacity)

    def _come(self, tick: int, *, is_first: bool = False) -> None:
        """Spawns vehicles, if there are fewer than the target."""
        most, active = self._most(), self.active()
        if active >= most:
            return
        if self.departures is None:
            spawning.spawn_vehicles(self.town, tick, most, self._seed, self._imperfection, is_first)
            return
        seconds = tick * self._steps * self._seconds
        self.departures.set_out(self.town, seconds, most - active, self._seed, self._imperfection)

    def _find_again(self) -> None:
        """Finds ways for those who have left their routes."""
        rows = self.rows
        if rows["told_way"].any():
            self._told_ways.reroute()
        if self.departures:
            self.departures.reroute(self.town)
        rows["route"][rows["lost"]] = -1
        rows["lost"] = False

    def apply_orders(self, orders: Floats) -> None:
        """Carries out orders (n, 7), by `VEHICLE_ORDER_COLUMNS`, in a step that `is_due`."""
        self.rows["told_speed"], self.rows["told_street"] = np.nan, -1
        self.rows["leaves"][~self.rows["active"]] = False
        self.rows["leaves"][self.elsewhere] = True
        for order in orders:
            place = int(order[0])
            if 0 <= place < len(self.rows) and np.isfinite(order).all():
                self._obey(place, order)

    def _obey(self, place: int, order: Floats) -> None:
        _, speed, change, street, lane, station, leaves = order.tolist()
        row = self.rows[place]
        if self.elsewhere[place]:
            return
        if leaves:
            row.active, row.leaves = False, True
            return
        if not row.active and 0.0 <= lane < len(self._widths):
            arguments = (place, int(lane), station, max(speed, 0.0), self._seed)
            driver_decisions.register_road_users(self.town)
            spawning.spawn_at(self.town, *arguments, self._imperfection)
        row.told_speed = speed if speed >= 0.0 else np.nan
        row.told_street = int(street)
        if row.change_from == 0.0:
            row.wish = int(change)

    def apply_routes(self, ways: Floats) -> None:
        """Applies the ordered routes (n, 2) of vehicles, by `VEHICLE_ROUTE_COLUMNS`."""
        if len(ways) or self.rows["told_way"].any():
            self._follow(self._told_ways.apply(ways))

    def _follow(self, ways: Sequence[tuple[int, Sequence[int]]]) -> None:
        """Gives vehicles new routes, edges from their positions, as in their rows."""

    def _find_robots(self) -> None:
        """Finds on which lanes robots drive."""
        town = self.town
        if self._index is None or not len(self.robots):
            return
        places = np.ascontiguousarray(self.robots[:, :3])
        headings = np.ascontiguousarray(self.robots[:, B.yaw])
        find_lanes(self._index, places, headings, town.robot_lanes, town.robot_places)
        beside = np.abs(town.robot_places[:, 1]) > _OFF_LANE * self._widths[town.robot_lanes]
        town.robot_lanes[beside | (self.robots[:, B.half_length] <= 0.0)] = -1


def _crossing_places(roads: RoadNetwork) -> Floats:
    """Positions (z, 3) [m] of the crossings of `LaneTable.crossings`, in its order."""
    lanes, stations = roads.traffic.crossing_lanes, roads.traffic.crossing_stations
    order = np.lexsort((stations, lanes))
    found = [roads.lanes[lanes[k]].position(float(stations[k])) for k in order.tolist()]
    return np.array(found).reshape(-1, 3)
