"""Writes the map of the motorway with ramps, `highway_merge.osm`.

Run this module to write the same file again, byte for byte:

    python -m autosim_assets.make_highway_merge worlds/highway_merge/highway_merge.osm
"""

import sys
from pathlib import Path

from autosim_assets.town_map import Point, Tags, TownMap

ORIGIN = (52.0, 10.0)
"""Latitude and longitude [deg] of the middle, where traffic keeps to the right."""

HALF_LENGTH = 1500.0
"""Half the length [m] of the motorway."""

_OFFSET = 10.0
"""Distance [m] of the axis of each carriageway from the middle."""

_RAMPS = (-800.0, 300.0)
"""Stations [m] of the ends of ramps along each carriageway."""

_ACCELERATION = 240.0
"""Length [m] of the lanes for acceleration."""

_RAMP: tuple[Point, ...] = (
    *((-400.0, -160.0), (-310.0, -120.0), (-220.0, -60.0), (-150.0, -24.0)),
    *((-80.0, -5.0), (0.0, 0.0)),
)
"""Points of a ramp [m]: along the carriageway before the end, and to its left."""

_MOTORWAY = {"highway": "motorway", "oneway": "yes", "maxspeed": "100"}
_LINK = {"highway": "motorway_link", "oneway": "yes", "lanes": "1", "maxspeed": "80"}


def make_motorway() -> str:
    """The map as an OSM file."""
    town = TownMap(ORIGIN)
    for way, number in ((1.0, "A 1"), (-1.0, "A 1")):

        def placed(point: Point, way: float = way) -> Point:
            return way * point[0], way * (point[1] - _OFFSET)

        def add(first: float, last: float, lanes: int, name: str = number) -> None:
            tags: Tags = {**_MOTORWAY, "ref": name, "lanes": str(lanes)}
            town.way([placed((first, 0.0)), placed((last, 0.0))], tags)

        at = -HALF_LENGTH
        for ramp in _RAMPS:
            add(at, ramp, 2)
            add(ramp, ramp + _ACCELERATION, 3)
            town.way([placed((ramp + x, y)) for x, y in _RAMP], _LINK)
            at = ramp + _ACCELERATION
        add(at, HALF_LENGTH, 2)
    return town.to_xml()


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(make_motorway(), encoding="utf-8")
