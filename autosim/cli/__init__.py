"""The command `autosim`: one sub-command for each thing that users do.

A command imports what it needs when it runs, so that `autosim --help` is quick and a server
needs neither a renderer nor a window system.
"""

import click

from autosim.cli.branch import branch
from autosim.cli.check import check
from autosim.cli.cli_options import CommandGroup
from autosim.cli.client import client
from autosim.cli.ctl import ctl
from autosim.cli.demo import demo
from autosim.cli.determinism import determinism
from autosim.cli.device import device
from autosim.cli.drive import drive
from autosim.cli.new import new
from autosim.cli.osm_manipulator import osm_manipulator
from autosim.cli.plot import plot
from autosim.cli.records import export, recover, replay
from autosim.cli.ros2 import foxglove, ros2
from autosim.cli.run import run
from autosim.cli.server import server
from autosim.cli.sweep import sweep
from autosim.cli.testbench import testbench
from autosim.cli.validate import validate
from autosim.cli.vehicle import vehicle
from autosim.cli.web import relay, web
from autosim.cli.world import world
from autosim.process_setup import prepare_process
from autosim.version import __version__


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="autosim")
def main() -> None:
    """A networked, deterministic driving simulator: OpenStreetMap in, robots driving out."""
    prepare_process()


for command in (
    *(
        demo,
        server,
        relay,
        web,
        ros2,
        foxglove,
        client,
        ctl,
        run,
        drive,
        new,
        device,
        vehicle,
        world,
        check,
    ),
    *(replay, branch, recover, export, determinism, sweep, plot, validate, testbench),
    osm_manipulator,
):
    main.add_command(command)
