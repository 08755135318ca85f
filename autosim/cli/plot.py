"""`autosim plot`."""

from pathlib import Path

import click

from autosim.cli.common import FILE, example, explained, say


@click.command(
    epilog=example(
        "autosim ctl watch impreza.state impreza.state_truth --json --count 600 > run.jsonl",
        "autosim plot run.jsonl",
    )
)
@click.argument("run", type=FILE)
@click.option("--robot", help="Whose belief. Default: the first that RUN tells of.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The picture, an SVG file. Default: the name of RUN with .svg.",
)
@explained
def plot(run: Path, robot: str | None, out: Path | None) -> None:
    """Draws how wrong a robot's belief was over time, and how wrong it believed to be.

    RUN is what `autosim ctl watch ROBOT.state ROBOT.state_truth --json` has printed. A shaded band
    is two standard deviations wide to either side: about 95 % of the errors lie in it if the robot
    judges itself rightly.
    """
    from autosim.applications.common.files import require_suffix, write_whole
    from autosim.applications.recording.belief_plot import draw_record
    from autosim.applications.recording.belief_record import read_record

    record = read_record(run, robot)
    file = out or run.with_suffix(".svg")
    require_suffix(file, (".svg",))
    write_whole(file, draw_record(record).encode())
    say(f"{file}: {record.robot}, {len(record.times)} samples")
