"""One episode of the benchmark: a route driven once, from a world to a scored result."""

import hashlib
import json
from dataclasses import asdict, dataclass, replace

import numpy as np

from autosim.benchmark.infractions import Infraction, ScoredMap, find_infractions
from autosim.benchmark.parking import PARKED_SECONDS, ParkingPlace, has_parked
from autosim.benchmark.progress import RouteCourse, RouteProgress
from autosim.benchmark.routes import START_STATION, Route, make_route
from autosim.benchmark.scores.closed_loop_score import ClosedLoopScore, closed_loop_score
from autosim.benchmark.scores.driving_score import DrivingScore, driving_score
from autosim.benchmark.trace import SPEED, Trace, TraceRecorder, X, Y
from autosim.config.descriptions import WorldDescription
from autosim.config.suites import SensorTrack
from autosim.config.world_settings import TrafficDescription
from autosim.engine.step.simulation import Simulation
from autosim.model.notices import Notice
from autosim.model.state import State
from autosim.traffic.signals.signal_plan import make_plan
from autosim.traffic.traffic_node import MOST_SIGNALS
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.ground_index import on_carriageway
from autosim.world.lanes.roads import RoadNetwork

SAMPLE_SECONDS = 0.05
"""Time [s] between two samples of a trace."""

MAX_DEVIATION = 30.0
"""Distance [m] from the route that ends an episode (CARLA's `InRouteTest`)."""

MOVING_SPEED = 0.1
"""Speed [m/s] below which a car stands (CARLA's `ActorBlockedTest`)."""

ROUTE_ARGUMENT = "route="
"""Beginning of the argument of user programs that lists the lanes of the route."""


@dataclass(frozen=True, slots=True)
class Episode:
    """The route of an episode, its conditions and its limits.

    `suite` and `group` by name, with its `split` and `track`; `number` of the route in the group;
    its `lanes` and its `length` [m]; `vehicles` and `people` of traffic; `hours` and `rain` as in
    `RouteGroup`; `timeout` and `blocked` [s of simulated time]; `agent` by name, its `program` and
    `arguments`.
    """

    suite: str
    group: str
    split: str
    track: SensorTrack
    number: int
    lanes: tuple[int, ...]
    length: float
    vehicles: int
    people: int
    hours: float | None
    rain: float
    timeout: float
    blocked: float
    agent: str
    program: str
    arguments: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    """Command of an agent that is a process, in place of `program`; () for none."""
    station: float = START_STATION
    """Station [m] of the start on the first lane."""
    place: ParkingPlace | None = None
    """Place in which the route ends, if any."""

    def to_json(self) -> str:
        """As text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Episode":
        """From text.

        Raises:
            ValueError: it is not an episode.
        """
        try:
            values = json.loads(text)
            lists = {name: tuple(values[name]) for name in ("lanes", "arguments", "command")}
            if values.get("place"):
                values["place"] = ParkingPlace(*values["place"])
            return cls(**(values | lists))
        except (KeyError, TypeError) as error:
            raise ValueError(f"not an episode of this version: {error}") from error

    def route_in(self, roads: RoadNetwork) -> Route:
        """Its route.

        Raises:
            UserError: the route does not fit the map.
        """
        return make_route(roads, self.lanes, self.length, self.station, self.place)

    @property
    def name(self) -> str:
        """Name among the episodes of a suite."""
        return f"{self.group}/{self.number}"


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """Result of an episode.

    `ended_by`: `arrived`, `deviated`, `blocked`, `timeout` or `failed`. `digest`: SHA-256 (hex)
    over the states of all samples. `failure`: the message of an agent that failed. `driving` and
    `closed_loop` are the scores of `trace` along `route`, with all `infractions`.
    """

    trace: Trace
    route: Route
    ended_by: str
    digest: str
    failure: str
    driving: DrivingScore
    closed_loop: ClosedLoopScore
    infractions: tuple[Infraction, ...]

    def summary(self, episode: Episode) -> dict[str, object]:
        """Everything but the trace, as JSON takes it."""
        return {
            "suite": episode.suite,
            "group": episode.group,
            "split": episode.split,
            "track": episode.track,
            "route": episode.number,
            "agent": episode.agent,
            "length_m": self.route.length,
            "ended_by": self.ended_by,
            "driving_score": asdict(self.driving),
            "closed_loop_score": asdict(self.closed_loop),
            "infractions": [asdict(each) for each in self.infractions],
            "digest": self.digest,
        }


def world_of(described: WorldDescription, episode: Episode, route: Route) -> WorldDescription:
    """The world of an episode: its car at the start of the route, traffic, sky and street.

    Args:
        described: the world of the suite, whose first robot is the car.
        episode: the conditions.
        route: as `make_route` gives it.
    """
    first, *others = described.robots
    car = replace(
        first,
        position=(*route.start, None),
        yaw=float(route.headings[0]),
        program=episode.program or None,
        program_side="server",
        program_arguments=(*episode.arguments, route_argument(route)),
        robot=replace(
            first.robot, is_truth_readable=episode.track == "state" and not episode.command
        ),
    )
    before = described.traffic or TrafficDescription()
    traffic = replace(before, vehicles=episode.vehicles, people=episode.people)
    sky = described.graphics.sky
    if episode.hours is not None:
        sky = replace(sky, hours=episode.hours, sun_elevation=None, sun_azimuth=None)
    if episode.rain:
        sky = replace(sky, rain=episode.rain, wetness=episode.rain, clouds=1.0)
    wetness = max(described.physics.wetness, episode.rain)
    return replace(
        described,
        robots=(car, *others),
        traffic=traffic,
        graphics=replace(described.graphics, sky=sky),
        physics=replace(described.physics, wetness=wetness),
    )


def route_argument(route: Route) -> str:
    """The argument of user programs that states their route: its lanes, then its length [m].

    Where the car does not start at the usual station of its first lane, or is to park, that station
    [m] follows, then the place: x, y [m], yaw [rad], length and width [m].
    """
    lanes = ",".join(map(str, route.lanes))
    text = f"{ROUTE_ARGUMENT}{lanes};{route.length:g}"
    if route.place is not None:
        place = ",".join(f"{each:.4f}" for each in route.place[:5])
        return f"{text};{route.station:g};{place}"
    return f"{text};{route.station:g}" if route.station != START_STATION else text


class RunningEpisode:
    """An episode while it runs: it samples states, and notices when the episode is over.

    Args:
        episode: the conditions.
        route: to be driven.
        state: the state that `sample` reads each time.
        world: of the episode; its first robot is the car.

    `every`: number of steps between two samples. `ended_by` is "" while it runs, then as in
    `EpisodeResult`.
    """

    def __init__(
        self, episode: Episode, route: Route, state: State, world: WorldDescription
    ) -> None:
        self.ended_by, self._failure = "", ""
        self._episode, self._route, self._state = episode, route, state
        step_seconds, car = world.physics.step_seconds, world.robots[0]
        self.every = max(1, round(SAMPLE_SECONDS / step_seconds))
        self._interval = self.every * step_seconds
        self._recorder = TraceRecorder(state, car.name, car.robot, self._interval)
        self._progress = RouteProgress(route)
        self._digest = hashlib.sha256()
        self._standing = 0.0
        self.sample()

    def sample(self) -> None:
        """Adds the current state to the trace, and finds whether it ends the episode."""
        row = self._recorder.sample()
        self._digest.update(self._state.buffer)
        self._progress.update(float(row[X]), float(row[Y]))
        is_standing = abs(row[SPEED]) < MOVING_SPEED
        self._standing = self._standing + self._interval if is_standing else 0.0
        self.ended_by = self.ended_by or self._ending()

    def fail(self, failure: str) -> None:
        """Ends the episode because the agent failed; no effect on one that has ended."""
        if not self.ended_by:
            self.ended_by, self._failure = "failed", failure

    def _ending(self) -> str:
        if self._has_arrived():
            return "arrived"
        if self._progress.deviation > MAX_DEVIATION:
            return "deviated"
        if self._standing > self._episode.blocked:
            return "blocked"
        return "timeout" if self._state.time >= self._episode.timeout else ""

    def _has_arrived(self) -> bool:
        place = self._route.place
        if place is None:
            return self._progress.has_arrived
        if self._standing < PARKED_SECONDS:
            return False
        return has_parked(self._recorder.trace(round(PARKED_SECONDS / self._interval) + 1), place)

    def result(self, compiled: CompiledWorld) -> EpisodeResult:
        """Scores the episode, which took place on this map."""
        trace, digest = self._recorder.trace(), self._digest.hexdigest()
        field = surroundings_of(compiled)
        return score(trace, self._route, field, self.ended_by, digest, self._failure)


def score(
    trace: Trace,
    route: Route,
    surroundings: ScoredMap,
    ended_by: str,
    digest: str = "",
    failure: str = "",
) -> EpisodeResult:
    """Scores a trace."""
    course = RouteCourse.of(trace, route)
    infractions = find_infractions(trace, route, course, surroundings, ended_by)
    return EpisodeResult(
        trace=trace,
        route=route,
        ended_by=ended_by,
        digest=digest,
        failure=failure,
        driving=driving_score(course.completion(route), infractions),
        closed_loop=closed_loop_score(trace, route, course, surroundings),
        infractions=tuple(infractions),
    )


def surroundings_of(compiled: CompiledWorld) -> ScoredMap:
    """The map data that scores need."""
    plan = make_plan(compiled, most=MOST_SIGNALS)
    numbers = np.asarray(plan.lane_groups, dtype=np.int64)
    return ScoredMap(compiled.roads, numbers, lambda points: on_carriageway(compiled, points))


def run_episode(
    described: WorldDescription, episode: Episode, compiled: CompiledWorld, *, seed: int
) -> EpisodeResult:
    """Runs an episode whose agent is a user program, in this process.

    Args:
        described: the world of the suite.
        episode: route, conditions and agent.
        compiled: the map.
        seed: of all noise and of traffic.

    Raises:
        UserError: the route does not fit the map.
    """
    route = episode.route_in(compiled.roads)
    world = world_of(described, episode, route)
    failures: list[str] = []

    def report(notice: Notice) -> None:
        if notice.level == "error":
            failures.append(f"{notice.source}: {notice.text}")

    with Simulation(world, seed=seed, compiled=compiled, report=report) as simulation:
        run = RunningEpisode(episode, route, simulation.state, world)
        while not run.ended_by:
            simulation.run(run.every)
            run.sample()
            if failures:
                run.fail(failures[0])
        return run.result(compiled)
