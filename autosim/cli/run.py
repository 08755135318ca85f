"""`autosim run`."""

import sys
from pathlib import Path

import click

from autosim.cli.common import FILE, SERVER, example, explained


@click.command(
    epilog=example(
        "autosim run userprograms/driver.py --robot impreza",
        "autosim run my_program.py --server 192.168.0.7:2008 -- fast 3",
        "autosim run my_program.py --reload",
        "autosim run my_program.py --record lap-3",
    )
)
@click.argument("program", type=FILE)
@click.option("--robot", help="The robot that the program drives. Default: the first.")
@SERVER
@click.option(
    "--reload", "is_reloaded", is_flag=True, help="Restart the program when its file changes."
)
@click.option(
    "--record",
    metavar="NAME",
    help="Have the server record the run meanwhile, to NAME.mcap in its folder for records.",
)
@click.argument("arguments", nargs=-1)
@explained
def run(
    program: Path,
    robot: str | None,
    address: str,
    is_reloaded: bool,
    record: str | None,
    arguments: tuple[str, ...],
) -> None:
    """Runs the user program PROGRAM beside a running server; ARGUMENTS follow after --.

    What it prints is printed here. The exit code is 1 when it fails. Ctrl-C ends it, and its
    robot brakes. Cameras need a renderer: for pictures use autosim client --program.
    """
    from autosim.applications.remote.attach import AttachOptions, run_program

    options = AttachOptions(
        program=program,
        address=address,
        robot=robot,
        arguments=arguments,
        is_reloaded=is_reloaded,
        record=record,
    )
    if not run_program(options):
        sys.exit(1)
