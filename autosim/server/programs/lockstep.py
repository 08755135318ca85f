"""The barrier of the step: the simulation goes on when every user program waits again.

A program waits for a step. When the simulation has come there, the program is woken, and the
steps after it wait for the program. So what programs read and set does not depend on how fast
they or the simulation run.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from autosim.server.limits import LIMITS
from autosim.server.programs.drivers import Drivers
from autosim.server.programs.participant import Participant, Program
from autosim.server.programs.turns import TurnFigures
from autosim.simulation.commands import Command
from autosim.simulation.notices import Notice
from autosim.simulation.tree import SimulationTree
from autosim.userprogram.program_exits import ProgramExit

NO_DEADLINES: Mapping[str, float] = MappingProxyType({})
"""Where the world says nothing of programs that run elsewhere."""

_NEVER = 2**63
_LOOK_STEPS = 24
"""So often it is looked after programs that wait: one may be gone long before it is due."""

_LINGER_SECONDS = 2.0
"""How long a program may take to end after it has left."""


@dataclass(frozen=True, slots=True)
class Attendance:
    """A program that takes part: the names of it and of its robot, and how its turns go.

    `drives`: the robots that obey it.
    """

    program: str
    robot: str
    is_remote: bool
    turns: TurnFigures
    drives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Starter:
    """A program that imports its modules; at `give_up_at` (`time.monotonic`) it must be ready."""

    participant: Participant
    give_up_at: float


class Lockstep:
    """All user programs that take part in the step.

    Args:
        tree: laid out as the simulation's.
        deadline: how long a program may take from one wait to the next [s of wall-clock time]; inf:
            for ever (to look into it with a debugger).
        start_deadline: how long the simulation waits for it to start and to come to its first wait
            [s].
        remote_deadlines: by robot, where it is not `deadline` for programs that run elsewhere [s].
        report: is told what people should know; program_exits are returned by `barrier`.

    `listen` is called again and again while a barrier waits: what it does may end programs with
    `dismiss`, and an exception that it raises leaves the barrier.
    """

    takes_turns = False
    """Whether programs run one after the other in one barrier, or side by side."""

    def __init__(
        self,
        tree: SimulationTree,
        *,
        deadline: float,
        start_deadline: float,
        report: Callable[[Notice], None],
        remote_deadlines: Mapping[str, float] = NO_DEADLINES,
    ) -> None:
        self._tree = tree
        self._deadline = deadline
        self._start_deadline = start_deadline
        self._remote_deadlines = remote_deadlines
        self._report = report
        self._participants: list[Participant] = []
        self._starters: list[_Starter] = []
        self._leavers: list[tuple[Program, float]] = []
        self._count = 0
        self._commands: list[Command] = []
        self._next_due = _NEVER
        self._next_look = 0
        self._drivers = Drivers()
        self.listen: Callable[[], None] = lambda: None

    @property
    def robots(self) -> tuple[str, ...]:
        """The robots of the programs that take part, in the order of their turns."""
        return tuple(each.robot for each in self._participants)

    @property
    def is_settled(self) -> bool:
        """Whether all have had their first turn, and nobody is about to leave."""
        is_settled = all(each.has_waited and not each.ending for each in self._participants)
        return is_settled and not self._starters

    def attendance(self) -> tuple[Attendance, ...]:
        """The programs that take part, in the order of their turns."""
        now = time.monotonic()
        return tuple(
            Attendance(
                each.name,
                each.robot,
                each.program.is_remote,
                each.turns.figures(now),
                self._drivers.driven_by(each.index),
            )
            for each in self._participants
        )

    def dismiss(self, robot: str, *, is_remote: bool, reason: str) -> bool:
        """Makes the programs of `robot` depart: in the next barrier, or in the one that waits.

        Args:
            robot: its name.
            is_remote: whether those that were started elsewhere are meant, or those from here.
            reason: why, for people.

        Returns:
            whether there are any.
        """
        found = [
            each
            for each in self._everybody()
            if each.robot == robot and each.program.is_remote is is_remote
        ]
        for participant in found:
            participant.ending = reason
            self._next_due = 0
        return bool(found)

    def commands(self) -> list[Command]:
        """What the programs have set with their waits since the last call.

        Of one barrier: by robot in the order of the tree, then by the order in which programs
        came, then as sent.
        """
        commands, self._commands = self._commands, []
        return commands

    def barrier(self, step: int) -> Sequence[ProgramExit]:
        """Wakes the programs that are due at `step`, and returns when all of them wait again.

        A program that leaves, dies, misbehaves or misses its deadline is ended and returned.
        Costs next to nothing at a step at which no program is due.
        """
        if step < self._next_due:
            return ()
        self._dismiss_leavers()
        program_exits = self._take_dismissed() + self._take_starters()
        if step >= self._next_look:
            program_exits += self._look(step)
        for turn in self._turns(step):
            program_exits += self._take(turn, step)
        self._collect_commands()
        self._plan(step)
        return program_exits

    def close(self, grace: float = 1.0) -> None:
        """Tells all programs that the simulation is over; ends those left after `grace` [s]."""
        programs = [each.program for each in self._everybody()]
        for program in programs:
            program.channel.close()
        programs += [program for program, _ in self._leavers]
        end = time.monotonic() + grace
        for program in programs:
            program.wait(max(end - time.monotonic(), 0.0))
            program.end()
        self._participants.clear()
        self._starters.clear()
        self._leavers.clear()
        self._next_due = _NEVER

    def _admit(
        self,
        program: Program,
        *,
        name: str,
        robot: str = "",
        deadline: float | None = None,
        is_awaited: bool = True,
    ) -> None:
        """From the next barrier on, the simulation waits for `program`.

        Args:
            program: that has been started.
            name: for people.
            robot: its own; "" where it says that itself.
            deadline: from one wait to the next [s of wall-clock time]; None: as all others.
            is_awaited: from now on; else once it is ready for its first turn.
        """
        is_running = program.is_remote or not is_awaited
        first_turn = LIMITS.first_turn_seconds if is_running else self._start_deadline
        participant = Participant(
            self._count,
            program,
            name,
            robot,
            start_deadline=min(first_turn, self._start_deadline),
            deadline=self._deadline if deadline is None else deadline,
            deadlines=self._remote_deadlines,
        )
        self._count += 1
        if is_awaited:
            self._join(participant)
        else:
            give_up_at = time.monotonic() + self._start_deadline
            self._starters.append(_Starter(participant, give_up_at))
            self._next_due = 0

    def _join(self, participant: Participant) -> None:
        self._participants.append(participant)
        self._sort()
        # Whom it takes over from may have left just now.
        self._next_due = self._next_look = 0

    def _everybody(self) -> list[Participant]:
        return [*self._participants, *(each.participant for each in self._starters)]

    def _take_starters(self) -> list[ProgramExit]:
        """Lets those join who are ready, or have ended; returns those who have taken too long."""
        now, program_exits = time.monotonic(), []
        starters, self._starters = self._starters, []
        for starter in starters:
            if starter.participant.program.channel.has_message():
                self._join(starter.participant)
            elif now > starter.give_up_at:
                program_exit = starter.participant.overdue()
                program_exits.append(self._remove(starter.participant, program_exit))
            else:
                self._starters.append(starter)
        return program_exits

    def _turns(self, step: int) -> Iterable[list[Participant]]:
        due = [each for each in self._participants if each.due <= step]
        return [[each] for each in due] if self.takes_turns else [due]

    def _take_dismissed(self) -> list[ProgramExit]:
        dismissed = [each for each in self._everybody() if each.ending]
        return [self._remove(each, each.dismiss()) for each in dismissed]

    def _look(self, step: int) -> list[ProgramExit]:
        program_exits = []
        for participant in [each for each in self._participants if each.due > step]:
            program_exit = participant.look()
            if program_exit is not None:
                program_exits.append(self._remove(participant, program_exit))
        self._next_look = step + _LOOK_STEPS
        return program_exits

    def _take(self, turn: list[Participant], step: int) -> list[ProgramExit]:
        for participant in turn:
            participant.wake(step)
        program_exits = []
        for participant in turn:
            program_exit = participant.serve(
                step, tree=self._tree, drivers=self._drivers, listen=self.listen
            )
            self._report_refusals(participant, step, is_last=program_exit is not None)
            if program_exit is not None:
                program_exits.append(self._remove(participant, program_exit))
        return program_exits

    def _report_refusals(self, participant: Participant, step: int, *, is_last: bool) -> None:
        for text in participant.refusals.take(step, is_last=is_last):
            self._report(Notice("warning", participant.name, step, text))

    def _remove(self, participant: Participant, program_exit: ProgramExit) -> ProgramExit:
        """Removes one that has ended; returns how, with the robots that it no longer drives."""
        self._participants = [each for each in self._participants if each is not participant]
        self._starters = [each for each in self._starters if each.participant is not participant]
        self._leavers.append((participant.program, time.monotonic() + _LINGER_SECONDS))
        driven = self._drivers.release(participant.index)
        # The robot's own program that fails before its first command was to drive, too.
        is_missed = program_exit.has_failed and not participant.program.is_remote
        if is_missed and program_exit.robot not in driven:
            driven += () if self._drivers.is_driven(program_exit.robot) else (program_exit.robot,)
        return replace(program_exit, driven=driven)

    def _dismiss_leavers(self) -> None:
        now = time.monotonic()
        staying = []
        for program, end_at in self._leavers:
            if program.wait(0.0) or now > end_at:
                program.end()
            else:
                staying.append((program, end_at))
        self._leavers = staying

    def _collect_commands(self) -> None:
        self._sort()
        for participant in self._participants:
            self._commands += participant.commands
            participant.commands.clear()

    def _plan(self, step: int) -> None:
        """Finds the next step at which there is something to do."""
        due = min((0 if each.ending else each.due for each in self._participants), default=_NEVER)
        self._next_due = min(due, self._next_look) if self._participants else _NEVER
        if self._leavers:
            self._next_due = step + 1
        if self._starters:
            # Also where the simulation stands still: somebody waits until the program is ready.
            self._next_due = step

    def _sort(self) -> None:
        """Orders programs by robot: in the order of the tree, however they came."""
        order = {robot.name: place for place, robot in enumerate(self._tree.children)}
        self._participants.sort(key=lambda each: (order.get(each.robot, len(order)), each.index))
