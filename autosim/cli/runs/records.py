"""`autosim replay`, `autosim recover` and `autosim export`: recorded runs."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import click

from autosim.cli.cli_options import FILE, WireField, echo_escaped, example, explain_errors
from autosim.cli.web import WEB
from autosim.config.schemas.requests import PACE_FIELD

OSI_TYPES = ("GroundTruth", "SensorView", "SensorData", "HostVehicleData", "TrafficUpdate")
"""Types of messages of OSI."""

RECORD = click.argument("record", type=FILE)


@click.command(
    epilog=example(
        "autosim replay run.mcap",
        "autosim replay run.mcap --verify",
        "autosim replay run.mcap --headless --web",
    )
)
@RECORD
@click.option("--verify", is_flag=True, help="Simulate the run again and compare every state.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0: any free port. Default: 2008.",
)
@click.option("--headless", is_flag=True, help="Run without a window.")
@click.option(
    "--pace",
    type=WireField(PACE_FIELD),
    default=1.0,
    show_default=True,
    help="Simulated time per real time; 0: as fast as possible.",
)
@click.option("--paused", is_flag=True, help="Start paused; autosim ctl run starts it.")
@click.option("--json", "as_json", is_flag=True, help="With --verify: JSON instead of text.")
@WEB
@explain_errors
def replay(
    record: Path,
    verify: bool,
    port: int | None,
    headless: bool,
    pace: float,
    paused: bool,
    as_json: bool,
    web: str | None,
    guests: int,
) -> None:
    """Replays a recorded run, to clients that connect as to a server.

    autosim ctl seek jumps to any step, autosim ctl run --pace sets the speed, autosim ctl back
    plays backwards. To continue the simulation from a step, use autosim server --continue-from.

    With --verify nothing is shown: the run is simulated again, the exit code is 1 if a state
    differs, and the first different value is printed.
    """
    if verify:
        from autosim.applications.records.verify import verify as verify_record

        found = verify_record(record)
        if as_json:
            difference = None if found.difference is None else asdict(found.difference)
            echo_escaped(json.dumps({"states": found.states, "difference": difference}))
        else:
            echo_escaped(found)
        sys.exit(0 if found.difference is None else 1)
    from autosim.applications.run.serve import ServeOptions
    from autosim.applications.run.serve_replay import run_replay

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
        web=web,
        guests=guests,
    )
    run_replay(record, options)


@click.command(
    epilog=example("autosim recover run.mcap", "autosim recover run.mcap --out whole.mcap")
)
@RECORD
@click.option("--out", type=FILE, help="Repaired record. Default: it replaces RECORD.")
@explain_errors
def recover(record: Path, out: Path | None) -> None:
    """Repairs a record whose writer was killed or whose disk was full.

    Everything that is readable is kept; at most the last 0.6 s before the end are lost.
    """
    from autosim.records.recovery import recover as recover_record

    found = recover_record(record, out or record)
    damaged = f", {found.damaged_parts} damaged parts left out" if found.damaged_parts else ""
    echo_escaped(f"{out or record}: {found.states} states and {found.events} events{damaged}")
    if found.lost_files:
        echo_escaped(
            f"{' and '.join(found.lost_files)} of its world cannot be read: the record can be "
            "plotted and exported, but not replayed or simulated again"
        )


@click.command(
    epilog=example(
        "autosim export run.mcap --csv run.csv",
        "autosim export run.mcap impreza.chassis --parquet chassis.parquet",
        "autosim export run.mcap --rrd run.rrd",
        "autosim export run.mcap --html run.html",
        "autosim export run.mcap --ros2 bag",
        "autosim export run.mcap --osi run.osi.mcap",
    )
)
@RECORD
@click.argument("names", nargs=-1)
@click.option("--csv", "csv_file", type=FILE, help="CSV file to write.")
@click.option(
    "--parquet",
    "parquet_file",
    type=FILE,
    help="Parquet file to write, for pandas, Polars and others.",
)
@click.option("--rrd", "rerun_file", type=FILE, help="Recording to write for the Rerun viewer.")
@click.option(
    "--html",
    "html_file",
    type=FILE,
    help="Self-contained page to write, with scene, time line and plots; any browser opens it.",
)
@click.option(
    "--ros2",
    "bag",
    type=FILE,
    metavar="FOLDER",
    help="Bag of ROS 2 to write, with the messages that autosim ros2 publishes.",
)
@click.option(
    "--osi",
    "trace",
    type=FILE,
    help="Trace of ASAM OSI to write (MCAP), with ground truth, sensors and vehicles.",
)
@click.option(
    "--osi-type",
    "osi_types",
    type=click.Choice(OSI_TYPES),
    multiple=True,
    help="With --osi: write only messages of this type; repeat it for more. Default: all types.",
)
@explain_errors
def export(
    record: Path,
    names: tuple[str, ...],
    csv_file: Path | None,
    parquet_file: Path | None,
    rerun_file: Path | None,
    html_file: Path | None,
    bag: Path | None,
    trace: Path | None,
    osi_types: tuple[str, ...],
) -> None:
    """Exports the values of a record, one row per step, for other programs.

    NAMES are robots, parts, devices or single values. Without NAMES all values are written, except
    large arrays. Foxglove and PlotJuggler open RECORD directly.
    """
    from autosim.applications.records.export import export_csv, export_parquet, export_rerun
    from autosim.records.record_file import Record

    orders = ((csv_file, export_csv), (parquet_file, export_parquet), (rerun_file, export_rerun))
    whole = (html_file, bag, trace)
    if not any(whole) and not any(file for file, _ in orders):
        raise click.UsageError(
            "give --csv FILE, --parquet FILE, --rrd FILE, --html FILE, --ros2 FOLDER or --osi FILE"
        )
    if any(whole) and names:
        raise click.UsageError("--html, --ros2 and --osi write all values: leave out NAMES")
    _require_packages(bag, trace)
    with Record(record) as opened:
        for file, write in orders:
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
                echo_escaped(f"wrote {file}: {write(opened, file, names)} values for each step")
        if html_file is not None:
            from autosim.applications.records.html_page import export_html

            html_file.parent.mkdir(parents=True, exist_ok=True)
            echo_escaped(f"wrote {html_file}: {export_html(opened, html_file) / 1e6:.1f} MB")
        if bag is not None:
            from autosim.applications.records.ros2_bag import export_ros2

            bag.parent.mkdir(parents=True, exist_ok=True)
            echo_escaped(f"wrote {bag}: {export_ros2(opened, bag)} messages")
        if trace is not None:
            from autosim.applications.records.osi_export import export_osi

            trace.parent.mkdir(parents=True, exist_ok=True)
            echo_escaped(f"wrote {trace}: {export_osi(opened, trace, osi_types)} messages")


def _require_packages(bag: Path | None, trace: Path | None) -> None:
    """Requires the optional packages of the chosen formats."""
    if bag is not None:
        from autosim.ros2.ros_packages import require_packages

        require_packages()
    if trace is not None:
        from autosim.osi.osi_packages import require_osi

        require_osi()
