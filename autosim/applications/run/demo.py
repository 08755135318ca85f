"""The demo: a server, a client and a user program, from a map to a car that drives.

The server runs in processes of its own and the client in this one, as on two machines.
"""

import json
import socket
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from PIL import Image

from autosim.access.server_addresses import split
from autosim.applications.common.files import write_picture, write_whole
from autosim.applications.common.open_worlds import compile_with_progress, open_named_world
from autosim.applications.common.terminal import progress_bar, tell, waiting
from autosim.applications.recording.picture_output import PictureOutput, open_pictures
from autosim.applications.run.play_scenario import duration_of, failure_of, is_over, verdict_text
from autosim.applications.run.race import judge
from autosim.applications.run.waiting import wait_for_step
from autosim.arrays import Booleans, Floats
from autosim.client.link.mirror import Mirror
from autosim.client.link.simulation_control import RobotTrack, RunReport
from autosim.client.link.updates import UpdateStatistics
from autosim.config.descriptions import RobotDescription, WorldDescription
from autosim.engine.step.collision_texts import COLLIDED
from autosim.errors import UserError
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.kinematic.kinematic_vehicle import KinematicVehicle
from autosim.loading.world_writer import with_scenario, with_traffic
from autosim.model.notices import Notice
from autosim.model.state import State
from autosim.server.network.front import Event, ServerOptions
from autosim.server.network.server_process import ServerProcess
from autosim.traffic.scenarios.scenario_file import load_scenario
from autosim.traffic.scenarios.scenario_starts import Verdict, verdict_of
from autosim.traffic.traffic_node import counters_of
from autosim.web.optional_packages import has_packages, require_packages
from autosim.web.page_files import has_page
from autosim.wire import DEFAULT_WEB_ADDRESS
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.ground_index import on_carriageway
from autosim.world.export.plan_image import draw_world_plan, track_area

DEMO_WORLD = "worlds/circle_town.xml"
DEMO_VEHICLES, DEMO_PEOPLE = 24, 16
"""Number of vehicles and of people in the demo's town: enough to meet some at each junction."""


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """World, duration [s of simulated time] and output of the demo.

    `world` is a world file, `osm` an extract; without both, the shipped town. `record`: the file of
    the record, None: none. `vehicles` and `people` of traffic; None: those of the world,
    and some in the shipped town. `scenario`: the file of one to play, which sets the
    duration. `web`: HOST:PORT for browsers, None: none; `opens_browser`: open the
    link in one.
    """

    world: Path | None
    osm: Path | None
    seconds: float
    """Duration [s of simulated time]."""
    seed: int
    """Seed of all noise."""
    is_headless: bool
    """Whether to open no window."""
    renderer: str | None
    """Panda3D display module; None: the first that works."""
    out: Path
    """Folder for pictures and figures."""
    record: Path | None = None
    vehicles: int | None = None
    people: int | None = None
    scenario: Path | None = None
    web: str | None = None
    opens_browser: bool = False


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of a demo, as `summary.json` holds them.

    Those of `Race` are None where the world has no track of cones, `traffic` and `scenario` where
    it has none.
    """

    world: str
    steps: int
    """Number of steps."""
    step_seconds: float
    """Step size [s]."""
    real_time_factor: float
    """Simulated time per real time."""
    step_ms: dict[str, float]
    """Computation time of a step [ms]: p50 and p99."""
    updates_received: int
    """Number of states that the client received."""
    update_bytes: int
    """Size of a state [bytes]."""
    distance_m: float
    """Distance driven [m]."""
    off_road_seconds: float
    """Time off the carriageway [s]."""
    collisions: int
    """Number of collisions of the car."""
    renderer: str
    """Display module in use."""
    state_digest: str
    """SHA-256 (hex) over the states of all steps."""
    frames: int
    """Number of rendered pictures."""
    out: str
    """Folder of the output."""
    laps: int | None = None
    """Number of whole laps."""
    lap_seconds: tuple[float, ...] | None = None
    """Duration of each lap [s]."""
    cones_hit: int | None = None
    """Number of cones hit."""
    off_track_seconds: float | None = None
    """Time with all wheels outside the limits [s]."""
    traffic: dict[str, int] | None = None
    scenario: Verdict | None = None
    failure: str = ""
    """Error message, "" for none."""
    met: tuple[str, ...] = ()
    """Messages about collisions of the first robot, each with its step."""

    def as_text(self) -> str:
        """The figures as lines of text."""
        return "\n".join(
            (
                *(f"collided  {each}" for each in self.met),
                f"drove     {self.distance_m:.0f} m through {self.world} in "
                f"{self.steps * self.step_seconds:.1f} s: {self.collisions} collisions, "
                f"{self.off_road_seconds:.2f} s off the carriageway",
                *self._race(),
                *self._met_traffic(),
                *self._played(),
                f"stepped   {self.steps} × {self.step_seconds * 1e3:.3f} ms, "
                f"{self.real_time_factor:.1f} × real time, a step {self.step_ms['p50']:.3f} ms "
                f"(p99 {self.step_ms['p99']:.3f})",
                f"received  {self.updates_received} updates, {self.update_bytes / 1e6:.1f} MB; "
                f"drew {self.frames} frames with {self.renderer}",
                f"digest    {self.state_digest}",
                f"wrote     {self.out}",
            )
        )

    def _played(self) -> tuple[str, ...]:
        """A line about the scenario, where there is one."""
        if self.scenario is None:
            return ()
        return (verdict_text(self.scenario),)

    def _met_traffic(self) -> tuple[str, ...]:
        """A line about traffic, where there is any."""
        if self.traffic is None:
            return ()
        t = self.traffic
        return (
            f"met       {t['vehicles']} vehicles and {t['people']} people: "
            f"{t['collisions']} collisions among them, {t['collisions_with_robots']} with robots, "
            f"{t['deadlocks']} jams, {t['arrived']} arrived",
        )

    def _race(self) -> tuple[str, ...]:
        """A line about the laps, where there is a track."""
        if self.lap_seconds is None:
            return ()
        times = ", ".join(f"{seconds:.2f} s" for seconds in self.lap_seconds) or "none whole"
        return (
            f"raced     {self.laps} laps ({times}): {self.cones_hit} cones hit, "
            f"{self.off_track_seconds:.2f} s off the track",
        )


def web_address(*, is_wanted: bool) -> str | None:
    """HOST:PORT at which the demo serves browsers; None where the page or its packages are missing.

    Args:
        is_wanted: the user asks for it, so its lack is an error.
    """
    if not (is_wanted or (has_page() and has_packages())):
        return None
    host, port = split(DEFAULT_WEB_ADDRESS)
    with socket.socket() as probe:
        is_taken = probe.connect_ex((host, port)) == 0
    return f"{host}:0" if is_taken else DEFAULT_WEB_ADDRESS


def _gateway(options: DemoOptions, server: str) -> AbstractContextManager[object]:
    """The gateway for browsers of the demo's server."""
    if options.web is None:
        return nullcontext()
    require_packages()
    from autosim.applications.web.gateways import start_gateway
    from autosim.web.web_gateway import GatewayOptions

    gateway = GatewayOptions(server=server, web=options.web)
    return start_gateway(gateway, opens_browser=options.opens_browser)


def run_demo(options: DemoOptions) -> Summary:
    """Runs the demo and writes its pictures and figures.

    Raises:
        UserError: it cannot be run; the message says why.
    """
    world = _world_of(options)
    if not world.robots:
        raise UserError(f"world '{world.name}' has no robot to drive")
    if options.scenario is not None:
        scenario = load_scenario(options.scenario)
        world = with_scenario(world, scenario)
        # A step beyond the last look at its criteria.
        options = replace(options, seconds=duration_of(scenario))
    compiled = compile_with_progress(world)
    if options.osm is not None and not len(compiled.roads.lanes):
        raise UserError(
            f"{options.osm}: the demo drives along streets, and this map has only paths; "
            "`autosim world view` draws it, and a world file places your own robots on it"
        )
    options.out.mkdir(parents=True, exist_ok=True)

    def say(event: Event) -> None:
        if isinstance(event, Notice):
            tell(f"{event.source}: {event.text}")

    server_options = ServerOptions(address="127.0.0.1:0", seed=options.seed, record=options.record)
    with (
        ServerProcess(world, server_options, on_event=say) as server,
        _gateway(options, server.address),
        Mirror(world, server.address, name="demo") as mirror,
    ):
        pictures = open_pictures(
            world,
            compiled,
            mirror.tree,
            onscreen=not options.is_headless,
            renderer=options.renderer,
        )
        for limitation in pictures.limitations:
            tell(limitation)
        report, track, wall_seconds = _drive(mirror, server, pictures, options, world)
        summary = _summarise(
            world, compiled, report, track, pictures, mirror.connection.statistics, options.out
        )
        summary = _with_race(summary, world, mirror.state, track)
        summary = replace(
            summary,
            traffic=_traffic_figures(mirror.state),
            scenario=verdict_of(world, mirror.state),
        )
        summary = replace(summary, failure=summary.failure or failure_of(summary.scenario))
        summary = replace(summary, real_time_factor=report.status.time / max(wall_seconds, 1e-9))
        pictures.save(options.out)
        pictures.close()
    write_picture(options.out / "path.png", _draw_path(compiled, track))
    text = json.dumps(asdict(summary), indent=2)
    write_whole(options.out / "summary.json", f"{text}\n".encode())
    return summary


def _world_of(options: DemoOptions) -> WorldDescription:
    """The world to drive through, with its traffic."""
    world = open_named_world(options.world or options.osm or DEMO_WORLD)
    vehicles, people = options.vehicles, options.people
    if options.world is None and options.osm is None and options.scenario is None:
        vehicles = DEMO_VEHICLES if vehicles is None else vehicles
        people = DEMO_PEOPLE if people is None else people
    return with_traffic(world, vehicles=vehicles, people=people)


def _traffic_figures(state: State) -> dict[str, int] | None:
    """Counters of traffic; None without traffic."""
    counted = counters_of(state)
    if not counted:
        return None
    numbers = {"vehicles": counted.pop("vehicles_now"), "people": counted.pop("people_now")}
    return numbers | counted


def _drive(
    mirror: Mirror,
    server: ServerProcess,
    pictures: PictureOutput,
    options: DemoOptions,
    world: WorldDescription,
) -> tuple[RunReport, RobotTrack, float]:
    """Runs the simulation to the end and shows it; report, track, and the wall time it took [s]."""
    steps = max(1, round(options.seconds / world.physics.step_seconds))
    connection = mirror.connection
    with waiting("starting the simulation"):
        wait_for_step(mirror, server, 0)
    begin = time.perf_counter()
    connection.run(steps=steps, real_time_factor=1.0 if pictures.has_window else 0.0)
    with progress_bar() as bar:
        task = bar.add_task("driving", total=steps)
        while mirror.state.step < steps and not pictures.is_closed:
            wait_for_step(mirror, server, mirror.state.step + 1)
            if mirror.take():
                pictures.show(mirror.state)
                bar.update(task, completed=mirror.state.step)
            if is_over(world, mirror.state):
                break
    wall_seconds = time.perf_counter() - begin
    connection.pause()
    server.poll()
    return connection.report(), connection.track(), wall_seconds


def _summarise(
    world: WorldDescription,
    compiled: CompiledWorld,
    report: RunReport,
    track: RobotTrack,
    pictures: PictureOutput,
    statistics: UpdateStatistics,
    out: Path,
) -> Summary:
    driven = track.samples[:, 0]
    failures = [
        f"{notice.source}: {notice.text}" for notice in report.notices if notice.level == "error"
    ]
    p50, p99 = report.step_ms
    return Summary(
        world=world.name,
        steps=report.status.step,
        step_seconds=world.physics.step_seconds,
        real_time_factor=0.0,
        step_ms={"p50": p50, "p99": p99},
        updates_received=statistics.updates,
        update_bytes=statistics.bytes,
        distance_m=float(np.hypot(*np.diff(driven[:, :2], axis=0).T).sum()),
        off_road_seconds=float(
            np.sum(is_off_road(compiled, driven, world.robots[0].robot))
            * track.interval
            * world.physics.step_seconds
        ),
        collisions=int(report.collisions[0]),
        renderer=pictures.renderer,
        state_digest=report.state_digest,
        frames=pictures.frames,
        out=str(out),
        failure=failures[0] if failures else "",
        met=tuple(
            f"step {notice.step}: {notice.text}"
            for notice in report.notices
            if notice.source == world.robots[0].name and COLLIDED in notice.text
        ),
    )


def _with_race(
    summary: Summary, world: WorldDescription, state: State, track: RobotTrack
) -> Summary:
    driven = track.samples[:, 0]
    race = judge(
        world,
        state,
        wheels=wheel_places(driven, world.robots[0].robot),
        middle=driven[:, :2],
        interval=track.interval * world.physics.step_seconds,
    )
    return summary if race is None else replace(summary, **asdict(race))


def is_off_road(compiled: CompiledWorld, track: Floats, robot: RobotDescription) -> Booleans:
    """Whether any wheel was beside the carriageway.

    Args:
        compiled: the world.
        track: (n, 4) where the robot was: x, y, z [m], yaw [rad] in W of its first part.
        robot: whose wheels they are.

    Returns:
        (n,) true where at least one wheel was; never of a robot that rolls on none.
    """
    if not any(isinstance(each, WheelDevice | KinematicVehicle) for each in robot.devices):
        return np.zeros(len(track), dtype=np.bool_)
    places = wheel_places(track, robot)
    z = np.broadcast_to(track[:, 2, None, None], (*places.shape[:2], 1))
    points = np.concatenate([places, z], axis=2)
    inside = on_carriageway(compiled, points.reshape(-1, 3))
    beside: Booleans = np.any(~inside.reshape(places.shape[:2]), axis=1)
    return beside


def wheel_places(track: Floats, robot: RobotDescription) -> Floats:
    """Tracks of the wheels of a robot.

    Args:
        track: (n, 4) poses of the robot: x, y, z [m], yaw [rad] in W of its first part.
        robot: whose wheels they are.

    Returns:
        (n, wheels, 2) [m] in W; the first part's place where it has no wheels.
    """
    parts = {part.name: part for part in robot.parts}
    wheels = [
        np.add(parts[device.part].position, device.position)
        for device in robot.devices
        if isinstance(device, WheelDevice)
    ]
    first = np.array(robot.parts[0].position)
    mounted = np.array(wheels or [first]).reshape(-1, 3) - first
    c, s = np.cos(track[:, 3, None]), np.sin(track[:, 3, None])
    x = track[:, 0, None] + c * mounted[:, 0] - s * mounted[:, 1]
    y = track[:, 1, None] + s * mounted[:, 0] + c * mounted[:, 1]
    return np.stack([x, y], axis=2)


def _draw_path(compiled: CompiledWorld, track: RobotTrack) -> Image.Image:
    driven = track.samples[:, 0]
    return draw_world_plan(compiled, track=driven, area=track_area(driven))
