"""Paints the road marks of an OpenDRIVE file, and the stripes of its crosswalks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import shapely

from autosim import portable
from autosim.arrays import Floats
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.markings.patches import Patches, laid, oblongs
from autosim.world.opendrive.lane_shapes import SURFACES
from autosim.world.opendrive.road_frames import RoadFrame
from autosim.world.opendrive.xodr_records import XodrLane, XodrMark, XodrSection

_WIDTHS = {"standard": 0.12, "bold": 0.24}
"""Widths [m] of lines by their weight, where the file states none."""

_WIDEST = 1.5
"""Greatest width [m] of a line: wider ones are errors."""

_DASH, _GAP = 3.0, 6.0
"""Length [m] of dashes and of the gaps between them, where the file states none."""

_DOT, _BETWEEN_DOTS = 0.12, 1.2
"""Length [m] of raised markers (Botts' dots) and of the gaps between them."""

_APART = 0.12
"""Distance [m] between the two parts of a double line."""

_INSET = 0.36
"""Distance [m] of a line at the edge of the carriageway from that edge, which is rounded."""

_STEP = 2.0
"""Greatest length [m] of a piece of a line in bends."""

_YELLOW = frozenset({"yellow", "orange"})

_SINGLE = {"solid": (True,), "broken": (False,), "botts dots": (False,)}
_DOUBLE = {
    "solid solid": (True, True),
    "solid broken": (True, False),
    "broken solid": (False, True),
    "broken broken": (False, False),
}
"""The parts of lines from the inside to the outside: whether each is solid."""

_STRIPE, _PERIOD = 0.5, 1.0
"""Width [m] of a zebra's stripe, and distance [m] from stripe to stripe."""

Span = tuple[float, float, float, float]
"""First and last station, offset from the border outwards, and width of a piece of paint, all [m].
"""


@dataclass(frozen=True, slots=True)
class _Line:
    """A piece of paint along the border of a lane."""

    lane: int
    span: Span
    surface: Surface


def paint_roads(
    frames: Mapping[str, RoadFrame], crosswalks: list[shapely.Polygon], road: GroundIndex
) -> Mesh:
    """Makes all road marks, which are drawn and do not collide.

    Args:
        frames: the roads.
        crosswalks: in plan, with heights.
        road: index of all floors, on which the paint lies.
    """
    parts = [
        patches
        for frame in frames.values()
        for number, section in enumerate(frame.road.sections)
        for patches in _section_patches(frame, number, section)
    ]
    parts += [zebra(each) for each in crosswalks]
    return laid(Patches.joined(parts), road)


def _section_patches(frame: RoadFrame, number: int, section: XodrSection) -> Iterator[Patches]:
    lines = [line for lane in section.lanes.values() for line in _lines(section, lane)]
    for surface in (Surface.PAINT, Surface.PAINT_YELLOW):
        own = [line for line in lines if line.surface == surface]
        if own:
            yield Patches.of(_quads(frame, number, section, own), surface)


def _lines(section: XodrSection, lane: XodrLane) -> Iterator[_Line]:
    """The pieces of paint along the outer border of a lane."""
    if not _is_painted(section, lane.id):
        return
    marks = sorted(lane.marks, key=lambda mark: mark.offset)
    sign = -1.0 if lane.id < 0 else 1.0
    inset = _inset(section, lane.id)
    for k, mark in enumerate(marks):
        first = section.start + mark.offset
        last = marks[k + 1].offset + section.start if k + 1 < len(marks) else section.end
        last = min(last, section.end)
        surface = Surface.PAINT_YELLOW if mark.colour in _YELLOW else Surface.PAINT
        if last > first:
            for span in _spans(mark, first, last):
                shifted = (span[0], span[1], sign * (span[2] - inset), span[3])
                yield _Line(lane.id, shifted, surface)


def _is_painted(section: XodrSection, id_: int) -> bool:
    """Whether a carriageway lies on a side of a border."""
    outside = [id_ + 1, id_ - 1] if not id_ else [id_ + (1 if id_ > 0 else -1), id_]
    types = [section.lanes[each].type for each in outside if each in section.lanes]
    return any(SURFACES.get(each) == Surface.CARRIAGEWAY for each in types)


def _inset(section: XodrSection, id_: int) -> float:
    """The distance [m] of a line inwards, so that it is on the carriageway."""
    if not id_:
        return 0.0
    outer = section.lanes.get(id_ + (1 if id_ > 0 else -1))
    inner = SURFACES.get(section.lanes[id_].type) == Surface.CARRIAGEWAY
    beyond = outer is not None and SURFACES.get(outer.type) == Surface.CARRIAGEWAY
    return 0.0 if inner == beyond else (_INSET if inner else -_INSET)


def _spans(mark: XodrMark, first: float, last: float) -> Iterator[Span]:
    """The pieces of a road mark; their offsets count outwards."""
    if mark.lines:
        for length, space, offset, start, width in mark.lines:
            wide = min(width or mark.width or _WIDTHS["standard"], _WIDEST)
            yield from _dashes(first + start, last, length, space, offset, wide)
        return
    width = mark.width or _WIDTHS.get(mark.weight, _WIDTHS["standard"])
    width = min(width, _WIDEST)
    parts: tuple[bool, ...] = _SINGLE.get(mark.kind) or _DOUBLE.get(mark.kind) or ()
    if len(parts) == 2:
        # The stated width may be that of both lines with the gap between them.
        width = width if width < 0.2 else (width - _APART) / 2.0
        width = max(width, _WIDTHS["standard"] / 2.0)
    for k, is_solid in enumerate(parts):
        offset = (k - (len(parts) - 1) / 2.0) * (width + _APART)
        if is_solid:
            yield first, last, offset, width
        elif mark.kind == "botts dots":
            yield from _dashes(first, last, _DOT, _BETWEEN_DOTS, offset, _DOT)
        else:
            yield from _dashes(first, last, _DASH, _GAP, offset, width)


def _dashes(
    first: float, last: float, length: float, space: float, offset: float, width: float
) -> Iterator[Span]:
    if space <= 0.0 or length <= 0.0:
        yield first, last, offset, width
        return
    period = max(length + space, 0.2)
    for start in np.arange(first, last, period).tolist():
        yield start, min(start + length, last), offset, width


def _quads(frame: RoadFrame, number: int, section: XodrSection, lines: list[_Line]) -> Floats:
    """The corners (n, 4, 3) of pieces of paint, cut where the road bends."""
    spans = np.array([line.span for line in lines])
    lanes = np.array([line.lane for line in lines])
    lengths = spans[:, 1] - spans[:, 0]
    counts = np.maximum(np.ceil(lengths / _STEP - 1e-9).astype(np.int64), 1)
    of = np.repeat(np.arange(len(lines)), counts)
    k = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    a = spans[of, 0] + lengths[of] * (k / counts[of])
    b = spans[of, 0] + lengths[of] * ((k + 1) / counts[of])
    s = np.concatenate([a, b])
    borders = frame.borders(number, s)
    both = np.concatenate([of, of])
    t = np.zeros(len(s))
    for lane in np.unique(lanes).tolist():
        rows = lanes[both] == lane
        t[rows] = borders[lane][rows]
    t += spans[both, 2]
    half = spans[both, 3] / 2.0
    points = frame.at(np.concatenate([s, s]), np.concatenate([t - half, t + half]))
    right, after, left, beyond = np.split(points, 4)
    return np.stack([right, after, beyond, left], axis=1)


def zebra(area: shapely.Polygon) -> Patches:
    """Stripes across a crosswalk: along the shorter side of its box."""
    box = area.minimum_rotated_rectangle
    if box.geom_type != "Polygon" or box.area < 1.0:
        return Patches.joined([])
    corners = shapely.get_coordinates(box)[:4]
    z = float(np.nanmean(shapely.get_coordinates(area, include_z=True)[:, 2]))
    sides = corners[1:3] - corners[0:2]
    lengths = portable.hypot(*sides.T)
    along, across = (0, 1) if lengths[0] <= lengths[1] else (1, 0)
    count = max(int(lengths[across] / _PERIOD), 1)
    unit = sides[across] / lengths[across]
    middle = corners.mean(axis=0)
    at = (np.arange(count) - (count - 1) / 2.0) * _PERIOD
    centres = np.column_stack([middle + at[:, None] * unit, np.full(count, z)])
    heading = float(portable.arctan2(sides[along][1], sides[along][0]))
    stripes = oblongs(centres, np.full(count, heading), length=float(lengths[along]), width=_STRIPE)
    return Patches.of(stripes, Surface.PAINT)
