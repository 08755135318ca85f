"""`autosim alpasim`: a world for NVIDIA's AlpaSim."""

from pathlib import Path

import click

from autosim.cli.cli_options import FILE, Real, echo_escaped, example, explain_errors
from autosim.wire import ALPASIM_PORT


@click.command(
    epilog=example(
        "autosim alpasim worlds/circle_town.xml",
        "autosim alpasim helsinki.osm.pbf --address 0.0.0.0 --port 6000",
        "autosim alpasim worlds/robots.xml --driver localhost:6789 --seconds 30",
    )
)
@click.argument("world", type=FILE)
@click.option(
    "--address", default="127.0.0.1", show_default=True, help="Address of this machine to serve at."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=ALPASIM_PORT,
    show_default=True,
    help="Port of all services; 0: any free port.",
)
@click.option(
    "--driver",
    default="",
    metavar="HOST:PORT",
    help="EgodriverService that drives the first robot here, instead of serving.",
)
@click.option(
    "--seconds",
    type=Real(min=0.1, max=86_400.0),
    default=20.0,
    show_default=True,
    help="Simulated time for the driver.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed for the driver.")
@explain_errors
def alpasim(world: Path, address: str, port: int, driver: str, seconds: float, seed: int) -> None:
    """Serves a WORLD (a world file or a map) to NVIDIA's AlpaSim by gRPC.

    PhysicsService, VDCService, TrafficService and SensorsimService come from the world, at one
    port. With --driver, a driver of AlpaSim drives the first robot of the WORLD. Connections are
    not encrypted and have no password.
    """
    from autosim.applications.alpasim.alpasim_program import drive_scene, open_scene, serve_scene
    from autosim.applications.remote.attached_program import interruptible

    scene = open_scene(world)
    with interruptible():
        if not driver:
            serve_scene(scene, address, port)
            return
        report = drive_scene(scene, driver, seconds=seconds, seed=seed)
        echo_escaped(
            f"{report.steps} plans, {report.distance:.1f} m, on average {report.mean_offset:.2f} m "
            f"from the lane's middle{', ended by the driver' if report.is_ended_by_driver else ''}"
        )
