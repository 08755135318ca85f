"""The vehicles of a world moved by SUMO."""

from collections.abc import Callable, Sequence
from itertools import groupby, pairwise
from math import inf

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.world_settings import TrafficDescription
from autosim.traffic.demand.departures import Departures
from autosim.traffic.signals.running_signals import RunningSignals
from autosim.traffic.sumo.speed_limiting import limit_speeds
from autosim.traffic.sumo.sumo_engine import SumoEngine, SumoPose
from autosim.traffic.sumo.sumo_paths import enter_lane, look_ahead, way_to
from autosim.traffic.vehicle_kinds import Light
from autosim.traffic.vehicles import spawning
from autosim.traffic.vehicles.driving import driver_decisions
from autosim.traffic.vehicles.junctions import jams
from autosim.traffic.vehicles.lanes.lane_table import LaneTable
from autosim.traffic.vehicles.native_vehicles import EACH_SECOND, NativeVehicles
from autosim.traffic.vehicles.routes.trips import MOST_LANES, trace_trip
from autosim.traffic.vehicles.traffic_area import TrafficArea
from autosim.traffic.vehicles.traffic_context import ARRIVALS, DEADLOCKS
from autosim.traffic.vehicles.vehicle_pool import lane_on_path
from autosim.world.compiled.compiled_world import CompiledWorld

_STUCK = 300.0
"""Standing time [s] after which a vehicle is removed out of sight: that after which SUMO would
teleport it."""

_STANDS = 0.3
"""Speed [m/s] below which a vehicle counts as standing."""

_PLANNED = 60.0
"""Distance [m] up to which the path of a vehicle is known ahead, to see who is in its way."""


class SumoVehicles(NativeVehicles):
    """As `NativeVehicles`, but SUMO decides what they do.

    Between two decisions they move as all vehicles do, with the accelerations that take them to
    where SUMO has them at the next one.

    Args:
        world: the place.
        traffic: how many there are, and which.
        step_seconds: length of a step [s].
        seed: of the run.
        robots: how many robots and objects there are; SUMO's vehicles see them.
        signals: which SUMO's vehicles obey.
        departures: as of `NativeVehicles`.
        attractions: as of `NativeVehicles`.

    Raises:
        SumoError: SUMO is not installed, or does not start.
    """

    def __init__(
        self,
        world: CompiledWorld,
        traffic: TrafficDescription,
        *,
        step_seconds: float,
        seed: int,
        robots: int,
        signals: RunningSignals,
        departures: Callable[[LaneTable], Departures] | None = None,
        attractions: Callable[[], Floats] | None = None,
    ) -> None:
        super().__init__(
            TrafficArea.of(world, signals.lane_signals),
            traffic,
            step_seconds=step_seconds,
            seed=seed,
            robots=robots,
            people=traffic.people,
            departures=departures,
            attractions=attractions,
        )
        self._interval = self._steps * step_seconds
        self._sumo = SumoEngine(
            world,
            signals.plan,
            allowed=self.town.lanes.allowed,
            interval=self._interval,
            seed=int(self._seed) % (2**31 - 1),
            imperfection=traffic.imperfection,
            types=traffic.demand.types if traffic.demand else (),
        )
        self._routes: dict[int, Sequence[int]] = {}
        self._serials: dict[int, float] = {}
        self._told: dict[int, float] = {}
        self._next: dict[int, SumoPose] = {}
        self._streets: dict[int, int] = {}
        self._signals = signals
        self._slopes: Floats = np.zeros(len(self.rows))
        self._limits: Floats = np.zeros(len(self.rows))
        self._known: Floats = np.zeros(len(self.rows))
        self._traced: Integers = np.zeros(MOST_LANES, dtype=np.int64)

    def begin(self) -> None:
        """Puts the first vehicles onto the lanes."""
        super().begin()
        self._change_vehicles()

    def restore(self) -> None:
        """Continues from restored rows: SUMO restarts with the vehicles there."""
        self.drop_unknown_targets()
        self._sumo.restart()
        for each in (self._routes, self._serials, self._told, self._next, self._streets):
            each.clear()
        self._change_vehicles()
        super().restore()

    def advance(self, step: int) -> None:
        """Moves all vehicles on by the step of that number."""
        super().advance(step)
        self.rows["offset"] += self._slopes * self._seconds

    def _decide(self, tick: int) -> None:
        town = self.town
        self._sumo.check()
        self._take_over()
        self._find_robots()
        driver_decisions.register_road_users(town)
        if tick % EACH_SECOND == 0:
            self._let_go()
            spawning.despawn_vehicles(town, self._most(), self._bounds)
        self._come(tick)
        self._tell()
        self._sumo.step()
        self._look_ahead()
        jams.count_collisions(town)

    def _take_over(self) -> None:
        """Takes over where SUMO has the vehicles now."""
        self._slopes[:] = 0.0
        for place in self._routes:
            row, moved = self.rows[place], self._next.get(place)
            if not row.active:
                continue
            if moved is None:
                row.active = False
                self.counts[ARRIVALS] += 1
                continue
            if not enter_lane(row, moved.lane):
                row.rear_offset += moved.offset - row.offset
            row.station, row.speed, row.offset = moved.station, moved.speed, moved.offset
            row.waited = row.waited + self._interval if moved.speed < _STANDS else 0.0

    def _let_go(self) -> None:
        """Marks vehicles that have stood for too long, to leave as soon as out of sight."""
        rows = self.rows
        stuck = rows["active"] & (rows["waited"] > _STUCK) & ~rows["leaves"]
        rows["leaves"][stuck] = True
        self.counts[DEADLOCKS] += float(stuck.sum())

    def _tell(self) -> None:
        """Tells SUMO who is there, what is in their way, and what signals show."""
        self._change_vehicles()
        limit_speeds(self.town, self._interval, self._limits, self._known)
        for place, limit in enumerate(self._limits.tolist()):
            told = self.rows["told_speed"][place]
            limit = limit if np.isnan(told) else min(limit, told)
            if self.rows["active"][place] and limit != self._told.get(place, inf):
                self._sumo.limit(place, limit if limit < inf else -1.0)
                self._told[place] = limit
        for place in np.flatnonzero(self.rows["wish"] * self.rows["active"]).tolist():
            self._sumo.change_lane(place, self.rows["wish"][place] > 0)
            self.rows["wish"][place] = 0
        self._sumo.send_robots(self.robots, self.town.robot_lanes)
        self._sumo.send_signals(self._signals.shown)

    def _change_vehicles(self) -> None:
        """Takes vehicles out of SUMO that have left, and puts in those that are new."""
        rows = self.rows
        for place in range(len(rows)):
            is_known = self._serials.get(place) == rows["serial"][place]
            if place in self._routes and not (rows["active"][place] and is_known):
                if place in self._next:
                    self._sumo.remove(place)
                del self._routes[place], self._serials[place]
                self._told.pop(place, None)
                self._next.pop(place, None)
            if rows["active"][place] and place not in self._routes:
                self._add(place)

    def _add(self, place: int) -> None:
        row, kind = self.rows[place], int(self.kinds[place])
        lane, station = lane_on_path(row, row.front), float(row.station)
        if row.route > 0:
            streets = self.town.routes[place, 0, : row.route].astype(np.int64).tolist()
            here = self.edges.street_of(self.edges.edge_of(lane))
            first = streets.index(here) + 1 if here in streets else row.route_place
            route = self.edges.along(lane, streets[first:], kind)
        else:
            route = self._trip(place, lane)
        self._routes[place], self._serials[place] = route, float(row.serial)
        speed, departure = float(row.speed), row.departure
        stated = -1
        if self.departures and departure >= 0:
            stated = self.departures.type_of(departure)
        self._sumo.add(place, kind, stated, lane, station, speed, route)
        self._next[place] = SumoPose(lane, station, 0.0, speed, 0)

    def _trip(self, place: int, lane: int) -> list[int]:
        """The edges from a lane to the vehicle's destination; a random way where it has none.

        The way is the fastest by the same costs by which vehicles of the other engine choose.
        """
        row, kind, lanes = self.rows[place], int(self.kinds[place]), self.town.lanes
        if row.target >= 0:
            target = int(lanes.trips.targets[row.target])
            count = trace_trip(lanes, row, kind, lane, self._traced)
            edges = [self.edges.edge_of(each) for each in self._traced[:count].tolist()]
            route = [edge for edge, _ in groupby(edges)]
            # A lane beside may be one of another edge, to which no vehicle of SUMO changes.
            is_joined = all(after in self.edges.following(e, kind) for e, after in pairwise(route))
            if is_joined and self._traced[count - 1] == target:
                return route
            here, there = self.edges.edge_of(lane), self.edges.edge_of(target)
            found = self.edges.way_between({here: 0.0}, [there], kind)
            if there in found and here != there:
                return found[there][1]
        random = np.random.default_rng((int(self._seed), row.serial, lane))
        return self.edges.at_random(lane, kind, random)

    def _follow(self, ways: Sequence[tuple[int, Sequence[int]]]) -> None:
        for place, way in ways:
            if place in self._routes:
                self._drive(place, [*way, *self._by_chance(place, way[-1])[1:]])

    def apply_orders(self, orders: Floats) -> None:
        """Carries out orders (n, 7), by `VEHICLE_ORDER_COLUMNS`, in a step that `is_due`."""
        super().apply_orders(orders)
        streets = self.rows["told_street"]
        places = [each for each in np.flatnonzero(streets >= 0.0).tolist() if each in self._routes]
        told = {place: int(streets[place]) for place in places}
        for place, street in told.items():
            if self._streets.get(place) != street:
                self._turn_into(place, street)
        self._streets = told

    def _turn_into(self, place: int, street: int) -> None:
        """Sends a vehicle into a street next, where it has the choice, and anywhere after that."""
        kind, edges = int(self.kinds[place]), self.edges
        here = self._sumo.edge_of(place)
        fitting = [edge for edge in edges.following(here, kind) if edges.street_of(edge) == street]
        if fitting:
            self._drive(place, [here, *self._by_chance(place, fitting[0])])

    def _by_chance(self, place: int, edge: int) -> list[int]:
        """A way by chance from an edge on."""
        random = np.random.default_rng((int(self._seed), self.rows["serial"][place], edge))
        lane = self.edges.lanes_of(edge)[0]
        return self.edges.at_random(lane, int(self.kinds[place]), random)

    def _drive(self, place: int, way: Sequence[int]) -> None:
        """Gives a vehicle a route, edges from its position, if SUMO finds it possible."""
        if self._sumo.drive(place, way):
            self._routes[place] = way

    def _look_ahead(self) -> None:
        """Reads where SUMO has the vehicles next, and lets them go there."""
        self._next = self._sumo.vehicles(self._routes)
        lanes, dt = self.town.lanes, self._interval
        head = int(Light.HEAD) if self.is_dark else 0
        for place, moved in self._next.items():
            row = self.rows[place]
            way = way_to(lanes, row, moved.lane, moved.station)
            if way is None:
                # It changes to an adjacent lane: the station continues there.
                way = 0.5 * (row.speed + moved.speed) * dt
                self._slopes[place] = 0.0
            else:
                self._slopes[place] = (moved.offset - row.offset) / dt
            row.acceleration = 2.0 * (way - row.speed * dt) / (dt * dt)
            row.lights = moved.lights | head
            if self._known[place] < _PLANNED:
                look_ahead(self.edges, row, int(self.kinds[place]), self._routes[place], _PLANNED)
