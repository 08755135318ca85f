"""`autosim branch` and `autosim ctl branch`: one run goes on several times, side by side."""

import json
import shlex
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

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
"""Number of branches at most: each takes three processes or more."""

_COUNT = click.argument("count", type=click.IntRange(1, _MOST), required=False)


def _options(command: Callable[..., Any]) -> Callable[..., Any]:
    for add in (
        click.option("--json", "as_json", is_flag=True, help="JSON instead of text."),
        click.option("--record", "is_recorded", is_flag=True, help="Record each, beside RECORD."),
        click.option(
            "--seconds",
            type=Real(min=0.001),
            help="Run each so long, in simulated time [s], as fast as possible, and end. Default: "
            "serve them until Ctrl-C.",
        ),
        click.option(
            "--restart-programs",
            "has_fresh_programs",
            is_flag=True,
            help="Restart the user programs at STEP instead of repeating what they did.",
        ),
        click.option("--robot", help="Whom these programs drive. Default: the first robot."),
        click.option(
            "--program",
            "programs",
            multiple=True,
            metavar="'FILE ARGUMENT...'",
            help="Takes the place of the robot's own in one branch; once for each branch.",
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
def branch(place: tuple[Path, int | None], **options: Any) -> None:
    """Goes on from STEP of RECORD in COUNT branches side by side, each with a server of its own.

    In each the run goes on as it was, user programs included, to the last bit. With --program
    another program drives from there on in each of them.
    """
    _branch(*place, **options)


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
def ctl_branch(address: str, **options: Any) -> None:
    """Goes on from the present moment in COUNT branches side by side, as autosim branch.

    The moment is written to the server's folder for records; the server itself goes on. For a
    server on this machine.
    """
    from autosim.applications.remote.time_orders import save_moment_here

    _branch(save_moment_here(address), None, **options)


def _branch(
    record: Path,
    step: int | None,
    *,
    count: int | None,
    programs: tuple[str, ...],
    robot: str | None,
    seconds: float | None,
    is_recorded: bool,
    has_fresh_programs: bool,
    as_json: bool,
) -> None:
    if count is None and not programs:
        raise click.UsageError("say how many branches, or give a --program for each")
    if count is not None and programs and count != len(programs):
        raise click.UsageError(f"{count} branches need {count} times --program, or none")
    from autosim.applications.run.branch import BranchOptions, branches, serve_branches
    from autosim.records.record_format import Continuation

    words = tuple(_split(each) for each in programs) or ((),) * (count or 0)
    continuation = Continuation(record, step, has_fresh_programs)
    options = BranchOptions(words, robot, seconds or 0.0, is_recorded)
    if not seconds:
        serve_branches(continuation, options)
        return
    with branches(continuation, options) as made:
        for each in made:
            echo_escaped(json.dumps(asdict(each)) if as_json else each)


def _split(text: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise click.UsageError(f"--program {text}: {error}") from error
    if not words:
        raise click.UsageError("--program needs a file")
    return words
