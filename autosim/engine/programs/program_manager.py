"""Starts and ends the user programs of a world, starts them again, and reports on each."""

from collections.abc import Callable, Collection, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property

from autosim.config.descriptions import PlacedRobot, ProgramLimits, WorldDescription
from autosim.config.files.lookup import PathError, Roots, locate
from autosim.config.files.program_files import find_program, program_name
from autosim.engine.command_gate.drivers import Drivers
from autosim.engine.programs.lockstep import Lockstep
from autosim.engine.programs.participant import ParticipantInfo
from autosim.errors import UserError
from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.model.notices import Notice
from autosim.model.program_status import ProgramStatus
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.orders.programs import NO_TURNS, ProgramReport
from autosim.system_limits import explain_shortage
from autosim.userprogram.ipc.program_exits import ProgramExit
from autosim.userprogram.process.restarts import Restarts, explain_restart
from autosim.userprogram.process.sandbox import SandboxError
from autosim.world.compiled.compiled_world import CompiledWorld

_TAKEN = "was taken over"
"""Why a program has ended from which a person took a robot over."""


class ProgramOrderError(UserError):
    """An order to a user program cannot be carried out."""


@dataclass(frozen=True, slots=True)
class ProgramsContext:
    """The parts of a simulation that its user programs need.

    `world` is simulated, with the `seed` of its noise. `tree`: laid out, with `drivers` of its
    robots. `memory`: its live state. `step_seconds`: of a step [s]. `compiled`: the world's map,
    for programs that navigate. `report` takes messages for the user.
    """

    world: WorldDescription
    seed: int
    tree: SimulationTree
    drivers: Drivers
    memory: memoryview
    step_seconds: float
    compiled: CompiledWorld
    report: Callable[[Notice], None]

    @classmethod
    def of(
        cls,
        world: WorldDescription,
        state: State,
        *,
        seed: int,
        compiled: CompiledWorld,
        drivers: Drivers,
        report: Callable[[Notice], None],
    ) -> "ProgramsContext":
        """The context of a world's programs, which read the memory of `state`."""
        seconds = world.physics.step_seconds
        return cls(world, seed, state.tree, drivers, state.buffer, seconds, compiled, report)


MakeParticipants = Callable[[ProgramsContext], Lockstep]
"""Makes what runs the user programs of a simulation."""


@dataclass(slots=True)
class _Assigned:
    """The program of one robot; `path` is its file once it was found, "" before."""

    file: str
    arguments: tuple[str, ...]
    limits: ProgramLimits
    side: str = "server"
    path: str = ""
    state: ProgramStatus = ProgramStatus.WAITING
    exit_reason: str = ""
    starts: int = 0
    is_to_start_again: bool = False

    @property
    def is_active(self) -> bool:
        """Whether it runs, or will run by itself."""
        return self.state in (ProgramStatus.WAITING, ProgramStatus.RUNNING)


@dataclass(frozen=True, slots=True)
class _Handover:
    """The data with which another simulation process continues programs."""

    assigned: dict[str, _Assigned]
    restarts: Restarts


@dataclass(frozen=True, slots=True)
class _TakenOver:
    """The answer to `_Handover`: from now on the programs belong to the process that sends it."""


class ProgramManager:
    """The user programs of a world, by their robots.

    Args:
        world: names the robots and their programs.
        participants: runs the programs.
        drivers: the driver of each robot.
        state: tells the time.
        report: takes messages for the user.
        report_exit: takes the exit of a program that cannot be started.
        idle: the robots whose programs are not started; each can be started by hand.

    `participants` run them.
    """

    def __init__(
        self,
        world: WorldDescription,
        *,
        participants: Lockstep,
        drivers: Drivers,
        state: State,
        report: Callable[[Notice], None],
        report_exit: Callable[[ProgramExit], None],
        idle: Collection[str] = (),
    ) -> None:
        self.participants, self._drivers = participants, drivers
        self._state, self._report, self._report_exit = state, report, report_exit
        self._source = world.source
        self._restarts = Restarts()
        self._is_started = False
        self._robots = tuple(robot.name for robot in world.robots)
        self._assigned = {
            robot.name: _assigned(robot) for robot in world.robots if robot.program is not None
        }
        for name in self._assigned.keys() & set(idle):
            self._assigned[name].state = ProgramStatus.STOPPED
            self._assigned[name].exit_reason = "not started"

    @classmethod
    def of(
        cls,
        context: ProgramsContext,
        state: State,
        *,
        make_participants: MakeParticipants,
        report_exit: Callable[[ProgramExit], None],
        idle: Collection[str] = (),
    ) -> "ProgramManager":
        """The programs of a simulation, with their runners.

        Args:
            context: the parts of the simulation that they need.
            state: of the simulation.
            make_participants: makes what runs programs, `participants`.
            report_exit: as of the class.
            idle: as of the class.
        """
        return cls(
            context.world,
            participants=make_participants(context),
            drivers=context.drivers,
            state=state,
            report=context.report,
            report_exit=report_exit,
            idle=idle,
        )

    @property
    def are_there(self) -> bool:
        """Whether any may take part in a step."""
        return bool(self._assigned or self.participants.robots)

    @cached_property
    def _roots(self) -> Roots:
        # Only where programs are looked for: an environment has none, and begins often.
        return locate(self._source)[1]

    def start(self) -> None:
        """Starts the programs that run on the server."""
        self._is_started = True
        for robot, each in self._assigned.items():
            is_waiting = each.state is ProgramStatus.WAITING and not self._restarts.is_due(robot)
            if each.side == "server" and is_waiting:
                self._launch(robot, is_awaited=True)

    def start_due(self) -> None:
        """Starts the programs again whose restart is due."""
        for robot in self._restarts.take_due(self._state.time):
            if self._assigned[robot].state is ProgramStatus.WAITING:
                self._launch(robot, is_awaited=True)

    def hand_over(self, robots: Collection[str], heir: ControlSocket) -> bool:
        """Hands running programs over to another simulation process; ends those that cannot be.

        Args:
            robots: names of those that the other process simulates, too.
            heir: the socket to that process, which calls `continue_from`.

        Returns:
            whether the other process has taken them over; else they continue here.
        """
        try:
            heir.send(self._handover(robots, self.participants.offer(robots, heir)))
            heir.receive()
        except ControlClosedError:
            self.participants.take_back()
            return False
        self.participants.give_away()
        return True

    def _handover(self, robots: Collection[str], handed: Collection[str]) -> "_Handover":
        """The programs of `robots` as another process is to continue them, and their restarts."""
        kept, restarts = {}, deepcopy(self._restarts)
        for robot, program in self._assigned.items():
            is_lost = program.state is ProgramStatus.RUNNING and robot not in handed
            if is_lost or self._drivers.is_taken_from(robot):
                # It begins again: it runs in a thread, was still starting, or was taken over by a
                # person, whose connection ends.
                kept[robot] = replace(program, state=ProgramStatus.WAITING)
                restarts.forget(robot)
            else:
                kept[robot] = program
        kept = {robot: each for robot, each in kept.items() if robot in robots}
        return _Handover(kept, restarts)

    def continue_from(self, giver: ControlSocket) -> None:
        """Continues the programs that another process hands over; `start` starts the others.

        Args:
            giver: the socket to that process, which calls `hand_over`.

        Raises:
            ControlClosedError: the other process is gone.
        """
        self.participants.take_over(giver)
        handover, _ = giver.receive()
        assert isinstance(handover, _Handover)
        self._assigned.update(handover.assigned)
        self._restarts = handover.restarts
        giver.send(_TakenOver())

    def attach(self, robot: str, file: str, arguments: Sequence[str] = ()) -> None:
        """Makes `file`, of the program folders, the program of a robot that has none which runs.

        Raises:
            ProgramOrderError: there is no such robot or file, or a program is there.
        """
        self._require_robot(robot)
        present = self._assigned.get(robot)
        if present is not None and present.side == "server" and present.is_active:
            raise ProgramOrderError(f"'{present.file}' runs for '{robot}': stop it first")
        try:
            find_program(file, self._roots)
        except PathError as error:
            raise ProgramOrderError(str(error)) from error
        limits = present.limits if present is not None else ProgramLimits()
        self._assigned[robot] = _Assigned(program_name(file), tuple(arguments), limits)
        self._start_if_begun(robot)

    def restart(self, robot: str, arguments: Sequence[str] | None = None) -> None:
        """Starts or restarts the program of a robot; its file is read again.

        Args:
            robot: its name.
            arguments: replace those that the program had; None: it keeps them.

        Raises:
            ProgramOrderError: the robot has no program here.
        """
        program = self._require_own(robot)
        if arguments is not None:
            program.arguments = tuple(arguments)
        self._restarts.forget(robot)
        if program.state is ProgramStatus.RUNNING:
            program.is_to_start_again = True
            self._dismiss(robot, is_remote=False, reason="is started again")
        else:
            program.state = ProgramStatus.WAITING
            self._start_if_begun(robot)

    def stop(self, robot: str) -> None:
        """Ends the programs of a robot: the server's own, or else those from elsewhere.

        Raises:
            ProgramOrderError: none runs.
        """
        self._require_robot(robot)
        program = self._assigned.get(robot)
        if program is not None and program.side == "server" and program.is_active:
            self._end_own(robot, reason="was stopped")
        elif not self._dismiss(robot, is_remote=True, reason="was stopped"):
            raise ProgramOrderError(f"no program runs for '{robot}'")

    def take_over(self, robot: str) -> None:
        """Stops the program that drives a robot, or is about to, because a person takes over.

        A program of the server restarts when the person has left, or with `give_back`.

        Raises:
            ProgramOrderError: there is no such robot.
        """
        self._require_robot(robot)
        driver = self._drivers.driver_of(robot)
        owner = robot if driver is None else driver.robot
        program = self._assigned.get(owner)
        is_own = program is not None and program.side == "server" and program.is_active
        is_elsewhere = driver is not None and driver.is_remote
        if program is None or not is_own or is_elsewhere:
            self._drivers.take_over(robot, None)
            self.participants.dismiss_driver(robot, reason=_TAKEN)
        elif driver is not None or program.state is ProgramStatus.WAITING:
            self._drivers.take_over(robot, owner)
            self._end_own(owner, reason=_TAKEN)

    def give_back(self, robot: str) -> None:
        """Restarts the programs from which a robot was taken over, as `restart`.

        Raises:
            ProgramOrderError: there is no such robot.
        """
        self._require_robot(robot)
        for owner in self._drivers.give_back(robot):
            if not self._assigned[owner].is_active:
                self.restart(owner)

    def give_back_due(self) -> None:
        """Gives back the robots whose drivers had taken them over, and have left."""
        for robot in self._drivers.take_due_back():
            self.give_back(robot)

    def take_program_exit(self, program_exit: ProgramExit) -> None:
        """Notes that a program has ended, and plans its restart where it gets one."""
        program = self._assigned.get(program_exit.robot)
        if program is None or program_exit.program not in (program.path, program.file):
            return
        program.exit_reason = program_exit.reason
        if program.is_to_start_again:
            self._launch(program_exit.robot, is_awaited=False)
        elif program_exit.has_failed:
            program.state = self._state_after_failure(program_exit, program)
        else:
            program.state = ProgramStatus.STOPPED

    def reports(self) -> tuple[ProgramReport, ...]:
        """All programs: those of the world in the order of its robots, then those elsewhere."""
        present = self.participants.participant_infos()
        own = {each.robot: each for each in present if not each.is_remote}
        reports = [
            ProgramReport(
                robot=robot,
                file=each.file,
                arguments=each.arguments,
                side=each.side,
                state=each.state,
                exit_reason="" if each.state is ProgramStatus.RUNNING else each.exit_reason,
                restarts=max(0, each.starts - 1),
                turns=own[robot].turns if robot in own else NO_TURNS,
                drives=own[robot].drives if robot in own else (),
                is_taken=self._drivers.is_taken_from(robot),
            )
            for robot, each in sorted(
                self._assigned.items(), key=lambda item: self._robots.index(item[0])
            )
        ]
        return (*reports, *(_remote(each) for each in present if each.is_remote))

    def _launch(self, robot: str, *, is_awaited: bool) -> None:
        """Starts the program of a robot.

        The simulation waits for one whose start follows from the world's files alone, so that a run
        can be repeated; not for one that a client has ordered, until it is ready.
        """
        program = self._assigned[robot]
        program.is_to_start_again = False
        try:
            path = find_program(program.file, self._roots)
            program.path = str(path)
            self.participants.launch(
                path,
                robot=robot,
                arguments=program.arguments,
                limits=program.limits,
                is_awaited=is_awaited,
            )
        except (PathError, SandboxError) as error:
            self._miss(robot, str(error))
        except OSError as error:
            self._miss(robot, _explain(error))
        else:
            program.state = ProgramStatus.RUNNING
            program.starts += 1

    def _miss(self, robot: str, reason: str) -> None:
        """Tells that the program of a robot cannot be started."""
        file, missed = self._assigned[robot].file, self._drivers.miss(robot)
        self._report_exit(ProgramExit(file, robot, reason, driven=missed))

    def _end_own(self, robot: str, *, reason: str) -> None:
        """Ends the server's own program of a robot, which is active."""
        program = self._assigned[robot]
        self._restarts.forget(robot)
        program.is_to_start_again = False
        if program.state is ProgramStatus.RUNNING:
            self._dismiss(robot, is_remote=False, reason=reason)
        else:
            program.state, program.exit_reason = ProgramStatus.STOPPED, reason

    def _start_if_begun(self, robot: str) -> None:
        if self._is_started:
            self._launch(robot, is_awaited=False)

    def _dismiss(self, robot: str, *, is_remote: bool, reason: str) -> bool:
        return self.participants.dismiss(robot, is_remote=is_remote, reason=reason)

    def _state_after_failure(self, program_exit: ProgramExit, program: _Assigned) -> ProgramStatus:
        """A program that failed may get another chance."""
        if not program.limits.is_restarted:
            return ProgramStatus.FAILED
        delay = self._restarts.fail(program_exit.robot, self._state.time)
        text = explain_restart(delay)
        self._report(Notice("warning", program_exit.program, self._state.step, text))
        return ProgramStatus.DISABLED if delay is None else ProgramStatus.WAITING

    def _require_robot(self, robot: str) -> None:
        if robot not in self._robots:
            known = ", ".join(self._robots) or "none"
            raise ProgramOrderError(f"no robot '{robot}' (robots: {known})")

    def _require_own(self, robot: str) -> _Assigned:
        self._require_robot(robot)
        program = self._assigned.get(robot)
        if program is None:
            raise ProgramOrderError(f"'{robot}' has no program: attach one")
        if program.side != "server":
            raise ProgramOrderError(f"'{program.file}' runs on a client: start it again there")
        return program


def _assigned(robot: PlacedRobot) -> _Assigned:
    return _Assigned(
        robot.program or "", robot.program_arguments, robot.program_limits, robot.program_side
    )


def _remote(each: ParticipantInfo) -> ProgramReport:
    return ProgramReport(
        robot=each.robot,
        file=each.program,
        arguments=(),
        side="elsewhere",
        state=ProgramStatus.RUNNING,
        turns=each.turns,
        drives=each.drives,
    )


def _explain(error: OSError) -> str:
    """Why the system starts no further program, with the limit that it has reached."""
    texts = ("cannot be started", error.strerror or str(error), explain_shortage(error))
    return ": ".join(filter(None, texts))
