"""`autosim ctl`: controls a running server from the command line."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

from autosim.cli.cli_options import (
    MOST_STEPS,
    CommandGroup,
    WireField,
    echo_escaped,
    example,
    explain_errors,
    server_options,
)
from autosim.cli.remote import ctl_time
from autosim.cli.remote.ctl_management import COMMANDS
from autosim.cli.remote.ctl_token import token
from autosim.cli.runs.branch import ctl_branch
from autosim.config.schemas.requests import PACE_FIELD, RATE_FIELD, STEPS_FIELD
from autosim.config.world_limits import MOST_PEOPLE, MOST_VEHICLES
from autosim.model.notices import Severity

if TYPE_CHECKING:
    from autosim.client.link.simulation_control import Status

_JSON = click.option("--json", "as_json", is_flag=True, help="JSON instead of text.")


def _complete_names(
    context: click.Context, parameter: click.Parameter, beginning: str
) -> list[str]:
    """Names of the tree of the server that the command line names."""
    from autosim.applications.remote.value_orders import complete_names

    return complete_names(context.params["address"], beginning)


_Command = TypeVar("_Command", bound=Callable[..., object])


def _names(count: int) -> Callable[[_Command], _Command]:
    return click.argument(
        "names", nargs=count, required=True, metavar="NAME...", shell_complete=_complete_names
    )


def _say_status(status: "Status", as_json: bool) -> None:
    from autosim.applications.remote.server_orders import status_record, status_text

    echo_escaped(json.dumps(status_record(status)) if as_json else status_text(status))


@click.group(cls=CommandGroup)
@server_options
def ctl(address: str) -> None:
    """Controls a running server.

    --server may be given before or after COMMAND; the one after it takes precedence. World files
    are not needed on this machine. A server simulates one world at a time; load replaces it.
    """


for _command in (*COMMANDS, *ctl_time.COMMANDS, ctl_branch, token):
    ctl.add_command(_command)


@ctl.command(epilog=example("autosim ctl status --json"))
@server_options
@_JSON
@explain_errors
def status(address: str, as_json: bool) -> None:
    """Shows the state of the simulation."""
    from autosim.applications.remote.server_orders import read_status

    _say_status(read_status(address), as_json)


@ctl.command(epilog=example("autosim ctl run --pace 0", "autosim ctl run --steps 2400"))
@click.option(
    "--steps",
    type=WireField(STEPS_FIELD),
    default=0,
    help="Pause after this many steps; 0: do not.",
)
@click.option(
    "--pace",
    type=WireField(PACE_FIELD),
    default=1.0,
    show_default=True,
    help="Simulated time per real time; 0: as fast as possible.",
)
@server_options
@_JSON
@explain_errors
def run(steps: int, pace: float, address: str, as_json: bool) -> None:
    """Starts or resumes the simulation and returns at once."""
    from autosim.applications.remote import server_orders as control

    _say_status(control.run(address, steps=steps, pace=pace), as_json)


@ctl.command(epilog=example("autosim ctl pause"))
@server_options
@_JSON
@explain_errors
def pause(address: str, as_json: bool) -> None:
    """Pauses the simulation after the current step."""
    from autosim.applications.remote import server_orders as control

    _say_status(control.pause(address), as_json)


@ctl.command(epilog=example("autosim ctl step", "autosim ctl step 240"))
@click.argument("steps", type=click.IntRange(1, MOST_STEPS), default=1)
@server_options
@_JSON
@explain_errors
def step(steps: int, address: str, as_json: bool) -> None:
    """Advances the simulation by STEPS steps as fast as possible, and returns when done."""
    from autosim.applications.remote import server_orders as control

    _say_status(control.step(address, steps), as_json)


@ctl.command(epilog=example("autosim ctl stop"))
@server_options
@_JSON
@explain_errors
def stop(address: str, as_json: bool) -> None:
    """Stops the server and its user programs."""
    from autosim.applications.remote import server_orders as control

    _say_status(control.stop(address), as_json)


@ctl.command(epilog=example("autosim ctl tree", "autosim ctl tree impreza.chassis --json"))
@click.argument("name", default="", shell_complete=_complete_names)
@server_options
@_JSON
@explain_errors
def tree(name: str, address: str, as_json: bool) -> None:
    """Shows robots, parts and devices with their values; with NAME, only those below it."""
    from autosim.applications.remote import value_orders as control

    echo_escaped(control.tree(address, name, as_json=as_json))


@ctl.command(epilog=example("autosim ctl describe impreza.chassis.gps"))
@click.argument("name", shell_complete=_complete_names)
@server_options
@_JSON
@explain_errors
def describe(name: str, address: str, as_json: bool) -> None:
    """Describes a robot, part, link, device or object, and the meaning of its values.

    Shows the parameters of its file and its fields in the state, with units. Plug-in devices are
    described too, without the plug-in on this machine.
    """
    from autosim.applications.remote import value_orders as control

    echo_escaped(control.describe(address, name, as_json=as_json))


@ctl.command(
    epilog=example(
        "autosim ctl get impreza.chassis.velocimeter",
        "autosim ctl get impreza.collisions impreza.chassis.position --json",
    )
)
@_names(-1)
@server_options
@_JSON
@explain_errors
def get(names: tuple[str, ...], address: str, as_json: bool) -> None:
    """Reads the newest values of robots, parts, devices or single fields.

    To read everything below a robot or a part, use autosim ctl tree NAME.
    """
    from autosim.applications.remote import value_orders as control

    echo_escaped(control.get(address, names, as_json=as_json))


@ctl.command(
    "set",
    # A negative number is a value, not an option.
    context_settings={"ignore_unknown_options": True},
    epilog=example(
        "autosim ctl set impreza.chassis.drive_chassis -0.2 0.5 0",
        "autosim ctl set impreza.chassis.drive_chassis.brake 1",
    ),
)
@click.argument("name", shell_complete=_complete_names)
@click.argument("values", nargs=-1, required=True, type=float)
@server_options
@explain_errors
def set_(name: str, values: tuple[float, ...], address: str) -> None:
    """Sets an actuator, or one of its fields, at the next step.

    A user program that drives the same robot overwrites the values at its next step.
    """
    from autosim.applications.remote import value_orders as control

    control.set_values(address, name, values)


@ctl.command(epilog=example("autosim ctl traffic", "autosim ctl traffic --vehicles 20 --people 8"))
@click.option(
    "--vehicles",
    type=click.IntRange(0, MOST_VEHICLES),
    help="New number of vehicles, at most the capacity of the world.",
)
@click.option(
    "--people",
    type=click.IntRange(0, MOST_PEOPLE),
    help="New number of pedestrians, at most the capacity of the world.",
)
@server_options
@_JSON
@explain_errors
def traffic(vehicles: int | None, people: int | None, address: str, as_json: bool) -> None:
    """Shows the amount of traffic and its counters, or changes the amount."""
    from autosim.applications.remote import traffic_orders as control

    echo_escaped(control.traffic(address, vehicles=vehicles, people=people, as_json=as_json))


@ctl.command(
    epilog=example(
        "autosim ctl watch impreza.chassis.velocimeter --rate 10",
        "autosim ctl watch impreza.chassis.gps --json --count 3",
    )
)
@_names(-1)
@click.option(
    "--rate",
    type=WireField(RATE_FIELD),
    default=10.0,
    show_default=True,
    help="States per simulated second [Hz]; 0: every state that arrives.",
)
@click.option("--count", type=click.IntRange(min=1), help="End after this many states.")
@server_options
@_JSON
@explain_errors
def watch(
    names: tuple[str, ...], rate: float, count: int | None, address: str, as_json: bool
) -> None:
    """Prints values as they change: a line per name, or with --json an object per state."""
    from autosim.applications.remote import value_orders as control

    for line in control.watch(address, names, as_json=as_json, rate_hz=rate, count=count):
        echo_escaped(line)


@ctl.command(epilog=example("autosim ctl messages --level warning --follow"))
@click.option("--follow", is_flag=True, help="Keep running and print new messages as they arrive.")
@click.option(
    "--after",
    type=click.IntRange(0, MOST_STEPS),
    default=0,
    help="Skip this many of the oldest messages.",
)
@click.option(
    "--level",
    type=click.Choice(["info", "warning", "error"]),
    default="info",
    show_default=True,
    help="Lowest level to show.",
)
@server_options
@_JSON
@explain_errors
def messages(follow: bool, after: int, level: "Severity", address: str, as_json: bool) -> None:
    """Prints the messages of the simulation and of the user programs."""
    from autosim.applications.remote import server_orders as control

    for number, notice in control.messages(address, after=after, least=level, follow=follow):
        if as_json:
            record = {
                "number": number,
                "level": notice.level,
                "source": notice.source,
                "step": notice.step,
                "text": notice.text,
            }
            echo_escaped(json.dumps(record))
        else:
            echo_escaped(notice)


@ctl.command(epilog=example("autosim ctl clients", "autosim ctl clients --json"))
@server_options
@_JSON
@explain_errors
def clients(address: str, as_json: bool) -> None:
    """Lists the clients that receive states: what each takes, and whether it keeps up."""
    from dataclasses import asdict

    from autosim.applications.remote import server_orders as control

    found = control.connected_clients(address)
    if as_json:
        echo_escaped(json.dumps([asdict(each) for each in found]))
    else:
        echo_escaped("\n".join(map(control.client_text, found)) or "no clients")
