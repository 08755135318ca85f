"""The commands of `autosim ctl` that change the world of a running server."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autosim.cli.cli_options import (
    FILE,
    Real,
    WireField,
    echo_escaped,
    example,
    explain_errors,
    server_options,
)
from autosim.config.schemas.requests import STEP_RATE_FIELD

if TYPE_CHECKING:
    from autosim.orders.programs import ProgramReport

NORTH = math.pi / 2.0
"""Yaw [rad] of a new robot without a HEADING: north."""

_JSON = click.option("--json", "as_json", is_flag=True, help="JSON instead of text.")


def _complete_robots(
    context: click.Context, parameter: click.Parameter, beginning: str
) -> list[str]:
    """Names of the robots of the server that the command line names."""
    from autosim.applications.remote.value_orders import complete_names

    found = complete_names(context.params["address"], beginning)
    return [name for name in found if "." not in name]


_ROBOT = click.argument("robot", shell_complete=_complete_robots)


def _say_programs(programs: "Sequence[ProgramReport]", as_json: bool) -> None:
    from autosim.applications.remote.management_orders import programs_record, programs_text

    echo_escaped(json.dumps(programs_record(programs)) if as_json else programs_text(programs))


@click.command(epilog=example("autosim ctl programs", "autosim ctl programs --json"))
@server_options
@_JSON
@explain_errors
def programs(address: str, as_json: bool) -> None:
    """Lists the user programs: state, step time (mean and maximum of the last second), restarts."""
    from autosim.applications.remote import management_orders as management

    _say_programs(management.programs(address), as_json)


@click.command("stop-program", epilog=example("autosim ctl stop-program impreza"))
@_ROBOT
@server_options
@_JSON
@explain_errors
def stop_program(robot: str, address: str, as_json: bool) -> None:
    """Stops the user program of ROBOT, even in the middle of its turn; the robot brakes."""
    from autosim.applications.remote import management_orders as management

    _say_programs(management.stop_program(address, robot), as_json)


@click.command(
    "restart-program",
    epilog=example(
        "autosim ctl restart-program impreza", "autosim ctl restart-program first -- second third"
    ),
)
@_ROBOT
@server_options
@_JSON
@click.option("--no-arguments", is_flag=True, help="Start it without arguments.")
@click.argument("arguments", nargs=-1)
@explain_errors
def restart_program(
    robot: str, address: str, as_json: bool, no_arguments: bool, arguments: tuple[str, ...]
) -> None:
    """Starts or restarts the user program of ROBOT; the server reads its file again.

    ARGUMENTS, after --, replace its arguments; without them it keeps the previous ones.
    """
    from autosim.applications.remote import management_orders as management

    chosen = arguments if arguments or no_arguments else None
    _say_programs(management.restart_program(address, robot, chosen), as_json)


@click.command(
    epilog=example(
        "autosim ctl attach userprograms/driver.py --robot car2",
        "autosim ctl attach userprograms/convoy.py --robot first -- second third",
    )
)
@click.argument("program")
@click.option("--robot", required=True, shell_complete=_complete_robots, help="Robot to drive.")
@server_options
@_JSON
@click.argument("arguments", nargs=-1)
@explain_errors
def attach(
    program: str, robot: str, address: str, as_json: bool, arguments: tuple[str, ...]
) -> None:
    """Attaches PROGRAM, a file in the server's folders, to a robot that has no user program.

    It runs on the server, as if the world file named it, and is saved with the world. To run a
    file of this machine, use autosim run.
    """
    from autosim.applications.remote import management_orders as management

    found = management.attach_program(address, robot, file=program, arguments=arguments)
    _say_programs(found, as_json)


@click.command(
    epilog=example(
        "autosim ctl add robots/impreza.xml --name car2",
        "autosim ctl add robots/impreza.xml --name car2 --at -120,2,90 "
        "--program userprograms/driver.py",
    )
)
@click.argument("file")
@click.option("--name", required=True, help="Name of the new robot.")
@click.option(
    "--at",
    "place",
    metavar="X,Y[,HEADING]",
    help="Position east and north [m], heading clockwise from north [°]. Default: on a lane.",
)
@click.option("--program", default="", help="User program of the robot, from the server's folders.")
@server_options
@click.argument("arguments", nargs=-1)
@explain_errors
def add(
    file: str,
    name: str,
    place: str | None,
    program: str,
    address: str,
    arguments: tuple[str, ...],
) -> None:
    """Adds a robot to the running simulation; FILE is a robot file in the server's folders.

    The server pauses the simulation, rebuilds it with the robot, and continues at the same step
    with the same poses, speeds and wheel states. The user programs of the other robots continue.
    ARGUMENTS, after --, go to the program of the new robot. autosim ctl undo removes the robot.
    """
    from autosim.applications.remote import management_orders as management
    from autosim.orders.robot_orders import AddRobot

    position, yaw = management.place_of(place) if place else (None, None)
    order = AddRobot(
        file,
        name,
        position,
        yaw=NORTH if yaw is None else yaw,
        program=program,
        arguments=arguments,
    )
    management.add_robot(address, order)


@click.command(
    epilog=example(
        "autosim ctl move impreza --to -120,2,90",
        "autosim ctl move impreza --to 0,35 --speed 10",
    )
)
@_ROBOT
@click.option(
    "--to",
    "place",
    metavar="X,Y[,HEADING]",
    required=True,
    help="Position east and north [m], heading clockwise from north [°]. Default heading: "
    "unchanged.",
)
@click.option(
    "--height",
    type=Real(),
    help="Where streets cross on several levels: choose the level nearest to this height [m].",
)
@click.option(
    "--speed",
    type=Real(),
    default=0.0,
    help="Forward speed after the move [m/s]; the wheels roll at that speed.",
)
@server_options
@explain_errors
def move(robot: str, place: str, height: float | None, speed: float, address: str) -> None:
    """Moves ROBOT, or an object, to another place; its user program continues.

    The move is refused if there is no ground, or if ROBOT would overlap a building or another
    robot. Where streets lie above each other, ROBOT stays on the level nearest to its height.
    """
    from autosim.applications.remote import management_orders as management
    from autosim.orders.robot_orders import MoveRobot

    position, yaw = management.place_of(place)
    velocity = (speed, 0.0, 0.0)
    order = MoveRobot(robot, position, yaw=yaw, height=height, velocity=velocity)
    management.move_robot(address, order)


@click.command(epilog=example("autosim ctl remove car2"))
@_ROBOT
@server_options
@explain_errors
def remove(robot: str, address: str) -> None:
    """Removes ROBOT from the running simulation and stops its user program.

    The simulation pauses while it is rebuilt without ROBOT, and continues at the same step: the
    other robots and their user programs are not affected. autosim ctl undo restores ROBOT.
    """
    from autosim.applications.remote import management_orders as management

    management.remove_robot(address, robot)


@click.command(epilog=example("autosim ctl undo"))
@server_options
@explain_errors
def undo(address: str) -> None:
    """Undoes the last change since the world was loaded, as Ctrl+Z in the server's window does.

    A change is a robot added, removed or moved, or an actuator set by ctl set or in a window;
    values that were set within one second are undone together.

    A removed robot returns to its old place, at rest, and its user program starts. The simulation
    stays at its current step.
    """
    from autosim.applications.remote import management_orders as management

    management.undo(address)


@click.command(epilog=example("autosim ctl save worlds/later.xml"))
@click.argument("file", type=FILE)
@server_options
@explain_errors
def save(file: Path, address: str) -> None:
    """Writes the current world to FILE, a world file on this machine.

    Missing folders are created, as by every command that writes a file.

    The file holds the positions and headings of the robots, their programs, and what the world was
    loaded with; it does not hold speeds, roll and pitch.
    """
    from autosim.applications.remote import management_orders as management

    management.save(address, file)


@click.command(
    epilog=example(
        "autosim ctl load worlds/convoy.xml",
        "autosim ctl load town.osm --no-programs",
        "autosim ctl load --steps-per-second 480",
    )
)
@click.argument("world", default="")
@click.option("--no-programs", "safe", is_flag=True, help="Do not start its user programs.")
@click.option(
    "--steps-per-second",
    type=WireField(STEP_RATE_FIELD),
    default=0,
    help="Step rate [1/s]. Default: that of the world file.",
)
@server_options
@explain_errors
def load(world: str, safe: bool, steps_per_second: int, address: str) -> None:
    """Replaces the current world by WORLD, from the server's folders; Ctrl-C cancels.

    Without WORLD this is autosim ctl reset: the current world starts again at step 0 as it was
    loaded. A world keeps one step size from its first step on, because its clock and its bytes
    depend on it.

    The current world continues until the new one is ready, and stays if the new one cannot be
    loaded. The new world is paused; autosim ctl run starts it.
    """
    from autosim.applications.remote import management_orders as management

    management.load(address, world, is_safe=safe, steps_per_second=steps_per_second)


@click.command(epilog=example("autosim ctl reset"))
@server_options
@explain_errors
def reset(address: str) -> None:
    """Resets the current world to step 0, as it was loaded, and pauses the simulation.

    All changes since then are discarded: robots that were added, removed or moved, programs that
    were attached, and values that were set. The command lists them; to keep them, use autosim ctl
    save first. The files of the world are not read again; autosim ctl load WORLD does that.
    """
    from autosim.applications.remote import management_orders as management

    management.load(address, "", is_safe=False, steps_per_second=0)


COMMANDS: tuple[click.Command, ...] = (
    programs,
    stop_program,
    restart_program,
    attach,
    add,
    move,
    remove,
    undo,
    save,
    load,
    reset,
)
