"""`autosim plot`."""

from pathlib import Path

import click

from autosim.cli.cli_options import FILE, echo_escaped, example, explain_errors


@click.command(
    epilog=example(
        "autosim plot run.mcap impreza.chassis.velocimeter impreza.chassis.gyro_yaw",
        "autosim ctl watch impreza.state impreza.state_truth --json --count 600 > run.jsonl",
        "autosim plot run.jsonl",
    )
)
@click.argument("run", type=FILE)
@click.argument("names", nargs=-1)
@click.option("--robot", help="Robot whose estimate is drawn. Default: the first in RUN.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="SVG file to write. Default: the name of RUN with .svg.",
)
@explain_errors
def plot(run: Path, names: tuple[str, ...], robot: str | None, out: Path | None) -> None:
    """Plots recorded values over time, or the errors of a robot's state estimate.

    With a record (RUN.mcap), NAMES are up to six devices, fields or single values. Each unit gets
    its own chart, one below the other.

    Otherwise RUN is the output of `autosim ctl watch ROBOT.state ROBOT.state_truth --json`, and the
    chart shows the errors of the estimate together with a band of two estimated standard
    deviations to either side: about 95 % of the errors lie in it if the estimate is consistent.
    """
    from autosim.applications.common.files import require_suffix, write_whole
    from autosim.applications.recording.belief_plot import draw_record
    from autosim.applications.recording.belief_record import read_record

    file = out or run.with_suffix(".svg")
    require_suffix(file, (".svg",))
    if run.suffix == ".mcap":
        _plot_values(run, names, file)
        return
    record = read_record(run, robot)
    write_whole(file, draw_record(record).encode())
    echo_escaped(f"{file}: {record.robot}, {len(record.times)} samples")


def _plot_values(run: Path, names: tuple[str, ...], file: Path) -> None:
    from autosim.applications.common.files import write_whole
    from autosim.applications.records.value_plot import draw_values
    from autosim.records.record_file import Record

    with Record(run) as record:
        write_whole(file, draw_values(record, names).encode())
    echo_escaped(f"wrote {file}")
