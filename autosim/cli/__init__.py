"""The command `autosim`: one sub-command for each thing that users do.

The module of a command is imported when the command is used, and a command imports what it needs
when it runs: so `autosim --help` and `autosim ctl` are quick, and a server needs neither a
renderer nor a window system.
"""

import click

from autosim.cli.cli_options import CommandGroup
from autosim.cli.command_table import MODULES, CommandTable
from autosim.process_setup import prepare_process
from autosim.version import __version__


@click.group(
    cls=CommandGroup,
    commands=CommandTable(MODULES),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="autosim")
def main() -> None:
    """A networked, deterministic driving simulator: OpenStreetMap in, robots driving out."""
    prepare_process()
