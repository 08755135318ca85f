"""`autosim new`."""

from pathlib import Path

import click

from autosim.cli.cli_options import FILE, echo_escaped, example, explain_errors


@click.command(
    epilog=example(
        "autosim new my_town",
        "cd my_town && pytest",
        "autosim new my_helsinki --map helsinki.osm.pbf",
        'autosim new my_leeds --place "Leeds, England"',
    )
)
@click.argument("project", type=FILE)
@click.option(
    "--map",
    "--osm",
    "osm",
    type=FILE,
    help="Map to copy: OpenStreetMap (.osm, .osm.gz, .osm.pbf), OpenDRIVE or Lanelet2.",
)
@click.option(
    "--place",
    help="Name of a place: 1200 m x 1200 m about it are downloaded as the map.",
)
@explain_errors
def new(project: Path, osm: Path | None, place: str | None) -> None:
    """Creates a project folder with a world, a robot, a user program and a test, ready to run.

    Existing files are never overwritten.
    """
    from autosim.applications.run.new_project import new_project, new_project_at

    if osm is not None and place is not None:
        raise click.UsageError("give either --map or --place")
    if place is not None and not place.strip():
        raise click.UsageError("--place is empty: give the name of a place")
    if place is None:
        paths = new_project(project, osm=osm)
    else:
        paths = new_project_at(place.strip(), project)
    for path in paths:
        echo_escaped(f"wrote {path}")
    echo_escaped(f"start with: autosim server {project / 'worlds' / project.name}.xml")
