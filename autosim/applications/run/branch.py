"""`autosim branch`: several parallel continuations of a recorded run, from one step."""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from autosim.applications.common.open_worlds import compile_with_progress
from autosim.applications.common.terminal import tell
from autosim.applications.records.recorded_world import recorded_world
from autosim.client.link.server_management import ServerManagement
from autosim.client.link.simulation_control import RunReport, SimulationControl, simulation_control
from autosim.config.descriptions import WorldDescription
from autosim.errors import UserError
from autosim.model.notices import Notice
from autosim.records.record_file import Record
from autosim.records.record_format import Continuation
from autosim.server.network.server_process import ServerProcess
from autosim.server.worlds.server_options import ServerOptions

RUN_SECONDS = 24 * 3600.0
"""Longest time [s] that the run of a branch may take."""

_LOOK_SECONDS = 0.5
"""Interval [s] between checks of servers that run until Ctrl-C."""


@dataclass(frozen=True, slots=True)
class BranchOptions:
    """Options of branches.

    `programs`: file and arguments of the program that drives `robot` in each branch, () for its
    current one. `robot`: None for the first of the world. `seconds`: simulated time
    after which a branch ends [s]; 0: it is served until Ctrl-C. `is_recorded`: each is
    recorded, next to the record that they come from.
    """

    programs: tuple[tuple[str, ...], ...]
    robot: str | None = None
    seconds: float = 0.0
    is_recorded: bool = False


@dataclass(frozen=True, slots=True)
class Branch:
    """One branch, at its end or at its beginning.

    `place`: where the robot stands then, (x, y) [m] in W; `collisions`: how often it has hit
    something in the whole run; `digest`: of all states of that; `record`: its file, "" for none.

    Attributes:
        number: number of the branch, from 1 on.
        address: HOST:PORT of its server.
        program: user program of the robot.
        step: step count at its end or beginning.
    """

    number: int
    address: str
    program: str
    step: int
    place: tuple[float, float]
    collisions: int
    digest: str
    record: str

    def __str__(self) -> str:
        """In a line."""
        x, y = self.place
        return (
            f"branch {self.number} at {self.address}: {self.program}: step {self.step}, "
            f"at ({x:.2f}, {y:.2f}), {self.collisions} collisions, digest {self.digest[:16]}"
        )


@contextmanager
def branches(continuation: Continuation, options: BranchOptions) -> Iterator[list[Branch]]:
    """Simulates the branches, each in its own server, up to their ends.

    They are served while the context is open.

    Args:
        continuation: their start.
        options: of the branches.

    Raises:
        UserError: the run cannot be continued from there, or a program cannot be started.
    """
    path = continuation.record.absolute()
    with recorded_world(path) as world, Record(path) as record, ExitStack() as stack:
        robot = _find_robot(world, options.robot)
        compile_with_progress(world)
        made = []
        for number, words in enumerate(options.programs, start=1):
            own = path.with_stem(f"{path.stem}-branch-{number}") if options.is_recorded else None
            seed = record.about.seed
            made.append(_Server(stack, world, continuation, number, words, robot, own, seed))
        steps = round(options.seconds / record.about.step_seconds)
        with ThreadPoolExecutor(max(1, len(made))) as pool:
            yield list(pool.map(lambda each: each.run(steps), made))


def serve_branches(continuation: Continuation, options: BranchOptions) -> None:
    """Serves branches, which stand at their beginning, until they are ended.

    Raises:
        UserError: as `branches`, or one of them ends by itself.
    """
    with branches(continuation, options) as made:
        for each in made:
            tell(str(each))
        tell("autosim ctl --server ADDRESS run starts one; Ctrl-C stops all")
        while True:
            time.sleep(_LOOK_SECONDS)


def _find_robot(world: WorldDescription, name: str | None) -> str:
    names = [each.name for each in world.robots]
    if not names or (name is not None and name not in names):
        raise UserError(f"no robot '{name or ''}' (robots: {', '.join(names) or 'none'})")
    return name or names[0]


class _Server:
    """A server of one branch, which begins to load at once."""

    def __init__(
        self,
        stack: ExitStack,
        world: WorldDescription,
        continuation: Continuation,
        number: int,
        words: Sequence[str],
        robot: str,
        record: Path | None,
        seed: int,
    ) -> None:
        self._number, self._words, self._robot, self._record = number, words, robot, record
        options = ServerOptions("127.0.0.1:0", seed=seed, record=record, continued=continuation)
        self._process = stack.enter_context(ServerProcess(world, options, on_event=_pass_on))
        self._control = stack.enter_context(simulation_control(self._process.address))

    def run(self, steps: int) -> Branch:
        """Starts its program, and lets it run; the branch at its end."""
        control = self._control
        try:
            control.pause()  # answered once it has come to where it begins
            if self._words:
                self._change_program(ServerManagement(control))
            if steps:
                control.step(steps, timeout=RUN_SECONDS)
            return self._describe(control.report(), control)
        except UserError:
            self._process.poll()  # says why, where the server has ended
            raise

    def _change_program(self, management: ServerManagement) -> None:
        file, *arguments = self._words
        with suppress(UserError):  # none runs
            management.stop_program(self._robot)
        management.attach_program(self._robot, file, arguments)

    def _describe(self, report: RunReport, control: SimulationControl) -> Branch:
        place = control.track()
        own = report.robots.index(self._robot)
        x, y = np.asarray(place.samples)[-1, own, :2]
        return Branch(
            self._number,
            self._process.address,
            " ".join(self._words) or "its own program",
            report.status.step,
            (float(x), float(y)),
            report.collisions[own],
            report.state_digest,
            str(self._record or ""),
        )


def _pass_on(event: object) -> None:
    if isinstance(event, Notice) and event.level != "info":
        tell(str(event))
