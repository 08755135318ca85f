"""The commands of `autosim ctl` that change what a running server simulates."""

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
    from autosim.client.link.server_management import ProgramInfo

NORTH = math.pi / 2.0
"""The yaw [rad] of a new robot without a stated heading: north."""

_JSON = click.option("--json", "as_json", is_flag=True, help="JSON instead of text.")


def _complete_robots(
    context: click.Context, parameter: click.Parameter, beginning: str
) -> list[str]:
    """Names of the robots of the server that the command line names."""
    from autosim.applications.remote.value_orders import complete_names

    found = complete_names(context.params["address"], beginning)
    return [name for name in found if "." not in name]


_ROBOT = click.argument("robot", shell_complete=_complete_robots)


def _say_programs(programs: "Sequence[ProgramInfo]", as_json: bool) -> None:
    from autosim.applications.remote.management_orders import programs_record, programs_text

    echo_escaped(json.dumps(programs_record(programs)) if as_json else programs_text(programs))


@click.command(epilog=example("autosim ctl programs", "autosim ctl programs --json"))
@server_options
@_JSON
@explain_errors
def programs(address: str, as_json: bool) -> None:
    """Lists the user programs: state, step time (mean and longest of the last second), restarts."""
    from autosim.applications.remote import management_orders as management

    _say_programs(management.programs(address), as_json)


@click.command("stop-program", epilog=example("autosim ctl stop-program impreza"))
@_ROBOT
@server_options
@_JSON
@explain_errors
def stop_program(robot: str, address: str, as_json: bool) -> None:
    """Ends the user program of ROBOT, even in the middle of its turn; the robot brakes."""
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
@click.option("--no-arguments", is_flag=True, help="With none, where it had some.")
@click.argument("arguments", nargs=-1)
@explain_errors
def restart_program(
    robot: str, address: str, as_json: bool, no_arguments: bool, arguments: tuple[str, ...]
) -> None:
    """Starts the user program of ROBOT, or restarts it. The server reads its file again.

    ARGUMENTS, after --, take the place of those that it had; without them it keeps its own.
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
@click.option(
    "--robot", required=True, shell_complete=_complete_robots, help="The robot that it drives."
)
@server_options
@_JSON
@click.argument("arguments", nargs=-1)
@explain_errors
def attach(
    program: str, robot: str, address: str, as_json: bool, arguments: tuple[str, ...]
) -> None:
    """Makes PROGRAM, a file in the server's folders, the user program of a robot that has none.

    It runs on the server, as if the world file named it, and is saved with the world. To run a
    file of this machine beside the server: autosim run.
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
@click.option("--name", required=True, help="The name of the new robot.")
@click.option(
    "--at",
    "place",
    metavar="X,Y[,HEADING]",
    help="East and north [m], bearing [°]. Default: on a lane.",
)
@click.option("--program", default="", help="A user program for it, from the server's folders.")
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
    """Puts a robot into the running simulation; FILE is a robot file in the server's folders.

    The server pauses the simulation, builds it again with the robot, and continues at the same step
    with the same poses, speeds and wheels. The user programs of the other robots continue.
    ARGUMENTS, after --, go to the program of the new robot. autosim ctl undo takes the robot out.
    """
    from autosim.applications.remote import management_orders as management
    from autosim.client.link.server_management import RobotOrder

    position, yaw = management.place_of(place) if place else (None, None)
    order = RobotOrder(
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
    help="East and north [m], bearing [°]. Without HEADING it keeps its own.",
)
@click.option(
    "--height",
    type=Real(),
    help="Where a bridge crosses a street: choose the level nearest to this height [m].",
)
@click.option(
    "--speed",
    type=Real(),
    default=0.0,
    help="Its forward speed there [m/s]; its wheels roll at that speed.",
)
@server_options
@explain_errors
def move(robot: str, place: str, height: float | None, speed: float, address: str) -> None:
    """Puts ROBOT, or an object, elsewhere; its user program goes on.

    It is refused where there is no ground, or where ROBOT would stand in a building or in another
    robot. Of several levels ROBOT stays on the one nearest to its height.
    """
    from autosim.applications.remote import management_orders as management
    from autosim.client.link.server_management import RobotMove

    position, yaw = management.place_of(place)
    velocity = (speed, 0.0, 0.0)
    order = RobotMove(robot, position, yaw=yaw, height=height, velocity=velocity)
    management.move_robot(address, order)


@click.command(epilog=example("autosim ctl remove car2"))
@_ROBOT
@server_options
@explain_errors
def remove(robot: str, address: str) -> None:
    """Takes ROBOT out of the running simulation, and ends its user program.

    The simulation pauses while it is built again without ROBOT. Then it continues at the same step:
    the other robots and their user programs continue as if nothing had happened. autosim ctl undo
    puts ROBOT back.
    """
    from autosim.applications.remote import management_orders as management

    management.remove_robot(address, robot)


@click.command(epilog=example("autosim ctl undo"))
@server_options
@explain_errors
def undo(address: str) -> None:
    """Undoes the last change since the world was loaded, as Ctrl+Z in the server's window does.

    That is a robot added, removed or moved, or an actuator set by ctl set or in a window; what was
    set again within a second is undone with it.

    A robot that was removed returns to where it was, at rest, and its user program starts. The
    simulation remains at its step.
    """
    from autosim.applications.remote import management_orders as management

    management.undo(address)


@click.command(epilog=example("autosim ctl save worlds/later.xml"))
@click.argument("file", type=FILE)
@server_options
@explain_errors
def save(file: Path, address: str) -> None:
    """Writes the world as it stands to FILE, on this machine: a world file.

    Like every command that writes a file, it makes missing folders.

    It holds where the robots are and where they head, their programs, and what the world was loaded
    with; not their speeds and tilts.
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
@click.option("--no-programs", "safe", is_flag=True, help="Start none of its user programs.")
@click.option(
    "--steps-per-second",
    type=WireField(STEP_RATE_FIELD),
    default=0,
    help="Its step size. Default: as its file says.",
)
@server_options
@explain_errors
def load(world: str, safe: bool, steps_per_second: int, address: str) -> None:
    """Loads WORLD, from the server's folders, in place of the present world; Ctrl-C cancels.

    Without WORLD this is autosim ctl reset: the present world begins again at step 0 as it was
    loaded. A world has one step size from its first step on, so that its clock and its bytes follow
    from it.

    The present world goes on until the new one is ready, and stays where the new one cannot be
    used. The new one stands still: autosim ctl run lets it run.
    """
    from autosim.applications.remote import management_orders as management

    management.load(address, world, is_safe=safe, steps_per_second=steps_per_second)


@click.command(epilog=example("autosim ctl reset"))
@server_options
@explain_errors
def reset(address: str) -> None:
    """Starts the present world again at step 0, as it was loaded. The simulation then stands still.

    Everything that was added since is discarded: robots that were added, removed or moved, programs
    that were attached, and values that were set. The command lists what it has discarded; autosim
    ctl save keeps it in a world file before. The files of the world are not read again: autosim ctl
    load WORLD does that.
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
