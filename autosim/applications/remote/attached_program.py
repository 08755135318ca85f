"""A user program beside a running server: attached from any shell; the server draws for it."""

import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from autosim.applications.common.terminal import tell
from autosim.applications.remote.program_choice import resolve_program
from autosim.applications.remote.reload import ProgramWatch
from autosim.applications.remote.time_orders import record_text
from autosim.client.link.client_errors import ClientError
from autosim.client.link.mirror import Mirror
from autosim.client.link.served_world import choose_robot_of, fetch_description
from autosim.client.link.simulation_control import simulation_control
from autosim.client.link.time_control import TimeControl
from autosim.client.programs.client_programs import ClientPrograms, ProgramOrder
from autosim.helper_processes.fork_server import ensure_fork_server
from autosim.model.notices import Notice
from autosim.model.phase import Phase
from autosim.userprogram.process.program_process import RUNNER
from autosim.world.pipeline.cache import compiled_file
from autosim.world.pipeline.fetched_worlds import fetched_map

FIRST_STATE_SECONDS = 300.0
"""Longest time [s] to the first state: a server may still compile a large map."""
POLL_SECONDS = 0.1
"""Interval [s] between checks whether the program has ended or its file has changed."""


@dataclass(frozen=True, slots=True)
class AttachOptions:
    """Server, robot (None: the first) and program to run.

    `is_reloaded`: the program restarts whenever its file, or a module that it imports from
    its folder, has changed. `record`: the name of a record that the server writes meanwhile, None
    for none.
    """

    program: Path
    address: str
    """HOST:PORT of the server."""
    robot: str | None
    arguments: tuple[str, ...]
    """Arguments of the program."""
    is_reloaded: bool = False
    record: str | None = None


def run_attached_program(options: AttachOptions) -> bool:
    """Runs the program until it ends or Ctrl-C; returns whether it did not fail.

    One that is reloaded is waited for also when it has ended.

    Raises:
        UserError: it cannot be run; the message says why.
        KeyboardInterrupt: the user has ended it; its robot brakes.
    """
    ensure_fork_server((RUNNER,))
    program = resolve_program(options.program)
    watch = ProgramWatch(program) if options.is_reloaded else None
    telling = _Telling()
    served = fetch_description(options.address)
    with interruptible() as interrupts, open_world_of(options.address) as mirror:
        robot = choose_robot_of(mirror.tree, options.robot)
        with (
            recorded(options.address, options.record),
            ClientPrograms(
                mirror,
                world_file=fetch_navigation_world(options.address),
                image_size=served.image_size,
                report=telling,
            ) as programs,
        ):
            order = ProgramOrder(program, robot, options.arguments)
            with interrupts.held():  # one that has started is to be known, and to leave
                programs.launch(order)
            while programs.running or watch is not None:
                time.sleep(POLL_SECONDS)
                interrupts.check()
                if watch is not None and (changed := watch.look()):
                    _reload(programs, order, watch, changed)
    return not telling.has_failed


def _reload(
    programs: ClientPrograms, order: ProgramOrder, watch: ProgramWatch, changed: Sequence[Path]
) -> None:
    fault = watch.find_fault()
    if fault:
        tell(f"{fault}; the previous version keeps running")
    else:
        names = " and ".join(file.name for file in changed)
        tell(f"{names} changed: restarting {order.program.name}")
        programs.replace(order)


@contextmanager
def recorded(address: str, name: str | None) -> Iterator[None]:
    """Inside, the server records its run under that name; None: it does not.

    Raises:
        UserError: it cannot.
    """
    if name is None:
        yield
        return
    with simulation_control(address) as control:
        TimeControl(control).start_record(name)
        try:
            yield
        finally:
            record = TimeControl(control).stop_record().record
            assert record is not None
            tell(record_text(record))


@contextmanager
def open_world_of(address: str) -> Iterator[Mirror]:
    """A mirror of what the server simulates, once it is loaded.

    Raises:
        UserError: the server cannot be used.
    """
    with Mirror(
        fetch_description(address), address, rate_hz=1.0, name="program", report=tell
    ) as mirror:
        mirror.connection.wait_for_state(FIRST_STATE_SECONDS)
        if mirror.connection.status().phase in (Phase.READY, Phase.PAUSED):
            tell("the simulation stands still; autosim ctl run lets it run")
        yield mirror


def fetch_navigation_world(address: str) -> Path | None:
    """The compiled world's file for programs that navigate, fetched where it is not here yet.

    None for a world that was made in a program: it has no files, and there is nothing to
    navigate by.

    Raises:
        UserError: the server is not there, or there is no room for its world here.
    """
    own = compiled_file(fetch_description(address).digest)
    if own is not None:
        return own
    # Takes a second to import, which only programs of a world that is not here have to wait for.
    from autosim.applications.common.open_worlds import fetch_with_progress

    with suppress(ClientError):
        return fetched_map(fetch_with_progress(address).file)
    return None


class Interrupts:
    """Interrupts of a command by Ctrl-C, SIGTERM or a closed terminal.

    Each raises `KeyboardInterrupt` where the main thread is. That is lost in a destructor that runs
    there just then, so loops also `check`.
    """

    def __init__(self) -> None:
        self._is_noted = self._is_held = False

    def take(self, number: int, frame: FrameType | None) -> None:
        """Handles a signal."""
        self._is_noted = True
        if not self._is_held:
            raise KeyboardInterrupt

    def check(self) -> None:
        """Raises `KeyboardInterrupt` if there was an interrupt."""
        if self._is_noted:
            raise KeyboardInterrupt

    @contextmanager
    def held(self) -> Iterator[None]:
        """Inside, for short work that must be done whole, interrupts wait for its end."""
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False
        self.check()


@contextmanager
def interruptible() -> Iterator[Interrupts]:
    """Inside, a closed terminal and SIGTERM end the program as Ctrl-C does: cleanly."""
    interrupts = Interrupts()
    kinds = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(kind, interrupts.take) for kind in kinds]
    try:
        yield interrupts
    finally:
        for kind, handler in zip(kinds, before, strict=True):
            signal.signal(kind, handler)


class _Telling:
    """Prints what goes wrong; `has_failed` is whether the program has."""

    def __init__(self) -> None:
        self.has_failed = False

    def __call__(self, notice: Notice) -> None:
        if notice.level != "info":
            tell(str(notice))
        self.has_failed = self.has_failed or notice.level == "error"
