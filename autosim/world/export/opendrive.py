"""Writes OpenDRIVE 1.7: carriageways as roads, connectors as connecting roads of junctions.

Each direction of a street is its own road, because in narrow streets both lanes lie in the same
place. A road's reference line is the centre line of its leftmost lane, and a lane offset of half
that lane's width puts all lanes right of the centre (ids -1, -2, …): so the leftmost lane, and each
connector, lies exactly where it is driven, also in bends narrower than a lane. Traffic goes along
the line also where it keeps left, because readers interpret `rule="LHT"` differently; the header
states the side of traffic. Reference lines are cubic curves (`paramPoly3`) through the lanes'
points with their headings, and heights are linear in between. Signals and signs stand where
vehicles wait. Each junction states which of its roads give way to which. Buildings, barriers,
posts, trees, lamps, parked cars and crosswalks are objects of the roads next to them; bridges and
tunnels are marked on the roads that they carry.

Source: ASAM OpenDRIVE 1.7.0.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import cos, sin

import numpy as np
from lxml import etree

from autosim.arrays import Floats
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.export.carriageway_graph import (
    CarriagewayGraph,
    CarriagewayLink,
    build_carriageway_graph,
)
from autosim.world.export.furniture.object_writer import WrittenRoad, write_objects
from autosim.world.export.lane_widths import LaneWidth, lane_widths
from autosim.world.export.opendrive_signals import (
    SignalledLanes,
    SignalWriter,
    write_priorities,
)
from autosim.world.export.reference_line import ReferenceLine, straight_line
from autosim.world.export.roadside_strips import RoadSide, RoadSideFinder
from autosim.world.lanes.roads import Lane

_TYPES = {
    "motorway": "motorway",
    "motorway_link": "motorway",
    "trunk": "townExpressway",
    "trunk_link": "townExpressway",
    "primary": "townArterial",
    "secondary": "townArterial",
    "tertiary": "townCollector",
    "residential": "townLocal",
    "unclassified": "townLocal",
    "living_street": "townPlayStreet",
    "service": "townPrivate",
    "pedestrian": "pedestrian",
    "cycleway": "bicycle",
}
"""Types of roads by OSM's `highway`; others are of the type `town`."""

_KERB = 0.12
"""Height [m] of pavements above the carriageway."""

_LINE = 0.12
"""Width [m] of the broken line between two lanes."""

_SAME_SLOPE = 2e-6
"""Difference of the slopes of widths up to which two pieces are one."""

_SHORTEST = 0.1
"""Length [m] of the shortest road between two lanes that touch: readers reject shorter ones."""


def opendrive(
    world: CompiledWorld, *, has_objects: bool = True, signals: SignalledLanes | None = None
) -> bytes:
    """Writes the lanes of a world as an OpenDRIVE document.

    Args:
        world: the world.
        has_objects: whether the document holds its objects.
        signals: the lanes that wait at the same lights; None: the lights have no controllers.
    """
    layout = build_carriageway_graph(world.roads)
    root = etree.Element("OpenDRIVE")
    _write_header(root, world)
    lights = SignalWriter(signals or SignalledLanes.none(len(world.roads.lanes)))
    roads = _RoadWriter(world, layout, lights)
    for number in range(len(layout.carriageways)):
        roads.write_carriageway(root, number)
    for number, connection in enumerate(layout.connections):
        roads.write_connection(root, number, connection)
    lights.write_controllers(root)
    roads.write_junctions(root)
    if has_objects:
        write_objects(roads.written, world)
    text: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)
    return text


def _write_header(root: etree._Element, world: CompiledWorld) -> None:
    west, south, east, north = (_number(value) for value in world.bounds)
    header = _add(root, "header", revMajor=1, revMinor=7, name=world.name, version="1.00")
    header.attrib.update({"north": north, "south": south, "east": east, "west": west})
    header.set("vendor", "AutoSim")
    latitude, longitude = world.origin
    _add(header, "geoReference").text = etree.CDATA(
        f"+proj=tmerc +lat_0={latitude!r} +lon_0={longitude!r} +k=1 +x_0=0 +y_0=0 "
        "+datum=WGS84 +units=m +no_defs"
    )
    _add(header, "userData", code="attribution", value=world.attribution)
    _add(header, "userData", code="drivingSide", value=world.driving_side)


@dataclass(frozen=True, slots=True)
class _End:
    """An end of a lane: its middle (2,) [m], the heading [rad] of its road, and its width [m]."""

    point: Floats
    heading: float
    width: float


def _ends_of(line: ReferenceLine, widths: Sequence[LaneWidth], row: int) -> list[_End]:
    """The ends of a road's lanes, from left to right, at its start (`row` 0) or end (-1)."""
    heading = float(line.headings[row])
    left = np.array([-sin(heading), cos(heading)])
    values = np.array([float(each.values[row]) for each in widths])
    middles = values[0] / 2.0 - np.cumsum(values) + values / 2.0
    return [
        _End(line.points[row, :2] + middle * left, heading, width)
        for middle, width in zip(middles.tolist(), values.tolist(), strict=True)
    ]


class _RoadWriter:
    """Writes carriageways, whose road ids are 0, 1, …, and then the connections."""

    def __init__(
        self, world: CompiledWorld, layout: CarriagewayGraph, lights: SignalWriter
    ) -> None:
        self._lights = lights
        self._lanes = world.roads.lanes
        self._layout = layout
        self._first_connection = len(layout.carriageways)
        self._positions = {
            lane: -number
            for carriageway in layout.carriageways
            for number, lane in enumerate(carriageway.lanes, start=1)
        }
        self._before, self._after = self._junctions_at_ends()
        self._ends: dict[int, tuple[_End, _End]] = {}
        self._sides = RoadSideFinder(world)
        self.written: list[WrittenRoad] = []

    def _junctions_at_ends(self) -> tuple[dict[int, int], dict[int, int]]:
        """The junctions at the start and at the end of each carriageway that has one."""
        before, after = {}, {}
        for each in self._layout.connections:
            before[self._layout.owners[each.end]] = each.junction
            after[self._layout.owners[each.start]] = each.junction
        return before, after

    def write_carriageway(self, root: etree._Element, number: int) -> None:
        lanes = [self._lanes[k] for k in self._layout.carriageways[number].lanes]
        line = ReferenceLine.along(lanes[0])
        widths = lane_widths(line, lanes)
        starts, stops = (_ends_of(line, widths, row) for row in (0, -1))
        for lane, start, stop in zip(lanes, starts, stops, strict=True):
            self._ends[lane.index] = start, stop
        road = _add_road(root, number, line, lanes[0].highway, junction=-1)
        link = _add(road, "link")
        for name, junctions in (("predecessor", self._before), ("successor", self._after)):
            if number in junctions:
                _add(link, name, elementType="junction", elementId=junctions[number])
        right = _describe(road, line, lanes, widths, links=None)
        _add_sides(right, self._sides.sides(lanes), len(lanes))
        self._lights.write(road, lanes, number)
        self.written.append(WrittenRoad(number, road, line))

    def write_connection(
        self, root: etree._Element, number: int, connection: CarriagewayLink
    ) -> None:
        start, end = self._lanes[connection.start], self._lanes[connection.end]
        is_curve = connection.connector is not None
        lane = self._lanes[connection.connector] if connection.connector is not None else end
        line = ReferenceLine.along(lane) if is_curve else _least_line(start, end)
        first, last = self._ends[connection.start][1], self._ends[connection.end][0]
        line = line.between((first.point, first.heading), (last.point, last.heading))
        width = LaneWidth(np.array([0.0, line.length]), np.array([first.width, last.width]))
        number += self._first_connection
        road = _add_road(root, number, line, lane.highway, junction=connection.junction)
        link = _add(road, "link")
        for name, index, point in (
            ("predecessor", connection.start, "end"),
            ("successor", connection.end, "start"),
        ):
            owner = self._layout.owners[index]
            _add(link, name, elementType="road", elementId=owner, contactPoint=point)
        links = self._positions[connection.start], self._positions[connection.end]
        _describe(road, line, [lane], [width], links=links)
        self.written.append(WrittenRoad(number, road, line))

    def write_junctions(self, root: etree._Element) -> None:
        numbered = sorted(enumerate(self._layout.connections), key=lambda each: each[1].junction)
        for junction, group in groupby(numbered, key=lambda each: each[1].junction):
            element = _add(root, "junction", name=f"junction {junction}", id=junction)
            members = list(group)
            for index, (number, connection) in enumerate(members):
                each = _add(
                    element,
                    "connection",
                    id=index,
                    incomingRoad=self._layout.owners[connection.start],
                    connectingRoad=self._first_connection + number,
                    contactPoint="start",
                )
                position = str(self._positions[connection.start])
                etree.SubElement(each, "laneLink", {"from": position, "to": "-1"})
            starts = [connection.start for _, connection in members]
            write_priorities(element, starts, self._lanes, self._layout.owners)
            self._lights.write_junction(element, starts)


def _least_line(start: Lane, end: Lane) -> ReferenceLine:
    """A reference line of at least `_SHORTEST` between two lanes that touch."""
    first, last = start.position(start.length), end.position(0.0)
    if np.linalg.norm(last[:2] - first[:2]) < _SHORTEST:
        heading = end.heading(0.0)
        last = first + _SHORTEST * np.array([cos(heading), sin(heading), 0.0])
    return straight_line(first, last)


def _add_road(
    root: etree._Element, number: int, line: ReferenceLine, name: str, *, junction: int
) -> etree._Element:
    length = _number(line.length)
    return _add(root, "road", name=name, length=length, id=number, junction=junction, rule="RHT")


def _describe(
    road: etree._Element,
    line: ReferenceLine,
    lanes: Sequence[Lane],
    widths: Sequence[LaneWidth],
    *,
    links: tuple[int, int] | None,
) -> etree._Element:
    """Adds a road's speed limit, line and lanes, and returns the element of its right lanes.

    `links` are the lane ids before and after.
    """
    kind = _add(road, "type", s="0", type=_TYPES.get(lanes[0].highway, "town"))
    _add(kind, "speed", max=_number(max(lane.speed_limit for lane in lanes)), unit="m/s")
    line.write(road)
    element = _add(road, "lanes")
    for s, value, slope in _linear(widths[0]):
        half = {"a": _number(value / 2.0), "b": _number(slope / 2.0)}
        _add(element, "laneOffset", s=_number(s), **half, c="0", d="0")
    section = _add(element, "laneSection", s="0")
    _add(_add(section, "center"), "lane", id=0, type="none", level="false")
    right = _add(section, "right")
    for number, (lane, width) in enumerate(zip(lanes, widths, strict=True), start=1):
        _add_lane(right, -number, lane, width, links, is_last=number == len(lanes))
    return right


def _add_sides(right: etree._Element, sides: tuple[RoadSide, RoadSide], lanes: int) -> None:
    """Adds the strips left and right of a road's lanes."""
    for number, (kind, width) in enumerate(sides[1].strips(), start=lanes + 1):
        _add_strip(right, -number, kind, width)
    strips = sides[0].strips()
    if not strips:
        return
    left = etree.Element("left")
    section = right.getparent()
    assert section is not None
    section.insert(0, left)
    # The outermost lane comes first.
    for number in range(len(strips), 0, -1):
        _add_strip(left, number, *strips[number - 1])


def _add_strip(side: etree._Element, number: int, kind: str, width: float) -> None:
    """Adds a shoulder, or a pavement behind its kerb."""
    element = _add(side, "lane", id=number, type=kind, level="false")
    _add(element, "width", sOffset="0", a=_number(width), b="0", c="0", d="0")
    if kind == "sidewalk":
        _add(element, "height", sOffset="0", inner=_KERB, outer=_KERB)


def _add_lane(
    side: etree._Element,
    number: int,
    lane: Lane,
    width: LaneWidth,
    links: tuple[int, int] | None,
    *,
    is_last: bool,
) -> None:
    element = _add(side, "lane", id=number, type="driving", level="false")
    if links is not None:
        link = _add(element, "link")
        _add(link, "predecessor", id=links[0])
        _add(link, "successor", id=links[1])
    for s, value, slope in _linear(width):
        numbers = {"a": _number(value), "b": _number(slope)}
        _add(element, "width", sOffset=_number(s), **numbers, c="0", d="0")
    if not is_last:
        # The broken line over which vehicles change to the next lane.
        mark = _add(element, "roadMark", sOffset="0", type="broken", weight="standard")
        mark.attrib.update({"color": "white", "width": _number(_LINE), "laneChange": "both"})
    _add(element, "speed", sOffset="0", max=_number(lane.speed_limit), unit="m/s")


def _linear(width: LaneWidth) -> Iterator[tuple[float, float, float]]:
    """Station [m], width [m] and slope of each piece that is not the one before continued."""
    slopes = np.append(np.diff(width.values) / np.diff(width.stations), 0.0)
    last = len(slopes) - 1
    before = None
    for k, row in enumerate(zip(width.stations, width.values, slopes, strict=True)):
        s, value, slope = (float(each) for each in row)
        # The last one would begin where the road ends.
        if k and (k == last or (before is not None and abs(slope - before) < _SAME_SLOPE)):
            continue
        before = slope
        yield s, value, slope


def _add(parent: etree._Element, tag: str, /, **attributes: object) -> etree._Element:
    return etree.SubElement(parent, tag, {key: str(value) for key, value in attributes.items()})


def _number(value: float) -> str:
    return f"{value:.9g}"
