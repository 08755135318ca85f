"""`autosim branch` and `autosim ctl branch`: several continuations of one run, in parallel."""

import json
import shlex
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TypedDict, TypeVar, Unpack

import click

from autosim.cli.cli_options import (
    Real,
    RecordedStep,
    echo_escaped,
    example,
    explain_errors,
    server_options,
)

_MOST = 64
"""Largest number of branches; each needs at least three processes."""

_COUNT = click.argument("count", type=click.IntRange(1, _MOST), required=False)


CommandT = TypeVar("CommandT", bound=Callable[..., object])


class _Options(TypedDict):
    """Options of both commands, by the names that click gives them."""

    count: int | None
    programs: tuple[str, ...]
    robot: str | None
    seconds: float | None
    is_recorded: bool
    has_fresh_programs: bool
    as_json: bool


def _options(command: CommandT) -> CommandT:
    for add in (
        click.option("--json", "as_json", is_flag=True, help="JSON instead of text."),
        click.option(
            "--record", "is_recorded", is_flag=True, help="Record each branch, next to RECORD."
        ),
        click.option(
            "--seconds",
            type=Real(min=0.001),
            help="Run each branch for this simulated time [s], as fast as possible, and end. "
            "Default: serve them until Ctrl-C.",
        ),
        click.option(
            "--restart-programs",
            "has_fresh_programs",
            is_flag=True,
            help="Restart the user programs at STEP instead of resuming them.",
        ),
        click.option("--robot", help="Robot that --program drives. Default: the first."),
        click.option(
            "--program",
            "programs",
            multiple=True,
            metavar="'FILE ARGUMENT...'",
            help="Replaces the robot's program in one branch; give it once for each branch.",
        ),
    ):
        command = add(command)
    return command


@click.command(
    epilog=example(
        "autosim branch run.mcap@2400 4",
        "autosim branch run.mcap --program careful.py --program 'bold.py 0.8' --seconds 20",
    )
)
@click.argument("place", type=RecordedStep(), metavar="RECORD[@STEP]")
@_COUNT
@_options
@explain_errors
def branch(place: tuple[Path, int | None], **options: Unpack[_Options]) -> None:
    """Continues a recorded run from STEP in COUNT parallel branches, each on its own server.

    Every branch continues bit-identically to the recorded run, user programs included. With
    --program each branch continues with a different program.
    """
    _branch(*place, options)


@click.command(
    "branch",
    epilog=example(
        "autosim ctl branch 4",
        "autosim ctl branch --program careful.py --program 'bold.py 0.8' --seconds 20",
    ),
)
@_COUNT
@_options
@server_options
@explain_errors
def ctl_branch(address: str, **options: Unpack[_Options]) -> None:
    """Continues the current run in COUNT parallel branches, as autosim branch does.

    A snapshot is written to the server's folder for records; the server itself continues. Only for
    a server on this machine.
    """
    from autosim.applications.remote.time_orders import save_snapshot_here

    _branch(save_snapshot_here(address), None, options)


def _branch(
    record: Path,
    step: int | None,
    given: _Options,
) -> None:
    count, programs, seconds = given["count"], given["programs"], given["seconds"]
    if count is None and not programs:
        raise click.UsageError("give the number of branches, or one --program for each")
    if count is not None and programs and count != len(programs):
        raise click.UsageError(f"{count} branches need {count} --program options, or none")
    from autosim.applications.run.branch import BranchOptions, branches, serve_branches
    from autosim.records.record_format import Continuation

    words = tuple(_split(each) for each in programs) or ((),) * (count or 0)
    continuation = Continuation(record, step, given["has_fresh_programs"])
    options = BranchOptions(words, given["robot"], seconds or 0.0, given["is_recorded"])
    if not seconds:
        serve_branches(continuation, options)
        return
    with branches(continuation, options) as made:
        for each in made:
            echo_escaped(json.dumps(asdict(each)) if given["as_json"] else each)


def _split(text: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise click.UsageError(f"--program {text}: {error}") from error
    if not words:
        raise click.UsageError("--program needs a file")
    return words
