"""Orders to user programs, and the report on each program that answers them."""

from dataclasses import dataclass
from enum import Enum
from shlex import quote

from autosim.model.program_status import ProgramStatus
from autosim.orders.base_order import Order
from autosim.v1 import autosim_pb2 as pb

_ACTIONS = pb.ProgramOrder.Action


@dataclass(frozen=True, slots=True)
class TurnFigures:
    """The turns of the last second."""

    count: int = 0
    """Number of turns that have ended, and the one under way."""

    mean: float = 0.0
    """Mean time [s] of a turn, from being woken to waiting again."""

    longest: float = 0.0
    """Longest time [s] of a turn, the one under way so far."""

    has_turn: bool = False
    """Whether the step waits for the program now."""


NO_TURNS = TurnFigures()


@dataclass(frozen=True, slots=True)
class ProgramReport:
    """State of a user program."""

    robot: str
    """The robot that it drives."""

    file: str
    """Its file as the world names it; of a remote program, the name that it has given itself."""

    arguments: tuple[str, ...]
    """Arguments of its `main` after the robot's name."""

    side: str
    """The host on which it runs: "server", "client" or "elsewhere"."""

    state: ProgramStatus
    """Whether it runs."""

    exit_reason: str = ""
    """Why it does not run."""

    restarts: int = 0
    """Number of restarts."""

    turns: TurnFigures = NO_TURNS
    """Its turns in the last second."""

    drives: tuple[str, ...] = ()
    """The robots that obey it now."""

    is_taken: bool = False
    """Whether it was ended for a person, and restarts when its robot is given back; only on the
    server."""

    @property
    def is_active(self) -> bool:
        """Whether it runs, or will run by itself."""
        return self.state in (ProgramStatus.WAITING, ProgramStatus.RUNNING)

    @property
    def call(self) -> str:
        """The file with its arguments, on one line."""
        return " ".join((self.file, *map(quote, self.arguments)))

    def to_message(self) -> pb.Program:
        """Its form on the wire."""
        return pb.Program(
            robot=self.robot,
            file=self.file,
            arguments=self.arguments,
            side=self.side,
            state=self.state.name,
            exit_reason=self.exit_reason,
            restarts=self.restarts,
            turn_ms_mean=1e3 * self.turns.mean,
            turn_ms_max=1e3 * self.turns.longest,
            turns=self.turns.count,
            has_turn=self.turns.has_turn,
            drives=self.drives,
        )

    @classmethod
    def from_message(cls, message: pb.Program) -> "ProgramReport":
        """The report of a server."""
        return cls(
            robot=message.robot,
            file=message.file,
            arguments=tuple(message.arguments),
            side=message.side,
            state=ProgramStatus(message.state),
            exit_reason=message.exit_reason,
            restarts=message.restarts,
            turns=TurnFigures(
                count=message.turns,
                mean=1e-3 * message.turn_ms_mean,
                longest=1e-3 * message.turn_ms_max,
                has_turn=message.has_turn,
            ),
            drives=tuple(message.drives),
        )


ProgramReports = tuple[ProgramReport, ...]
"""The reports on all user programs."""


@dataclass(frozen=True, slots=True)
class GetPrograms(Order[ProgramReports]):
    """Requests the reports on the user programs."""


class ProgramAction(Enum):
    """An order to the program of a robot: see the methods of `ProgramManager`."""

    STOP = _ACTIONS.STOP
    RESTART = _ACTIONS.RESTART
    ATTACH = _ACTIONS.ATTACH
    TAKE_OVER = _ACTIONS.TAKE_OVER
    GIVE_BACK = _ACTIONS.GIVE_BACK


@dataclass(frozen=True, slots=True)
class OrderProgram(Order[ProgramReports]):
    """Does `action`; answered when it is done.

    A program that starts is waited for until its first `wait`, or its failure. Where `arguments`
    are None, one that is started again keeps its own.
    """

    action: ProgramAction
    robot: str
    """Name of the robot."""
    file: str = ""
    """Program to start, as a world file names it; "": the current one."""
    arguments: tuple[str, ...] | None = None

    def to_message(self) -> pb.ProgramOrder:
        """Its request on the wire."""
        return pb.ProgramOrder(
            action=self.action.value,
            robot=self.robot,
            file=self.file,
            arguments=self.arguments or (),
            has_arguments=self.arguments is not None,
        )

    @classmethod
    def from_message(cls, message: pb.ProgramOrder) -> "OrderProgram":
        """The order of a checked request."""
        action = ProgramAction(message.action)
        has_arguments = message.has_arguments or action is ProgramAction.ATTACH
        arguments = tuple(message.arguments) if has_arguments else None
        return cls(action, message.robot, message.file, arguments)
