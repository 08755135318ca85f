"""`autosim determinism`."""

import json
import sys
from dataclasses import asdict

import click

from autosim.cli.cli_options import DEFAULT_WORLD, echo_escaped, example, explain_errors

_STEPS = 240
"""Default number of steps of each run: one second of most worlds, with programs driving."""


@click.command(
    epilog=example(
        "autosim determinism",
        "autosim determinism worlds/convoy.xml --steps 1200 --json",
        "autosim determinism --runs 20",
    )
)
@click.argument("world", default=DEFAULT_WORLD)
@click.option(
    "--runs",
    type=click.IntRange(2),
    default=2,
    show_default=True,
    help="Number of runs in one process.",
)
@click.option(
    "--steps",
    type=click.IntRange(2),
    default=_STEPS,
    show_default=True,
    help="Number of steps of each run.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of all noise.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of text.")
@explain_errors
def determinism(world: str, runs: int, steps: int, seed: int, as_json: bool) -> None:
    """Runs WORLD in many ways and compares the bytes of all states.

    The runs are in one process and in several, under load and with delays, with viewers, after a
    reset, from a snapshot in memory and on disk, from a record, and with the code paths of other
    processors. The exit code is 1 if any state differs.
    """
    from autosim.applications.determinism.cases import all_cases
    from autosim.applications.determinism.determinism_check import (
        CaseResult,
        check_determinism,
        result_text,
    )
    from autosim.applications.determinism.digest_probe import ProbeOrder

    def tell(result: CaseResult) -> None:
        if not as_json:
            echo_escaped(result_text(result))

    order = ProbeOrder(world, steps, seed)
    found = check_determinism(order, all_cases(runs), told=tell)
    if as_json:
        echo_escaped(json.dumps(asdict(found)))
    else:
        echo_escaped(f"{found.runs} runs, {found.differing} different; digest {found.digest}")
    sys.exit(1 if found.differing else 0)
