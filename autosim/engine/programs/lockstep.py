"""The barrier of the step: the simulation continues when every user program waits again.

A program waits for a step. When the simulation has come there, the program is woken, and the
steps after it wait for the program. So what programs read and set does not depend on how fast
they or the simulation run.

The barrier is a state, not a call: `open` wakes programs, `serve` receives their messages, and it
is closed again when `is_open` is false. In between the caller waits until the `channel` has
something or `seconds_left` are over, and may do other things as well.
"""

import select
import socket
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autosim.config.descriptions import ProgramLimits
from autosim.engine.command_gate.drivers import Driver, Drivers
from autosim.engine.command_gate.gate import CheckedCommand, ProgramGate
from autosim.engine.peer_limits import LIMITS
from autosim.engine.programs.deadlines import Deadlines
from autosim.engine.programs.first_turns import FirstTurns
from autosim.engine.programs.leavers import Leavers
from autosim.engine.programs.participant import Participant, ParticipantInfo, Program, Readable
from autosim.engine.programs.picture_scheduler import PictureScheduler, ProgramPictures
from autosim.engine.programs.program_handover import ProgramHandover
from autosim.engine.programs.remote_program import RemoteProgram
from autosim.helper_processes.process_socket import ControlSocket
from autosim.model.commands import DeviceError, DeviceErrorCode
from autosim.model.notices import Notice
from autosim.model.tree import SimulationTree
from autosim.userprogram.ipc.camera_images import ImageMemory
from autosim.userprogram.ipc.channel import SocketChannel, has_message
from autosim.userprogram.ipc.program_exits import ProgramExit
from autosim.userprogram.ipc.program_messages import restored_message, snapshot_message
from autosim.v1 import autosim_pb2 as pb

NO_LIMITS = ProgramLimits()
"""The limits of a program for which the world file sets none."""

_NEVER = 2**63
"""A step that no simulation reaches."""

_LOOK_STEPS = 24
"""Steps between liveness checks of waiting programs, a tenth of a second at the usual step: one may
be gone long before it is due."""

_LONGEST_WAIT_SECONDS = 0.25
"""Longest single wait for a program [s]: then its remaining time is checked again."""


@dataclass(frozen=True, slots=True)
class _Starter:
    """A program that imports its modules; at `give_up_at` (`time.monotonic`) it must be ready."""

    participant: Participant
    give_up_at: float


class Lockstep(ProgramHandover, ABC):
    """All user programs that take part in the step.

    Args:
        tree: laid out as the simulation's.
        drivers: the driver of each robot.
        deadlines: of programs for which the world file sets none.
        pictures: has pictures drawn for all programs; None: there are no cameras.
        report: takes messages for the user; `take_exits` gives the programs that have ended.
    """

    takes_turns = False
    """Whether programs run one after the other in one barrier, or in parallel."""

    def __init__(
        self,
        tree: SimulationTree,
        *,
        drivers: Drivers,
        deadlines: Deadlines,
        report: Callable[[Notice], None],
        pictures: PictureScheduler | None = None,
    ) -> None:
        self._tree = tree
        self._deadlines = deadlines
        self._pictures = pictures
        self._report = report
        self._participants: list[Participant] = []
        self._starters: list[_Starter] = []
        self._leavers = Leavers()
        self._first_turns = FirstTurns()
        self._count = 0
        self._commands: list[CheckedCommand] = []
        self._exits: list[ProgramExit] = []
        self._next_due = _NEVER
        self._next_look = 0
        self._drivers = drivers
        self._gate = ProgramGate(tree, drivers)
        self._step = 0
        self._awaited: deque[Participant] = deque()
        self._later: deque[Participant] = deque()
        self.is_open = False

    @property
    def robots(self) -> tuple[str, ...]:
        """The robots of the programs that take part, in the order of their turns."""
        return tuple(each.robot for each in self._participants)

    @property
    def is_settled(self) -> bool:
        """Whether all programs have had their first turn, and none is about to be ended."""
        is_settled = all(each.has_waited and not each.ending for each in self._participants)
        return is_settled and not self._starters

    def participant_infos(self) -> tuple[ParticipantInfo, ...]:
        """The programs that take part, in the order of their turns."""
        now = time.monotonic()
        return tuple(
            ParticipantInfo(
                each.name,
                each.robot,
                each.program.is_remote,
                each.turns.figures(now),
                self._drivers.driven_by(each.index),
            )
            for each in self._participants
        )

    @property
    def in_threads(self) -> tuple[str, ...]:
        """The programs that run in threads of this process, which a copy of it would lack."""
        return tuple(each.name for each in self._everybody() if each.program.is_thread)

    def take_snapshot(self, name: str) -> tuple[int, ...]:
        """Has all programs, which wait, keep this moment; a copy of this process is made next.

        Returns:
            the processes of programs that are not copied: they have to run on.

        Raises:
            SnapshotError: a program does not answer.
        """
        for each in self._participants:
            each.send(snapshot_message(name))
        return ()

    def drop(self, name: str) -> None:
        """Has all programs forget a moment of which there is no copy of them."""
        for each in self._participants:
            each.send(snapshot_message(name, is_dropped=True))

    def restore(self, name: str, step: int) -> None:
        """Has all programs go back to a moment, `step`; they are woken next.

        Here, in a copy of the process that had kept it.
        """
        for each in self._participants:
            self._go_back(each, name, step)
        self._leavers.clear()  # the process before has ended them
        self._next_due = self._next_look = 0

    def _go_back(self, participant: Participant, name: str, step: int) -> None:
        participant.send(restored_message(name, step))

    def dismiss(self, robot: str, *, is_remote: bool, reason: str) -> bool:
        """Ends the programs of `robot`: in the next barrier, or in the one that is open.

        Args:
            robot: its name.
            is_remote: whether those that were started elsewhere are meant, or those from here.
            reason: why, for messages.

        Returns:
            whether there are any.
        """
        found = [
            each
            for each in self._everybody()
            if each.robot == robot and each.program.is_remote is is_remote
        ]
        for participant in found:
            self._dismiss(participant, reason)
        return bool(found)

    def dismiss_driver(self, robot: str, *, reason: str) -> None:
        """Ends the program that drives `robot`, as `dismiss` does."""
        driver = self._drivers.driver_of(robot)
        for participant in self._participants:
            if driver is not None and participant.index == driver.index:
                self._dismiss(participant, reason)

    def _dismiss(self, participant: Participant, reason: str) -> None:
        participant.ending = reason
        self._next_due = 0

    def commands(self) -> list[CheckedCommand]:
        """The commands that the programs have sent with their waits since the last call.

        Of one barrier: by robot in the order of the tree, then by the order in which programs
        came, then as sent.
        """
        commands, self._commands = self._commands, []
        return commands

    @abstractmethod
    def launch(
        self,
        program: Path,
        *,
        robot: str,
        arguments: Sequence[str] = (),
        limits: ProgramLimits = NO_LIMITS,
        is_awaited: bool = True,
    ) -> None:
        """Starts `program`, which takes part from the next barrier on.

        Args:
            program: the file.
            robot: the name of its robot: its `argv[0]`.
            arguments: the rest of its `argv`.
            limits: how it is isolated, its deadline, its memory.
            is_awaited: the next barrier waits for it, so that the run can be repeated. Else it
                takes part once it has imported what it needs.

        Raises:
            DeviceError: UNKNOWN_ROBOT.
            SandboxError: it is to run in a sandbox, and there is none.
        """

    def attach_remote(
        self, channel: socket.socket, *, peer: str, images: ImageMemory | None = None
    ) -> None:
        """Takes in a program that runs elsewhere; the next barrier waits for it.

        Args:
            channel: a SOCK_SEQPACKET socket over which its messages are relayed, one a packet.
                The state of TurnStarted is left empty: the relay adds the live state, which is
                constant until the program's next Wait.
            peer: its address, for messages.
            images: where its pictures belong, which the relay sends along; None: it gets none.
        """
        remote = RemoteProgram(SocketChannel(channel, pb.ProgramMessage), peer)
        self._admit(remote, name=peer, pictures=self._drawn_into(images))

    def add_renderer(self, drawer: ControlSocket) -> None:
        """Adds a client that offers to render the pictures of programs."""
        if self._pictures is None:
            drawer.close()
        else:
            self._pictures.add_renderer(drawer)

    def _drawn_into(self, images: ImageMemory | None) -> ProgramPictures | None:
        """The pictures of one program, which come into that memory."""
        if self._pictures is None or images is None:
            return None
        return self._pictures.new_memory(images)

    @property
    def channel(self) -> Readable:
        """Channel of the program that the open barrier waits for, or of its pictures."""
        return self._awaited[0].channel

    def seconds_left(self) -> float:
        """Time [s] that the open barrier may wait before `serve` is due; 0: it is due."""
        return self._awaited[0].seconds_left()

    def open(self, step: int) -> None:
        """Opens the barrier: wakes the programs that are due at `step`.

        Afterwards it `is_open` where the simulation has to wait for programs. Costs next to nothing
        at a step at which none is due.
        """
        if step < self._next_due:
            return
        self._step = step
        self._leavers.end_overdue()
        self._take_dismissed()
        self._take_starters()
        if step >= self._next_look:
            self._look()
        due = deque(each for each in self._participants if each.due <= step)
        self._awaited, self._later = (deque(), due) if self.takes_turns else (due, deque())
        for participant in self._awaited:
            participant.wake(step)
        self.is_open = True
        self._await_next()

    def serve(self) -> None:
        """Hears the programs that the open barrier waits for; closes it when all wait again.

        Never waits. They are heard in their fixed order, so that of two programs that drive the
        same robot always the same one gets it.
        """
        while self.is_open:
            participant = self._awaited[0]
            program_exit = participant.receive(self._step, self._gate)
            is_over = program_exit is not None
            if not is_over and participant.due <= self._step:
                return
            self._report_refusals(participant, is_last=is_over)
            if program_exit is not None:
                self._remove(participant, program_exit)
            self._awaited.popleft()
            self._await_next()

    def wait(self) -> None:
        """Waits for programs until the barrier is closed."""
        while self.is_open:
            poll = select.poll()
            poll.register(self.channel, select.POLLIN)
            poll.poll(1000.0 * min(self.seconds_left(), _LONGEST_WAIT_SECONDS))
            self.serve()

    def take_exits(self) -> Sequence[ProgramExit]:
        """The programs that take part no longer, and why, since the last call."""
        exits, self._exits = self._exits, []
        return exits

    def close(self, grace: float = 1.0) -> None:
        """Tells all programs that the simulation is over; ends those left after `grace` [s]."""
        programs = [each.program for each in self._everybody()]
        for program in programs:
            program.channel.close()
        programs += self._leavers.programs
        end = time.monotonic() + grace
        for program in programs:
            program.wait(max(end - time.monotonic(), 0.0))
            program.end()
        self._participants.clear()
        self._starters.clear()
        self._leavers.clear()
        self._awaited.clear()
        self._later.clear()
        self.is_open = False
        self._next_due = _NEVER
        if self._pictures is not None:
            self._pictures.close()

    def _admit(
        self,
        program: Program,
        *,
        name: str,
        robot: str = "",
        deadline: float | None = None,
        is_awaited: bool = True,
        pictures: ProgramPictures | None = None,
    ) -> None:
        """From the next barrier on, the simulation waits for `program`.

        Args:
            program: that has been started.
            name: for messages.
            robot: its own; "" where it says that itself.
            deadline: from one wait to the next [s of wall-clock time]; None: as all others.
            is_awaited: from now on; else once it is ready for its first turn.
            pictures: what draws for it, None where nothing does.
        """
        is_running = program.is_remote or not is_awaited
        first_turn = LIMITS.first_turn_seconds if is_running else self._deadlines.start
        participant = Participant(
            self._count,
            program,
            name,
            robot,
            start_deadline=min(first_turn, self._deadlines.start),
            deadline=self._deadlines.turn if deadline is None else deadline,
            deadlines=self._deadlines.remote,
            pictures=pictures,
            first_turn=self._first_turns.seconds_for,
        )
        self._count += 1
        if robot and not program.is_remote:
            self._drivers.expect(Driver(participant.index, name, robot))
        if is_awaited:
            self._join(participant)
        else:
            give_up_at = time.monotonic() + self._deadlines.start
            self._starters.append(_Starter(participant, give_up_at))
            self._next_due = 0

    def _join(self, participant: Participant) -> None:
        self._participants.append(participant)
        self._sort()
        # The program from which it takes over may have left just now.
        self._next_due = self._next_look = 0

    def _everybody(self) -> list[Participant]:
        return [*self._participants, *(each.participant for each in self._starters)]

    def _await_next(self) -> None:
        """Turns to the program that is heard next; closes the barrier where there is none."""
        if not self._awaited and self._later:
            self._awaited.append(self._later.popleft())
            self._awaited[0].wake(self._step)
        if self._awaited:
            self._awaited[0].start_timeout()
            return
        self.is_open = False
        self._collect_commands()
        self._plan()

    def _take_starters(self) -> None:
        """Admits programs that are ready, or have ended; ends those that have taken too long."""
        now = time.monotonic()
        starters, self._starters = self._starters, []
        for starter in starters:
            if has_message(starter.participant.program.channel):
                self._join(starter.participant)
            elif now > starter.give_up_at:
                self._remove(starter.participant, starter.participant.time_out())
            else:
                self._starters.append(starter)

    def _take_dismissed(self) -> None:
        for each in self._everybody():
            if each.ending:
                self._remove(each, each.dismiss())

    def _look(self) -> None:
        """Removes waiting programs that have gone."""
        for participant in [each for each in self._participants if each.due > self._step]:
            program_exit = participant.poll()
            if program_exit is not None:
                self._remove(participant, program_exit)
        self._next_look = self._step + _LOOK_STEPS

    def _report_refusals(self, participant: Participant, *, is_last: bool) -> None:
        for text in participant.refusals.take(self._step, is_last=is_last):
            self._report(Notice("warning", participant.name, self._step, text))

    def _remove(self, participant: Participant, program_exit: ProgramExit) -> None:
        """Removes one that has ended, and notes which robots and lists it leaves alone."""
        self._participants = [each for each in self._participants if each is not participant]
        self._starters = [each for each in self._starters if each.participant is not participant]
        if participant.pictures is not None:
            participant.pictures.close()
        self._leavers.add(participant.program)
        driven = self._drivers.leave(participant.index, has_failed=program_exit.has_failed)
        lists = self._drivers.withdraw(participant.index)
        self._exits.append(replace(program_exit, driven=driven, lists=lists))

    def _collect_commands(self) -> None:
        self._sort()
        for participant in self._participants:
            self._commands += participant.commands
            participant.commands.clear()

    def _plan(self) -> None:
        """Finds the next step at which there is something to do."""
        due = min((0 if each.ending else each.due for each in self._participants), default=_NEVER)
        self._next_due = min(due, self._next_look) if self._participants else _NEVER
        if self._leavers:
            self._next_due = self._step + 1
        if self._starters:
            # Also while the simulation is paused: a client waits until the program is ready.
            self._next_due = self._step

    def _sort(self) -> None:
        """Orders programs by robot: in the order of the tree, however they came."""
        order = {robot.name: place for place, robot in enumerate(self._tree.children)}
        self._participants.sort(key=lambda each: (order.get(each.robot, len(order)), each.index))


def require_robot(tree: SimulationTree, name: str) -> None:
    """Raises DeviceError, UNKNOWN_ROBOT, where there is no robot of that name."""
    node = tree.find(name)
    if node is None or node.kind != "Robot":
        known = ", ".join(child.name for child in tree.robots) or "none"
        raise DeviceError(DeviceErrorCode.UNKNOWN_ROBOT, f"no robot '{name}' (robots: {known})")
