"""`autosim new`."""

from pathlib import Path

import click

from autosim.cli.cli_options import FILE, echo_escaped, example, explain_errors


@click.command(
    epilog=example(
        "autosim new my_town",
        "cd my_town && pytest",
        "autosim new my_helsinki --map helsinki.osm.pbf",
    )
)
@click.argument("project", type=FILE)
@click.option(
    "--map",
    "--osm",
    "osm",
    type=FILE,
    help="OpenStreetMap extract or OpenDRIVE file to copy as the map.",
)
@explain_errors
def new(project: Path, osm: Path | None) -> None:
    """Creates a project folder with a world, a robot, a user program and a test, ready to run.

    Existing files are never overwritten.
    """
    from autosim.applications.run.new_project import new_project

    for path in new_project(project, osm=osm):
        echo_escaped(f"wrote {path}")
    echo_escaped(f"start with: autosim server {project / 'worlds' / project.name}.xml")
