"""Draws towns as OSM maps: nodes and ways from places in metres."""

import math
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import quoteattr

import numpy as np
import shapely

from autosim.world.geometry import overlays
from autosim.world.geometry.map_projection import MapProjection

Point = tuple[float, float]
Tags = dict[str, str]


class TownMap:
    """An OSM map under construction: nodes and ways with ascending ids.

    Args:
        origin: latitude and longitude [deg] of the place (0, 0).
    """

    def __init__(self, origin: Point) -> None:
        self._projection = MapProjection(origin)
        self._nodes: dict[Point, int] = {}
        self._tagged: dict[int, Tags] = {}
        self._ways: list[tuple[list[int], Tags]] = []

    def node(self, point: Point, tags: Tags | None = None) -> int:
        """The id of the node at a point [m]; makes the node if there is none."""
        place = (round(point[0], 2), round(point[1], 2))
        number = self._nodes.setdefault(place, len(self._nodes) + 1)
        if tags:
            self._tagged[number] = tags
        return number

    def way(self, points: Iterable[Point], tags: Tags) -> None:
        """Adds a way through points [m]."""
        self._ways.append(([self.node(point) for point in points], tags))

    def area(self, points: Sequence[Point], tags: Tags) -> None:
        """Adds a closed way around points [m]."""
        self.way([*points, points[0]], tags)

    def footprints(self) -> list[shapely.Polygon]:
        """The outlines [m] of all buildings, placed houses as squares."""
        places = list(self._nodes)
        outlines = [
            shapely.Polygon([places[ref - 1] for ref in refs])
            for refs, tags in self._ways
            if "building" in tags
        ]
        houses = [
            overlays.buffer(
                shapely.Point(places[number - 1]),
                float(tags["sizeX"]) / 2.0,
                quad_segs=16,
                cap_style="square",
            )
            for number, tags in self._tagged.items()
            if "filePath" in tags
        ]
        return [*outlines, *houses]

    def to_xml(self) -> str:
        """The map as an OSM 0.6 file."""
        lines = [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<osm version="0.6" generator="AutoSim make_circle_town"'
            ' copyright="AutoSim" license="Apache-2.0">',
            "  <!-- A made-up town for AutoSim's demo. Licence: that of AutoSim, Apache-2.0. -->",
        ]
        places = self._projection.to_geographic(np.array(list(self._nodes)))
        for number, (latitude, longitude) in enumerate(places.tolist(), start=1):
            place = f'id="{number}" version="1" lat="{latitude:.7f}" lon="{longitude:.7f}"'
            lines += _element("node", place, [], self._tagged.get(number, {}))
        for number, (refs, tags) in enumerate(self._ways, start=1):
            lines += _element("way", f'id="{number}" version="1"', refs, tags)
        return "\n".join([*lines, "</osm>", ""])


def _element(name: str, attributes: str, refs: Sequence[int], tags: Tags) -> list[str]:
    if not refs and not tags:
        return [f"  <{name} {attributes}/>"]
    children = [f'    <nd ref="{ref}"/>' for ref in refs]
    children += [f"    <tag k={quoteattr(k)} v={quoteattr(v)}/>" for k, v in tags.items()]
    return [f"  <{name} {attributes}>", *children, f"  </{name}>"]


def circle(centre: Point, radius: float, corners: int, squeeze: float = 1.0) -> list[Point]:
    """Points [m] around a centre, clockwise from north; `squeeze` scales north to south."""
    angles = [math.tau * k / corners for k in range(corners)]
    return [
        (centre[0] + radius * math.sin(a), centre[1] + squeeze * radius * math.cos(a))
        for a in angles
    ]


def rectangle(centre: Point, size: Point, angle: float) -> list[Point]:
    """Corners [m] of a rectangle whose first side lies along `angle` [rad]."""
    c, s = math.cos(angle), math.sin(angle)
    half = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
    return [
        (
            centre[0] + c * u * size[0] - s * v * size[1],
            centre[1] + s * u * size[0] + c * v * size[1],
        )
        for u, v in half
    ]


def with_points_at(
    points: Sequence[Point], distances: Sequence[float]
) -> tuple[list[Point], list[Point]]:
    """A polyline with points added at distances [m] along it, and these points."""
    line = shapely.LineString(points)
    added = [line.interpolate(distance) for distance in distances]
    places = [(round(each.x, 2), round(each.y, 2)) for each in added]
    stations = [(line.project(shapely.Point(point)), point) for point in points]
    stations += list(zip(distances, places, strict=True))
    return [point for _, point in sorted(stations)], places


def house_place(
    street: shapely.LineString, s: float, side: float, distance: float
) -> tuple[Point, float]:
    """The middle of a house beside a street, and the direction [rad] in which it faces it."""
    here, ahead = street.interpolate(s), street.interpolate(s + 1.0)
    angle = math.atan2(ahead.y - here.y, ahead.x - here.x)
    away = angle + side * math.pi / 2.0
    centre = (here.x + distance * math.cos(away), here.y + distance * math.sin(away))
    return centre, away + math.pi


def places_along(
    street: shapely.LineString, away: float, *, spacing: float, start: float
) -> list[Point]:
    """Places every `spacing` metres along a street, `away` metres from its axis, on both sides."""
    stations = np.arange(start, street.length - start / 2.0, spacing).tolist()
    return [
        house_place(street, s + (0.5 * spacing if side < 0.0 else 0.0), side, away)[0]
        for s in stations
        for side in (1.0, -1.0)
        if s + 0.5 * spacing < street.length - start / 2.0
    ]
