"""`autosim world`."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autosim.cli.cli_options import FILE, CommandGroup, Real, echo_escaped, example, explain_errors
from autosim.cli.maps.geographic import BoxType, StandpointType, WindowType

if TYPE_CHECKING:
    from autosim.world.geometry.extent import Window


_WINDOW = click.option(
    "--window",
    type=WindowType(),
    help="Use only a square: its centre [deg] and its side [m].",
)
_JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object.")


def _window(values: "tuple[float, float, float] | None") -> "Window | None":
    from autosim.world.geometry.extent import Window

    return None if values is None else Window(*values)


@click.group(cls=CommandGroup)
def world() -> None:
    """Builds worlds from maps; checks, draws and exports them."""


@world.command(epilog=example("autosim world build helsinki.osm.pbf --out out/helsinki"))
@click.argument("file", type=FILE)
@click.option("--out", type=FILE, help="Folder for a street map, plan.png.")
@_WINDOW
@explain_errors
def build(file: Path, out: Path | None, window: tuple[float, float, float] | None) -> None:
    """Compiles FILE (.osm[.gz|.bz2|.pbf] or a world file) and reports its soundness."""
    from autosim.applications.maps.build import build_world

    echo_escaped(build_world(file, out, window=_window(window)))


@world.command(
    epilog=example(
        "autosim world check helsinki.osm.pbf --window 60.1717,24.9443,1000",
        "autosim world check worlds/circle_town.xml --json",
    )
)
@click.argument("file", type=FILE)
@_WINDOW
@_JSON
@explain_errors
def check(file: Path, window: tuple[float, float, float] | None, as_json: bool) -> None:
    """Checks the soundness of the world of FILE, and reports which map objects it contains.

    The exit code is 1 if an invariant is violated.
    """
    from autosim.applications.common.open_worlds import compile_with_progress, open_named_world
    from autosim.applications.maps.world_check import check_record, check_text, is_sound

    compiled = compile_with_progress(open_named_world(file), window=_window(window))
    if as_json:
        echo_escaped(json.dumps(check_record(compiled), indent=2, ensure_ascii=False))
    else:
        echo_escaped(check_text(compiled))
    if not is_sound(compiled):
        sys.exit(1)


@world.command(epilog=example("autosim world info worlds/circle_town.xml"))
@click.argument("file", type=FILE)
@_WINDOW
@_JSON
@explain_errors
def info(file: Path, window: tuple[float, float, float] | None, as_json: bool) -> None:
    """Lists the contents of the world of FILE: streets, lanes, buildings, place, sources."""
    from autosim.applications.common.open_worlds import compile_with_progress, open_named_world
    from autosim.applications.maps.world_info import info_record, info_text

    description = open_named_world(file)
    record = info_record(
        compile_with_progress(description, window=_window(window)), description.terrain
    )
    echo_escaped(json.dumps(record, indent=2, ensure_ascii=False) if as_json else info_text(record))


@world.command(
    epilog=example(
        "autosim world export helsinki.osm.pbf --out helsinki.glb",
        "autosim world export worlds/circle_town.xml --out town.xodr",
        "autosim world export worlds/circle_town.xml --out town.net.xml",
    )
)
@click.argument("file", type=FILE)
@click.option(
    "--out",
    type=FILE,
    required=True,
    help="File to write. .glb: the town in 3D (glTF 2.0); .geojson: lanes; .osm: lanes (Lanelet2); "
    ".xodr: lanes (OpenDRIVE 1.7); .net.xml: lanes and signals (SUMO).",
)
@click.option(
    "--to",
    "stated",
    type=click.Choice(["glb", "geojson", "osm", "xodr", "net.xml"]),
    help="Format, for a file name without a suffix.",
)
@_WINDOW
@explain_errors
def export(
    file: Path, stated: str | None, out: Path, window: tuple[float, float, float] | None
) -> None:
    """Exports the world of FILE for other programs, in the format of the suffix of --out."""
    from autosim.applications.common.open_worlds import compile_with_progress, open_named_world
    from autosim.applications.maps.world_export import export_world, format_of

    kind = format_of(out, stated)
    description = open_named_world(file)
    compiled = compile_with_progress(description, window=_window(window))
    echo_escaped(export_world(description, compiled, kind, out))


@world.command(
    epilog=example(
        "autosim world view helsinki.osm.pbf --out plan.svg",
        "autosim world view worlds/circle_town.xml --out plan.png --3d view.png",
        "autosim world view leeds.osm --3d street.png --at 53.7996,-1.5341,3 --heading 90",
    )
)
@click.argument("file", type=FILE)
@click.option("--out", type=FILE, help="Plan with the lanes to write, .png or .svg.")
@click.option("--3d", "view", type=FILE, help="3D view to write, .png, from above or from --at.")
@click.option(
    "--at",
    type=StandpointType(),
    help="Standpoint of the view: latitude and longitude [deg], height above ground [m].",
)
@click.option(
    "--heading",
    type=Real(-360.0, 360.0),
    default=0.0,
    help="Heading of the view [deg clockwise from north].",
)
@click.option(
    "--pitch",
    type=Real(-90.0, 90.0),
    default=0.0,
    help="Pitch of the view [deg], positive upwards.",
)
@click.option(
    "--size",
    type=click.IntRange(16, 8192),
    default=1200,
    show_default=True,
    help="Longer side of the plan [pixels].",
)
@click.option(
    "--renderer",
    help="Panda3D display module: p3headlessgl or p3tinydisplay. Default: the first that works.",
)
@_WINDOW
@explain_errors
def view(
    file: Path,
    out: Path | None,
    view: Path | None,
    at: tuple[float, float, float] | None,
    heading: float,
    pitch: float,
    size: int,
    renderer: str | None,
    window: tuple[float, float, float] | None,
) -> None:
    """Draws the world of FILE as a plan or a 3D view."""
    from autosim.applications.common.files import require_suffix
    from autosim.applications.common.open_worlds import compile_with_progress, open_named_world
    from autosim.applications.maps.world_view import (
        PLAN_SUFFIXES,
        Standpoint,
        write_plan,
        write_view,
    )

    if at is not None and view is None:
        raise click.UsageError("--at is for a view: name its file with --3d")
    if out is None and view is None:
        raise click.UsageError("nothing to draw: name a file with --out, --3d, or both")
    for path, suffixes in ((out, PLAN_SUFFIXES), (view, (".png",))):
        if path is not None:
            require_suffix(path, suffixes)
    description = open_named_world(file)
    compiled = compile_with_progress(description, window=_window(window))
    if out is not None:
        echo_escaped(write_plan(compiled, out, size=size))
    if view is not None:
        standpoint = None if at is None else Standpoint(*at, heading=heading, pitch=pitch)
        echo_escaped(
            write_view(description, compiled, view, renderer=renderer, standpoint=standpoint)
        )


@world.command(
    epilog=example(
        "autosim world fetch --bbox 24.935,60.166,24.950,60.174 --out helsinki.osm",
        'autosim world fetch --place "Leeds, England" --side 1500 --out leeds.osm.gz',
    )
)
@click.option("--bbox", type=BoxType(), help="West, south, east, north [deg].")
@click.option("--place", help="Name of a place.")
@click.option(
    "--side",
    "metres",
    type=Real(100.0, 10_000.0),
    default=1200.0,
    show_default=True,
    help="With --place: side of the square around its centre [m].",
)
@click.option("--out", type=FILE, required=True, help="File to write: .osm, .osm.gz or .osm.bz2.")
@click.option(
    "--server",
    envvar="AUTOSIM_OSM_SERVER",
    help="Map server. Default: OpenStreetMap's. [env var: AUTOSIM_OSM_SERVER]",
)
@click.option(
    "--place-server",
    envvar="AUTOSIM_PLACE_SERVER",
    help="Geocoding server. Default: Nominatim. [env var: AUTOSIM_PLACE_SERVER]",
)
@explain_errors
def fetch(
    bbox: tuple[float, float, float, float] | None,
    place: str | None,
    metres: float,
    out: Path,
    server: str | None,
    place_server: str | None,
) -> None:
    """Downloads a map from OpenStreetMap: a bounding box, or the surroundings of a place."""
    from autosim.applications.maps.osm_server import MAP_SERVER, PLACE_SERVER, BoundingBox
    from autosim.applications.maps.world_fetch import fetch_box, fetch_place

    place = (place or "").strip()
    if (bbox is None) == (not place):
        raise click.UsageError("give either --bbox or --place")

    if bbox is not None:
        echo_escaped(fetch_box(BoundingBox(*bbox), out, server=server or MAP_SERVER))
        return
    echo_escaped(
        fetch_place(
            place,
            out,
            size=metres,
            server=server or MAP_SERVER,
            place_server=place_server or PLACE_SERVER,
        )
    )
