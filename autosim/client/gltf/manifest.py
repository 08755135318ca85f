"""The manifest of a world: what is to be drawn of it, and in which files that is.

All places in a manifest are in W: x east, y north, z up [m]; glTF files are y up. Its parts:

- `world_digest`, `name`, `attribution`, `origin` (latitude and longitude [deg] of the origin of W),
  `bounds` (lowest and highest corner of all tiles);
- `tiles`: each with the ball around it (`center`, `radius`) and its levels of detail, the finest
  first, with the distance `until` [m] from the surface of the ball up to which each is good;
- `beyond`: the file with the land around the tiles, up to the horizon;
- `instances`: the file with trees, lamps, benches and parked cars, a node for each kind;
- `lamps`: where street lamps shine; `signals`: the heads (x, y, z of the foot, yaw [rad], 1 for
  people) of each group, which is numbered as in the state;
- `materials`: colour (sRGB), roughness and metalness by name; `palettes`: the colours that the rows
  of traffic number; `sky`: day time and weather of the world file;
- `models`: `robots` and `objects` by name, `vehicles` by kind and colour, `people` by model, with
  their files; `people_choices`: the model of each of the 8 figures in each of 21 groups of colours.
"""

from dataclasses import asdict

import numpy as np

from autosim.arrays import Floats
from autosim.client.gltf.instance_files import lamp_places
from autosim.client.gltf.material_values import Json, material_table
from autosim.client.materials.palette import PAINTS
from autosim.client.traffic.appearance import BUSES, CLOTHES, SKINS, TROUSERS
from autosim.client.traffic.drawn_models import (
    VEHICLE_MODELS,
    colours_of_model,
    vehicle_kind,
)
from autosim.client.traffic.people_rigs import PERSON_BOUNDS
from autosim.client.traffic.posing import LARGEST, REACHES
from autosim.config.world_settings import SkyDescription
from autosim.traffic.signals.signal_heads import make_signal_heads
from autosim.traffic.signals.signal_plan import make_plan
from autosim.traffic.traffic_node import MOST_SIGNALS
from autosim.traffic.vehicle_kinds import FLEET, VehicleClass
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.tile_grid import TileGrid

NEAR_UNTIL = 350.0
"""Distance [m] from the surface of a tile's ball up to which it is shown in full: farther away,
kerbs and paint are smaller than a pixel."""

FAR_UNTIL = 20_000.0
"""Distance [m] up to which tiles are shown at all."""

_BYTES_OF_TRIANGLE = {"near": 36.0, "far": 14.0}
"""Bytes of a tile's file for each triangle of the compiled world in it, measured in towns."""

PALETTES: Json = {
    "paints": [list(colour) for colour in PAINTS],
    "buses": [list(colour) for colour in BUSES],
    "clothes": [list(colour) for colour in CLOTHES],
    "trousers": [list(colour) for colour in TROUSERS],
    "skins": [list(colour) for colour in SKINS],
}
"""Colours (sRGB, 0..255) of what the rows of traffic number."""


def world_part(compiled: CompiledWorld, folder: str) -> Json:
    """The manifest without models.

    Args:
        compiled: the place, in tiles.
        folder: the address below which the files of tiles and instances are.
    """
    tiles = _tiles(compiled, folder)
    low = np.min([np.array(each["low"]) for each in tiles] or [np.zeros(3)], axis=0)
    high = np.max([np.array(each["high"]) for each in tiles] or [np.zeros(3)], axis=0)
    latitude, longitude = compiled.origin
    return {
        "world_digest": compiled.digest,
        "name": compiled.name,
        "attribution": compiled.attribution,
        "origin": {"latitude": latitude, "longitude": longitude, "height": 0.0},
        "bounds": [*low.tolist(), *high.tolist()],
        "tiles": [_without_box(each) for each in tiles],
        "beyond": {"uri": f"{folder}/beyond.glb"},
        "instances": {"uri": f"{folder}/instances.glb"},
        "lamps": np.round(lamp_places(compiled.props), 2).tolist(),
        "signals": signals_of(compiled),
        "materials": material_table(),
        "palettes": PALETTES,
    }


def sky_part(sky: SkyDescription) -> Json:
    """Day time and weather of a world file."""
    return asdict(sky)


def signals_of(compiled: CompiledWorld) -> list[Json]:
    """The groups of signals with their heads: x, y, z [m] of the foot, yaw [rad], 1 for people."""
    heads = make_signal_heads(make_plan(compiled, most=MOST_SIGNALS), compiled)
    rows: dict[int, list[list[float]]] = {}
    for group, foot, yaw, is_people in zip(
        heads.groups.tolist(),
        np.round(heads.feet, 3).tolist(),
        np.round(heads.yaws, 4).tolist(),
        heads.is_people.tolist(),
        strict=True,
    ):
        rows.setdefault(group, []).append([*foot, yaw, int(is_people)])
    return [{"group": group, "node": group, "heads": own} for group, own in sorted(rows.items())]


def vehicle_rows(levels: list[list[str]]) -> list[Json]:
    """The models of vehicles with the addresses of their levels of detail, the finest first.

    A row has the `kind` of the state, and the `colours` (modulo 8) of it that have this model.
    """
    rows = []
    for model, own in enumerate(levels):
        each = FLEET[vehicle_kind(model)]
        if not own:
            continue
        row = {
            "kind": vehicle_kind(model),
            "colours": colours_of_model(model),
            "name": VEHICLE_MODELS[model].rsplit("/", 1)[-1],
            "class": each.vehicle_class.name.lower(),
            "is_bus": each.vehicle_class is VehicleClass.BUS,
            "length": each.length,
            "width": each.width,
            "height": each.height,
        }
        rows.append(row | _levels(own, float(np.hypot(each.length, each.height) / 2.0)))
    return rows


def people_rows(levels: list[list[str]]) -> list[Json]:
    """The models of people; `people_choices` says which figure has which."""
    return [
        {"kind": model, "height": 2.0 * PERSON_BOUNDS[1]} | _levels(own, PERSON_BOUNDS[0])
        for model, own in enumerate(levels)
        if own
    ]


def _levels(uris: list[str], radius: float) -> Json:
    """The levels of a model: each is good up to `until` [m]."""
    levels = [
        {"uri": uri, "until": round(reach * min(radius, LARGEST), 1)}
        for uri, reach in zip(uris, REACHES, strict=False)
    ]
    return {"uri": uris[0], "levels": levels}


def _tiles(compiled: CompiledWorld, folder: str) -> list[Json]:
    """The tiles that have anything in them."""
    grid = TileGrid.of(compiled.bounds)
    tiles = []
    for tile in range(grid.count):
        count, low, high = _extent(compiled, tile)
        if not count:
            continue
        center = (low + high) / 2.0
        lods = [
            {
                "uri": f"{folder}/tile-{tile}-{name}.glb",
                "bytes": round(_BYTES_OF_TRIANGLE[name] * count),
                "until": until,
            }
            for name, until in (("near", NEAR_UNTIL), ("far", FAR_UNTIL))
        ]
        tiles.append(
            {
                "id": str(tile),
                "center": np.round(center, 2).tolist(),
                "radius": round(float(np.linalg.norm(high - low)) / 2.0, 2),
                "lods": lods,
                "low": low.tolist(),
                "high": high.tolist(),
            }
        )
    return tiles


def _extent(compiled: CompiledWorld, tile: int) -> tuple[int, Floats, Floats]:
    """Number of triangles of a tile, and its lowest and highest corner [m]."""
    count = 0
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for mesh in (compiled.ground, compiled.structures, compiled.buildings, compiled.house_boxes):
        if not len(mesh.starts):
            continue
        corners = mesh.triangles[slice(*mesh.starts[tile : tile + 2].tolist())]
        if len(corners):
            points = mesh.vertices[np.unique(corners)]
            low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
            count += len(corners)
    for mesh in (compiled.obstacles, compiled.markings, compiled.rails):
        if len(mesh.starts):
            first, last = mesh.starts[tile : tile + 2].tolist()
            count += last - first
    return count, low, high


def _without_box(tile: Json) -> Json:
    return {key: value for key, value in tile.items() if key not in ("low", "high")}
