"""Converts SUMO's floating car data (`--fcd-output`) into a table of recorded actors.

    sumo -c town.sumocfg --fcd-output fcd.xml
    python examples/recorded_traffic.py fcd.xml log.csv
    autosim run driver.py --map town.osm --scenario log.csv

SUMO states the middle of the front and the angle clockwise from north; a table states the middle of
the vehicle and the heading counter-clockwise from east. Any other log needs no more than this.
"""

import argparse
import csv
import math
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import iterparse

COLUMNS = ("id", "kind", "time", "x", "y", "heading", "length", "width", "height")
"""Columns of a table of recorded actors."""

SIZES = {"passenger": (5.0, 1.8, 1.5), "truck": (7.1, 2.4, 2.4), "bus": (12.0, 2.5, 3.4)}
"""Length, width and height [m] of SUMO's classes of vehicles."""

KINDS = {"passenger": "car", "truck": "truck", "bus": "bus", "bicycle": "bicycle"}
"""Kinds of a table for SUMO's classes."""


def rows(fcd: Path, shift: tuple[float, float]) -> Iterator[tuple[object, ...]]:
    """The rows of the table; `shift` [m] is added to SUMO's coordinates."""
    for _, step in iterparse(fcd):
        if step.tag != "timestep":
            continue
        for each in step:
            heading = math.pi / 2.0 - math.radians(float(each.get("angle", "0")))
            is_person = each.tag == "person"
            kind = "pedestrian" if is_person else _class_of(each.get("type", ""))
            size = (0.4, 0.5, 1.7) if is_person else SIZES.get(kind, SIZES["passenger"])
            back = 0.0 if is_person else size[0] / 2.0
            x = float(each.get("x", "0")) - back * math.cos(heading) + shift[0]
            y = float(each.get("y", "0")) - back * math.sin(heading) + shift[1]
            name = f"{each.tag}_{each.get('id')}"
            yield (name, KINDS.get(kind, kind), step.get("time"), x, y, heading, *size)
        step.clear()


def _class_of(type_: str) -> str:
    """SUMO's class of a vehicle by the name of its type."""
    return next((each for each in KINDS if each in type_.lower()), "passenger")


def main() -> None:
    """Converts one file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fcd", type=Path, help="SUMO's file")
    parser.add_argument("table", type=Path, help="CSV to write")
    parser.add_argument("--shift", type=float, nargs=2, default=(0.0, 0.0), metavar=("X", "Y"))
    options = parser.parse_args()
    with options.table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(rows(options.fcd, tuple(options.shift)))


if __name__ == "__main__":
    main()
