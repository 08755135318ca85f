"""The traffic of a world: vehicles among people, robots and signals, moved in each step."""

from collections.abc import Sequence

import numpy as np

from autosim.arrays import Floats
from autosim.config.world_settings import SkyDescription, TrafficDescription
from autosim.model.environment.sun_position import sun_direction
from autosim.model.noise import stream_of
from autosim.model.snapshot import Memory
from autosim.traffic.cyclists.cyclist_traffic import Cyclists
from autosim.traffic.pedestrians.pedestrian_traffic import Pedestrians
from autosim.traffic.road_users import RoadUsers
from autosim.traffic.scenarios.scenario_run import ScenarioRun
from autosim.traffic.scenarios.storyboard_run import StoryboardRun
from autosim.traffic.signals.running_signals import DetectorGaps, RunningSignals
from autosim.traffic.traffic_node import KIND, NAME, P, TrafficArrays
from autosim.traffic.vehicle_engines import make_vehicles
from autosim.traffic.vehicles.traffic_context import ARRIVALS, COLLISIONS, DEADLOCKS, RAN_RED
from autosim.traffic.vehicles.vehicle_pool import kinds_of_pool
from autosim.traffic.ways.network_builder import WalkableWorld
from autosim.world.compiled.compiled_world import CompiledWorld

_LOW_SUN = 0.02
"""Height of the sun (sine, without unit) below which head lights are on: from sunset to sunrise."""

_MURKY = 1000.0
"""Visibility [m] below which they shine by day, too: that of fog."""


class Traffic:
    """All that moves by itself.

    Args:
        traffic: what the world file says.
        world: its compiled map.
        arrays: of the state; written.
        signals: which vehicles obey, and which see them come.
        sky: tells whether head lights are on.
        step_seconds: length of a step [s].
        seed: of the run.
        robots: names of the robots and objects.

    `motions` (V + P + A, 13) of the bodies of the vehicles, the people and the actors of a
    scenario; `people` on foot; `cyclists` off the carriageways; `scenario`: what those actors do.
    `surroundings`: what all of them see of each other; its `robots` are to be written before each
    step that `is_due`. `memories`: what they keep from step to step.
    """

    def __init__(
        self,
        traffic: TrafficDescription,
        world: CompiledWorld,
        arrays: TrafficArrays,
        signals: RunningSignals,
        *,
        sky: SkyDescription,
        step_seconds: float,
        seed: int,
        robots: Sequence[str],
    ) -> None:
        self._arrays, self._signals = arrays, signals
        self._robots, self._seconds = len(robots), step_seconds
        actors = len(traffic.scenario.actors) if traffic.scenario else 0
        site = WalkableWorld(world)
        self.cyclists = cyclists = _make_cyclists(traffic, site, step_seconds, seed)
        self.vehicles = vehicles = make_vehicles(
            world,
            traffic,
            signals,
            step_seconds=step_seconds,
            seed=seed,
            robots=len(robots) + actors,
            walkers=traffic.people + len(cyclists.rows),
        )
        vehicles.elsewhere[cyclists.places] = True
        vehicles.is_dark = _is_dark(sky, world.origin)
        self.surroundings = RoadUsers(
            vehicles.boxes, vehicles.robots, vehicles.people, signals.lane_signals
        )
        self.people = Pedestrians.of(
            site,
            count=traffic.people,
            density=traffic.people_density,
            seed=stream_of(seed, f"{NAME} people", traffic.seed) >> 2,
            step_seconds=step_seconds,
        )
        rules = world.roads.traffic
        self._crossing_order = np.lexsort((rules.crossing_stations, rules.crossing_lanes))
        self.motions: Floats = np.zeros((traffic.vehicles + traffic.people + actors, 13))
        self.scenario = self._make_scenario(traffic, world, robots)
        self._robot_collisions: Floats = np.zeros((1, 1))
        self.memories: tuple[Memory, ...] = (
            *vehicles.memories,
            *self.people.memories,
            *cyclists.memories,
            *(self.scenario.memories if self.scenario else ()),
            Memory(f"{KIND} collisions", (f"{NAME}.robots",), self._robot_collisions),
        )

    def _make_scenario(
        self, traffic: TrafficDescription, world: CompiledWorld, robots: Sequence[str]
    ) -> ScenarioRun | StoryboardRun | None:
        if traffic.scenario is None:
            return None
        shown = self._arrays.scenario(traffic.vehicles, traffic.people)
        storyboard = traffic.scenario.storyboard
        if storyboard is not None:
            return StoryboardRun(
                traffic.scenario,
                storyboard,
                world,
                robots=robots,
                shown=shown,
                step_seconds=self._seconds,
            )
        return ScenarioRun(
            traffic.scenario,
            world.roads,
            robots=robots,
            shown=shown,
            step_seconds=self._seconds,
        )

    @property
    def shortage(self) -> str:
        """Warning if there is no room for all vehicles that a world asks for, else ""."""
        return self.vehicles.shortage

    @property
    def _own_people(self) -> Floats:
        """The people (P, 9) of the state who are not actors."""
        return self._arrays.people[: len(self.people.rows)]

    def begin(self) -> None:
        """Puts all of them where they begin."""
        if self.scenario:
            self.scenario.begin(self.vehicles.robots[: self._robots])
            self.vehicles.robots[self._robots :] = self.scenario.boxes
        self.people.begin(self._own_people, self.vehicles.people)
        self.vehicles.begin()
        self.cyclists.begin()
        self._show_cyclists()
        self._write()

    def is_due(self, step: int) -> bool:
        """Whether a decision is due in the step of that number."""
        return self.vehicles.is_due(step)

    def advance(self, step: int) -> None:
        """Moves all of them on by the step of that number."""
        if self.is_due(step):
            self._take_orders(step)
        self.vehicles.advance(step)
        if self.is_due(step):
            self.people.crossing_ways.see_signals(self._signals.crossing_signals)
            self.cyclists.crossing_ways.see_signals(self._signals.crossing_signals)
        on_foot = self.vehicles.people[: len(self.people.rows)]
        self.cyclists.advance(step, self.surroundings._replace(people=on_foot))
        self._show_cyclists()
        self.people.advance(step, self._own_people, self.surroundings)
        if self.scenario:
            others = np.concatenate([self.vehicles.boxes, self.people.boxes])
            self.scenario.advance(step, self.vehicles.robots[: self._robots], others)
            self.vehicles.robots[self._robots :] = self.scenario.boxes
        if self.is_due(step):
            self._show_to_signals()
        self._write()

    def restore(self) -> None:
        """Continues from the content of `memories`."""
        self.vehicles.restore()
        self._show_cyclists()
        self.people.place(self._own_people, self.vehicles.people)
        if self.scenario:
            self.scenario.show()
            self.vehicles.robots[self._robots :] = self.scenario.boxes
        self._show_to_signals()
        self._write()

    def count_collision(self) -> None:
        """Counts a collision of a robot with traffic."""
        self._robot_collisions[0, 0] += 1.0
        self._write_counts()

    def _take_orders(self, step: int) -> None:
        self.vehicles.wanted = min(self._arrays.wanted(), len(self.vehicles.rows))
        self.vehicles.apply_orders(self._arrays.vehicle_orders())
        self.vehicles.apply_routes(self._arrays.vehicle_routes())
        share = self.vehicles.wanted / max(len(self.vehicles.rows), 1)
        robots = self.vehicles.robots
        self.cyclists.keep(share, robots)
        self.people.keep(self._arrays.wanted_people(), self._own_people, robots, step)

    def _show_cyclists(self) -> None:
        vehicles, first = self.vehicles, len(self.people.rows)
        walkers = vehicles.people[first:]
        self.cyclists.show(vehicles.shown, vehicles.motions, vehicles.boxes, walkers)

    def _show_to_signals(self) -> None:
        rows = self.vehicles.rows[self.vehicles.rows["active"]]
        lanes = rows["path"][np.arange(len(rows)), rows["front"]]
        users = self.people.crossing_ways, self.cyclists.crossing_ways
        wanted = np.maximum(*(each.wanted_crossings() for each in users))
        self.vehicles.town.crossing_wanted[:] = wanted[self._crossing_order]
        groups, waiting = self._signals.plan.crossing_groups, np.zeros(len(self._signals.plan))
        waiting[groups[(wanted > 0) & (groups >= 0)]] = 1.0
        self._signals.update_detectors(
            DetectorGaps(lanes, rows["station"].copy()), waiting.astype(np.int64)
        )

    def _write(self) -> None:
        count = len(self.vehicles.motions)
        everybody = count + len(self.people.motions)
        self._arrays.vehicles[:count] = self.vehicles.shown
        self.motions[:count] = self.vehicles.motions
        self.motions[count:everybody] = self.people.motions
        if self.scenario:
            self.motions[everybody:] = self.scenario.motions
        self._write_counts()

    def _write_counts(self) -> None:
        counts = self.vehicles.counts.tolist()
        # In the order of `COUNTERS`, at once: one by one they take longer than all the rest.
        self._arrays.counters[:] = (
            counts[COLLISIONS] + self.people.fallen[0] + sum(self.cyclists.touches),
            self._robot_collisions[0, 0],
            counts[DEADLOCKS],
            counts[ARRIVALS],
            counts[RAN_RED],
            self.vehicles.active() + self.cyclists.active(),
            np.count_nonzero(self._own_people[:, P.kind] >= 0.0),
        )


def _make_cyclists(
    traffic: TrafficDescription, site: WalkableWorld, step_seconds: float, seed: int
) -> Cyclists:
    """The bicycles off the carriageways; none where a demand or SUMO says who drives where."""
    kinds = kinds_of_pool(traffic.vehicles, traffic.shares)
    is_own = traffic.engine != "sumo" and traffic.demand is None
    return Cyclists.of(
        site,
        kinds if is_own else kinds[:0],
        seed=stream_of(seed, f"{NAME} cyclists", traffic.seed) >> 2,
        step_seconds=step_seconds,
    )


def _is_dark(sky: SkyDescription, origin: tuple[float, float]) -> bool:
    is_night = float(sun_direction(sky, origin)[2]) < _LOW_SUN
    return is_night or sky.visibility < _MURKY
