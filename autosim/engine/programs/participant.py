"""One user program in the step: its turns and its messages."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Protocol

from autosim.engine.command_gate.drivers import AnotherDriverError, Driver
from autosim.engine.command_gate.gate import CheckedCommand, ProgramGate
from autosim.engine.peer_limits import LIMITS
from autosim.engine.programs.picture_scheduler import ProgramPictures
from autosim.engine.programs.refusals import Refusals
from autosim.engine.programs.turn_meter import TurnMeter
from autosim.model.commands import DeviceError, DeviceErrorCode, abbreviated_name
from autosim.model.tree import SimulationTree
from autosim.orders.programs import TurnFigures
from autosim.userprogram.ipc.channel import (
    ChannelClosedError,
    ChannelError,
    ChannelFaultError,
    ChannelTimeoutError,
    HostChannel,
)
from autosim.userprogram.ipc.program_exits import ProgramExit
from autosim.userprogram.ipc.program_messages import (
    MORE_FOLLOWS,
    commands_of,
    dismissed_message,
    picture_requests_of,
    program_exit_of,
    refused_message,
    turn_message,
)
from autosim.v1 import autosim_pb2 as pb

_GRACE_SECONDS = 0.5
"""The least time [s] for which a program is heard out, however long ago it was woken: what it has
said since then lies in its channel. Also how long a process that has closed its channel may take to
end, so that its exit can be named."""

_LOOK_SECONDS = 0.2
"""Time [s] after which a turn is long enough to ask the system for what its program waited for a
processor: asking takes as long as a short turn."""

_NAME_CHARACTERS = 200
"""Of the name that a program elsewhere gives itself: the longest that messages show."""


class Readable(Protocol):
    """Something to wait on."""

    def fileno(self) -> int:
        """A descriptor that is readable when there is something to hear."""


class Program(Protocol):
    """Runner of a program: a process, a thread, or a peer somewhere else."""

    @property
    def is_remote(self) -> bool:
        """Whether it was started elsewhere, and cannot be started from here."""

    @property
    def is_thread(self) -> bool:
        """Whether it runs in a thread of this process."""

    @property
    def channel(self) -> HostChannel:
        """The host's end of the channel to the program."""

    @property
    def prepared_seconds(self) -> float:
        """Time [s] that it has spent on what does not count towards its deadline."""

    @property
    def starved_seconds(self) -> float:
        """Time [s] for which it was ready to run and the machine ran others; 0: not known."""

    def wait(self, timeout: float) -> bool:
        """Whether it has ended, at the latest `timeout` [s] from now."""

    def end(self) -> str:
        """Ends it at once; says how it ended."""

    def end_with_stack(self) -> str:
        """Ends a program that hangs; returns where it stood, "" where that is not known."""

    def stack(self) -> str:
        """Traceback of a crash, "" if it is unknown."""


@dataclass(slots=True)
class TurnDeadline:
    """Until when a program may say nothing, by `time.monotonic` [s].

    It moves on by what the program spends on preparations, up to `LIMITS.preparation_seconds` in
    one turn, by what its client draws, up to `LIMITS.client_drawing_seconds`, and by what it waits
    for a processor: a busy machine makes no program late. `starved` is None until it has been read:
    that takes longer than most turns.
    """

    program: Program
    until: float = 0.0
    _begun: float = 0.0
    _given: float = 0.0
    _prepared: float = 0.0
    _prepared_before: float = 0.0
    _starved: float | None = None
    _drawn: float = 0.0
    _drawn_before: float = 0.0
    _draws_since: float | None = None

    def allow(self, seconds: float) -> None:
        """Begins a turn, which may take `seconds` from now on."""
        self._prepared_before = self._drawn = self._drawn_before = 0.0
        self._draws_since = None
        self._begin(seconds)

    def resume(self, seconds: float) -> None:
        """Continues a turn that has stood still; its allowances are those of the whole turn."""
        self._prepared_before = min(self._prepared_so_far(), LIMITS.preparation_seconds)
        self._drawn_before = min(self._drawn, LIMITS.client_drawing_seconds)
        self._begin(seconds)

    def begin_drawing(self) -> None:
        """Stands still while the program's client draws, as long as the turn's allowance lasts."""
        if self._draws_since is None:
            self._draws_since = time.monotonic()
            self.until = self._given + self._uncounted()

    def end_drawing(self) -> None:
        """Continues after `begin_drawing`."""
        if self._draws_since is not None:
            self._drawn += time.monotonic() - self._draws_since
            self._draws_since = None
            self.until = self._given + self._uncounted()

    def _begin(self, seconds: float) -> None:
        self._begun = time.monotonic()
        self.until = self._given = self._begun + seconds
        self._prepared, self._starved = self.program.prepared_seconds, None

    def has_passed(self) -> bool:
        """Whether it has passed."""
        now = time.monotonic()
        if self._starved is None and now > self._begun + _LOOK_SECONDS:
            self._starved = self.program.starved_seconds
        if now > self.until:
            self.until = self._given + self._uncounted()
        return now > self.until

    def left(self) -> float:
        """Time that is left [s], what does not count included; below 0 if it has passed."""
        self.until = self._given + self._uncounted()
        return self.until - time.monotonic()

    def _uncounted(self) -> float:
        prepared = min(self._prepared_so_far(), LIMITS.preparation_seconds) - self._prepared_before
        starved = 0.0
        if self._starved is not None:
            starved = max(0.0, self.program.starved_seconds - self._starved)
        most = LIMITS.client_drawing_seconds
        # What is being drawn may take all that is left.
        drawn = most if self._draws_since is not None else min(self._drawn, most)
        return prepared + starved + drawn - self._drawn_before

    def _prepared_so_far(self) -> float:
        """Time [s] of this turn that went into preparations."""
        return self._prepared_before + self.program.prepared_seconds - self._prepared


@dataclass(frozen=True, slots=True)
class ParticipantInfo:
    """A program that takes part: the names of it and of its robot, and how its turns go.

    `drives`: the robots that obey it.
    """

    program: str
    robot: str
    is_remote: bool
    """Whether it runs elsewhere, connected over the network."""
    turns: TurnFigures
    drives: tuple[str, ...] = ()


@dataclass(slots=True)
class Participant:
    """One program's part in the barrier.

    `due` is the step at which it is woken. From the first of these on it may take
    `start_deadline` [s of wall-clock time] to reach its first wait(), however long the simulation
    stood still before; after that `deadline` [s] from one to the next (inf: for ever). What a
    program on this machine imports and compiles does not count, nor that it waits for a processor,
    nor, within limits, the time in which the client of one from elsewhere draws its pictures.
    `first_turn` gives the start deadline of one from elsewhere, by its robot and peer. `robot` is
    empty where the program says itself which one is its own; `name` is then its peer's until it has
    attached, and `deadlines` [s] holds the deadlines of the robots that have one of their own for
    such programs. `ending`: why it is to end, "" while it is not. `pictures`: what draws for it, if
    anything does.

    Attributes:
        index: its place among the participants.
        has_attached: whether it has received its assignment.
        has_waited: whether it has reached its first wait().
        commands: checked commands of the current turn, not yet applied.
        refusals: commands that were refused, for the program's next turn.
        turns: durations and counts of its turns.
    """

    index: int
    program: Program
    name: str
    robot: str
    start_deadline: float
    deadline: float
    deadlines: Mapping[str, float] = field(default_factory=dict)
    pictures: ProgramPictures | None = None
    due: int = 0
    has_attached: bool = False
    has_waited: bool = False
    commands: list[CheckedCommand] = field(default_factory=list)
    refusals: Refusals = field(default_factory=Refusals)
    turns: TurnMeter = field(default_factory=TurnMeter)
    ending: str = ""
    first_turn: Callable[[str, str], float] = lambda robot, peer: inf
    _woken_at: float = field(default=0.0, init=False)
    _deadline: TurnDeadline = field(init=False)
    _seconds_left: float = field(default=0.0, init=False)
    _commands_of_turn: int = field(default=0, init=False)
    _bytes_of_turn: int = field(default=0, init=False)
    _orders_of_turn: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._deadline = TurnDeadline(self.program)

    def wake(self, step: int) -> None:
        """Gives the program its turn, once it has attached."""
        self._woken_at = time.monotonic()
        self._commands_of_turn = self._bytes_of_turn = self._orders_of_turn = 0
        self.turns.begin(self._woken_at)
        if self.has_attached:
            self.send(turn_message(step))

    def start_timeout(self) -> None:
        """From now on the step waits for this program: its deadline counts."""
        left = self.deadline
        if not self.has_waited:
            left = self._woken_at + self.start_deadline - time.monotonic()
        self._deadline.allow(max(left, _GRACE_SECONDS))

    @property
    def channel(self) -> Readable:
        """Channel that is readable when there is a message of the program, or its pictures."""
        if self.pictures is not None and self.pictures.is_awaited:
            return self.pictures
        return self.program.channel

    def seconds_left(self) -> float:
        """Remaining time for the program's next message [s of wall-clock time]."""
        if self.pictures is not None and self.pictures.is_awaited and not self.ending:
            return self.pictures.seconds_left()
        return 0.0 if self.ending else max(0.0, self._deadline.until - time.monotonic())

    def receive(self, step: int, gate: ProgramGate) -> ProgramExit | None:
        """Receives at most one message; never blocks.

        Args:
            step: the step at which the program was woken. Its turn is over when it is `due` later.
            gate: checks its commands.

        Returns:
            its exit, also when its time is over or it is to end; None while it continues.
        """
        if self.ending:
            return self.dismiss()
        if self.pictures is not None and self.pictures.is_awaited:
            self._pass_pictures(self.pictures)
            return None
        try:
            message = self.program.channel.receive(0.0)
        except ChannelTimeoutError:
            return self.time_out() if self._deadline.has_passed() else None
        except ChannelClosedError:
            return self._vanished()
        except ChannelFaultError as error:
            return self.fail(str(error))
        program_exit = self._answer(message, step, gate)
        if program_exit is None and self.due <= step and self._deadline.has_passed():
            return self.time_out()
        return program_exit

    def poll(self) -> ProgramExit | None:
        """Checks whether the program has ended while it waits for a later step."""
        try:
            message = self.program.channel.receive(0.0)
        except ChannelTimeoutError:
            return None
        except ChannelClosedError:
            return self._vanished()
        except ChannelFaultError as error:
            return self.fail(str(error))
        kind = message.WhichOneof("kind")
        if kind == "leave":
            return program_exit_of(message.leave, program=self.name, robot=self.robot)
        return self.fail(f"the program sent '{kind}' when that was not its turn")

    def fail(self, reason: str) -> ProgramExit:
        """Ends the program, for that reason."""
        self._tell_end(reason)
        self.program.end()
        return ProgramExit(self.name, self.robot, reason)

    def dismiss(self) -> ProgramExit:
        """Ends the program as ordered: it has not failed."""
        self._tell_end(self.ending, has_failed=False)
        self.program.end()
        return ProgramExit(self.name, self.robot, self.ending, has_failed=False)

    def time_out(self) -> ProgramExit:
        """Ends a program that takes too long, and reports where it stood."""
        if self.has_waited:
            reason = f"did not reach its next wait() within {self.deadline:g} s{self._advice}"
        elif self.has_attached:
            reason = f"did not reach its first wait() within {self.start_deadline:g} s"
        else:
            reason = f"did not start within {self.start_deadline:g} s"
        self._tell_end(reason)
        return ProgramExit(self.name, self.robot, reason, self.program.end_with_stack())

    @property
    def _advice(self) -> str:
        """Further advice to the user about a program that takes too long."""
        return f' (deadline="{math.ceil(10.0 * self.deadline)}" in the world file allows more)'

    def _answer(
        self, message: pb.ProgramMessage, step: int, gate: ProgramGate
    ) -> ProgramExit | None:
        kind = message.WhichOneof("kind")
        if kind == "leave":
            return program_exit_of(message.leave, program=self.name, robot=self.robot)
        if kind == "attach" and not self.has_attached:
            return self._attach(message.attach, step, gate.tree)
        if kind == "wait" and self.has_attached:
            return self._take_wait(message.wait, step, gate)
        if kind == "image_request":
            return self._order_pictures(message.image_request)
        if kind == "client_drawing" and self.program.is_remote and self.has_attached:
            return self._take_drawing(is_over=message.client_drawing.is_over)
        return self.fail(f"the program sent '{kind}' when that was not its turn")

    def _count_order(self) -> ProgramExit | None:
        self._orders_of_turn += 1
        most = LIMITS.turn_picture_orders
        if self._orders_of_turn <= most:
            return None
        return self.fail(f"the program asked for pictures more than {most} times in one turn")

    def _take_drawing(self, *, is_over: bool) -> ProgramExit | None:
        """Takes what a client reports of the pictures that it draws for its program."""
        if is_over:
            self._deadline.end_drawing()
            return None
        self._deadline.begin_drawing()
        return self._count_order()

    def _order_pictures(self, request: pb.ImageRequest) -> ProgramExit | None:
        if program_exit := self._count_order():
            return program_exit
        self._deadline.end_drawing()
        answer: pb.ServerMessage | None
        if self.pictures is None:
            reason = "no renderer is available for this program"
            answer = refused_message(DeviceErrorCode.INVALID_OPERATION, reason)
        else:
            self._seconds_left = self._deadline.left()
            answer = self.pictures.order(picture_requests_of(request))
        if answer is not None:
            self.send(answer)
        return None

    def _pass_pictures(self, pictures: ProgramPictures) -> None:
        """Hands the program its pictures, if they are there; its deadline stood still meanwhile."""
        answer = pictures.answer()
        if answer is not None:
            self.send(answer)
            self._deadline.resume(self._seconds_left)

    def _attach(self, attach: pb.Attach, step: int, tree: SimulationTree) -> ProgramExit | None:
        robot = tree.find(attach.robot)
        if robot is None or robot.kind != "Robot":
            return self._refuse(
                DeviceErrorCode.UNKNOWN_ROBOT, f"no robot '{abbreviated_name(attach.robot)}'"
            )
        if attach.layout_digest != tree.digest:
            return self._refuse(
                DeviceErrorCode.INVALID_OPERATION,
                f"the program's tree has the layout {abbreviated_name(attach.layout_digest)}, "
                f"the simulation's {tree.digest}",
            )
        if not self.robot:
            peer, self.robot = self.name, attach.robot
            self.name = f"{attach.program[:_NAME_CHARACTERS]} ({peer})"
            self.deadline = self.deadlines.get(self.robot, self.deadline)
            first_turn = max(self.deadline, self.first_turn(self.robot, peer))
            if first_turn < self.start_deadline:
                self.start_deadline = first_turn
                self._deadline.allow(first_turn)
        self.has_attached = True
        self.send(turn_message(step))
        return None

    def _refuse(self, code: DeviceErrorCode, reason: str) -> ProgramExit:
        self.send(refused_message(code, reason))
        return ProgramExit(self.name, self.robot, reason)

    def _take_wait(self, wait: pb.Wait, step: int, gate: ProgramGate) -> ProgramExit | None:
        self._commands_of_turn += len(wait.commands)
        if self._commands_of_turn > LIMITS.turn_commands:
            most = LIMITS.turn_commands
            return self.fail(f"the program set devices more than {most} times in one turn")
        self._bytes_of_turn += sum(len(each.data) for each in wait.commands)
        if self._bytes_of_turn > LIMITS.turn_bytes:
            most = LIMITS.turn_bytes
            return self.fail(f"the program set more than {most} bytes of values in one turn")
        driver = Driver(self.index, self.name, self.robot, self.program.is_remote)
        for command in commands_of(wait):
            try:
                self.commands.append(gate.check_of(driver, command))
            except AnotherDriverError as error:
                return self._refuse(error.code, error.reason)
            except DeviceError as error:
                self.refusals.add(error)
        if wait.until_step == MORE_FOLLOWS:
            return None
        if wait.until_step <= step:
            return self.fail(f"the program waits for step {wait.until_step}, which is past")
        self.due = wait.until_step
        self.has_waited = True
        self.turns.end(time.monotonic(), wait.turn_seconds)
        return None

    def send(self, message: pb.ServerMessage) -> None:
        """Sends `message`; a program that is gone or does not listen is dropped in its turn."""
        try:
            self.program.channel.send(message)
        except ChannelError:
            return

    def _tell_end(self, reason: str, *, has_failed: bool = True) -> None:
        """Tells a program elsewhere why it is ended; one on this machine is killed."""
        if self.program.is_remote:
            self.send(dismissed_message(reason, has_failed=has_failed))

    def _vanished(self) -> ProgramExit:
        has_ended = self.program.wait(_GRACE_SECONDS)
        how = self.program.end()
        reason = how if has_ended else "closed its connection to the simulation"
        return ProgramExit(self.name, self.robot, reason, self.program.stack())
