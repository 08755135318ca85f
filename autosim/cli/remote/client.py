"""`autosim client`."""

from contextlib import suppress
from pathlib import Path

import click

from autosim.access.server_addresses import split
from autosim.cli.cli_options import FILE, Real, WireField, example, explain_errors, server_options
from autosim.config.arguments import split_arguments
from autosim.config.schemas.requests import RATE_FIELD


def _no_address(context: click.Context, parameter: click.Parameter, world: str) -> str:
    """Refuses the address of a server in place of a world."""
    with suppress(ValueError):
        split(world)
        if not Path(world).exists():
            raise click.BadParameter(f"an address is given as --server {world}", context, parameter)
    return world


@click.command(
    epilog=example(
        "autosim client --server 127.0.0.1:2008",
        "autosim client --program userprograms/driver.py --robot impreza",
        "autosim client --program userprograms/convoy.py --robot first --arguments 'second third'",
        "autosim client --headless --seconds 10 --out out/client",
        "autosim client --seconds 10 --record out/drive.mp4",
    )
)
@click.argument("world", default="", callback=_no_address)
@server_options
@click.option(
    "--headless", is_flag=True, help="Open no window; render for programs and files only."
)
@click.option(
    "--renderer",
    help="Panda3D display module: p3headlessgl, p3tinydisplay or (plain window) pandagl. Default: "
    "the first that works.",
)
@click.option(
    "--rate",
    type=WireField(RATE_FIELD),
    default=60.0,
    show_default=True,
    help="States per simulated second [Hz]; 0: every step.",
)
@click.option("--seconds", type=Real(0.0, 1e6), help="End after this real time [s].")
@click.option(
    "--camera", default="", help="Camera to show (robot.part.camera). Default: the chase view."
)
@click.option("--out", type=FILE, help="Folder for the last pictures.")
@click.option(
    "--record",
    type=FILE,
    help="Record to .mp4, to an animated .webp or .png, or to numbered pictures in a folder.",
)
@click.option("--program", type=FILE, help="User program to run on this client.")
@click.option(
    "--arguments",
    default="",
    help="Arguments of the program after the robot's name, in one string. Default: those of the "
    "world file.",
)
@click.option(
    "--robot",
    help="Robot that the program drives. Default: the first. Without --program: run the "
    "client-side program that the world file names for this robot.",
)
@click.option(
    "--offer-pictures",
    "offers_pictures",
    is_flag=True,
    help="Render camera pictures for programs that run elsewhere, instead of the server.",
)
@explain_errors
def client(
    world: str,
    address: str,
    headless: bool,
    renderer: str | None,
    rate: float,
    seconds: float | None,
    camera: str,
    out: Path | None,
    record: Path | None,
    program: Path | None,
    arguments: str,
    robot: str | None,
    offers_pictures: bool,
) -> None:
    """Shows the simulation of a server.

    Without WORLD the client downloads the server's world. A WORLD that you give must be the same
    as the server's.

    With a display and PyQt6 a window opens that shows values, the tree and any camera.
    """
    from autosim.applications.run.run_client import ClientOptions, run_client

    run_client(
        ClientOptions(
            world=world,
            address=address,
            is_headless=headless,
            renderer=renderer,
            rate=rate,
            seconds=seconds,
            camera=camera,
            out=out,
            program=program,
            robot=robot,
            arguments=split_arguments(arguments),
            record=record,
            offers_pictures=offers_pictures,
        )
    )
