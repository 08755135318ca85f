"""The windows of a map: squares of many sizes that cover all its streets."""

import math
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

from autosim.world.geometry.extent import Window
from autosim.world.osm.osm_reader import read_osm
from tests.paths import SHARED

LEAST_SIDE, GREATEST_SIDE = 600.0, 1500.0
"""Sides of windows [m]."""
SPACING = 600.0
"""Distance of the middles of neighbouring windows [m]; each window overlaps its neighbours."""
_METRES_PER_DEGREE = 111_320.0
_TERRAIN = {"monaco": "dem/N43E007.hgt.zip", "north-bayreuth": "dem"}
"""Heights [path below the folder of maps] by the names of extracts."""


@dataclass(frozen=True, slots=True)
class MapWindow:
    """A window of a map.

    Attributes:
        path: file of the map.
        window: the part of it.
        heights: a height map or a folder of them; None for flat ground.
    """

    path: Path
    window: Window
    heights: Path | None = None

    def __str__(self) -> str:
        """File, middle [deg] and side [m], as `--only` takes them."""
        place = self.window
        return f"{self.path.name} {place.latitude:.5f},{place.longitude:.5f},{place.size:.0f}"


def extracts(folder: Path = SHARED / "osm") -> list[Path]:
    """The maps of whole places beside the checkout."""
    return sorted(path for each in ("city", "pbf") for path in (folder / each).glob("*.osm*"))


def windows_of(path: Path, seed: int) -> list[MapWindow]:
    """Windows about the knots of a grid over a map, those without any node of a street left out.

    Middles are moved and sides chosen by the seed, to 1e-5 degrees and whole metres, so that the
    printed window is the tried one.
    """
    data = read_osm(path)
    streets = [data.rows(way.refs) for way in data.ways if "highway" in way.tags]
    if not streets:
        return []
    nodes = data.places[np.unique(np.concatenate(streets))]
    south, west = nodes.min(axis=0)
    north, east = nodes.max(axis=0)
    per_latitude = SPACING / _METRES_PER_DEGREE
    per_longitude = per_latitude / math.cos(math.radians((south + north) / 2.0))
    rows = max(1, math.ceil((north - south) / per_latitude))
    columns = max(1, math.ceil((east - west) / per_longitude))
    heights = _heights_of(path)
    found = []
    for row in range(rows):
        for column in range(columns):
            random = Random(f"{path.name} {seed} {row} {column}")
            latitude = round(south + (row + random.random()) * per_latitude, 5)
            longitude = round(west + (column + random.random()) * per_longitude, 5)
            side = float(round(random.uniform(LEAST_SIDE, GREATEST_SIDE)))
            half = np.array([per_latitude, per_longitude]) * side / SPACING / 2.0
            if (np.abs(nodes - (latitude, longitude)) < half).all(axis=1).any():
                found.append(MapWindow(path, Window(latitude, longitude, side), heights))
    return found


def window_of(text: str) -> MapWindow:
    """The window that `str(MapWindow)` prints; ValueError if it names no map or no window."""
    name, _, place = text.rpartition(" ")
    paths = [path for path in extracts() if path.name == name]
    if len(paths) != 1:
        raise ValueError(f"there is no map {name!r} beside the checkout")
    latitude, longitude, side = (float(number) for number in place.split(","))
    return MapWindow(paths[0], Window(latitude, longitude, side), _heights_of(paths[0]))


def _heights_of(path: Path) -> Path | None:
    terrain = _TERRAIN.get(path.name.split(".")[0])
    found = path.parent.parent / terrain if terrain else None
    return found if found is not None and found.exists() else None
