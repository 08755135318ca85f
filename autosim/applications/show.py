"""The client as a program: shows what a server simulates, and runs user programs beside it."""

import time
from dataclasses import dataclass
from pathlib import Path

from autosim.applications.pictures import DrawnPictures, Pictures, open_pictures
from autosim.applications.terminal import tell, waiting
from autosim.applications.worlds import compile_with_progress, open_world
from autosim.client.mirror import Mirror
from autosim.client.programs import ClientPrograms
from autosim.config.descriptions import WorldDescription
from autosim.errors import UserError
from autosim.simulation.notices import Notice
from autosim.world.cache import file_of

FIRST_STATE_SECONDS = 60.0
TICK_SECONDS = 0.005


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """What to show, from where, and what to run beside it (see `autosim client --help`)."""

    world: str
    address: str
    is_headless: bool
    renderer: str | None
    rate: float
    seconds: float | None
    camera: str
    out: Path | None
    program: Path | None
    robot: str | None


def run_client(options: ClientOptions) -> None:
    """Shows the simulation until the window is closed, the time is over, or Ctrl-C.

    Raises:
        UserError: it cannot; the message says why.
    """
    world = open_world(options.world)
    is_driver = options.program is not None or options.robot is not None
    robot = _robot(world, options.robot) if is_driver else ""
    if options.program is not None and not options.program.is_file():
        raise UserError(f"there is no user program '{options.program}'")
    compiled = compile_with_progress(world)

    def say(notice: Notice) -> None:
        tell(f"step {notice.step}: {notice.source}: {notice.level}: {notice.text}")

    with Mirror(world, options.address, rate_hz=options.rate, name="client", report=tell) as mirror:
        with waiting(f"waiting for the server at {options.address}"):
            mirror.connection.wait_for_state(FIRST_STATE_SECONDS)
        pictures = open_pictures(
            world,
            compiled,
            mirror.tree,
            onscreen=not options.is_headless,
            renderer=options.renderer,
            camera=options.camera,
        )
        tell(f"connected to {options.address}; pictures by {pictures.renderer}")
        for limitation in pictures.limitations:
            tell(limitation)
        with ClientPrograms(
            mirror,
            world_file=file_of(compiled),
            image_size=(world.graphics.width, world.graphics.height),
            render=pictures.image if isinstance(pictures, DrawnPictures) else None,
            report=say,
        ) as programs:
            if options.program is not None:
                programs.launch(options.program, robot=robot)
            _show(mirror, pictures, programs, seconds=options.seconds)
        statistics = mirror.connection.statistics
        tell(
            f"received {statistics.updates} updates, {statistics.bytes / 1e6:.1f} MB; "
            f"drew {pictures.frames} frames; last step {mirror.state.step}"
        )
        if options.out is not None:
            options.out.mkdir(parents=True, exist_ok=True)
            for path in pictures.save(options.out):
                tell(f"wrote {path}")
        pictures.close()


def _robot(world: WorldDescription, name: str | None) -> str:
    names = [robot.name for robot in world.robots]
    if name is None and names:
        return names[0]
    if name not in names:
        known = ", ".join(names) or "none"
        wanted = "no robot" if name is None else f"no robot '{name}'"
        raise UserError(f"there is {wanted} in world '{world.name}' (robots: {known})")
    return name


def _show(
    mirror: Mirror, pictures: Pictures, programs: ClientPrograms, *, seconds: float | None
) -> None:
    end = float("inf") if seconds is None else time.monotonic() + seconds
    while time.monotonic() < end and not pictures.is_closed:
        if mirror.take():
            pictures.show(mirror.state)
        else:
            pictures.refresh()
        programs.serve_pending(TICK_SECONDS)
