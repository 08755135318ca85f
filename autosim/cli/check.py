"""`autosim check`."""

import json
import sys
from pathlib import Path

import click

from autosim.cli.common import FILE, example, explained, say


@click.command(epilog=example("autosim check robots/*.xml worlds/*.xml my_town.osm"))
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option(
    "--trust",
    "is_trusted",
    is_flag=True,
    help="Run the plug-ins of robots and the studies in Python, to check them in full.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON array of records.")
@explained
def check(files: tuple[Path, ...], is_trusted: bool, as_json: bool) -> None:
    """Names all faults of configuration files, studies and map extracts at once.

    No code of the files is run, so that files of others can be checked: of plug-ins and of studies
    in Python only the syntax is checked. With --trust they are run, studies up to the runs that
    they ask for; give it only for files whose code you would run.
    """
    from autosim.loading.checker import check_file
    from autosim.world.osm.osm_reader import check_osm

    found = [
        each
        for file in files
        for each in check_file(file, osm_checker=check_osm, is_trusted=is_trusted)
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
        say(json.dumps(records, indent=2))
    else:
        for each in found:
            say(str(each))
    errors = sum(each.level == "error" for each in found)
    if not as_json:
        counts = ((len(files), "file"), (errors, "error"), (len(found) - errors, "warning"))
        say(", ".join(f"{n} {noun}{'' if n == 1 else 's'}" for n, noun in counts), err=True)
    if errors:
        sys.exit(1)
