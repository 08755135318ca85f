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
        "autosim determinism --runs 20 --processors",
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
@click.option(
    "--processors",
    is_flag=True,
    help="Also with the code paths of other processors; the first time kernels are compiled for "
    "them, which takes minutes.",
)
@click.option("--json", "as_json", is_flag=True, help="JSON instead of text.")
@explain_errors
def determinism(
    world: str, runs: int, steps: int, seed: int, processors: bool, as_json: bool
) -> None:
    """Runs WORLD in many ways and compares the bytes of all states.

    The runs are in one process and in several, under load and with delays, with viewers, after a
    reset, from a snapshot in memory and on disk, and from a record: half a minute for the shipped
    town on two idle processors. The exit code is 1 if any state differs.
    """
    from autosim.applications.common.terminal import progress_bar
    from autosim.applications.determinism.cases import all_cases
    from autosim.applications.determinism.determinism_check import (
        CaseResult,
        check_determinism,
        result_text,
    )
    from autosim.applications.determinism.digest_probe import ProbeOrder

    order, cases = ProbeOrder(world, steps, seed), list(all_cases(runs, with_processors=processors))
    with progress_bar() as bar:
        task = bar.add_task("", total=len(cases))

        def tell(result: CaseResult) -> None:
            bar.advance(task)
            if not as_json:
                echo_escaped(result_text(result))

        found = check_determinism(
            order, cases, begun=lambda name: bar.update(task, description=name), told=tell
        )
    if as_json:
        echo_escaped(json.dumps(asdict(found)))
    else:
        echo_escaped(f"{found.runs} runs, {found.differing} different; digest {found.digest}")
    sys.exit(1 if found.differing else 0)
