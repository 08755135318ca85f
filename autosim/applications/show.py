"""The client as a program: shows what a server simulates, and runs user programs beside it.

With a screen and PyQt6 it has a window with fields, tree and several pictures
(`applications/gui/client`). Else pictures appear in a bare window of the renderer's, or offscreen.
"""

import time
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from autosim.applications.gui.screen import find_obstacle
from autosim.applications.pictures import DrawnPictures, Pictures, open_pictures
from autosim.applications.recording import Recorder, check_target
from autosim.applications.terminal import tell, waiting
from autosim.applications.worlds import compile_with_progress, fetch_with_progress, open_world
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
    record: Path | None = None


def run_client(options: ClientOptions) -> None:
    """Shows the simulation until the window is closed, the time is over, or Ctrl-C.

    Raises:
        UserError: it cannot; the message says why.
    """
    if options.record is not None:
        check_target(options.record)
    if not options.is_headless:
        obstacle = find_obstacle() or find_picture_obstacle()
        if not obstacle:
            _open_window(options)
            return
        tell(f"no full window: {obstacle}")
    _show_bare(options)


def find_picture_obstacle() -> str:
    """What keeps pictures from being drawn at all; "" where nothing does."""
    if find_spec("panda3d") is None:
        return "Panda3D is not installed (pip install 'autosim[client]')"
    return ""


def _open_window(options: ClientOptions) -> None:
    from autosim.applications.gui.client.app import ClientWindowOptions, run_client_window
    from autosim.applications.gui.client.player import ClientSettings

    client = ClientSettings(
        address=options.address,
        robot=options.robot or "",
        program=str(options.program or ""),
        rate=options.rate,
        renderer=options.renderer,
    )
    run_client_window(
        ClientWindowOptions(
            world=options.world,
            client=client,
            camera=options.camera,
            seconds=options.seconds,
            out=options.out,
            record=options.record,
        )
    )


def _show_bare(options: ClientOptions) -> None:
    world = open_world(options.world or fetch_with_progress(options.address))
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
            _show(mirror, pictures, programs, options)
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
    mirror: Mirror, pictures: Pictures, programs: ClientPrograms, options: ClientOptions
) -> None:
    end = float("inf") if options.seconds is None else time.monotonic() + options.seconds
    with nullcontext() if options.record is None else Recorder(options.record) as recorder:
        while time.monotonic() < end and not pictures.is_closed:
            if mirror.take():
                pictures.show(mirror.state)
                if recorder is not None and isinstance(pictures, DrawnPictures):
                    recorder.add(pictures.image(options.camera, mirror.state), time.monotonic())
            else:
                pictures.refresh()
            programs.serve_pending(TICK_SECONDS)
    if recorder is not None:
        tell(f"recorded {recorder.frames} frames: {options.record}")
