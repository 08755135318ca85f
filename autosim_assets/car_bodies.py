"""Draws bodies of cars, vans and buses, lofted through cross-sections, without their wheels.

A body stands with the middle of its footprint at the origin. Each is drawn in three levels of
detail; the last two have wheels painted on. Windows are opaque: seats and people behind them are
silhouettes a little before the pane.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from autosim.arrays import Floats
from autosim_assets.car_shapes import CarShape
from autosim_assets.obj_sketch import Paint, Point, Sketch
from autosim_assets.traffic_paints import (
    BODY,
    GLASS,
    HEAD_LIGHT,
    INDICATOR,
    INSIDE,
    LETTERS,
    PLATE,
    REAR_LIGHT,
    RIM,
    TRIM,
    TYRE,
)

ARCH = 1.18
"""Radius of wheel arches, as a ratio to that of the wheels: room to move and to steer."""

_INNER = 0.62
"""Ratio of half the width at which the wheel arches end inside."""

_CORNERS = (7, 0, 0)
"""Number of corners of a wheel arch in each level of detail; without, wheels are painted on."""

_KEPT = ((0, 1, 2, 3, 4, 5, 6, 8), (0, 2, 4, 5, 6, 8), (0, 4, 5, 8))
"""Points of a cross-section that each level of detail has."""

_SHOULDER, _WAIST, _CANT = 3, 4, 5
"""Numbers of points of a cross-section: the end of the flank, lower and upper edge of windows."""

_BEFORE = 0.012
"""Distance [m] of silhouettes and seams from the body: more than it bulges between its corners."""

_SEAM = np.array([0.005, 0.0, 0.0])
"""Half the breadth (3,) [m] of a seam between two doors."""

_ACROSS = 0.04
"""Half the width [m] of a pillar between windows."""


def car(shape: CarShape, *, level: int) -> Sketch:
    """A car's body in a level of detail, 0 the finest."""
    sketch = Sketch()
    side = _side(shape, level)
    if level == 0:
        _add_side_details(side, shape)
    sketch.include(side)
    sketch.include(side.mirrored())
    _add_caps(sketch, shape, level)
    end, inside = shape.length / 2 - 0.12, _INNER * shape.width / 2
    if level == 0:
        sketch.add_box((-end, -inside, shape.sill), (end, inside, 0.6), TRIM)
        _add_silhouettes(sketch, shape)
        _add_plates(sketch, shape)
    else:
        add_painted_wheels(sketch, shape.axles, shape.wheel, shape.width / 2, level)
    for low, high, paint in shape.boxes if level == 0 else shape.boxes[:1]:
        sketch.add_box(low, high, paint)
    return sketch


def sections(shape: CarShape, xs: Floats, *, has_arches: bool = True) -> Floats:
    """Left halves (n, 9, 3) [m] of the cross-sections at xs, from the sill to the roof's middle."""
    half = shape.width / 2 * _along(shape.plan, xs)
    top, belt = _along(shape.top, xs), _along(shape.belt, xs)
    waist = np.minimum(belt, top - 0.07)
    sill = np.full_like(xs, shape.sill)
    if has_arches:
        sill = np.maximum(sill, arch_heights(shape, xs))
    waist = np.maximum(waist, sill + 0.04)
    top = np.maximum(top, waist + 0.02)
    # How far a section is one of the cabin, rather than of the bonnet or the boot.
    cabin = np.clip((top - waist - 0.07) / 0.3, 0.0, 1.0)
    roof = half * shape.roof
    rise = waist - sill
    edge = 0.03 + 0.05 * cabin
    across = [
        0.90 * half,
        0.968 * half,
        half,
        0.985 * half,
        0.955 * half,
        _mix(0.90 * half, 1.04 * roof, cabin),
        _mix(0.80 * half, 0.93 * roof, cabin),
        _mix(0.42 * half, 0.5 * roof, cabin),
        0.0 * half,
    ]
    heights = [
        sill,
        sill + 0.22 * rise,
        sill + 0.62 * rise,
        np.maximum(waist - 0.05, sill + 0.8 * rise),
        waist,
        np.maximum(top - edge, waist + 0.01),
        top - 0.012,
        top + 0.01,
        top + 0.018,
    ]
    points = [np.stack([xs, y, z], axis=1) for y, z in zip(across, heights, strict=True)]
    return np.stack(points, axis=1)


def arch_heights(shape: CarShape, xs: Floats) -> Floats:
    """Heights (n,) [m] of the wheel arches at places x, 0 beside them."""
    heights = np.zeros_like(xs)
    for axle in shape.axles:
        beside = np.abs(xs - axle)
        reach = ARCH * shape.wheel
        rise = np.sqrt(np.maximum(reach**2 - beside**2, 0.0))
        heights = np.where(beside < reach - 1e-3, shape.wheel + rise, heights)
    return heights


def _along(line: Sequence[tuple[float, float]], xs: Floats) -> Floats:
    places, values = np.array(line).T
    return np.asarray(np.interp(xs, places, values))


def _mix(first: Floats, second: Floats, share: Floats) -> Floats:
    return first + (second - first) * share


def _xs(shape: CarShape, level: int) -> Floats:
    """The places of the cross-sections of a level of detail."""
    reach = ARCH * shape.wheel
    angles = np.linspace(0.0, np.pi, _CORNERS[level])
    arches = [axle + reach * np.cos(angles) for axle in shape.axles]
    top = [x for x, _ in shape.top]
    if level == 2:
        kept = [x for x, _ in shape.top if not _is_between(x, shape)]
        return np.unique(np.round(np.array([*kept, *shape.glazed]), 3))
    rest = [*shape.glazed, *shape.front_face, *shape.rear_face]
    if level == 1:
        top = [x for x, _ in shape.top if not _is_between(x, shape)]
    else:
        rest += [p + side for p in shape.pillars for side in (-_ACROSS, _ACROSS)]
        rest += [x for x, _ in shape.plan]
        rest += np.linspace(*shape.windscreen, 3).tolist()
    return np.unique(np.round(np.concatenate([top, rest, *arches]), 3))


def _is_between(x: float, shape: CarShape) -> bool:
    """Whether a place of the roof line hardly shows from afar."""
    places, heights = np.array(shape.top).T
    row = int(np.argmin(np.abs(places - x)))
    if row in (0, len(places) - 1):
        return False
    straight = np.interp(x, places[[row - 1, row + 1]], heights[[row - 1, row + 1]])
    return bool(abs(straight - heights[row]) < 0.03)


def _side(shape: CarShape, level: int) -> Sketch:
    """The left half of the body, with the inside of its wheel arches."""
    sketch, xs = Sketch(), _xs(shape, level)
    kept = _KEPT[level]
    whole = sections(shape, xs, has_arches=_CORNERS[level] > 0)
    middles = (xs[:-1] + xs[1:]) / 2
    strips = list(pairwise(kept))
    paints = [[_paint_at(shape, x, low, high) for low, high in strips] for x in middles.tolist()]
    sketch.add_grid(whole[:, kept], paints)
    if _CORNERS[level]:
        liner = whole[:, :1].copy()
        liner[:, 0, 1] = _INNER * shape.width / 2
        sketch.add_grid(np.concatenate([liner, whole[:, :1]], axis=1), [[TRIM]] * len(middles))
    return sketch


def _paint_at(shape: CarShape, x: float, low: int, high: int) -> Paint:
    """The paint of a cell between two points of the section."""
    in_front, behind = _within(x, shape.front_face), _within(x, shape.rear_face)
    if behind and 2 <= low <= _WAIST and shape.length < 6.0:
        return REAR_LIGHT
    if in_front and low >= 3:
        return HEAD_LIGHT if high <= 6 else TRIM if shape.has_wide_grille else BODY
    if low == _WAIST and _within(x, shape.glazed):
        is_pillar = any(abs(x - pillar) < _ACROSS for pillar in shape.pillars)
        return TRIM if is_pillar else GLASS
    if low >= _CANT and high > 6 and _is_glazed_above(shape, x):
        return GLASS
    if low == 0 and high == 1 and shape.has_cladding:
        return TRIM
    return BODY


def _is_glazed_above(shape: CarShape, x: float) -> bool:
    return _within(x, shape.windscreen) or _within(x, shape.rear_window)


def _within(x: float, extent: tuple[float, float]) -> bool:
    return extent[0] < x < extent[1]


def _add_caps(sketch: Sketch, shape: CarShape, level: int) -> None:
    """Adds the bumpers: the flat ends of the body, in rows from the bottom to the top."""
    kept = _KEPT[level]
    for x, is_nose in ((shape.length / 2, True), (-shape.length / 2, False)):
        half = sections(shape, np.array([x]))[0][list(kept)]
        for row in range(len(kept) - 1):
            paint = TRIM if row == 0 and level < 2 else BODY
            low, high = half[row], half[row + 1]
            mirror = np.array([1.0, -1.0, 1.0])
            corners = np.array([low * mirror, low, high, high * mirror])
            sketch.add(corners if is_nose else corners[::-1], paint)


def _add_side_details(side: Sketch, shape: CarShape) -> None:
    """Adds the seams of the doors, their handles, mirrors and lights, on the left."""
    for x in shape.seams:
        _add_seam(side, shape, x)
        side.add_box(*_handle(shape, x + 0.07), BODY)
    if shape.mirror:
        front, y = shape.glazed[1] - 0.38, shape.width / 2
        low = float(_along(shape.belt, np.array([front]))[0]) + 0.02
        side.add_box((front, 0.93 * y, low), (front + 0.06, y + 0.02, low + 0.06), TRIM)
        high = low + shape.mirror
        side.add_box((front, y, low), (front + 0.10, y + 0.17, high), BODY)
        side.add_box((front - 0.004, y + 0.01, low + 0.01), (front, y + 0.16, high - 0.01), GLASS)
    nose = shape.front_face[0] - 0.05
    _, y, z = sections(shape, np.array([nose]))[0][2].tolist()
    side.add_box((nose - 0.06, y - 0.05, z - 0.01), (nose + 0.04, y + 0.006, z + 0.03), INDICATOR)
    _add_tail_light(side, shape, 0.56, 0.88, (0.25, 1.0), REAR_LIGHT)
    _add_tail_light(side, shape, 0.56, 0.84, (-0.1, 0.2), INDICATOR)


def _add_tail_light(
    side: Sketch,
    shape: CarShape,
    inner: float,
    outer: float,
    heights: tuple[float, float],
    paint: Paint,
) -> None:
    """Adds a lamp on the left of the rear face.

    Args:
        side: the left half of the body.
        shape: the body.
        inner: its inner edge, as a share of half the width.
        outer: its outer edge.
        heights: its lower and upper edge, as shares of the height of the rear face.
        paint: of the lamp.
    """
    places = np.array(shape.rear_face)
    low, high = _along(shape.top, places)
    (x0, x1), half = places.tolist(), shape.width / 2
    corners = []
    for share, y in zip((*heights, *heights[::-1]), (inner, inner, outer, outer), strict=True):
        x, z = x0 + share * (x1 - x0), low + share * (high - low)
        corners.append((max(x, -shape.length / 2) - _BEFORE, y * half, z))
    side.add(corners, paint)


def _handle(shape: CarShape, x: float) -> tuple[Point, Point]:
    """The handle of a door, as a box between two corners."""
    y, z = sections(shape, np.array([x]))[0][_SHOULDER, 1:].tolist()
    return (x, y - 0.02, z - 0.045), (x + 0.16, y + 0.018, z - 0.015)


def _add_seam(side: Sketch, shape: CarShape, x: float) -> None:
    """Adds a dark line up the flank at a place x, from the sill to the waist."""
    points = sections(shape, np.array([x]))[0][: _WAIST + 1].copy()
    points[:, 1] += 0.4 * _BEFORE
    grid = np.stack([points - _SEAM, points + _SEAM])
    side.add_grid(grid, [[TRIM] * (len(points) - 1)])


def _add_plates(sketch: Sketch, shape: CarShape) -> None:
    """Adds number plates: a blue strip and seven letters on a white plate."""
    end = shape.length / 2
    for x, z, out in ((end, shape.sill + 0.24, 1.0), (-end, shape.sill + 0.24, -1.0)):
        plane = x + out * 0.012
        add_plate(sketch, plane, z, out)


def add_plate(sketch: Sketch, x: float, z: float, out: float) -> None:
    """Adds a number plate of 0.52 × 0.11 m that looks along x, forward where `out` is 1."""
    places = (-0.17, -0.115, -0.06, 0.01, 0.065, 0.12, 0.175)
    panels = [(-0.26, -0.055, 0.26, 0.055, PLATE, 0.0)]
    panels += [(y - 0.019, -0.036, y + 0.019, 0.036, LETTERS, 0.003) for y in places]
    panels.append((-0.255, -0.05, -0.215, 0.05, LETTERS, 0.003))
    for left, low, right, high, paint, lift in panels:
        # As it is read: to the right along -y for what looks forward.
        corners = [(left, low), (right, low), (right, high), (left, high)]
        sketch.add([(x + out * lift, out * y, z + h) for y, h in corners], paint)


def _add_silhouettes(sketch: Sketch, shape: CarShape) -> None:
    """Adds what is seen behind the windows: seats in rows, and people on the first."""
    halves = Sketch()
    for number, x in enumerate(shape.seats):
        _add_headrest(halves, shape, x)
        if number == 0 and shape.has_people:
            _add_head(halves, shape, x + 0.17)
    sketch.include(halves)
    sketch.include(halves.mirrored())
    for window, is_front in ((shape.windscreen, True), (shape.rear_window, False)):
        if window[1] > window[0]:
            _add_behind_screen(sketch, shape, window, is_front=is_front)


def _add_headrest(side: Sketch, shape: CarShape, x: float) -> None:
    back = [(-0.30, 0.0), (0.12, 0.0), (0.04, 0.36), (-0.20, 0.36)]
    rest = [(-0.20, 0.40), (0.0, 0.40), (0.02, 0.50), (-0.03, 0.66), (-0.16, 0.66), (-0.22, 0.5)]
    for outline in (back, rest):
        _add_on_window(side, shape, [(x + a, u) for a, u in outline])


def _add_head(side: Sketch, shape: CarShape, x: float) -> None:
    angles = np.linspace(0.0, 2.0 * np.pi, 9)[:-1]
    ring = [(x + 0.105 * np.cos(a), 0.58 + 0.27 * np.sin(a)) for a in angles]
    body = [(x - 0.22, 0.0), (x + 0.24, 0.0), (x + 0.12, 0.28), (x - 0.12, 0.34)]
    for outline in (ring, body):
        _add_on_window(side, shape, outline)


def _add_on_window(side: Sketch, shape: CarShape, outline: list[tuple[float, float]]) -> None:
    """Adds a polygon before a left window: (x [m], share of the window's height)."""
    xs, shares = np.array(outline).T
    inside = (xs > shape.glazed[0] + 0.03) & (xs < shape.glazed[1] - 0.03)
    if not inside.all():
        return
    ends = sections(shape, xs)
    shares = shares[:, None]
    points = ends[:, _WAIST] * (1.0 - shares) + ends[:, _CANT] * shares
    points += np.array([0.0, _BEFORE, 0.4 * _BEFORE])
    side.add(points[::-1], INSIDE)


def _add_behind_screen(
    sketch: Sketch, shape: CarShape, window: tuple[float, float], *, is_front: bool
) -> None:
    """Adds what is seen behind the windscreen or the rear window."""
    low, high = (window[1], window[0]) if is_front else window
    reach = shape.width / 2 * shape.roof
    outlines = []
    for side in (-1.0, 1.0):
        y = side * 0.52 * reach
        rest = [(-0.13, 0.50), (0.13, 0.50), (0.12, 0.74), (-0.12, 0.74)]
        seat = [(-0.24, 0.14), (0.24, 0.14), (0.19, 0.46), (-0.19, 0.46)]
        if is_front and shape.has_people:
            angles = np.linspace(0.0, 2.0 * np.pi, 9)[:-1]
            rest = [(0.095 * np.cos(a), 0.62 + 0.17 * np.sin(a)) for a in angles]
        outlines += [[(y + a, u) for a, u in each] for each in (rest, seat)]
    if is_front:
        outlines.append([(-0.8 * reach, 0.0), (0.8 * reach, 0.0), (0.7 * reach, 0.11)])
        outlines[-1].append((-0.7 * reach, 0.11))
    for outline in outlines:
        ys, shares = np.array(outline).T
        xs = low + (high - low) * (0.04 + 0.92 * shares)
        zs = _top_at(shape, xs, np.abs(ys))
        points = np.stack([xs, ys, zs], axis=1)
        points += np.array([1.0 if is_front else -1.0, 0.0, 1.0]) * _BEFORE
        sketch.add(points if is_front else points[::-1], INSIDE)


def _top_at(shape: CarShape, xs: Floats, ys: Floats) -> Floats:
    """Heights (n,) [m] of the body's upper side at places."""
    found = []
    for section, y in zip(sections(shape, xs), ys.tolist(), strict=True):
        upper = section[_CANT:][::-1]
        found.append(float(np.interp(y, upper[:, 1], upper[:, 2])))
    return np.array(found)


def add_pairs(sketch: Sketch, boxes: list[tuple[Point, Point, Paint]]) -> None:
    """Adds boxes on the left, each with its mirror image on the right."""
    for low, high, paint in boxes:
        half = Sketch()
        half.add_box(low, high, paint)
        sketch.include(half)
        sketch.include(half.mirrored())


def add_painted_wheels(
    sketch: Sketch, axles: tuple[float, ...], radius: float, half: float, level: int
) -> None:
    """Adds a picture of each wheel in its arch, for bodies that are seen from afar."""
    corners = 10 if level == 1 else 7
    side, angles = Sketch(), (np.arange(corners) + 0.5) / corners * 2.0 * np.pi
    unit = list(zip(np.cos(angles).tolist(), np.sin(angles).tolist(), strict=True))
    discs = ((half + 0.004, ARCH, TRIM), (half + 0.010, 1.0, TYRE), (half + 0.016, 0.62, RIM))
    for x in axles:
        for y, size, paint in discs if level == 1 else discs[1:]:
            rim = [
                (x - size * radius * c, y, max(radius + size * radius * s, 0.0)) for c, s in unit
            ]
            side.add(rim, paint)
    sketch.include(side)
    sketch.include(side.mirrored())
