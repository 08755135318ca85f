"""The server as a program: a world, simulated and served until somebody ends it."""

from dataclasses import dataclass, replace

from autosim.applications.terminal import tell
from autosim.applications.worlds import compile_with_progress, open_world
from autosim.server.front import Event, Listening, ServerOptions, serve
from autosim.simulation.notices import Notice
from autosim.wire import DEFAULT_PORT


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What to serve where; `pace` is the real-time factor, 0 as fast as it goes."""

    world: str
    host: str
    port: int | None
    seed: int
    pace: float
    is_paused: bool
    is_insecure: bool
    has_programs: bool


def run_server(options: ServeOptions) -> None:
    """Serves until SIGINT, SIGTERM or a client's word.

    Raises:
        UserError: it cannot; the message says why.
    """
    world = open_world(options.world)
    if not options.has_programs:
        robots = tuple(replace(robot, program=None) for robot in world.robots)
        world = replace(world, robots=robots)
    compile_with_progress(world)

    def say(event: Event) -> None:
        match event:
            case Listening():
                tell(f"serving '{world.name}' at {event.address}; Ctrl-C ends it")
            case Notice():
                tell(f"step {event.step}: {event.source}: {event.level}: {event.text}")

    port = DEFAULT_PORT if options.port is None else options.port
    serve(
        world,
        ServerOptions(
            address=f"{options.host}:{port}",
            seed=options.seed,
            real_time_factor=None if options.is_paused else options.pace,
            is_insecure=options.is_insecure,
        ),
        on_event=say,
    )
