"""`autosim benchmark`."""

from pathlib import Path

import click

from autosim.cli.cli_options import FILE, CommandGroup, echo_escaped, example, explain_errors
from autosim.cli.runs.executor_options import choose_executor, executor_options

_AGENT = click.option(
    "--agent",
    required=True,
    help="What drives: driver, idm, mppi, lane_keeper, a user program (.py) with arguments, a "
    "policy file (.npz), or process: and a command.",
)


@click.group(
    cls=CommandGroup,
    epilog=example(
        "autosim benchmark list",
        "autosim benchmark run town --agent driver --limit 2 --out out/town",
        "autosim benchmark compare out/town out/town_idm",
    ),
)
def benchmark() -> None:
    """Scores agents on routes through towns: the same score each time."""


@benchmark.command(epilog=example("autosim benchmark run town --agent idm --out out/idm"))
@click.argument("suite")
@_AGENT
@click.option("--limit", type=click.IntRange(1), help="Largest number of episodes.")
@click.option("--seeds", type=click.IntRange(1), help="Seeds per route. Default: as in SUITE.")
@click.option(
    "--out", type=FILE, help="Folder of the results. Default: out/benchmarks/SUITE-AGENT."
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    help="Number of parallel episodes. Default: one per processor, or one per task of a batch "
    "system.",
)
@click.option(
    "--retry-failed", "is_again", is_flag=True, help="Also repeat episodes that gave no result."
)
@executor_options
@explain_errors
def run(
    suite: str,
    agent: str,
    limit: int | None,
    seeds: int | None,
    out: Path | None,
    jobs: int | None,
    is_again: bool,
    executor: str,
    tasks: int,
    ray_address: str,
    sbatch_options: tuple[str, ...],
    image: str | None,
    claim: str | None,
) -> None:
    """Runs the episodes of SUITE (a name or a file) that are not finished yet.

    After an interruption the same command continues.
    """
    from autosim.applications.benchmark.benchmark_commands import run_benchmark

    chosen = choose_executor(executor, jobs, tasks, ray_address, sbatch_options, image, claim)
    for line in run_benchmark(
        suite, agent, chosen, out=out, limit=limit, seeds=seeds, is_again=is_again
    ):
        echo_escaped(line)


@benchmark.command(
    epilog=example("autosim benchmark repeat town --agent driver --limit 2 --repeats 3 --out out/r")
)
@click.argument("suite")
@_AGENT
@click.option("--limit", type=click.IntRange(1), default=20, help="Number of episodes.")
@click.option("--repeats", type=click.IntRange(2), default=100, help="Number of repetitions.")
@click.option("--out", type=FILE, required=True, help="Folder of the results.")
@click.option("--jobs", type=click.IntRange(1), help="Number of parallel episodes.")
@explain_errors
def repeat(suite: str, agent: str, limit: int, repeats: int, out: Path, jobs: int | None) -> None:
    """Runs episodes of SUITE several times and checks that digests and scores are equal."""
    from autosim.applications.benchmark.benchmark_commands import repeat_benchmark

    chosen = choose_executor("local", jobs, 1, "", (), None, None)
    for line in repeat_benchmark(suite, agent, chosen, out=out, limit=limit, repeats=repeats):
        echo_escaped(line)


@benchmark.command(
    "import",
    epilog=example("autosim benchmark import routes.xml --maps OpenDrive --out suites/carla.xml"),
)
@click.argument("routes", type=FILE)
@click.option(
    "--maps", type=FILE, required=True, help="Folder of the OpenDRIVE maps of CARLA's towns."
)
@click.option("--out", type=FILE, required=True, help="File of the suite.")
@click.option("--vehicles", type=click.IntRange(0, 1000), default=0, help="Vehicles of traffic.")
@click.option("--people", type=click.IntRange(0, 1000), default=0, help="Pedestrians.")
@explain_errors
def import_command(routes: Path, maps: Path, out: Path, vehicles: int, people: int) -> None:
    """Makes a suite of ROUTES, a route file of the CARLA Leaderboard."""
    from autosim.applications.benchmark.benchmark_commands import import_routes

    for line in import_routes(routes, maps, out, vehicles=vehicles, people=people):
        echo_escaped(line)


@benchmark.command("list")
@explain_errors
def list_command() -> None:
    """Lists the suites."""
    from autosim.applications.benchmark.benchmark_commands import list_suites

    for line in list_suites():
        echo_escaped(line)


@benchmark.command()
@click.argument("folder", type=FILE)
@explain_errors
def show(folder: Path) -> None:
    """Shows the results in FOLDER, and writes its tables and report again."""
    from autosim.applications.benchmark.benchmark_commands import show_benchmark

    for line in show_benchmark(folder):
        echo_escaped(line)


@benchmark.command()
@click.argument("folders", type=FILE, nargs=-1, required=True)
@explain_errors
def compare(folders: tuple[Path, ...]) -> None:
    """Compares the results in FOLDERS with those in the first one."""
    from autosim.applications.benchmark.benchmark_commands import compare_benchmarks

    for line in compare_benchmarks(folders):
        echo_escaped(line)
