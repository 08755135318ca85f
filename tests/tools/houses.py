"""What the tests know of furnished maps, read by osmium and not by the code under test."""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import osmium
import shapely

from autosim.tools.osm_manipulator.furnish_options import FurnishRequest, Spacing
from autosim.tools.osm_manipulator.manipulator import furnish, write_furnished
from autosim.world.geometry.map_projection import MapProjection
from tests.world.maps import ORIGIN

HOUSES = """<?xml version="1.0"?>
<houses version="1.0" generator="test">
  <residential>
    <house name="small"><File path="models/buildings/house2" type="obj"/>
      <BoxSize x="8.0" y="6.0" z="8.0"/></house>
    <house name="wide"><File path="models/buildings/house1" type="obj"/>
      <BoxSize x="14.0" y="8.0" z="9.0"/></house>
  </residential>
  <industrial>
    <house name="hall"><File path="models/buildings/house0" type="obj"/>
      <BoxSize x="20.0" y="7.0" z="12.0"/></house>
  </industrial>
  <forest>
    <tree name="tree"><File path="models/nature/trees/tree0" type="obj"/>
      <BoxSize x="0.5" y="8.0" z="0.5"/></tree>
  </forest>
</houses>
"""


@dataclass(frozen=True)
class ReadHouse:
    id: int
    tags: dict[str, str]
    centre: np.ndarray
    front: np.ndarray
    box: shapely.Polygon


def house_list(folder: Path, text: str = HOUSES) -> Path:
    path = folder / "houses.xml"
    path.write_text(text, encoding="utf-8")
    return path


def furnish_file(
    original: Path, target: Path, houses: Path, *, to_street=10.0, between=5.0, seed=0, setup=None
):
    request = FurnishRequest(original, houses, setup, Spacing(to_street, between), seed)
    furnished = furnish(request)
    write_furnished(furnished, target)
    return furnished


def read_houses(path: Path, origin=ORIGIN) -> list[ReadHouse]:
    """The houses of a map, as osmium reads it, by the convention of table C.3."""
    projection = MapProjection(origin)
    found = []
    for item in osmium.FileProcessor(str(path)):
        if not item.is_node() or "filePath" not in item.tags:
            continue
        tags = {tag.k: tag.v for tag in item.tags}
        centre = projection.to_local(np.array([[item.location.lat, item.location.lon]]))[0]
        # rotY: clockwise from north, seen from above; the front looks along the model's z.
        angle = float(tags["rotY"])
        front = np.array([math.sin(angle), math.cos(angle)])
        right = np.array([front[1], -front[0]])
        half_z, half_x = 0.5 * float(tags["sizeZ"]) * front, 0.5 * float(tags["sizeX"]) * right
        corners = [
            centre + a * half_z + b * half_x for a, b in ((-1, -1), (-1, 1), (1, 1), (1, -1))
        ]
        found.append(ReadHouse(item.id, tags, centre, front, shapely.Polygon(corners)))
    return found


def new_houses(original: Path, target: Path, origin=ORIGIN) -> list[ReadHouse]:
    old = {house.id for house in read_houses(original, origin)} if _has_houses(original) else set()
    return [house for house in read_houses(target, origin) if house.id not in old]


def _has_houses(path: Path) -> bool:
    return path.suffix != ".osm" or b"filePath" in path.read_bytes()
