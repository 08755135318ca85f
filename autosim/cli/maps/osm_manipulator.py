"""`autosim osm-manipulator`."""

from pathlib import Path

import click

from autosim.cli.cli_options import FILE, Real, echo_escaped, example, explain_errors
from autosim.tools.osm_manipulator.furnish_options import (
    DEFAULT_DISTANCE_BETWEEN_HOUSES,
    DEFAULT_DISTANCE_TO_STREET,
    DEFAULT_HOUSE_LIST,
    MAX_DISTANCE,
    FurnishRequest,
    Spacing,
)


@click.command(
    "osm-manipulator",
    epilog=example(
        "autosim osm-manipulator --original town.osm --target furnished.osm",
        "autosim osm-manipulator --original town.osm --preview town.png",
        "autosim osm-manipulator --gui",
    ),
)
@click.option("--original", type=FILE, help="Map to furnish (.osm[.gz|.bz2|.pbf]).")
@click.option("--target", type=FILE, help="Map to write (.osm[.gz|.bz2|.pbf]).")
@click.option("--setup", type=FILE, help="Map set-up file. Default: the built-in street widths.")
@click.option(
    "--houses",
    type=FILE,
    default=DEFAULT_HOUSE_LIST,
    show_default=True,
    help="File with the list of houses.",
)
@click.option(
    "--distance-to-street",
    type=Real(0.0, MAX_DISTANCE),
    default=DEFAULT_DISTANCE_TO_STREET,
    show_default=True,
    metavar="M",
    help="Distance from the centre of a house to the edge of the street [m].",
)
@click.option(
    "--distance-between-houses",
    type=Real(0.0, MAX_DISTANCE),
    default=DEFAULT_DISTANCE_BETWEEN_HOUSES,
    show_default=True,
    metavar="M",
    help="Gap between neighbouring houses [m].",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of the choice of houses.",
)
@click.option(
    "--preview", type=FILE, metavar="PNG", help="Draw a map of the new houses to this file."
)
@click.option("--gui", is_flag=True, help="Open a window with these options.")
@explain_errors
def osm_manipulator(
    original: Path | None,
    target: Path | None,
    setup: Path | None,
    houses: Path,
    distance_to_street: float,
    distance_between_houses: float,
    seed: int,
    preview: Path | None,
    gui: bool,
) -> None:
    """Adds rows of houses and trees along the streets of a map and writes a new map file."""
    from autosim.applications.maps.osm_manipulator import furnish_map, open_window

    request = FurnishRequest(
        original or Path(),
        houses,
        setup,
        Spacing(distance_to_street, distance_between_houses),
        seed,
    )
    if gui:
        open_window(request, target)
        return
    if original is None:
        raise click.UsageError("--original is required, unless --gui is given")
    echo_escaped(furnish_map(request, target=target, preview=preview))
