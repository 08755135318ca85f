"""`autosim check`."""

import json
import sys
from pathlib import Path

import click

from autosim.cli.cli_options import FILE, echo_escaped, example, explain_errors


@click.command(
    epilog=example("autosim check robots/*.xml worlds/*.xml", "autosim check follow.py town.osm")
)
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option(
    "--trust",
    "is_trusted",
    is_flag=True,
    help="Run plug-ins, user program modules, nodes and Python studies, to check them completely.",
)
@click.option("--json", "as_json", is_flag=True, help="JSON array of the faults.")
@explain_errors
def check(files: tuple[Path, ...], is_trusted: bool, as_json: bool) -> None:
    """Reports all faults of configuration files, user programs, studies and map extracts at once.

    No code of the files is run, so files of others can be checked safely. For plug-ins and Python
    studies only the syntax is checked; for user programs also main(argv) or the class Program and
    the imports from autosim.userprogram; for launch files of the test bench also the nodes and the
    kinds of messages that their code declares. With --trust the files are imported, studies list
    their runs and nodes are set up; main is never called. Use --trust only for code that you would
    run.
    """
    from autosim.cli.command_table import load_launch_checker
    from autosim.loading.checker import check_file
    from autosim.userprogram.process.program_check import check_program
    from autosim.world.pipeline.map_check import check_map

    found = [
        each
        for file in files
        for each in check_file(
            file,
            osm_checker=check_map,
            program_checker=check_program,
            launch_checker=load_launch_checker(),
            is_trusted=is_trusted,
        )
    ]
    if as_json:
        records = [
            {
                "file": str(each.file),
                "line": each.line,
                "level": each.level,
                "message": each.message,
            }
            for each in found
        ]
        echo_escaped(json.dumps(records, indent=2))
    else:
        for each in found:
            echo_escaped(str(each))
    errors = sum(each.level == "error" for each in found)
    if not as_json:
        counts = ((len(files), "file"), (errors, "error"), (len(found) - errors, "warning"))
        echo_escaped(
            ", ".join(f"{n} {noun}{'' if n == 1 else 's'}" for n, noun in counts), err=True
        )
    if errors:
        sys.exit(1)
