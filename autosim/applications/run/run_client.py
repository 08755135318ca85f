"""The client as a program: shows what a server simulates, and runs user programs beside it.

With a screen and PyQt6 it has a window with fields, tree and several pictures
(`applications/gui/client`). Else pictures appear in a bare window of the renderer's, or offscreen.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from autosim.applications.common.open_worlds import (
    compile_with_progress,
    open_named_world,
    open_served,
)
from autosim.applications.common.screen import find_obstacle
from autosim.applications.common.terminal import tell, waiting
from autosim.applications.recording.film_recorder import FilmRecorder, check_target
from autosim.applications.recording.picture_output import (
    PictureOutput,
    RenderResult,
    open_pictures,
)
from autosim.applications.remote.program_choice import chosen_program
from autosim.client.link.channels import meet
from autosim.client.link.client_errors import ServerRefusedError
from autosim.client.link.mirror import Mirror
from autosim.client.link.updates import LinkState
from autosim.client.link.world_fetching import waiting_text
from autosim.client.panda.display_modules import EarlyProbe, has_panda3d
from autosim.client.panda.interrupts import without_interrupts
from autosim.client.programs.client_programs import ClientPrograms
from autosim.client.programs.image_queue import Render
from autosim.config.arguments import join_arguments
from autosim.config.descriptions import WorldDescription
from autosim.model.notices import Notice
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.pipeline.cache import file_of
from autosim.world.pipeline.fetched_worlds import fetched_map

FIRST_STATE_SECONDS = 60.0
"""Longest time [s] to the first state, once the world is here; then the command gives up and says
so."""
ANSWER_SECONDS = 2.0
"""Time [s] without an answer of the server after which the wait is reported."""

TICK_SECONDS = 0.005
"""Time [s] between two looks at a window's events and at the clock while no state comes: a third of
a picture at 60 Hz."""


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """Options of a client (see `autosim client --help`)."""

    world: str
    """World file, "" for that of the server."""
    address: str
    """Server, HOST:PORT."""
    is_headless: bool
    """Whether to open no window."""
    renderer: str | None
    """Panda3D display module; None: the first that works."""
    rate: float
    """States per simulated second [Hz]; 0: every step."""
    seconds: float | None
    """Real time [s] after which to end; None: never."""
    camera: str
    """Camera to show, "" for the chase view."""
    out: Path | None
    """Folder for the last pictures."""
    program: Path | None
    """User program to run here."""
    robot: str | None
    """Robot that it drives; None: the first."""
    arguments: tuple[str, ...] = ()
    """Arguments of the program after the robot's name."""
    record: Path | None = None
    """File or folder of a film."""
    offers_pictures: bool = False
    """Whether to render for programs that run elsewhere."""


def run_client(options: ClientOptions) -> None:
    """Shows the simulation until the window is closed, the time is over, or Ctrl-C.

    Raises:
        UserError: it cannot; the message says why.
    """
    if options.record is not None:
        check_target(options.record)
    meet(options.address)
    if not options.is_headless:
        obstacle = find_obstacle() or find_picture_obstacle()
        if not obstacle:
            _open_window(options)
            return
        tell(f"no full window: {obstacle}")
    with ExitStack() as stack:
        _BareClient(options, stack).run()


def find_picture_obstacle() -> str:
    """Reason why pictures cannot be rendered at all; "" without one."""
    if not has_panda3d():
        return "Panda3D is not installed (pip install 'autosim[client]')"
    return ""


def _open_window(options: ClientOptions) -> None:
    from autosim.applications.gui.client.client_app import ClientWindowOptions, run_client_window
    from autosim.applications.gui.client.player import ClientSettings

    client = ClientSettings(
        address=options.address,
        robot=options.robot or "",
        program=str(options.program or ""),
        arguments=join_arguments(options.arguments),
        rate=options.rate,
        renderer=options.renderer,
        offers_pictures=options.offers_pictures,
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


def _say(notice: Notice) -> None:
    tell(str(notice))


class _BareClient:
    """Shows one world after the other, as the server changes them, and records through them all."""

    def __init__(self, options: ClientOptions, stack: ExitStack) -> None:
        self._options = options
        self._stack = stack
        # It is tried while the world is read.
        self._probe = stack.enter_context(
            EarlyProbe(options.renderer, onscreen=not options.is_headless)
        )
        self._end: float | None = None
        self._programs: ClientPrograms | None = None
        self._recorder: FilmRecorder | None = None

    def run(self) -> None:
        """Shows until the time is over, the window is closed, or the server refuses."""
        named, address = self._options.world, self._options.address
        world = open_named_world(named) if named else open_served(address)
        while True:
            try:
                self._show_world(world)
                return
            except ServerRefusedError as refusal:
                world = self._other_world(world, refusal)

    def _other_world(
        self, shown: WorldDescription, refusal: ServerRefusedError
    ) -> WorldDescription:
        """The server's current world, if none was named and it is another one."""
        if self._options.world:
            raise refusal
        world = open_served(self._options.address)
        if world == shown:
            raise refusal
        tell("the server's world has changed")
        return world

    def _show_world(self, world: WorldDescription) -> None:
        options = self._options
        order = chosen_program(
            world,
            program=options.program,
            robot=options.robot,
            arguments=options.arguments,
        )
        sent = fetched_map(world.terrain.osm)
        compiled = compile_with_progress(world, sent=sent)
        with (
            Mirror(
                world, options.address, rate_hz=options.rate, name="client", report=tell
            ) as mirror,
            closing(self._connected(mirror, world, compiled)) as pictures,
        ):
            programs = self._programs_beside(mirror, world, file_of(compiled, sent=sent), pictures)
            if order is not None and not programs.running:
                tell(f"running {order.program} for '{order.robot}'")
                programs.launch(order)
            if options.offers_pictures:
                programs.offer_pictures()
            try:
                self._show(mirror, pictures, programs)
                programs.close()
            finally:
                programs.detach()
            _sum_up(mirror, pictures, options.out)

    def _programs_beside(
        self,
        mirror: Mirror,
        world: WorldDescription,
        world_file: Path,
        pictures: PictureOutput,
    ) -> ClientPrograms:
        """The programs of this client: those of the world before continue where they can."""
        size = world.graphics.width, world.graphics.height
        render = _render_of(pictures, mirror)
        if self._programs is None:
            self._programs = self._stack.enter_context(
                ClientPrograms(
                    mirror, world_file=world_file, image_size=size, render=render, report=_say
                )
            )
        else:
            self._programs.follow(mirror, world_file=world_file, image_size=size, render=render)
        return self._programs

    def _connected(
        self, mirror: Mirror, world: WorldDescription, compiled: CompiledWorld
    ) -> PictureOutput:
        options = self._options
        connection = mirror.connection
        connection.wait_until(lambda: connection.link is not LinkState.CONNECTING, ANSWER_SECONDS)
        if connection.link is LinkState.LOST:
            tell(waiting_text(options.address, FIRST_STATE_SECONDS))
        with waiting(f"waiting for the server at {options.address}"):
            connection.wait_for_state(FIRST_STATE_SECONDS)
        pictures = open_pictures(
            world,
            compiled,
            mirror.tree,
            onscreen=not options.is_headless,
            renderer=options.renderer,
            camera=options.camera,
            probe=self._probe,
        )
        tell(f"connected to {options.address}; pictures by {pictures.renderer}")
        for limitation in pictures.limitations:
            tell(limitation)
        return pictures

    def _show(self, mirror: Mirror, pictures: PictureOutput, programs: ClientPrograms) -> None:
        end = self._begin()
        while time.monotonic() < end and not pictures.is_closed:
            with without_interrupts():
                if mirror.take():
                    pictures.show(mirror.state)
                    self._record(pictures, mirror)
                else:
                    pictures.refresh()
                programs.serve_pending()
            programs.wait_for_work(TICK_SECONDS)

    def _record(self, pictures: PictureOutput, mirror: Mirror) -> None:
        now, recorder = time.monotonic(), self._recorder
        if recorder is None or not isinstance(pictures, RenderResult) or not recorder.wants(now):
            return
        recorder.add(pictures.image(self._options.camera), now)

    def _begin(self) -> float:
        """Starts the clock and the recording with the first world; returns when to end [s]."""
        if self._end is None:
            seconds = self._options.seconds
            self._end = float("inf") if seconds is None else time.monotonic() + seconds
            if self._options.record is not None:
                self._recorder = self._stack.enter_context(_recording(self._options.record))
        return self._end


def _render_of(pictures: PictureOutput, mirror: Mirror) -> Render | None:
    """Draws for programs, with the noise of the server's run; None where nothing draws."""
    if not isinstance(pictures, RenderResult):
        return None
    return lambda wishes, state: pictures.program_images(wishes, state, seed=mirror.connection.seed)


@contextmanager
def _recording(target: Path) -> Iterator[FilmRecorder]:
    with FilmRecorder(target) as recorder:
        yield recorder
    tell(f"recorded {recorder.frames} frames: {target}")


def _sum_up(mirror: Mirror, pictures: PictureOutput, out: Path | None) -> None:
    statistics = mirror.connection.statistics
    tell(
        f"received {statistics.updates} updates, {statistics.bytes / 1e6:.1f} MB; "
        f"drew {pictures.frames} frames; last step {mirror.state.step}"
    )
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        for path in pictures.save(out):
            tell(f"wrote {path}")
