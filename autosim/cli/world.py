"""`autosim world`."""

from pathlib import Path

import click

from autosim.cli.common import FILE, example, explained


@click.group()
def world() -> None:
    """Makes worlds from OpenStreetMap extracts."""


@world.command(epilog=example("autosim world build helsinki.osm.pbf --out out/helsinki"))
@click.argument("file", type=FILE)
@click.option("--out", type=FILE, help="Write a street map, plan.png, to this folder.")
@explained
def build(file: Path, out: Path | None) -> None:
    """Compiles FILE (.osm[.gz|.bz2|.pbf] or a world file) and says how sound it is."""
    from autosim.applications.build import build_world

    click.echo(build_world(file, out))
