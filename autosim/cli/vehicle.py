"""`autosim vehicle`."""

from pathlib import Path

import click

from autosim.cli.cli_options import FILE, CommandGroup, Real, echo_escaped, example, explain_errors


@click.group(cls=CommandGroup)
def vehicle() -> None:
    """Simulates a single vehicle on level ground, without a server."""


def _pair(
    context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> list[tuple[str, str]]:
    pairs = [text.partition("=") for text in texts]
    for name, equals, _ in pairs:
        if not name or not equals:
            raise click.BadParameter(f"'{name}' is not NAME=VALUE, such as wheelbase=2.7")
    return [(name.strip(), value.strip()) for name, _, value in pairs]


@vehicle.command(
    epilog=example(
        "autosim vehicle simulate robots/impreza.xml --inputs drive.csv --csv run.csv",
        "autosim vehicle simulate --model DELAY_STEER_ACC_GEARED --parameter wheelbase=2.79 \\",
        "    --inputs drive.csv --csv run.csv --plot run.svg",
    )
)
@click.argument("robot", type=FILE, required=False)
@click.option("--model", metavar="NAME", help="Kinematic model, such as DELAY_STEER_ACC or KS.")
@click.option(
    "--parameter",
    "parameters",
    metavar="NAME=VALUE",
    multiple=True,
    callback=_pair,
    help="With --model: one of its parameters; may be repeated.",
)
@click.option(
    "--inputs",
    type=FILE,
    required=True,
    help="CSV file with the columns time, steering, acceleration (or velocity) and gear.",
)
@click.option(
    "--step",
    type=Real(1e-6, 10.0),
    default=0.025,
    show_default=True,
    help="Step size [s].",
)
@click.option(
    "--seconds", type=Real(0.0, 1e6), help="Duration [s]. Default: to the last row of the inputs."
)
@click.option("--csv", "table", type=FILE, required=True, help="CSV file to write.")
@click.option("--plot", type=FILE, help="SVG file to draw.")
@explain_errors
def simulate(
    robot: Path | None,
    model: str | None,
    parameters: list[tuple[str, str]],
    inputs: Path,
    step: float,
    seconds: float | None,
    table: Path,
    plot: Path | None,
) -> None:
    """Drives one vehicle on level ground, without a server.

    The vehicle is that of a ROBOT file, kinematic or with wheels, or a kinematic --model. Each row
    of the inputs applies until the time of the next row; gears are DRIVE, LOW, REVERSE, PARK,
    NEUTRAL and NONE. Writes time, x, y, yaw, velocity, steering and acceleration (s, m, rad), one
    row at time 0 and one after each step, with full precision.
    """
    from autosim.applications.common.files import require_suffix, write_whole
    from autosim.applications.vehicle.simulate import (
        load_inputs,
        named_model,
        simulate,
        vehicle_of,
    )

    if (robot is None) == (model is None):
        raise click.UsageError("give either a ROBOT file or --model")
    if robot is not None and parameters:
        raise click.UsageError("--parameter needs --model; a ROBOT file has its own parameters")
    if plot is not None:
        require_suffix(plot, (".svg",))
    driven = vehicle_of(robot) if robot else named_model(str(model), parameters)
    motion = simulate(driven, load_inputs(inputs), step_seconds=step, seconds=seconds)
    write_whole(table, "".join(motion.lines()).encode())
    echo_escaped(f"{table}: {len(motion.table)} rows")
    if plot is not None:
        from autosim.applications.vehicle.motion_plot import draw_motion

        write_whole(plot, draw_motion(motion, model or str(robot)).encode())
        echo_escaped(f"{plot}: drawn")
