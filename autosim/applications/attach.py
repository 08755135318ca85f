"""A user program beside a running server: attached from any shell, without pictures."""

import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from autosim.applications.terminal import tell
from autosim.client.failures import ClientError
from autosim.client.mirror import Mirror
from autosim.client.programs import ClientPrograms
from autosim.client.served import ask_server, require_robot
from autosim.config.lookup import locate
from autosim.errors import UserError
from autosim.simulation.notices import Notice
from autosim.simulation.phase import Phase
from autosim.world.cache import compiled_file

FIRST_STATE_SECONDS = 300.0
POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class AttachOptions:
    """Which program to run for which robot (None: the first) of which server.

    `world` is a world file to compile for programs that navigate; "": what the server simulates
    is looked for among the worlds compiled on this machine.
    """

    program: Path
    address: str
    robot: str | None
    arguments: tuple[str, ...]
    world: str


def run_program(options: AttachOptions) -> bool:
    """Runs the program until it ends or Ctrl-C; returns whether it did not fail.

    Raises:
        UserError: it cannot be run; the message says why.
        KeyboardInterrupt: the user has ended it; its robot brakes.
    """
    program = find_program(options.program)
    said: list[Notice] = []
    with interruptible(), open_world_of(options.address) as mirror:
        robot = require_robot(mirror.tree, options.robot)
        with ClientPrograms(
            mirror,
            world_file=find_world(options.address, options.world),
            report=said.append,
        ) as programs:
            programs.launch(program, robot=robot, arguments=options.arguments)
            while programs.running:
                time.sleep(POLL_SECONDS)
    return _tell(said)


def find_program(given: Path) -> Path:
    """A program's file: at the path given, or where the files of worlds are looked up.

    Raises:
        UserError: there is none.
    """
    path, _ = locate(given)
    if not path.is_file():
        raise UserError(f"there is no user program '{given}'")
    return path


@contextmanager
def open_world_of(address: str) -> Iterator[Mirror]:
    """A mirror of what the server simulates, once it is loaded.

    Raises:
        UserError: the server cannot be used.
    """
    with Mirror(ask_server(address), address, rate_hz=1.0, name="program", report=tell) as mirror:
        mirror.connection.wait_for_state(FIRST_STATE_SECONDS)
        if mirror.connection.status().phase is not Phase.RUNNING:
            tell("the simulation stands still; autosim ctl run lets it run")
        yield mirror


def find_world(address: str, world: str) -> Path | None:
    """The compiled world's file for programs that navigate, None where there is none here.

    Raises:
        UserError: `world` cannot be compiled, or is not the one that the server simulates.
    """
    digest = ask_server(address).digest
    from autosim.applications.worlds import (
        compile_with_progress,
        fetch_with_progress,
        open_world,
    )

    if not world:
        if compiled_file(digest) is None:
            # A world made in a program has no files: then there is nothing to navigate by.
            with suppress(ClientError):
                fetch_with_progress(address)
        return compiled_file(digest)

    compiled = compile_with_progress(open_world(world))
    if compiled.digest != digest:
        raise UserError(f"'{world}' is not the world that the server at {address} simulates")
    return compiled_file(digest)


@contextmanager
def interruptible() -> Iterator[None]:
    """Inside, a closed terminal and SIGTERM end the program as Ctrl-C does: cleanly."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    kinds = (signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(kind, interrupt) for kind in kinds]
    try:
        yield
    finally:
        for kind, handler in zip(kinds, before, strict=True):
            signal.signal(kind, handler)


def _tell(said: Sequence[Notice]) -> bool:
    """Prints what went wrong; whether nothing did."""
    told = [notice for notice in said if notice.level != "info"]
    for each in told:
        print(f"step {each.step}: {each.source}: {each.level}: {each.text}", file=sys.stderr)
    return not any(each.level == "error" for each in told)
