"""`autosim server`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from autosim.cli.cli_options import (
    DEFAULT_WORLD,
    FILE,
    NewRecord,
    Real,
    RecordedStep,
    WireField,
    example,
    explain_errors,
)
from autosim.cli.ros2 import ROS2
from autosim.cli.web import WEB
from autosim.config.schemas.requests import PACE_FIELD

if TYPE_CHECKING:
    from autosim.applications.run.serve import ServeOptions

KEEP_SECONDS = 10.0
"""Default interval of simulated time [s] between automatic snapshots; the server keeps the last
six, which allow a rewind of one minute."""


@click.command(
    epilog=example(
        "autosim server",
        "autosim server worlds/circle_town.xml --headless --port 2008",
        "autosim server worlds/convoy.xml --no-programs",
        "autosim server town.osm",
        "autosim server worlds/circle_town.xml --headless --web",
        "autosim server worlds/lidar.xml --headless --ros2",
        "autosim server worlds/circle_town.xml --record runs/first.mcap",
        "autosim server --continue-from runs/first.mcap@2400",
    )
)
@click.argument("world", default=DEFAULT_WORLD)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0: any free port. Default: 2008.",
)
@click.option("--address", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--certificate",
    type=FILE,
    help="PEM file with the certificate for clients on other machines. Default: self-signed.",
)
@click.option("--key", type=FILE, help="PEM file with the private key of --certificate.")
@click.option(
    "--insecure", is_flag=True, help="Do not encrypt, even if other machines can connect."
)
@click.option("--headless", is_flag=True, help="Run without a window.")
@click.option("--seed", default=0, show_default=True, help="Seed of all noise.")
@click.option(
    "--pace",
    type=WireField(PACE_FIELD),
    default=1.0,
    show_default=True,
    help="Simulated time per real time; 0: as fast as possible.",
)
@click.option("--paused", is_flag=True, help="Start paused; autosim ctl run starts it.")
@click.option(
    "--no-programs",
    "safe",
    is_flag=True,
    help="Do not start the world's user programs; autosim ctl restart-program starts one.",
)
@click.option("--record", type=NewRecord(), help="Record the run to this .mcap file.")
@click.option(
    "--continue-from",
    "continuation",
    type=RecordedStep(),
    metavar="RECORD[@STEP]",
    help="Simulate a recorded run again up to STEP (default: its last), and continue from there.",
)
@click.option(
    "--restart-programs",
    "has_fresh_programs",
    is_flag=True,
    help="With --continue-from: restart the user programs at STEP.",
)
@click.option(
    "--snapshot-interval",
    "keep",
    metavar="SECONDS",
    type=Real(min=0.0),
    default=KEEP_SECONDS,
    show_default=True,
    help="Interval of simulated time between automatic snapshots; the last six are kept for "
    "rewind; 0: none.",
)
@WEB
@ROS2
@click.pass_context
@explain_errors
def server(
    context: click.Context,
    world: str,
    port: int | None,
    address: str,
    certificate: Path | None,
    key: Path | None,
    insecure: bool,
    headless: bool,
    seed: int,
    pace: float,
    paused: bool,
    safe: bool,
    record: Path | None,
    keep: float,
    continuation: "tuple[Path, int | None] | None",
    has_fresh_programs: bool,
    web: str | None,
    guests: int,
    router: str | None,
) -> None:
    """Simulates WORLD and serves it to clients.

    WORLD is a world file or a map: OpenStreetMap, OpenDRIVE, Lanelet2 or CommonRoad.

    With a display and PyQt6 a window opens. If WORLD is given, it is loaded and starts at once.
    Otherwise the window waits for Load and Run, and a server without a window for autosim ctl load.
    """
    from autosim.applications.run.serve import ServeOptions, run_server

    def is_given(name: str) -> bool:
        return context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT

    options = ServeOptions(
        world=world,
        host=address,
        port=port,
        seed=seed,
        pace=pace,
        is_paused=paused,
        is_insecure=insecure,
        certificate=certificate,
        key=key,
        is_safe=safe,
        has_window=not headless,
        is_named=is_given("world") or continuation is not None,
        record=record,
        keep_seconds=keep,
        web=web,
        guests=guests,
        ros2=router,
    )
    if continuation is None:
        if has_fresh_programs:
            raise click.UsageError("--restart-programs needs --continue-from")
        run_server(options)
        return
    for name in filter(is_given, ("world", "seed")):
        raise click.UsageError(f"--continue-from takes the {name} from the record: leave it out")
    _continue_record(continuation, options, has_fresh_programs)


def _continue_record(
    continuation: "tuple[Path, int | None]", options: "ServeOptions", has_fresh_programs: bool
) -> None:
    from autosim.applications.run.serve_replay import run_continued
    from autosim.records.record_format import Continuation

    run_continued(Continuation(*continuation, has_fresh_programs), options)
