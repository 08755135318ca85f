"""The commands of `autosim ctl` for records and for the time of a simulation."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from autosim.cli.cli_options import (
    MOST_STEPS,
    CommandGroup,
    Real,
    WireField,
    echo_escaped,
    example,
    explain_errors,
    server_options,
)
from autosim.config.schemas.requests import PACE_FIELD

if TYPE_CHECKING:
    from autosim.client.link.time_control import TimeControl, TimeInfo

_JSON = click.option("--json", "as_json", is_flag=True, help="JSON instead of text.")


def _order(address: str, as_json: bool, order: "Callable[[TimeControl], TimeInfo]") -> None:
    """Sends a server a request about its time and prints the result."""
    from autosim.applications.remote.time_orders import open_time, time_record, time_text

    with open_time(address) as time:
        info = order(time)
    echo_escaped(json.dumps(time_record(info)) if as_json else time_text(info))


@click.group(
    cls=CommandGroup, epilog=example("autosim ctl record start", "autosim ctl record stop")
)
@server_options
def record(address: str) -> None:
    """Records the run to a file on the server's machine."""


@record.command(epilog=example("autosim ctl record start", "autosim ctl record start lap-3"))
@click.argument("name", default="")
@server_options
@_JSON
@explain_errors
def start(name: str, address: str, as_json: bool) -> None:
    """Starts recording to NAME.mcap in the server's folder for records.

    The folder is $AUTOSIM_RECORDS of the server, or records/ in its working directory.
    """
    _order(address, as_json, lambda time: time.start_record(name))


@record.command(epilog=example("autosim ctl record stop"))
@server_options
@_JSON
@explain_errors
def stop(address: str, as_json: bool) -> None:
    """Stops recording; returns when the record is on disk."""
    _order(address, as_json, lambda time: time.stop_record())


@click.command("time", epilog=example("autosim ctl time --json"))
@server_options
@_JSON
@explain_errors
def time_(address: str, as_json: bool) -> None:
    """Shows step and time, the current record, the snapshots, and the digest of all states."""
    _order(address, as_json, lambda time: time.report())


@click.command(epilog=example("autosim ctl seek 2400"))
@click.argument("step", type=click.IntRange(0, MOST_STEPS))
@server_options
@_JSON
@explain_errors
def seek(step: int, address: str, as_json: bool) -> None:
    """Shows STEP of a replay, or the nearest recorded step."""
    _order(address, as_json, lambda time: time.seek(step))


@click.command(epilog=example("autosim ctl back --pace 2"))
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
def back(pace: float, address: str, as_json: bool) -> None:
    """Plays a replay backwards, and returns at once."""
    _order(address, as_json, lambda time: time.play_back(pace))


_NAME = click.argument("name")


@click.command(
    epilog=example(
        "autosim ctl snapshot before-the-bend", "autosim ctl snapshot --on-disk before-the-bend"
    )
)
@_NAME
@click.option(
    "--on-disk",
    "is_on_disk",
    is_flag=True,
    help="Write it to NAME.mcap in the server's folder for records.",
)
@server_options
@_JSON
@explain_errors
def snapshot(name: str, is_on_disk: bool, address: str, as_json: bool) -> None:
    """Takes a bit-exact snapshot NAME of the simulation; autosim ctl restore returns to it.

    It stays in the server's memory until it is dropped or the world ends. With --on-disk it is a
    record of one state and of everything that led to it; autosim server --continue-from continues
    from it.
    """
    _order(
        address,
        as_json,
        lambda time: time.save_snapshot(name) if is_on_disk else time.snapshot(name),
    )


@click.command(epilog=example("autosim ctl restore before-the-bend"))
@_NAME
@server_options
@_JSON
@explain_errors
def restore(name: str, address: str, as_json: bool) -> None:
    """Returns to the snapshot NAME, which is kept.

    User programs continue from it too, and are notified: see on_restore in the documentation.
    """
    _order(address, as_json, lambda time: time.restore(name))


@click.command("drop-snapshot", epilog=example("autosim ctl drop-snapshot before-the-bend"))
@_NAME
@server_options
@_JSON
@explain_errors
def drop(name: str, address: str, as_json: bool) -> None:
    """Drops the snapshot NAME and frees its memory."""
    _order(address, as_json, lambda time: time.drop(name))


@click.command(epilog=example("autosim ctl rewind 5"))
@click.argument("seconds", type=Real(min=0.001))
@server_options
@_JSON
@explain_errors
def rewind(seconds: float, address: str, as_json: bool) -> None:
    """Goes back by SECONDS of simulated time, by replaying from the last snapshot before.

    Where no snapshot is that old, it goes back to the oldest one.
    """
    from autosim.applications.remote.time_orders import open_time, rewound_text, time_record

    with open_time(address) as time:
        before = time.report().time
        info = time.rewind(seconds)
    echo_escaped(json.dumps(time_record(info)) if as_json else rewound_text(info, before - seconds))


COMMANDS: tuple[click.Command, ...] = (
    *(record, time_, seek, back),
    *(snapshot, restore, drop, rewind),
)
