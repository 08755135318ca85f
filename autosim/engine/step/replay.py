"""A record in place of a simulation: its states come, step by step, in both directions.

It has the interface of `Simulation`, so that a server shows it to any client. User programs may
take part and read; what they set has no effect.
"""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from autosim.config.descriptions import WorldDescription
from autosim.engine.command_gate.drivers import Drivers
from autosim.engine.command_gate.gate import CheckedCommand
from autosim.engine.engine_errors import PlacementError
from autosim.engine.programs.program_manager import (
    MakeParticipants,
    ProgramManager,
    ProgramsContext,
)
from autosim.engine.programs.thread_participants import ThreadParticipants
from autosim.engine.step.run_log import RunInput
from autosim.kinds.director import build_tree
from autosim.model.notices import Notice, Severity
from autosim.model.snapshot import Snapshot
from autosim.model.state import State
from autosim.records.events import KINDS, NoticeLogged, OutputPrinted
from autosim.records.output_lines import with_whole_lines
from autosim.records.record_file import Record
from autosim.records.record_format import RecordError
from autosim.userprogram.ipc.program_exits import ProgramExit
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.pipeline.cache import compile_world

_SEVERITIES: tuple[Severity, ...] = ("info", "warning", "error")


class Replay:
    """The run that a record is of.

    Args:
        world: of the record.
        path: of the record.
        seed: that of the record counts.
        buffer: memory for the state, of `tree.stop` bytes or more; by default its own.
        report: takes messages for the user, those of the record among them.
        idle: without effect: no program of the world runs.
        make_participants: makes what runs user programs; by default threads.

    `first_step` and `last_step` are those of the record. `is_backwards`: each step goes back.

    Raises:
        RecordError: the record cannot be read, or is of another world.
    """

    def __init__(
        self,
        world: WorldDescription,
        *,
        path: Path,
        seed: int = 0,
        buffer: memoryview | None = None,
        report: Callable[[Notice], None] = lambda notice: None,
        idle: Collection[str] = (),
        make_participants: MakeParticipants = ThreadParticipants.of,
    ) -> None:
        self._record = Record(path)
        self.tree = build_tree(world)
        if self.tree.digest != self._record.about.layout_digest:
            raise RecordError(
                f"{path}: its states have another layout than this version of AutoSim gives its "
                f"world; it was recorded by version {self._record.about.version}"
            )
        self.state = State(self.tree, buffer)
        self.step_seconds = world.physics.step_seconds
        self.on_publish: list[Callable[[], None]] = []
        self.on_command: list[Callable[[int, RunInput], None]] = []
        self.compiled = self.compile(world)
        self.first_step, self.last_step = self._record.first_step, self._record.last_step
        self.is_backwards = False
        self._report = report
        self._words: dict[int, list[Notice]] = {}
        for event in with_whole_lines(self._record.events(KINDS)):
            # Messages and output at the end may be of a step whose state is not recorded.
            words = self._words.setdefault(min(event.step, self.last_step), [])
            if isinstance(event, NoticeLogged):
                level = event.level if event.level in _SEVERITIES else "info"
                words.append(Notice(level, event.source, event.step, event.text))
            elif isinstance(event, OutputPrinted):
                source = event.source or "output"
                lines = [line for line in event.text.splitlines() if line.strip()]
                words.extend(Notice("info", source, event.step, line) for line in lines)
        self.programs = ProgramManager.of(
            ProgramsContext.of(
                world,
                self.state,
                seed=self._record.about.seed,
                compiled=self.compiled,
                drivers=Drivers(),
                report=report,
            ),
            self.state,
            make_participants=make_participants,
            report_exit=self._report_exit,
            idle=[robot.name for robot in world.robots],
        )
        self.participants = self.programs.participants
        self.seek(self.first_step)

    def compile(self, world: WorldDescription) -> CompiledWorld:
        """The world's map, for programs that navigate and clients that draw."""
        return compile_world(world.terrain)

    def seek(self, step: int) -> None:
        """Shows the state of `step`, or of the next one that there is in the same direction."""
        step = min(max(step, self.first_step), self.last_step)
        way = -1 if step < self.state.step else 1
        while (state := self._record.find_state(step)) is None:
            step += way
            if not self.first_step <= step <= self.last_step:
                raise RecordError(f"{self._record.path}: has no state of step {step - way}")
        self.state.buffer[:] = state

    def begin(self) -> None:
        """Reports the messages of the first step; the record has what programs did."""
        self._report_words()
        self.participants.open(self.state.step)

    def advance(self) -> None:
        """Shows the next state, or the one before."""
        self.seek(self.state.step + (-1 if self.is_backwards else 1))
        self._report_words()
        for listener in self.on_publish:
            listener()
        if not self.is_backwards:
            self.participants.open(self.state.step)

    def _report_words(self) -> None:
        """Passes on the messages and the output of the present step, the first time."""
        for notice in self._words.pop(self.state.step, ()):
            self._report(notice)

    def settle(self) -> None:
        """Ends a barrier that is closed."""
        self.participants.commands()
        for program_exit in self.participants.take_exits():
            self._report_exit(program_exit)

    def snapshot(self, *, is_continued: bool = True) -> Snapshot:
        """The state that is shown."""
        return Snapshot.of(self.state)

    def restore(self, snapshot: Snapshot) -> None:
        """Refused: robots cannot come or go.

        Raises:
            RecordError: always.
        """
        raise RecordError("this is a replay: its robots cannot be changed")

    def place(
        self,
        name: str,
        place: Sequence[float],
        *,
        yaw: float | None,
        height: float | None,
        velocity: Sequence[float],
        angular_velocity: Sequence[float],
    ) -> object:
        """Refused.

        Raises:
            PlacementError: always.
        """
        raise PlacementError(f"'{name}' cannot be moved: this is a replay")

    def take(self, commands: Sequence[CheckedCommand]) -> None:
        """Ignores commands: what was done is done."""

    def close(self) -> None:
        """Ends it and its programs."""
        self.participants.close()
        self._record.close()

    def _report_exit(self, program_exit: ProgramExit) -> None:
        level: Severity = "error" if program_exit.has_failed else "info"
        text = "\n".join(filter(None, (program_exit.reason, program_exit.traceback)))
        self._report(Notice(level, program_exit.program, self.state.step, text))
        self.programs.take_program_exit(program_exit)
