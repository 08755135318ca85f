"""Writes objects, bridges and tunnels of a world as OpenDRIVE elements of its roads.

Each object belongs to a road that has a place abeam of it, the nearest one first. Where no road has
one, its outline states its place exactly, in coordinates of the object.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from lxml import etree
from scipy.spatial import cKDTree

from autosim.arrays import Floats, Integers
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.export.furniture.object_records import MapObject
from autosim.world.export.furniture.structure_spans import StructureFinder
from autosim.world.export.furniture.world_objects import world_objects
from autosim.world.export.reference_line import ReferenceLine

_SAMPLES = 2.0
"""Distance [m] of the samples of roads among which the nearest are sought."""

_CANDIDATES = 4
"""Number of roads that are tried for an object."""

_ABEAM = 0.01
"""Distance [m] of an object from the line across its road up to which it is abeam."""

_CORNERS = 8
"""Number of corners of the outline of a round object."""


@dataclass(frozen=True, slots=True)
class WrittenRoad:
    """A road of the file: its id, its element, and its reference line."""

    id: int
    element: etree._Element
    line: ReferenceLine


@dataclass(slots=True)
class _Place:
    """The place of an object: a road and values of `Feet`; `residual` [m] from the object."""

    road: int
    s: float
    t: float
    point: Floats
    heading: float
    height: float
    residual: float


def write_objects(roads: Sequence[WrittenRoad], world: CompiledWorld) -> None:
    """Adds the objects of a world to its roads, each with its bridges and tunnels.

    Args:
        roads: all roads of the file, in the order of their ids.
        world: the world.
    """
    groups: dict[int, etree._Element] = {}

    def group_of(row: int) -> etree._Element:
        if row not in groups:
            groups[row] = _objects_element(roads[row].element)
        return groups[row]

    if roads:
        objects = world_objects(world)
        for number, (each, place) in enumerate(zip(objects, _places(roads, objects), strict=True)):
            _write_object(group_of(place.road), number, each, place)
    finder = StructureFinder(world)
    for row, road in enumerate(roads):
        spans = finder.spans(road.line.stations, road.line.points)
        for number, span in enumerate(sorted(spans, key=lambda each: not each.is_tunnel)):
            tag = "tunnel" if span.is_tunnel else "bridge"
            attributes = {
                "s": _number(span.start),
                "length": _number(span.end - span.start),
                "id": f"{road.id}.{tag}{number}",
                "name": tag,
                "type": "standard" if span.is_tunnel else "concrete",
            }
            etree.SubElement(group_of(row), tag, attributes)


def _objects_element(road: etree._Element) -> etree._Element:
    """A new <objects> of a road, before its signals."""
    element = etree.Element("objects")
    signals = road.find("signals")
    if signals is None:
        road.append(element)
    else:
        signals.addprevious(element)
    return element


def _places(roads: Sequence[WrittenRoad], objects: Sequence[MapObject]) -> list[_Place]:
    """The place of each object on a road."""
    if not objects:
        return []
    points = np.array([each.position[:2] for each in objects])
    candidates = _nearest_roads(roads, points)
    found: list[_Place | None] = [None] * len(objects)
    for rank in range(candidates.shape[1]):
        rows = [k for k, place in enumerate(found) if place is None or place.residual > _ABEAM]
        by_road: dict[int, list[int]] = defaultdict(list)
        for row in rows:
            by_road[int(candidates[row, rank])].append(row)
        for road, members in by_road.items():
            feet = roads[road].line.feet(points[members])
            gaps = np.linalg.norm(feet.points - points[members], axis=1)
            for k, row in enumerate(members):
                before = found[row]
                if before is None or gaps[k] < before.residual:
                    found[row] = _Place(
                        road,
                        float(feet.stations[k]),
                        float(feet.offsets[k]),
                        feet.points[k],
                        float(feet.headings[k]),
                        float(feet.heights[k]),
                        float(gaps[k]),
                    )
    return [place for place in found if place is not None]


def _nearest_roads(roads: Sequence[WrittenRoad], points: Floats) -> Integers:
    """The roads (n, `_CANDIDATES`) nearest to points (n, 2), the nearest first."""
    samples, owners = [], []
    for row, road in enumerate(roads):
        line = road.line
        count = max(int(np.ceil(line.length / _SAMPLES)), 1) + 1
        s = np.linspace(0.0, line.length, count)
        samples.append(
            np.column_stack([np.interp(s, line.stations, line.points[:, k]) for k in (0, 1)])
        )
        owners.append(np.full(count, row, dtype=np.int64))
    owner = np.concatenate(owners)
    wanted = min(64, len(owner))
    _, nearest = cKDTree(np.vstack(samples)).query(points, k=wanted)
    around = owner[np.asarray(nearest).reshape(len(points), wanted)]
    found = np.empty((len(points), _CANDIDATES), dtype=np.int64)
    for row, each in enumerate(around.tolist()):
        own = list(dict.fromkeys(each))[:_CANDIDATES]
        found[row] = own + own[:1] * (_CANDIDATES - len(own))
    return found


def _write_object(parent: etree._Element, number: int, each: MapObject, place: _Place) -> None:
    length, width, height = each.size
    attributes = {
        "id": f"o{number}",
        "name": each.name,
        "type": each.type,
        "s": _number(place.s),
        "t": _number(place.t),
        "zOffset": _number(each.position[2] - place.height),
        "hdg": _number(float(np.angle(np.exp(1j * (each.yaw - place.heading))))),
        "pitch": "0",
        "roll": "0",
        "height": _number(height),
        "orientation": "none",
    }
    if each.subtype:
        attributes["subtype"] = each.subtype
    if each.radius > 0.0:
        attributes["radius"] = _number(each.radius)
    else:
        attributes |= {"length": _number(length), "width": _number(width)}
    element = etree.SubElement(parent, "object", attributes)
    outlines = each.outlines
    if not outlines and place.residual > _ABEAM:
        outlines = (_own_outline(each),)
    if outlines:
        group = etree.SubElement(element, "outlines")
        for row, ring in enumerate(outlines):
            _write_outline(group, row, _local(ring, each, place), each)


def _own_outline(each: MapObject) -> Floats:
    """The outline (n, 2) [m] in W of an object that has only sizes."""
    if each.radius > 0.0:
        angles = np.arange(_CORNERS) * (2.0 * np.pi / _CORNERS)
        local = each.radius * np.column_stack([np.cos(angles), np.sin(angles)])
    else:
        a, b = each.size[0] / 2.0, each.size[1] / 2.0
        local = np.array([[-a, -b], [a, -b], [a, b], [-a, b]])
    return np.asarray(each.position[:2]) + local @ _turn(each.yaw).T


def _local(ring: Floats, each: MapObject, place: _Place) -> Floats:
    """A ring (n, 2) [m] of W in the frame of the object as the file places it."""
    return np.asarray((ring - place.point) @ _turn(each.yaw))


def _turn(yaw: float) -> Floats:
    cos, sin = np.cos(yaw), np.sin(yaw)
    return np.array([[cos, -sin], [sin, cos]])


def _write_outline(group: etree._Element, number: int, ring: Floats, each: MapObject) -> None:
    attributes = {"id": str(number), "outer": "true", "closed": "true"}
    outline = etree.SubElement(group, "outline", attributes)
    height = _number(each.size[2])
    for row, (u, v) in enumerate(_rows(ring)):
        attributes = {"id": str(row), "u": _number(u), "v": _number(v), "z": "0", "height": height}
        etree.SubElement(outline, "cornerLocal", attributes)


def _rows(ring: Floats) -> Iterator[tuple[float, float]]:
    yield from ((float(u), float(v)) for u, v in ring)


def _number(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")
