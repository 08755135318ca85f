"""`autosim testbench board`."""

from pathlib import Path

import click

from autosim.cli.cli_options import FILE, CommandGroup, Real, echo_escaped, example, explain_errors

_PORT = click.option(
    "--port",
    type=FILE,
    help="Serial port of a real board, such as /dev/ttyACM0. Default: emulated.",
)


@click.group(
    cls=CommandGroup,
    epilog=example("autosim testbench board build", "autosim testbench board run range_finder"),
)
def board() -> None:
    """Builds sketches for Arduino boards, and runs them on an emulated board or a real one."""


@board.command("list", epilog=example("autosim testbench board list"))
@explain_errors
def list_() -> None:
    """Lists the sketches and the serial ports to which a board may be connected."""
    from autosim_testbench.hardware.firmware import built_folder, sketches
    from autosim_testbench.hardware.serial_port import ports

    for name in sketches():
        image = built_folder() / f"{name}.elf"
        echo_escaped(
            f"{name}: {image if image.exists() else 'not built (autosim testbench board build)'}"
        )
    has_board = (built_folder() / "board").exists()
    echo_escaped(f"emulated board: {built_folder() / 'board' if has_board else 'not built'}")
    echo_escaped(f"ports: {', '.join(map(str, ports())) or 'none'}")


@board.command(epilog=example("autosim testbench board build"))
@explain_errors
def build() -> None:
    """Builds all sketches and the emulator of an Arduino Uno."""
    from autosim_testbench.hardware.firmware import build, built_folder

    built = build()
    for each in built.sketches:
        echo_escaped(f"{each}: built")
    if built.obstacle:
        echo_escaped(f"no emulated board: {built.obstacle}")
    else:
        echo_escaped(f"{built_folder() / 'board'}: built")


@board.command(epilog=example("autosim testbench board flash range_finder --port /dev/ttyACM0"))
@click.argument("sketch")
@click.option("--port", type=FILE, required=True, help="Serial port of the board.")
@explain_errors
def flash(sketch: str, port: Path) -> None:
    """Writes a sketch to an Arduino Uno."""
    from autosim_testbench.hardware.firmware import flash
    from autosim_testbench.hardware.serial_port import require_port

    require_port(port)
    flash(sketch, port)
    echo_escaped(f"{port}: the board now runs {sketch}")


@board.command(
    epilog=example(
        "autosim testbench board run range_finder --distance 0.8 --seconds 1",
        "autosim testbench board run rover --wheels 1 -1",
        "autosim testbench board run range_finder --port /dev/ttyACM0",
    )
)
@click.argument("sketch")
@_PORT
@click.option(
    "--seconds", type=Real(0.001, 1e6), default=2.0, show_default=True, help="Duration [s]."
)
@click.option(
    "--distance",
    type=Real(0.0, 100.0),
    help="Distance to an obstacle in front of an emulated range finder [m]. Default: none.",
)
@click.option(
    "--heading",
    type=Real(-360.0, 360.0),
    default=0.0,
    help="Heading of an emulated compass [deg clockwise from north].",
)
@click.option(
    "--wheels",
    type=click.IntRange(-1, 1),
    nargs=2,
    help="Command to a rover's left and right wheels: -1 back, 0 stop, 1 ahead.",
)
@explain_errors
def run(
    sketch: str,
    port: Path | None,
    seconds: float,
    distance: float | None,
    heading: float,
    wheels: tuple[int, int] | None,
) -> None:
    """Runs a sketch and prints the messages of the board."""
    import math

    from autosim_testbench.applications.board_measurement import watch_board
    from autosim_testbench.hardware.emulated_board import Pins

    pins = Pins(math.inf if distance is None else distance, math.radians(heading))
    watch_board(sketch, port, seconds=seconds, pins=pins, wheels=wheels or None, tell=echo_escaped)


@board.command(
    epilog=example(
        "autosim testbench board measure --out errors.csv",
        "autosim testbench board measure --port /dev/ttyACM0 --from 0.1 --to 1.5 --out errors.csv",
    )
)
@_PORT
@click.option("--from", "nearest", type=Real(0.02, 4.0), default=0.1, show_default=True)
@click.option("--to", "farthest", type=Real(0.02, 4.0), default=3.9, show_default=True)
@click.option("--places", type=click.IntRange(1, 1000), default=16, show_default=True)
@click.option(
    "--count",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    help="Number of measurements at each distance.",
)
@click.option(
    "--scatter",
    type=Real(0.0, 1.0),
    default=0.003,
    show_default=True,
    help="Standard deviation of an emulated sensor's echo [m]; the default is from its data sheet.",
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True)
@click.option(
    "--out", type=FILE, required=True, help="CSV file to write: columns true and measured [m]."
)
@explain_errors
def measure(
    port: Path | None,
    nearest: float,
    farthest: float,
    places: int,
    count: int,
    scatter: float,
    seed: int,
    out: Path,
) -> None:
    """Measures known distances with a board's range finder, for autosim testbench fit.

    An emulated board has a wall in front of it at each distance; with a real one you are asked to
    put something there.
    """
    import numpy as np

    from autosim_testbench.applications.board_measurement import measure_board, write_measurements

    def ask(place: float) -> None:
        click.prompt(f"Put something flat {place:.3f} m ahead and press Enter", "", False)

    found = measure_board(
        port,
        places=np.linspace(nearest, farthest, places).tolist(),
        count=count,
        scatter=scatter,
        seed=seed,
        ask=ask,
    )
    write_measurements(out, found)
    echo_escaped(f"{out}: {len(found)} measurements")
