"""The command `autosim`: one sub-command for each thing that users do.

A command imports what it needs when it runs, so that `autosim --help` is quick and a server
needs neither a renderer nor a window system.
"""

import atexit
import gc
import os

import click

from autosim import __version__
from autosim.cli.check import check
from autosim.cli.client import client
from autosim.cli.common import Commands
from autosim.cli.ctl import ctl
from autosim.cli.demo import demo
from autosim.cli.drive import drive
from autosim.cli.new import new
from autosim.cli.osm_manipulator import osm_manipulator
from autosim.cli.run import run
from autosim.cli.server import server
from autosim.cli.world import world


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="autosim")
def main() -> None:
    """A networked, deterministic driving simulator: OpenStreetMap in, robots driving out."""
    # What gRPC logs about a port that is taken is said once more, in words, by the commands.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    # A command that has ended need not look for garbage among the million things of a world.
    atexit.register(gc.freeze)


for command in (demo, server, client, ctl, run, drive, new, world, check, osm_manipulator):
    main.add_command(command)
