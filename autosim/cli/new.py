"""`autosim new`."""

from pathlib import Path

import click

from autosim.cli.common import FILE, example, explained, say


@click.command(epilog=example("autosim new my_town", "cd my_town && pytest"))
@click.argument("project", type=FILE)
@explained
def new(project: Path) -> None:
    """Makes the folder PROJECT with a world, a robot, a user program and a test, all of which run.

    It never overwrites a file.
    """
    from autosim.applications.run.new_project import new_project

    for path in new_project(project):
        say(f"wrote {path}")
    say(f"start with: autosim server {project / 'worlds' / project.name}.xml")
