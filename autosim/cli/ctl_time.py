"""The commands of `autosim ctl` for records and for the time of a simulation."""

import json
from typing import TYPE_CHECKING

import click

from autosim.cli.common import (
    MOST_STEPS,
    SERVER,
    Commands,
    Real,
    WireField,
    example,
    explained,
    say,
)
from autosim.config.schemas.requests import PACE_FIELD

if TYPE_CHECKING:
    from autosim.client.link.time_control import TimeInfo

_JSON = click.option("--json", "as_json", is_flag=True, help="JSON instead of text.")


def _say(info: "TimeInfo", as_json: bool) -> None:
    from autosim.applications.remote.time_orders import time_record, time_text

    say(json.dumps(time_record(info)) if as_json else time_text(info))


@click.group(cls=Commands, epilog=example("autosim ctl record start", "autosim ctl record stop"))
@SERVER
def record(address: str) -> None:
    """Records the run to a file on the server's machine."""


@record.command(epilog=example("autosim ctl record start", "autosim ctl record start lap-3"))
@click.argument("name", default="")
@SERVER
@_JSON
@explained
def start(name: str, address: str, as_json: bool) -> None:
    """Records from now on, to NAME.mcap in the server's folder for records.

    That is $AUTOSIM_RECORDS of the server, or records/ in its working directory.
    """
    from autosim.applications.remote.time_orders import open_time

    with open_time(address) as time:
        _say(time.start_record(name), as_json)


@record.command(epilog=example("autosim ctl record stop"))
@SERVER
@_JSON
@explained
def stop(address: str, as_json: bool) -> None:
    """Ends the record; returns when it is on the disk."""
    from autosim.applications.remote.time_orders import open_time

    with open_time(address) as time:
        _say(time.stop_record(), as_json)


@click.command("time", epilog=example("autosim ctl time --json"))
@SERVER
@_JSON
@explained
def time_(address: str, as_json: bool) -> None:
    """Shows where the run stands, what is recorded, and the digest of all states so far."""
    from autosim.applications.remote.time_orders import open_time

    with open_time(address) as time:
        _say(time.report(), as_json)


@click.command(epilog=example("autosim ctl seek 2400"))
@click.argument("step", type=click.IntRange(0, MOST_STEPS))
@SERVER
@_JSON
@explained
def seek(step: int, address: str, as_json: bool) -> None:
    """Shows STEP of a replay, or the nearest step that there is."""
    from autosim.applications.remote.time_orders import open_time

    with open_time(address) as time:
        _say(time.seek(step), as_json)


@click.command(epilog=example("autosim ctl back --pace 2"))
@click.option(
    "--pace",
    type=WireField(PACE_FIELD),
    default=1.0,
    show_default=True,
    help="Simulated time per real time; 0: as fast as possible.",
)
@SERVER
@_JSON
@explained
def back(pace: float, address: str, as_json: bool) -> None:
    """Plays a replay backwards, and returns at once."""
    from autosim.applications.remote.time_orders import open_time

    with open_time(address) as time:
        _say(time.play_back(pace), as_json)


_NAME = click.argument("name")


@click.command(epilog=example("autosim ctl snapshot before-the-bend"))
@_NAME
@SERVER
@_JSON
@explained
def snapshot(name: str, address: str, as_json: bool) -> None:
    """Keeps the present moment as NAME, to the last bit; autosim ctl restore goes back to it.

    It is kept in the server's memory, until it is dropped or the world ends.
    """
    from autosim.applications.remote.time_orders import open_time

    with open_time(address) as time:
        _say(time.snapshot(name), as_json)


@click.command(epilog=example("autosim ctl restore before-the-bend"))
@_NAME
@SERVER
@_JSON
@explained
def restore(name: str, address: str, as_json: bool) -> None:
    """Goes on from the moment NAME, which stays kept.

    User programs go on too, and are told: see on_restore in the documentation.
    """
    from autosim.applications.remote.time_orders import open_time

    with open_time(address) as time:
        _say(time.restore(name), as_json)


@click.command("drop-snapshot", epilog=example("autosim ctl drop-snapshot before-the-bend"))
@_NAME
@SERVER
@_JSON
@explained
def drop(name: str, address: str, as_json: bool) -> None:
    """Forgets the moment NAME, and frees its memory."""
    from autosim.applications.remote.time_orders import open_time

    with open_time(address) as time:
        _say(time.drop(name), as_json)


@click.command(epilog=example("autosim ctl rewind 5"))
@click.argument("seconds", type=Real(min=0.001))
@SERVER
@_JSON
@explained
def rewind(seconds: float, address: str, as_json: bool) -> None:
    """Goes back by SECONDS of simulated time, by way of the last moment that is kept before."""
    from autosim.applications.remote.time_orders import open_time

    with open_time(address) as time:
        _say(time.rewind(seconds), as_json)


COMMANDS: tuple[click.Command, ...] = (
    *(record, time_, seek, back),
    *(snapshot, restore, drop, rewind),
)
