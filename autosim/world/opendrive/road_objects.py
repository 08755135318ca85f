"""Places the objects of roads in W: buildings, barriers, poles and trees as solids or props.

Crosswalks are outlines in plan, on which stripes are painted. Other objects are counted.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import shapely

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.world.compiled.compiled_world import PropKind, Props, no_props
from autosim.world.geometry.meshes import Mesh, Surface, joined
from autosim.world.opendrive.road_frames import RoadFrame
from autosim.world.opendrive.xodr_records import XodrObject, XodrOutline, XodrRepeat

_BUILDINGS = frozenset({"building"})
_BARRIERS = {
    "barrier": Surface.CONCRETE,
    "railing": Surface.STEEL,
    "gantry": Surface.STEEL,
    "guardrail": Surface.STEEL,
    "wall": Surface.MASONRY,
    "fence": Surface.TIMBER,
    "obstacle": Surface.CONCRETE,
    "trafficisland": Surface.CONCRETE,
    "soundbarrier": Surface.CONCRETE,
    "hedge": Surface.HEDGE,
    "vegetation": Surface.HEDGE,
    "bush": Surface.HEDGE,
}
"""The surface of solids that stand in the way."""

_POLES = frozenset({"pole", "streetlamp", "tree", "conifer", "trafficlight", "signal"})
_PROPS = {
    "tree": PropKind.BROADLEAF,
    "conifer": PropKind.CONIFER,
    "streetlamp": PropKind.LAMP,
    "bench": PropKind.BENCH,
    "parkedcar": PropKind.PARKED_CAR,
    "parkedvan": PropKind.PARKED_VAN,
}
"""Objects that are drawn as props."""

_CROSSWALK = "crosswalk"

_NAMED = frozenset({"bench", "parkedcar", "parkedvan"})
"""Objects that have no type of their own in the standard: their names state what they are."""

_SUBTYPES = {
    ("pole", "streetlamp"): "streetlamp",
    ("pole", "trafficlight"): "trafficlight",
    ("tree", "needle"): "conifer",
    ("vegetation", "hedge"): "hedge",
    ("barrier", "hedge"): "hedge",
    ("barrier", "guardrail"): "guardrail",
    ("barrier", "wall"): "wall",
    ("barrier", "railing"): "railing",
    ("barrier", "fence"): "fence",
    ("barrier", "noiseprotections"): "soundbarrier",
}
"""Kinds of objects by their types and subtypes."""

_HEIGHTS = {"building": 8.0, "tree": 8.0, "conifer": 8.0, "pole": 5.0, "streetlamp": 7.0}
"""Heights [m] of objects whose file states none."""

_LOW = 1.0
"""Height [m] of other objects whose file states none."""

_SUNK = 0.4
"""Depth [m] by which solids reach into the ground, so that none floats."""

_THINNEST, _THIN = 0.06, 0.15
"""Least width [m] of solids, and the radius [m] of stems of unknown thickness."""

_SIDES = 8
"""Number of sides of round objects."""

_MOST_COPIES = 5000
"""Largest number of copies of an object: bounds what one element of a file can make."""

_PIECE = 4.0
"""Length [m] of the pieces of an object that goes along the road."""


@dataclass(frozen=True, slots=True)
class PlacedObjects:
    """The objects of all roads: solids, props, crosswalks (with heights), and what is not used.

    Attributes:
        buildings: walls and roofs.
        obstacles: other solids, which collide.
        ignored: number of unused objects by type.
    """

    buildings: Mesh
    obstacles: Mesh
    props: Props
    crosswalks: tuple[shapely.Polygon, ...]
    used: Counter[str]
    ignored: Counter[str]


def place_objects(frames: Mapping[str, RoadFrame]) -> PlacedObjects:
    """Places all objects."""
    buildings, obstacles, crosswalks = [], [], []
    trees: list[tuple[PropKind, Floats, float, float]] = []
    used, ignored = Counter[str](), Counter[str]()
    for frame in frames.values():
        for original in frame.road.objects:
            kind = _kind(original)
            if kind == _CROSSWALK:
                areas = list(_areas(frame, original))
                crosswalks += areas
                (used if areas else ignored)[f"objects: {kind}"] += 1
            elif kind in _BUILDINGS:
                buildings += list(_solids(frame, original, Surface.WALL, Surface.ROOF))
                used[f"objects: {kind}"] += 1
            elif kind in _BARRIERS:
                surface = _BARRIERS[kind]
                obstacles += list(_solids(frame, original, surface, surface))
                used[f"objects: {kind}"] += 1
            elif kind in _POLES or kind in _NAMED:
                for each in _copies(original):
                    obstacles.append(_stem(frame, each))
                    trees += _props(frame, each, kind)
                used[f"objects: {kind}"] += 1
            else:
                ignored[f"objects: {kind or 'without a type'}"] += 1
    return PlacedObjects(
        buildings=joined(buildings),
        obstacles=joined(obstacles),
        props=_joined_props(trees),
        crosswalks=tuple(crosswalks),
        used=used,
        ignored=ignored,
    )


def _kind(each: XodrObject) -> str:
    """The type of an object by its subtype; older files state it in the name, as type -1."""
    if each.name.lower() in _NAMED:
        return each.name.lower()
    if (each.type, each.subtype) in _SUBTYPES:
        return _SUBTYPES[each.type, each.subtype]
    known = (_CROSSWALK, *_BUILDINGS, *_BARRIERS, *_POLES)
    if each.type in known:
        return each.type
    name = each.name.lower()
    return next((word for word in known if word in name), each.type)


def _copies(each: XodrObject) -> Iterator[XodrObject]:
    """An object, or all that its repetitions make of it."""
    if not each.repeats:
        yield each
        return
    for repeat in each.repeats:
        step = repeat.distance if repeat.distance > 0.0 else _PIECE
        count = min(int(repeat.length / step + 1e-6) + 1, _MOST_COPIES)
        for k in range(count):
            share = min(k * step / repeat.length, 1.0) if repeat.length > 0.0 else 0.0
            yield _copy(each, repeat, share)


def _copy(each: XodrObject, repeat: XodrRepeat, share: float) -> XodrObject:
    def between(ends: tuple[float, float]) -> float:
        return ends[0] + share * (ends[1] - ends[0])

    return replace(
        each,
        s=repeat.s + share * repeat.length,
        t=between(repeat.t),
        height_offset=between(repeat.offset),
        height=between(repeat.height) or each.height,
        width=between(repeat.width) or each.width,
        repeats=(),
    )


def _pose(frame: RoadFrame, each: XodrObject) -> tuple[Floats, float]:
    """The place (3,) [m] in W and the heading [rad] of an object."""
    s = np.full(2, min(max(each.s, 0.0), frame.road.length))
    a, b = frame.at(s, np.array([each.t, each.t + 1.0]))
    left = b - a
    heading = float(portable.arctan2(-left[0], left[1])) + each.heading
    return a + np.array([0.0, 0.0, each.height_offset]), heading


def _height(each: XodrObject) -> float:
    return each.height if each.height > 0.0 else _HEIGHTS.get(_kind(each), _LOW)


def _solids(frame: RoadFrame, original: XodrObject, side: Surface, top: Surface) -> Iterator[Mesh]:
    for repeat in original.repeats:
        if repeat.distance <= 0.0 and repeat.length > 0.0:
            yield from _along(frame, original, repeat, side)
    rest = [each for each in original.repeats if each.distance > 0.0]
    if original.repeats and not rest:
        return
    for each in _copies(replace(original, repeats=tuple(rest))):
        outlines = list(_outlines(frame, each))
        for corners, heights in outlines or [_box(frame, each)]:
            yield from extruded(corners, heights, side, top)


def _along(
    frame: RoadFrame, each: XodrObject, repeat: XodrRepeat, surface: Surface
) -> Iterator[Mesh]:
    """One body along the road, in straight pieces that follow its bends."""
    count = max(int(np.ceil(repeat.length / _PIECE)), 1)
    share = np.linspace(0.0, 1.0, count + 1)
    s = np.clip(repeat.s + share * repeat.length, 0.0, frame.road.length)
    t, base, height, width = (
        ends[0] + share * (ends[1] - ends[0])
        for ends in (repeat.t, repeat.offset, repeat.height, repeat.width)
    )
    width = np.maximum(np.where(width > 0.0, width, each.width), _THINNEST)
    height = np.where(height > 0.0, height, _height(each))
    right = frame.at(s, t - width / 2.0, base)
    left = frame.at(s, t + width / 2.0, base)
    for k in range(count):
        corners = np.stack([right[k], right[k + 1], left[k + 1], left[k]])
        tops = np.array([height[k], height[k + 1], height[k + 1], height[k]])
        yield from extruded(corners, tops, surface, surface)


def _box(frame: RoadFrame, each: XodrObject) -> tuple[Floats, Floats]:
    """The corners (n, 3) and heights (n,) of an object without an outline."""
    place, heading = _pose(frame, each)
    sine, cosine = (float(value) for value in portable.sin_cos(heading))
    if each.radius > 0.0:
        angles = np.arange(_SIDES, dtype=np.float64) * (2.0 * np.pi / _SIDES)
        sines, cosines = portable.sin_cos(angles)
        local = each.radius * np.column_stack([cosines, sines])
    else:
        a, b = max(each.length, _THINNEST) / 2.0, max(each.width, _THINNEST) / 2.0
        local = np.array([[-a, -b], [a, -b], [a, b], [-a, b]])
    turned = np.column_stack(
        [cosine * local[:, 0] - sine * local[:, 1], sine * local[:, 0] + cosine * local[:, 1]]
    )
    corners = np.column_stack([place[:2] + turned, np.full(len(local), place[2])])
    return corners, np.full(len(local), _height(each))


def _outlines(frame: RoadFrame, each: XodrObject) -> Iterator[tuple[Floats, Floats]]:
    """The corners (n, 3) in W and the heights (n,) [m] of an object's outlines."""
    for outline in (outline for outline in each.outlines if outline.is_outer):
        corners = _corners(frame, each, outline)
        heights = np.where(outline.corners[:, 3] > 0.0, outline.corners[:, 3], _height(each))
        if len(corners) > 2:
            yield corners, heights


def _corners(frame: RoadFrame, each: XodrObject, outline: XodrOutline) -> Floats:
    u, v, z, _ = outline.corners.T
    if not outline.is_local:
        return frame.at(np.clip(u, 0.0, frame.road.length), v, z)
    place, heading = _pose(frame, each)
    sine, cosine = (float(value) for value in portable.sin_cos(heading))
    return np.column_stack(
        [place[0] + cosine * u - sine * v, place[1] + sine * u + cosine * v, place[2] + z]
    )


def _areas(frame: RoadFrame, each: XodrObject) -> Iterator[shapely.Polygon]:
    """The outlines of an object as polygons with heights."""
    found = list(_outlines(frame, each))
    if not found and each.length > 0.0 and each.width > 0.0:
        found = [_box(frame, each)]
    for corners, _ in found:
        area = shapely.Polygon(corners)
        if area.is_valid and area.area > 0.5:
            yield area


def extruded(corners: Floats, heights: Floats, side: Surface, top: Surface) -> Iterator[Mesh]:
    """A closed solid over a polygon (n, 3), as high as `heights` (n,) [m] at its corners."""
    ring = shapely.Polygon(corners[:, :2])
    if not ring.is_valid or ring.area < 1e-4:
        return
    if not ring.exterior.is_ccw:
        corners, heights = corners[::-1], heights[::-1]
    if np.array_equal(corners[0, :2], corners[-1, :2]):
        corners, heights = corners[:-1], heights[:-1]
    count = len(corners)
    faces = _triangles(corners[:, :2])
    low, high = corners.copy(), corners.copy()
    low[:, 2] = corners[:, 2].min() - _SUNK
    high[:, 2] = corners[:, 2] + heights
    a = np.arange(count)
    b = np.roll(a, -1)
    sides = np.vstack(
        [np.column_stack([a, b, b + count]), np.column_stack([a, b + count, a + count])]
    )
    triangles = np.vstack([faces[:, ::-1], faces + count, sides]).astype(np.int32)
    surfaces = np.full(len(triangles), int(side), dtype=np.uint8)
    surfaces[len(faces) : 2 * len(faces)] = int(top)
    yield Mesh(np.vstack([low, high]), triangles, surfaces)


def _triangles(ring: Floats) -> Integers:
    """The triangles (m, 3) of a simple polygon (n, 2), counter-clockwise."""
    found = shapely.constrained_delaunay_triangles(shapely.Polygon(ring))
    place = {tuple(point): k for k, point in enumerate(ring.tolist())}
    rows = []
    for part in shapely.get_parts(found):
        corners = [place[tuple(point)] for point in shapely.get_coordinates(part)[:3].tolist()]
        p, q, r = ring[corners]
        turns = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
        rows.append(corners if turns > 0.0 else corners[::-1])
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def _stem(frame: RoadFrame, each: XodrObject) -> Mesh:
    kind = _kind(each)
    if kind in _NAMED:
        corners, heights = next(_outlines(frame, each), None) or _box(frame, each)
        return joined(list(extruded(corners, heights, Surface.STEM, Surface.STEM)))
    radius = each.radius if 0.0 < each.radius < 1.0 else _THIN
    height = 2.5 if kind in ("tree", "conifer") else _height(each)
    thin = replace(each, radius=min(radius, 0.5), height=height, outlines=())
    corners, heights = _box(frame, thin)
    corners[:, :2] += _prop_pose(frame, each)[0][:2] - _pose(frame, each)[0][:2]
    return joined(list(extruded(corners, heights, Surface.STEM, Surface.STEM)))


def _props(
    frame: RoadFrame, each: XodrObject, kind: str
) -> list[tuple[PropKind, Floats, float, float]]:
    if kind not in _PROPS:
        return []
    place, heading = _prop_pose(frame, each)
    return [(_PROPS[kind], place, heading, _height(each))]


def _prop_pose(frame: RoadFrame, each: XodrObject) -> tuple[Floats, float]:
    """The place (3,) [m] in W and the heading [rad] of a prop: the middle of its outline."""
    place, heading = _pose(frame, each)
    outline = next(_outlines(frame, each), None)
    if outline is not None:
        place[:2] = outline[0][:, :2].mean(axis=0)
    return place, heading


def _joined_props(found: list[tuple[PropKind, Floats, float, float]]) -> Props:
    if not found:
        return no_props()
    return Props(
        np.array([kind for kind, *_ in found], dtype=np.uint8),
        np.array([place for _, place, *_ in found]),
        np.array([yaw for *_, yaw, _ in found]),
        np.array([height for *_, height in found]),
    )
