"""`autosim replay` and `autosim recover`: records of runs."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import click

from autosim.cli.common import FILE, MOST_STEPS, WireField, example, explained, say
from autosim.config.schemas.requests import PACE_FIELD

RECORD = click.argument("record", type=FILE)


@click.command(
    epilog=example(
        "autosim replay run.mcap",
        "autosim replay run.mcap --verify",
        "autosim replay run.mcap --continue-from 2400",
    )
)
@RECORD
@click.option("--verify", is_flag=True, help="Simulate the run again, and compare every state.")
@click.option(
    "--continue-from",
    "continued_from",
    type=click.IntRange(0, MOST_STEPS),
    metavar="STEP",
    help="Simulate up to STEP again, and go on from there as a live simulation.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="The port to listen on. Default: 2008; 0: any free port.",
)
@click.option("--headless", is_flag=True, help="Run without a window.")
@click.option(
    "--pace",
    type=WireField(PACE_FIELD),
    default=1.0,
    show_default=True,
    help="Simulated time per real time; 0: as fast as possible.",
)
@click.option("--paused", is_flag=True, help="Stand still until somebody says run.")
@click.option("--record-to", type=FILE, help="Record what goes on from STEP to this file.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of text, with --verify.")
@explained
def replay(
    record: Path,
    verify: bool,
    continued_from: int | None,
    port: int | None,
    headless: bool,
    pace: float,
    paused: bool,
    record_to: Path | None,
    as_json: bool,
) -> None:
    """Shows the run of RECORD, to clients that connect as to a server.

    autosim ctl seek goes to any step, autosim ctl run --pace sets the speed, autosim ctl back
    plays backwards. With --verify nothing is shown; the exit code is 1 where a state differs, and
    the first value that does is named.
    """
    if verify:
        from autosim.applications.records.verify import verify as verify_record

        found = verify_record(record)
        if as_json:
            difference = None if found.difference is None else asdict(found.difference)
            say(json.dumps({"states": found.states, "difference": difference}))
        else:
            say(found)
        sys.exit(0 if found.difference is None else 1)
    from autosim.applications.run.replay import run_replay
    from autosim.applications.run.serve import ServeOptions

    options = ServeOptions(
        world="",
        host="127.0.0.1",
        port=port,
        seed=0,
        pace=pace,
        is_paused=paused,
        is_insecure=False,
        certificate=None,
        key=None,
        is_safe=False,
        has_window=not headless,
        record=record_to,
    )
    run_replay(record, options, continued_from=continued_from)


@click.command(
    epilog=example("autosim recover run.mcap", "autosim recover run.mcap --out whole.mcap")
)
@RECORD
@click.option("--out", type=FILE, help="The whole record. Default: it takes the place of RECORD.")
@explained
def recover(record: Path, out: Path | None) -> None:
    """Makes a whole record of RECORD, whose writer was killed or whose disk was full.

    All that is readable is kept; at most the last 0.6 s before the end are lost.
    """
    from autosim.records.recovery import recover as recover_record

    found = recover_record(record, out or record)
    damaged = f", {found.damaged_chunks} damaged chunks left out" if found.damaged_chunks else ""
    say(f"{out or record}: {found.states} states and {found.events} events{damaged}")
