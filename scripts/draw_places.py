"""Draws the pictures of docs/places.md: `make pictures`.

Takes the extracts beside the checkout; places whose extract is not there are left out.
"""

import argparse
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from autosim.applications.common.open_worlds import compile_with_progress, open_named_world
from autosim.applications.maps.world_view import Standpoint, write_plan, write_view
from autosim.config.descriptions import WorldDescription
from autosim.world.geometry.extent import Window

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "osm"
WORLD = """<World name="{name}">
  <Graphics><View name="view"><Shadows value="true"/></View></Graphics>
  <Physics><Dynamics name="dynamics"><StepsPerSecond value="240"/></Dynamics></Physics>
  <Terrain>
    <Map name="{name}"><OsmFile path="{osm}"/>{relief}<DrivingSide value="{side}"/></Map>
  </Terrain>
  <Objects><Robot name="impreza"><File path="robots/impreza.xml"/></Robot></Objects>
</World>
"""


@dataclass(frozen=True, slots=True)
class Place:
    """A world, and three places to look from."""

    name: str
    views: tuple[Standpoint, Standpoint, Standpoint]
    osm: str = ""
    relief: str = ""
    side: str = "right"
    window: Window | None = None


PLACES = (
    Place(
        "town",
        (
            Standpoint(-31.97280, 115.82700, 60.0, 20.0, -35.0),
            Standpoint(-31.97280, 115.82760, 2.0, 290.0, 0.0),
            Standpoint(-31.97180, 115.82600, 12.0, 200.0, -15.0),
        ),
    ),
    Place(
        "monaco",
        (
            Standpoint(43.7350, 7.4290, 160.0, 330.0, -18.0),
            Standpoint(43.7366, 7.4240, 25.0, 30.0, -12.0),
            Standpoint(43.73140, 7.41560, 22.0, 60.0, -12.0),
        ),
        osm="city/monaco.osm.gz",
        relief="dem/N43E007.hgt.zip",
    ),
    Place(
        "helsinki",
        (
            Standpoint(60.1662, 24.9435, 130.0, 10.0, -22.0),
            Standpoint(60.1698, 24.9385, 18.0, 60.0, -12.0),
            Standpoint(60.1677, 24.9470, 2.0, 270.0, 0.0),
        ),
        osm="pbf/helsinki.osm.pbf",
        window=Window(60.1700, 24.9440, 1000.0),
    ),
    Place(
        "leeds",
        (
            Standpoint(53.7965, -1.5341, 120.0, 0.0, -24.0),
            Standpoint(53.7996, -1.5341, 20.0, 90.0, -14.0),
            Standpoint(53.79960, -1.53410, 2.5, 270.0, 0.0),
        ),
        osm="city/leeds_cycleway.osm",
        side="left",
    ),
    Place(
        "singapore",
        (
            Standpoint(1.2790, 103.8560, 110.0, 30.0, -16.0),
            Standpoint(1.28640, 103.86030, 22.0, 20.0, -14.0),
            Standpoint(1.28100, 103.86000, 25.0, 40.0, -12.0),
        ),
        osm="pbf/bayfront_singapore.osm.pbf",
        side="left",
    ),
)


def draw(place: Place, folder: Path, out: Path) -> None:
    """Writes the plan and the views of a place, each below 200 kB."""
    world = _world(place, folder)
    compiled = compile_with_progress(world, window=place.window)
    write_plan(compiled, out / f"{place.name}_plan.png", size=900)
    shrink(out / f"{place.name}_plan.png")
    for number, standpoint in enumerate(place.views, start=1):
        file = out / f"{place.name}_{number}.png"
        write_view(world, compiled, file, renderer=None, standpoint=standpoint)
        shrink(file)


def shrink(file: Path) -> None:
    """Makes a JPEG of a picture, which takes a tenth of the room, and removes it."""
    with Image.open(file) as picture:
        picture.convert("RGB").resize(
            (960, 960 * picture.height // picture.width), Image.Resampling.LANCZOS
        ).save(file.with_suffix(".jpg"), quality=82)
    file.unlink()


def _world(place: Place, folder: Path) -> WorldDescription:
    if not place.osm:
        return open_named_world(ROOT / "worlds" / "circle_town.xml")
    relief = f'<HeightMap path="{place.relief}"/>' if place.relief else ""
    file = folder / f"{place.name}.xml"
    file.write_text(WORLD.format(name=place.name, osm=place.osm, relief=relief, side=place.side))
    return open_named_world(file)


def main() -> None:
    """Draws all places, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("places", nargs="*")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "places")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    os.environ["AUTOSIM_PATH"] = os.pathsep.join((str(SHARED), str(ROOT)))
    with tempfile.TemporaryDirectory() as folder:
        for place in PLACES:
            is_wanted = not arguments.places or place.name in arguments.places
            if is_wanted and (not place.osm or (SHARED / place.osm).exists()):
                draw(place, Path(folder), arguments.out)


if __name__ == "__main__":
    main()
