"""`autosim train`."""

from pathlib import Path

import click

from autosim.cli.cli_options import FILE, Real, echo_escaped, example, explain_errors


@click.command(
    epilog=example(
        "autosim train Traffic --out out/traffic --minutes 15",
        "autosim train Traffic --out out/traffic --minutes 5 --resume",
        "autosim benchmark run town --agent out/traffic/policy.npz",
    )
)
@click.argument("task")
@click.option("--out", type=FILE, required=True, help="Folder of checkpoint, policy and curve.")
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    help="Seed of the policy, of starts and of traffic. Default: 0.",
)
@click.option(
    "--minutes",
    type=Real(0.0, min_open=True),
    help="Processor time [min], of all threads. Default: 15, with --steps no limit.",
)
@click.option("--steps", type=click.IntRange(0), help="Steps of cars, in total. Default: no limit.")
@click.option("--resume", "is_resumed", is_flag=True, help="Continue the training in the folder.")
@click.option(
    "--world",
    "worlds",
    multiple=True,
    help="Town to train in; repeatable. Default: worlds/circle_town.xml.",
)
@click.option("--test", "tests", multiple=True, help="Town that is held out; repeatable.")
@click.option(
    "--cars", type=click.IntRange(128), default=1024, help="Number of cars. Default: 1024."
)
@click.option("--threads", type=click.IntRange(1), help="Number of threads. Default: processors.")
@click.option(
    "--episodes",
    type=click.IntRange(1),
    default=300,
    help="Episodes per town at the end, at least. Default: 300.",
)
@click.option(
    "--collision-cost",
    type=Real(0.0),
    default=25.0,
    help="Cost of a collision, where 10 m of progress are worth 1. Default: 25.",
)
@click.option(
    "--final-collision-cost",
    type=Real(0.0),
    help="Cost of a collision in the last --final-steps of --steps. Default: as before.",
)
@click.option(
    "--final-steps", type=click.IntRange(1), default=4_000_000, help="Their number. Default: 4e6."
)
@click.option(
    "--keep",
    type=click.Choice(["best", "last"]),
    default="best",
    help="Which policy is written: the best of all trials, or the last one. Default: best.",
)
@explain_errors
def train(
    task: str,
    out: Path,
    seed: int,
    minutes: float | None,
    steps: int | None,
    is_resumed: bool,
    worlds: tuple[str, ...],
    tests: tuple[str, ...],
    cars: int,
    threads: int | None,
    episodes: int,
    collision_cost: float,
    final_collision_cost: float | None,
    final_steps: int,
    keep: str,
) -> None:
    """Trains a policy for TASK (LaneKeeping, Traffic or Junction) in a fleet of cars.

    The same seed and number of steps give the same bytes. Without --minutes and --steps it takes 15
    minutes of processor time.
    """
    from autosim.applications.learning.train_policy import TrainingOrder, train_policy

    order = TrainingOrder(
        task,
        out,
        worlds or ("worlds/circle_town.xml",),
        tests,
        cars,
        seed,
        steps,
        15.0 if minutes is None and steps is None else minutes,
        threads,
        is_resumed,
        episodes,
        collision_cost,
        final_collision_cost,
        final_steps,
        keeps_last=keep == "last",
    )
    for line in train_policy(order):
        echo_escaped(line)
