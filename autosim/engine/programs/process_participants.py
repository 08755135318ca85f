"""User programs in processes of their own, and those that take part from elsewhere."""

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from autosim.config.descriptions import ProgramLimits
from autosim.engine.command_gate.drivers import Drivers
from autosim.engine.engine_errors import SnapshotError
from autosim.engine.programs.deadlines import DEFAULT_DEADLINES, Deadlines
from autosim.engine.programs.kept_thread import KeptThread
from autosim.engine.programs.lockstep import NO_LIMITS, Lockstep, require_robot
from autosim.engine.programs.participant import Participant, Program
from autosim.engine.programs.picture_scheduler import PictureScheduler
from autosim.engine.programs.program_thread import ProgramThread, ThreadSetting
from autosim.helper_processes.process_socket import ControlSocket
from autosim.model.notices import Notice
from autosim.model.tree import SimulationTree
from autosim.userprogram.codec.tree_codec import tree_to_bytes
from autosim.userprogram.ipc.assignment import Assignment
from autosim.userprogram.ipc.camera_images import ImageMemory
from autosim.userprogram.ipc.channel import ChannelError, SocketChannel
from autosim.userprogram.ipc.program_messages import snapshot_message
from autosim.userprogram.ipc.shared_state import SharedState
from autosim.userprogram.process.layout_change import send_layout
from autosim.userprogram.process.program_copy import CopyGoneError, ProgramCopy
from autosim.userprogram.process.program_process import HandedProcess, ProgramProcess
from autosim.userprogram.session.navigation_map_file import load_navigation_map


@dataclass(frozen=True, slots=True)
class _Handover:
    """The first message to a process that takes programs over; `_HandedProgram`s and None follow.

    `count`: number of programs that have taken part so far. `drivers`: what these programs drive.
    """

    count: int
    drivers: Drivers


@dataclass(frozen=True, slots=True)
class _HandedProgram:
    """A program that waits for the step `due`; the other fields are those of `Participant`.

    `process` is None where the program runs in a thread.
    """

    index: int
    name: str
    robot: str
    start_deadline: float
    deadline: float
    due: int
    process: HandedProcess | None

    @classmethod
    def of(cls, participant: Participant) -> "_HandedProgram":
        """The data with which another process takes over a program."""
        program = participant.program
        return cls(
            participant.index,
            participant.name,
            participant.robot,
            participant.start_deadline,
            participant.deadline,
            participant.due,
            program.handed if isinstance(program, ProgramProcess) else None,
        )


_Handed = ProgramProcess | ProgramThread | KeptThread
"""Programs that can be handed over to another process."""


def _descriptors_of(program: Program) -> tuple[int, ...]:
    """The open files with which another process takes over a program."""
    if isinstance(program, ProgramThread):
        return program.offer()
    assert isinstance(program, ProgramProcess | KeptThread)
    return program.descriptors


def _taken_over(handed: _HandedProgram, descriptors: tuple[int, ...]) -> Program:
    """The program that another process has handed over with these open files."""
    if handed.process is None:
        return KeptThread.taken_over(descriptors)
    return ProgramProcess.taken_over(handed.process, descriptors)


def _can_be_handed(participant: Participant, robots: Collection[str]) -> bool:
    """Whether a program of the server waits for a later step, and keeps its robot."""
    is_own = isinstance(participant.program, _Handed)
    is_waiting = participant.has_waited and not participant.ending
    return is_own and is_waiting and participant.robot in robots


@dataclass(frozen=True, slots=True)
class ProcessSetting:
    """Shared data of all programs in processes of their own."""

    tree: SimulationTree
    """Tree of the simulation, laid out."""
    shared: SharedState
    """Memory whose live state the simulation works on; programs map it."""
    step_seconds: float
    """Length of a step [s]."""
    world_file: Path | None = None
    """The compiled world, for programs that navigate; None for a world without a map."""


class ProcessParticipants(Lockstep):
    """The user programs of a simulation process (see `Lockstep`).

    Args:
        setting: the data that all programs share.
        drivers: the driver of each robot.
        deadlines: of programs for which the world file sets none.
        pictures: has pictures drawn for all programs; None: there are no cameras.
        report: takes messages for the user.
        pass_pipes: called with a name for messages and with the ends of the pipes through which a
            program's output and error output come, for each that is started; None: it prints where
            this process does.
    """

    def __init__(
        self,
        setting: ProcessSetting,
        *,
        drivers: Drivers,
        report: Callable[[Notice], None],
        deadlines: Deadlines = DEFAULT_DEADLINES,
        pictures: PictureScheduler | None = None,
        pass_pipes: Callable[[str, tuple[int, int]], None] | None = None,
    ) -> None:
        super().__init__(
            setting.tree,
            drivers=drivers,
            deadlines=deadlines,
            pictures=pictures,
            report=report,
        )
        self._copies: dict[int, ProgramCopy] = {}
        self._offered: list[Participant] = []
        self._pass_pipes = pass_pipes
        self._setting = setting
        self._tree_bytes = tree_to_bytes(setting.tree)
        self._thread_setting = ThreadSetting(
            setting.tree,
            setting.shared.live.toreadonly(),
            setting.step_seconds,
            lambda: load_navigation_map(str(setting.world_file or "")),
        )

    def launch(
        self,
        program: Path,
        *,
        robot: str,
        arguments: Sequence[str] = (),
        limits: ProgramLimits = NO_LIMITS,
        is_awaited: bool = True,
    ) -> None:
        """As `Lockstep.launch`; in a thread of this process where the limits say so."""
        require_robot(self._tree, robot)
        images = self._pictures.new_images() if self._pictures is not None else None
        running: Program
        if limits.isolation == "thread":
            running = ProgramThread.start(
                self._thread_setting, file=program, robot=robot, arguments=arguments, images=images
            )
        else:
            running = self._start_process(program, robot, arguments, limits, images)
        self._admit(
            running,
            name=str(program),
            robot=robot,
            deadline=limits.deadline,
            is_awaited=is_awaited,
            pictures=self._drawn_into(images),
        )

    def take_snapshot(self, name: str) -> tuple[int, ...]:
        """As `Lockstep.take_snapshot`; programs in their own processes copy themselves."""
        asked = []
        for each in self._participants:
            if isinstance(each.program, ProgramProcess):
                if copy := each.program.keep(name):
                    self._copies[each.index] = copy
                    asked.append((each, copy))
            else:
                each.send(snapshot_message(name))
        for participant, copy in asked:
            self._await_copy(participant, copy)
        return tuple(self._uncopied())

    def _await_copy(self, participant: Participant, copy: ProgramCopy) -> None:
        try:
            is_there = copy.await_asleep(self._deadlines.start)
        except TimeoutError as error:
            self.release_copies()
            raise SnapshotError(
                f"the program {participant.name} has not answered for {self._deadlines.start:g} s: "
                "stop it, or wait until it answers"
            ) from error
        if not is_there:
            copy.close()
            del self._copies[participant.index]

    def _uncopied(self) -> Iterator[int]:
        for each in self._everybody():
            if isinstance(each.program, ProgramProcess):
                is_copied = each.index in self._copies
                if not is_copied or each.program.copies_end_with_it:
                    yield each.program.pid

    def release_copies(self) -> None:
        """As `Lockstep.release_copies`."""
        for copy in self._copies.values():
            copy.close()
        self._copies.clear()

    def let_go(self) -> None:
        """As `Lockstep.let_go`: a program that has ended is to be noticed by the one beside it."""
        for each in self._participants:
            if isinstance(each.program, ProgramProcess) and each.index in self._copies:
                each.program.let_go()
        for program in self._leavers.programs:
            if isinstance(program, ProgramProcess):
                program.forget()

    def end_for_good(self, running: Sequence[int]) -> None:
        """As `Lockstep.end_for_good`."""
        programs = [each.program for each in self._everybody()]
        for program in [*programs, *self._leavers.programs]:
            if isinstance(program, ProgramProcess) and program.pid not in running:
                program.end()

    def offer(self, robots: Collection[str], heir: ControlSocket) -> tuple[str, ...]:
        """As `Lockstep.offer`: programs in processes or threads, with all files they need."""
        self._offered = [each for each in self._participants if _can_be_handed(each, robots)]
        indices = {each.index for each in self._offered}
        heir.send(_Handover(self._count, self._drivers.only(indices, robots)))
        for each in self._offered:
            heir.send(_HandedProgram.of(each), _descriptors_of(each.program))
        heir.send(None)
        return tuple(each.robot for each in self._offered)

    def give_away(self) -> None:
        """As `Lockstep.give_away`."""
        self.children = tuple(
            each.program.pid
            for each in self._offered
            if isinstance(each.program, ProgramProcess) and each.program.is_child
        )
        self.threads = {
            each.program.give_away(): each.program.end
            for each in self._offered
            if isinstance(each.program, ProgramThread)
        }
        self._participants = [each for each in self._participants if each not in self._offered]
        self.close()
        for each in self._offered:
            # Their ends are noticed by the other process alone.
            if isinstance(each.program, ProgramProcess | KeptThread):
                each.program.forget()
        self._offered.clear()

    def take_back(self) -> None:
        """As `Lockstep.take_back`: the other process may have changed their layout already."""
        for each in self._offered:
            images = self._lay_out(each.program, each.name, each.robot)
            if each.pictures is not None:
                each.pictures.close()
            each.pictures = self._drawn_into(images)
        self._offered.clear()

    def take_over(self, giver: ControlSocket) -> None:
        """As `Lockstep.take_over`."""
        handover, _ = giver.receive()
        assert isinstance(handover, _Handover)
        self._count = handover.count
        self._drivers.take_over_from(handover.drivers)
        while True:
            handed, descriptors = giver.receive()
            if not isinstance(handed, _HandedProgram):
                break
            self._continue(handed, _taken_over(handed, descriptors))

    def _lay_out(self, program: Program, name: str, robot: str) -> ImageMemory | None:
        """Makes a program read this simulation's state; the memory of its pictures."""
        images = self._pictures.new_images() if self._pictures is not None else None
        assignment = self._assignment(Path(name), robot, (), NO_LIMITS, images)
        with suppress(ChannelError):  # the next barrier notices that it has ended
            assert isinstance(program.channel, SocketChannel)
            send_layout(program.channel, assignment, self._setting.shared, images)
        return images

    def _continue(self, handed: "_HandedProgram", program: Program) -> None:
        """Takes in a program that has run before, which waits for a later step."""
        images = self._lay_out(program, handed.name, handed.robot)
        self._join(
            Participant(
                handed.index,
                program,
                handed.name,
                handed.robot,
                start_deadline=handed.start_deadline,
                deadline=handed.deadline,
                deadlines=self._deadlines.remote,
                pictures=self._drawn_into(images),
                due=handed.due,
                has_attached=True,
                has_waited=True,
                first_turn=self._first_turns.seconds_for,
            )
        )

    def restore(self, name: str, step: int) -> None:
        """As `Lockstep.restore`."""
        super().restore(name, step)
        self.release_copies()

    def _go_back(self, participant: Participant, name: str, step: int) -> None:
        copy = self._copies.get(participant.index)
        if copy is None:
            super()._go_back(participant, name, step)
        elif isinstance(participant.program, ProgramProcess):
            with suppress(CopyGoneError):  # the next barrier notices that it has ended
                participant.program.go_on_with(copy)

    def _start_process(
        self,
        program: Path,
        robot: str,
        arguments: Sequence[str],
        limits: ProgramLimits,
        images: ImageMemory | None,
    ) -> ProgramProcess:
        assignment = self._assignment(program, robot, arguments, limits, images)
        with ExitStack() as pipes:
            output = self._open_pipes(f"{robot} ({program.name})", pipes)
            return ProgramProcess.start(
                assignment, state=self._setting.shared, images=images, output=output
            )

    def _assignment(
        self,
        program: Path,
        robot: str,
        arguments: Sequence[str],
        limits: ProgramLimits,
        images: ImageMemory | None,
    ) -> Assignment:
        return Assignment(
            program=str(program.absolute()),
            robot=robot,
            arguments=tuple(arguments),
            tree=self._tree_bytes,
            step_seconds=self._setting.step_seconds,
            world_file=str(self._setting.world_file or ""),
            memory_bytes=limits.memory,
            image_size=(images.width, images.height) if images is not None else None,
            is_sandboxed=limits.isolation == "sandbox",
        )

    def _open_pipes(self, source: str, opened: ExitStack) -> tuple[int, int] | None:
        """The ends to print to; all ends are closed here with `opened`."""
        if self._pass_pipes is None:
            return None
        readers: list[int] = []
        writers: list[int] = []
        for _ in range(2):
            for ends, end in zip((readers, writers), os.pipe(), strict=True):
                opened.callback(os.close, end)
                ends.append(end)
        self._pass_pipes(source, (readers[0], readers[1]))
        return writers[0], writers[1]
