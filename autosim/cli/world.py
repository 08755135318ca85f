"""`autosim world`."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autosim.cli.common import FILE, example, explained

if TYPE_CHECKING:
    from autosim.world.window import Window


class _WindowType(click.ParamType[tuple[float, float, float]]):
    """LAT,LON,METRES."""

    name = "LAT,LON,METRES"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float, float]:
        try:
            latitude, longitude, size = map(float, value.split(","))
        except ValueError:
            self.fail(f"expected three numbers LAT,LON,METRES, not '{value}'", param, ctx)
        if not (abs(latitude) <= 90.0 and abs(longitude) <= 180.0):
            self.fail(f"latitude {latitude:g} and longitude {longitude:g} are no place", param, ctx)
        if not 150.0 <= size <= 20_000.0:
            self.fail(f"the side is 150 to 20000 metres, not {size:g}", param, ctx)
        return latitude, longitude, size


_WINDOW = click.option(
    "--window",
    type=_WindowType(),
    help="Only a square about a place: its middle [deg] and its side [m].",
)
_JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object.")


def _window(values: "tuple[float, float, float] | None") -> "Window | None":
    from autosim.world.window import Window

    return None if values is None else Window(*values)


@click.group()
def world() -> None:
    """Makes worlds from OpenStreetMap extracts, and looks at them."""


@world.command(epilog=example("autosim world build helsinki.osm.pbf --out out/helsinki"))
@click.argument("file", type=FILE)
@click.option("--out", type=FILE, help="Write a street map, plan.png, to this folder.")
@_WINDOW
@explained
def build(file: Path, out: Path | None, window: tuple[float, float, float] | None) -> None:
    """Compiles FILE (.osm[.gz|.bz2|.pbf] or a world file) and says how sound it is."""
    from autosim.applications.build import build_world

    click.echo(build_world(file, out, window=_window(window)))


@world.command(
    epilog=example(
        "autosim world check helsinki.osm.pbf --window 60.1717,24.9443,1000",
        "autosim world check worlds/circle_town.xml --json",
    )
)
@click.argument("file", type=FILE)
@_WINDOW
@_JSON
@explained
def check(file: Path, window: tuple[float, float, float] | None, as_json: bool) -> None:
    """Says whether the world of FILE is sound, and what of the map is in it and what is not.

    The exit code is 1 when an invariant is broken.
    """
    from autosim.applications.world_check import check_record, check_text, is_sound
    from autosim.applications.worlds import compile_with_progress, open_world

    compiled = compile_with_progress(open_world(file), window=_window(window))
    if as_json:
        click.echo(json.dumps(check_record(compiled), indent=2, ensure_ascii=False))
    else:
        click.echo(check_text(compiled))
    if not is_sound(compiled):
        sys.exit(1)


@world.command(epilog=example("autosim world info worlds/circle_town.xml"))
@click.argument("file", type=FILE)
@_WINDOW
@_JSON
@explained
def info(file: Path, window: tuple[float, float, float] | None, as_json: bool) -> None:
    """Says what is in the world of FILE: streets, lanes, buildings, place, sources."""
    from autosim.applications.world_info import info_record, info_text
    from autosim.applications.worlds import compile_with_progress, open_world

    description = open_world(file)
    record = info_record(
        compile_with_progress(description, window=_window(window)), description.terrain
    )
    click.echo(json.dumps(record, indent=2, ensure_ascii=False) if as_json else info_text(record))


@world.command(
    epilog=example(
        "autosim world export helsinki.osm.pbf --to glb --out helsinki.glb",
        "autosim world export worlds/circle_town.xml --to xodr --out town.xodr",
    )
)
@click.argument("file", type=FILE)
@click.option(
    "--to",
    "kind",
    type=click.Choice(["glb", "geojson", "xodr"]),
    required=True,
    help="glb: the mesh (glTF 2.0); geojson: the lanes; xodr: the lanes (OpenDRIVE 1.7).",
)
@click.option("--out", type=FILE, required=True, help="The file to write.")
@_WINDOW
@explained
def export(file: Path, kind: str, out: Path, window: tuple[float, float, float] | None) -> None:
    """Writes the world of FILE for other programs."""
    from autosim.applications.world_export import export_world
    from autosim.applications.worlds import compile_with_progress, open_world

    compiled = compile_with_progress(open_world(file), window=_window(window))
    click.echo(export_world(compiled, kind, out))
