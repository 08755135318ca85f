"""The `autosim ctl` commands for worlds, robots and user programs of a running server."""

import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from autosim.applications.common.files import write_whole
from autosim.applications.common.terminal import progress_bar, tell
from autosim.applications.remote.server_orders import patient_control
from autosim.client.link.server_management import LoadStep, ServerManagement
from autosim.client.link.simulation_control import simulation_control
from autosim.config.diagnostics import ConfigError
from autosim.errors import UserError
from autosim.loading.loader import load_world
from autosim.model.notices import Notice
from autosim.model.program_status import ProgramStatus
from autosim.orders.programs import ProgramReport, ProgramReports
from autosim.orders.robot_orders import AddRobot, MoveRobot


@contextmanager
def open_management(address: str) -> Iterator[ServerManagement]:
    """The calls to the server at `address`."""
    with patient_control(address) as control:
        yield ServerManagement(control)


def programs(address: str) -> ProgramReports:
    """The user programs of the server.

    Raises:
        UserError: the server cannot be reached, or has no world.
    """
    with open_management(address) as management:
        return management.programs()


def stop_program(address: str, robot: str) -> ProgramReports:
    """Ends the user program of a robot; returns all programs.

    Raises:
        UserError: none runs, or the server cannot be reached.
    """
    with open_management(address) as management:
        return management.stop_program(robot)


def restart_program(
    address: str, robot: str, arguments: Sequence[str] | None = None
) -> ProgramReports:
    """Starts the user program of a robot, again where it runs; returns all programs.

    With `arguments` in place of those that it had, unless they are None.

    Raises:
        UserError: the robot has none, it fails at once, or the server cannot be reached.
    """
    return _start_program(
        address, robot, lambda management: management.restart_program(robot, arguments)
    )


def attach_program(
    address: str, robot: str, *, file: str, arguments: Sequence[str]
) -> ProgramReports:
    """Makes a file of the server the user program of a robot; returns all programs.

    Raises:
        UserError: it cannot be, it fails at once, or the server cannot be reached.
    """
    return _start_program(
        address, robot, lambda management: management.attach_program(robot, file, arguments)
    )


def _start_program(
    address: str, robot: str, order: Callable[[ServerManagement], ProgramReports]
) -> ProgramReports:
    """Gives an order that starts a program, which is to get as far as its first wait.

    Raises:
        UserError: it does not; the message is all that the server says of it.
    """
    with patient_control(address) as control:
        said = control.report().said
        found = order(ServerManagement(control))
        notices = control.report(messages_after=said).notices
    program = next(each for each in found if each.robot == robot)
    faults = [each for each in notices if _is_fault_of(program, each)]
    if faults:
        raise UserError("\n".join(map(str, faults)))
    return found


def _is_fault_of(program: ProgramReport, notice: Notice) -> bool:
    """Whether `program` has failed: it is named by its path, or as it was ordered."""
    is_named = Path(notice.source).parts[-len(Path(program.file).parts) :]
    return notice.level == "error" and is_named == Path(program.file).parts


def add_robot(address: str, robot: AddRobot) -> None:
    """Puts a robot into the running simulation.

    Raises:
        UserError: it cannot be, or the server cannot be reached.
    """
    with open_management(address) as management:
        management.add_robot(robot)
    tell(f"{robot.name} is in the world")


def move_robot(address: str, move: MoveRobot) -> None:
    """Puts a robot of the running simulation elsewhere.

    Raises:
        UserError: it cannot stand there, or the server cannot be reached.
    """
    with open_management(address) as management:
        management.move_robot(move)
    tell(f"{move.robot} stands at {move.position[0]:g},{move.position[1]:g}")


def remove_robot(address: str, robot: str) -> None:
    """Takes a robot out of the running simulation.

    Raises:
        UserError: there is no such robot, or the server cannot be reached.
    """
    with open_management(address) as management:
        management.remove_robot(robot)
    tell(f"{robot} is no longer in the world")


def undo(address: str) -> None:
    """Undoes the last change: a robot added, removed or moved, an actuator set.

    Raises:
        UserError: there is none, it cannot be undone, or the server cannot be reached.
    """
    with open_management(address) as management:
        undone = management.undo()
    tell(f"undone: {undone.text}")
    if undone.next:
        tell(f"the change before: {undone.next}")


def load(address: str, world: str, *, is_safe: bool, steps_per_second: int) -> None:
    """Loads a world and shows how far that has come; Ctrl-C cancels it.

    Without `world` the present one, from its beginning; `steps_per_second` 0: as its file says.

    Raises:
        UserError: it cannot be used, or the server cannot be reached.
    """
    with simulation_control(address) as control:
        steps = ServerManagement(control).load(
            world, is_safe=is_safe, steps_per_second=steps_per_second
        )
        with closing(steps), progress_bar() as bar:  # type: ignore[type-var]
            task = bar.add_task("loading", total=1.0)
            last = LoadStep("", 0.0)
            for last in steps:
                bar.update(task, completed=last.share, description=last.step)
    for warning in last.warnings:
        tell(warning)
    tell(f"loaded {world or 'the world again'}; autosim ctl run starts it")


def save(address: str, file: Path) -> None:
    """Writes the current world to a world file here, completely or not at all.

    Raises:
        UserError: it cannot be written, or the server cannot be reached.
    """
    with open_management(address) as management:
        text = management.save(os.path.abspath(file.parent))
    write_whole(file, text.encode())
    tell(f"wrote {file}")
    try:
        load_world(file)
    except ConfigError as error:
        tell(
            f"as it lies there it cannot be loaded: {error.diagnostics[0].message}. Save it in the "
            "folder worlds/ of its project, or name the project's folder in $AUTOSIM_PATH"
        )


def place_of(text: str) -> tuple[tuple[float, float], float | None]:
    """Position (x, y) [m] in W and yaw [rad] of `X,Y` or `X,Y,HEADING`; without it no yaw.

    HEADING is a compass bearing in degrees: 0 north, 90 east.

    Raises:
        UserError: it is neither.
    """
    try:
        numbers = [float(each) for each in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 3) or not all(map(math.isfinite, numbers)):
        raise UserError(
            f"'{text}' is not a position: expected X,Y or X,Y,HEADING, such as -120,2,90"
        )
    yaw = math.pi / 2.0 - math.radians(numbers[2]) if len(numbers) == 3 else None
    return (numbers[0], numbers[1]), yaw


def programs_text(found: Sequence[ProgramReport]) -> str:
    """A line of text for each program."""
    return "\n".join(_line(each) for each in found) or "no user programs"


def programs_record(found: Sequence[ProgramReport]) -> list[dict[str, object]]:
    """The same, as JSON has it."""
    return [
        {
            "robot": each.robot,
            "program": each.file,
            "arguments": list(each.arguments),
            "side": each.side,
            "state": each.state.name.lower(),
            "reason": each.exit_reason,
            "restarts": each.restarts,
            "turn_ms": {"mean": 1e3 * each.turns.mean, "max": 1e3 * each.turns.longest},
            "turns": each.turns.count,
            "has_turn": each.turns.has_turn,
        }
        for each in found
    ]


def state_text(program: ProgramReport) -> str:
    """State of a program as text."""
    if program.side == "client":
        return "runs on a client that has this world open"
    if program.turns.has_turn:
        return "running (the step waits for it)"
    word = program.state.name.lower()
    if program.state is ProgramStatus.DISABLED:
        word = "disabled after three failures in a minute"
    return f"{word}: {program.exit_reason}" if program.exit_reason else word


def turn_text(program: ProgramReport) -> str:
    """Duration of its turns, mean and longest; "" without one in the last second."""
    if not program.turns.count:
        return ""
    return f"{1e3 * program.turns.mean:.2f} / {1e3 * program.turns.longest:.2f} ms"


def _line(program: ProgramReport) -> str:
    parts = [f"{program.robot}: {program.call}: {state_text(program)}"]
    turn = turn_text(program)
    if turn:
        parts.append(f"turns {turn}")
    if program.restarts:
        parts.append(f"{program.restarts} restarts")
    return ", ".join(parts)
