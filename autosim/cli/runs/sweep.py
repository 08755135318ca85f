"""`autosim sweep`."""

import re
import sys
from pathlib import Path

import click

from autosim.cli.cli_options import FILE, CommandGroup, echo_escaped, example, explain_errors
from autosim.cli.runs.executor_options import choose_executor, executor_options

_RUN = "run"
_SHARE = re.compile(r"([0-9]{1,9})/([0-9]{1,9})")

_TRUST = click.option(
    "--trust",
    "is_trusted",
    is_flag=True,
    help="Also run programs of the sweep that are outside your own folders.",
)


class _Sweep(CommandGroup):
    """The group; a first word that is not a command is a study to run."""

    usual = _RUN
    """Command that may be left out."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command named by the first word, or `run`."""
        is_command = args and (args[0] in self.commands or args[0].startswith("-"))
        return super().resolve_command(ctx, args if is_command else [self.usual, *args])


@click.group(
    cls=_Sweep,
    epilog=example(
        "autosim sweep studies/jay_walker.xml",
        "autosim sweep show studies/jay_walker.xml --where 'passed = false'",
    ),
)
def sweep() -> None:
    """Runs a world or scenario many times with different parameters and seeds.

    autosim sweep STUDY is short for autosim sweep run STUDY.
    """


OUT = click.option(
    "--out", type=FILE, help="Folder of the sweep. Default: out/sweeps/ and the study's name."
)


@sweep.command(
    _RUN,
    epilog=example(
        "autosim sweep studies/jay_walker.xml --plan",
        "autosim sweep studies/jay_walker.xml --jobs 2",
        "autosim sweep cut_in_variants.xosc --jobs 2",
    ),
)
@click.argument("study", type=FILE)
@OUT
@click.option(
    "--jobs",
    type=click.IntRange(1),
    help="Number of parallel runs. Default: one per processor, or one per task of a batch system.",
)
@click.option("--plan", "is_plan", is_flag=True, help="List the runs and start none.")
@click.option(
    "--retry-failed", "is_again", is_flag=True, help="Also repeat runs that gave no result."
)
@click.option(
    "--maps",
    type=FILE,
    help="OpenDRIVE file, or folder with such, for an OpenSCENARIO file whose map is not there.",
)
@executor_options
@explain_errors
def run(
    study: Path,
    out: Path | None,
    jobs: int | None,
    is_plan: bool,
    is_again: bool,
    maps: Path | None,
    executor: str,
    tasks: int,
    ray_address: str,
    sbatch_options: tuple[str, ...],
    image: str | None,
    claim: str | None,
) -> None:
    """Executes the runs of STUDY (.xml, .py or .xosc) that are not finished yet.

    An OpenSCENARIO file (.xosc) holds a distribution of values of parameters; each set of values is
    a run. After an interruption the same command continues. The exit code is 1 if a run has failed.
    """
    from autosim.applications.sweeps.scenario_variants import SUFFIX, open_variants
    from autosim.applications.sweeps.sweep import do_sweep, open_sweep, plan_text, result_of

    if study.suffix == SUFFIX:
        folder, ids = open_variants(study, out, maps)
        text = result_of(folder).as_text()
    else:
        described, folder, ids = open_sweep(study, out)
        text = plan_text(described, folder)
    if is_plan:
        echo_escaped(text)
        return
    chosen = choose_executor(executor, jobs, tasks, ray_address, sbatch_options, image, claim)
    said = do_sweep(folder, ids, chosen, is_again=is_again)
    result = result_of(folder)
    echo_escaped(result.as_text())
    if said:
        echo_escaped(said)
    elif not result.is_good:
        sys.exit(1)


@sweep.command()
@click.argument("folder", type=FILE)
@click.option("--share", default="0/1", show_default=True, help="Share of the runs: 0/4 to 3/4.")
@click.option("--jobs", type=click.IntRange(1), default=1, help="Number of parallel runs.")
@_TRUST
@explain_errors
def work(folder: Path, share: str, jobs: int, is_trusted: bool) -> None:
    """Executes a share of the unfinished runs in FOLDER, as one task of a batch system."""
    from autosim.applications.sweeps.executors.local_pool import LocalPool
    from autosim.applications.sweeps.folder import SweepFolder
    from autosim.applications.sweeps.sweep import do_sweep
    from autosim.applications.sweeps.trust import require_own_runs

    match = _SHARE.fullmatch(share)
    if match is None or int(match[1]) >= int(match[2]):
        raise click.UsageError(f"'{share}' is not a share: expected 0/4, 1/4, …")
    place = SweepFolder(folder)
    ids = [*place.ids()][int(match[1]) :: int(match[2])]
    if not is_trusted:
        require_own_runs(place, ids)
    do_sweep(place, ids, LocalPool(jobs), is_again=False)


SWEEP = click.argument("sweep", type=FILE)


@sweep.command(
    epilog=example(
        "autosim sweep show studies/jay_walker.xml --where 'status = failed' --sort gap",
        "autosim sweep show out/sweeps/jay_walker --plot jay_walker.svg",
        "autosim sweep show out/sweeps/jay_walker --outliers top_speed",
    )
)
@SWEEP
@OUT
@click.option(
    "--where", "conditions", multiple=True, help="Condition on the runs, such as 'gap < 20'."
)
@click.option(
    "--outliers", "outlying", metavar="COLUMN", help="Only runs whose value here is an outlier."
)
@click.option("--sort", "sorted_by", metavar="COLUMN", help="Sort the runs by this column.")
@click.option("--reverse", "is_reversed", is_flag=True, help="Largest value first.")
@click.option("--limit", "most", type=click.IntRange(1), help="Maximum number of runs to show.")
@click.option("--columns", help="Columns to show, separated by commas, or 'all'.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
@click.option("--csv", "csv_file", type=FILE, help="Write the rows to this file.")
@click.option("--plot", type=FILE, help="Draw the rows to this SVG file.")
@click.option("--x", metavar="COLUMN", help="Horizontal axis of the plot.")
@click.option("--y", metavar="COLUMN", help="Vertical axis of the plot.")
@click.option(
    "--group-by", "by", metavar="COLUMN", default="", help="One curve per value of this column."
)
@explain_errors
def show(
    sweep: Path,
    out: Path | None,
    conditions: tuple[str, ...],
    outlying: str | None,
    sorted_by: str | None,
    is_reversed: bool,
    most: int | None,
    columns: str | None,
    as_json: bool,
    csv_file: Path | None,
    plot: Path | None,
    x: str | None,
    y: str | None,
    by: str,
) -> None:
    """Shows the results of SWEEP, a study or its folder of results."""
    from autosim.applications.sweeps.sweep_report import ShowOptions, show_sweep

    if (x is None) != (y is None):
        raise click.UsageError("give both --x and --y, or none")
    options = ShowOptions(
        conditions=conditions,
        outlying=outlying,
        sorted_by=sorted_by,
        is_reversed=is_reversed,
        most=most,
        columns=columns,
        as_json=as_json,
        csv_file=csv_file,
        plot=plot,
        axes=None if x is None or y is None else (x, y, by),
    )
    for line in show_sweep(sweep, out, options):
        echo_escaped(line)


@sweep.command(
    epilog=example(
        "autosim sweep replay studies/jay_walker.xml 46e2",
        "autosim sweep replay studies/jay_walker.xml min:nearest",
    )
)
@SWEEP
@click.argument("run_id", metavar="RUN")
@OUT
@click.option("--headless", is_flag=True, help="Run without a window.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0: any free port. Default: 2008.",
)
@click.option("--record-only", "is_record_only", is_flag=True, help="Only write the record.")
@_TRUST
@explain_errors
def replay(
    sweep: Path,
    run_id: str,
    out: Path | None,
    headless: bool,
    port: int | None,
    is_record_only: bool,
    is_trusted: bool,
) -> None:
    """Shows a run of SWEEP as autosim replay does.

    RUN is the beginning of its id, or min:COLUMN or max:COLUMN for the run with the smallest or
    largest value. A run whose record was not kept is simulated again first, with the same bytes.
    """
    from autosim.applications.run.serve import ServeOptions
    from autosim.applications.run.serve_replay import run_replay
    from autosim.applications.sweeps.run_records import find_run, record_of
    from autosim.applications.sweeps.sweep import open_folder

    record = record_of(find_run(open_folder(sweep, out), run_id), is_trusted=is_trusted)
    if is_record_only:
        echo_escaped(record)
        return
    options = ServeOptions(
        world="",
        host="127.0.0.1",
        port=port,
        seed=0,
        pace=1.0,
        is_paused=False,
        is_insecure=False,
        certificate=None,
        key=None,
        is_safe=False,
        has_window=not headless,
    )
    run_replay(record, options)
