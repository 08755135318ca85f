"""Draws the vehicles of traffic: bodies lofted through a few cross-sections, and their wheels.

A body stands with the middle of its footprint at the origin, its wheels are not part of it. Each is
drawn in three levels of detail; the last has wheels painted on.
"""

from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats
from autosim_assets.obj_sketch import Paint, Point, Sketch, lathe
from autosim_assets.traffic_paints import (
    BODY,
    CANVAS,
    GLASS,
    HEAD_LIGHT,
    INDICATOR,
    PLATE,
    REAR_LIGHT,
    RIM,
    STEEL,
    TRIM,
    TYRE,
)

_ARCH = 1.18
"""Radius of wheel arches, as a ratio to that of the wheels: room to move and to steer."""

_INSIDE = 0.62
"""Ratio of half the width at which the wheel arches end inside."""

_CORNERS = (7, 0, 0)
"""Number of corners of a wheel arch in each level of detail; without, wheels are painted on."""


@dataclass(frozen=True, slots=True)
class Lofted:
    """A body with the cross-sections of a car.

    `length`, `width` and `height` [m]; `wheel` the radius of the wheels [m] and `axles` their
    places x [m]; `glazed` from where to where x [m] the side windows reach; `pillars` places x [m]
    between them.

    A station is (x, half width at the waist, bottom, waist, half width of the roof, top), all [m]
    from the tail to the nose; x is a share of half the length.

    Attributes:
        stations: cross-sections, from the tail to the nose.
        windscreen: start and end x [m] of the windscreen.
        rear_window: start and end x [m] of the rear window.
    """

    length: float
    width: float
    height: float
    wheel: float
    axles: tuple[float, ...]
    stations: tuple[tuple[float, float, float, float, float, float], ...]
    windscreen: tuple[float, float]
    rear_window: tuple[float, float]
    glazed: tuple[float, float]
    pillars: tuple[float, ...]


def _car(
    *,
    size: tuple[float, float, float],
    axles: tuple[float, float],
    wheel: float,
    tail: tuple[tuple[float, float, float], ...],
    nose: tuple[tuple[float, float, float], ...],
    waist: float,
    glazed: tuple[float, float],
    pillars: tuple[float, ...],
) -> Lofted:
    """A car by the profile of its tail and nose.

    Args:
        size: length, width and height [m].
        axles: places x [m].
        wheel: radius [m].
        tail: rows (x [m], top [m], share of the width) up to where the roof begins.
        nose: the same, from where the roof ends.
        waist: height [m] of the lower edge of the windows.
        glazed: range x [m] of the side windows.
        pillars: places x [m].
    """
    length, width, height = size
    half = width / 2
    rows = []
    for x, top, share in (*tail, *nose):
        is_end = abs(x) > length / 2 - 0.02
        low = 0.38 if is_end else 0.22
        is_cabin = top > waist + 0.12
        own_waist = waist if is_cabin else top - 0.06
        roof = half * (0.74 if is_cabin else 0.84) * share
        rows.append((x, half * share, low, own_waist, roof, top))
    roof_from, roof_to = tail[-1][0], nose[0][0]
    return Lofted(
        length=length,
        width=width,
        height=height,
        wheel=wheel,
        axles=axles,
        stations=tuple(rows),
        windscreen=(roof_to, nose[1][0]),
        rear_window=(tail[-2][0], roof_from),
        glazed=glazed,
        pillars=pillars,
    )


HATCHBACK = _car(
    size=(4.05, 1.75, 1.48),
    axles=(1.225, -1.315),
    wheel=0.31,
    tail=((-2.025, 0.78, 0.86), (-1.97, 0.98, 0.97), (-1.45, 1.40, 1.0)),
    nose=((0.15, 1.47, 1.0), (1.0, 1.00, 1.0), (1.75, 0.86, 0.96), (2.025, 0.68, 0.84)),
    waist=0.94,
    glazed=(-1.5, 0.75),
    pillars=(-0.75, 0.0),
)
SALOON = _car(
    size=(4.65, 1.81, 1.45),
    axles=(1.425, -1.335),
    wheel=0.32,
    tail=((-2.325, 0.76, 0.86), (-2.25, 0.99, 0.96), (-1.65, 1.03, 1.0), (-0.95, 1.40, 1.0)),
    nose=((0.25, 1.44, 1.0), (1.15, 0.98, 1.0), (2.05, 0.84, 0.96), (2.325, 0.66, 0.84)),
    waist=0.93,
    glazed=(-1.35, 0.9),
    pillars=(-0.85, -0.05),
)
ESTATE = _car(
    size=(4.7, 1.83, 1.5),
    axles=(1.45, -1.32),
    wheel=0.32,
    tail=((-2.35, 0.76, 0.88), (-2.30, 1.0, 0.97), (-2.0, 1.43, 1.0)),
    nose=((0.25, 1.49, 1.0), (1.15, 0.98, 1.0), (2.08, 0.85, 0.96), (2.35, 0.68, 0.84)),
    waist=0.94,
    glazed=(-2.0, 0.9),
    pillars=(-1.2, -0.4, 0.1),
)
VAN = _car(
    size=(5.3, 1.99, 2.3),
    axles=(1.7, -1.6),
    wheel=0.34,
    tail=((-2.65, 2.19, 0.97), (-2.6, 2.26, 1.0), (-2.2, 2.28, 1.0)),
    nose=((1.05, 2.24, 1.0), (1.95, 1.2, 1.0), (2.45, 1.0, 0.96), (2.65, 0.72, 0.86)),
    waist=1.17,
    glazed=(0.7, 1.65),
    pillars=(),
)

CARS = {"hatchback": HATCHBACK, "saloon": SALOON, "estate": ESTATE, "van": VAN}
"""The bodies with cross-sections of a car, by the names of their kinds."""


def car(shape: Lofted, *, level: int) -> Sketch:
    """A car's body in a level of detail, 0 the finest."""
    sketch = Sketch()
    xs = _xs(shape, _CORNERS[level])
    left = _side(shape, xs)
    sketch.include(left)
    sketch.include(left.mirrored())
    for station, is_nose in ((shape.stations[-1], True), (shape.stations[0], False)):
        half = _sections(shape, np.array([station[0]]))[0]
        outline = np.concatenate([half, half[-2::-1] * np.array([1.0, -1.0, 1.0])])
        sketch.add(outline if is_nose else outline[::-1], BODY)
    end, inside = shape.length / 2 - 0.12, _INSIDE * shape.width / 2
    if level == 0:
        sketch.add_box((-end, -inside, 0.22), (end, inside, 0.6), TRIM)
    else:
        add_painted_wheels(sketch, shape.axles, shape.wheel, shape.width / 2)
    _add_car_lights(sketch, shape, level)
    return sketch


def _xs(shape: Lofted, corners: int) -> Floats:
    reach = _ARCH * shape.wheel
    angles = np.linspace(0.0, np.pi, corners)
    arches = [axle + reach * np.cos(angles) for axle in shape.axles]
    pillars = [p + side for p in shape.pillars for side in (-0.04, 0.04)] if corners > 3 else []
    ends = [] if corners == 0 else list(shape.glazed)
    stations = [station[0] for station in shape.stations]
    return np.unique(np.round(np.concatenate([stations, *arches, pillars, ends]), 3))


def _sections(shape: Lofted, xs: Floats) -> Floats:
    """Left halves (n, 5, 3) of the cross-sections, from the sill to the middle of the roof."""
    table = np.array(shape.stations)
    half, low, waist, roof, top = (np.interp(xs, table[:, 0], column) for column in table.T[1:])
    sill = np.maximum(low, _arch_height(shape, xs))
    waist = np.maximum(waist, sill + 0.04)
    crease = np.maximum(sill + 0.02, 0.55 * waist)
    zero = 0.0 * xs
    pairs = [(half * 0.97, sill), (half, crease), (half * 0.97, waist), (roof, top), (zero, top)]
    pairs[4] = (zero, top + 0.02)
    return np.stack([np.stack([xs, y, z], axis=1) for y, z in pairs], axis=1)


def _arch_height(shape: Lofted, xs: Floats) -> Floats:
    heights = np.zeros_like(xs)
    for axle in shape.axles:
        beside = np.abs(xs - axle)
        reach = _ARCH * shape.wheel
        rise = np.sqrt(np.maximum(reach**2 - beside**2, 0.0))
        heights = np.where(beside < reach - 1e-3, shape.wheel + rise, heights)
    return heights


def _side(shape: Lofted, xs: Floats) -> Sketch:
    sketch = Sketch()
    sections = _sections(shape, xs)
    middles = (xs[:-1] + xs[1:]) / 2
    paints = [[_paint_at(shape, x, strip) for strip in range(4)] for x in middles]
    sketch.add_grid(sections, paints)
    if len(xs) <= len(shape.stations):
        return sketch  # Without arches there is no inside to see.
    liner = sections[:, :1].copy()
    liner[:, 0, 1] = _INSIDE * shape.width / 2
    sketch.add_grid(np.concatenate([liner, sections[:, :1]], axis=1), [[TRIM]] * len(middles))
    return sketch


def _paint_at(shape: Lofted, x: float, strip: int) -> Paint:
    is_pillar = any(abs(x - pillar) < 0.04 for pillar in shape.pillars)
    if strip == 2 and shape.glazed[0] < x < shape.glazed[1] and not is_pillar:
        return GLASS
    if strip == 3:
        is_front = shape.windscreen[0] < x < shape.windscreen[1]
        is_rear = shape.rear_window[0] < x < shape.rear_window[1] and shape.height < 2.0
        return GLASS if is_front or is_rear else BODY
    return BODY


def _add_car_lights(sketch: Sketch, shape: Lofted, level: int) -> None:
    end, half = shape.length / 2, shape.width / 2
    is_tall = shape.height > 2.0
    if level > 0:
        _add_distant_lights(sketch, end, half)
        return
    low = 0.60 if not is_tall else 0.75
    tail = 0.72 if not is_tall else 0.95
    pairs: list[tuple[Point, Point, Paint]] = [
        ((end - 0.25, 0.52 * half, low - 0.06), (end - 0.01, 0.80 * half, low + 0.06), HEAD_LIGHT),
        (
            (-end - 0.01, 0.55 * half, tail - 0.09),
            (-end + 0.2, 0.86 * half, tail + 0.08),
            REAR_LIGHT,
        ),
    ]
    if level == 0:
        pairs += [
            (
                (end - 0.35, 0.80 * half, low - 0.05),
                (end - 0.07, 0.90 * half, low + 0.05),
                INDICATOR,
            ),
            ((0.55, 0.95 * half, 0.98), (0.72, 1.12 * half, 1.10), BODY),
        ]
        if is_tall:
            pairs[-1] = ((1.45, 0.98 * half, 1.3), (1.6, 1.16 * half, 1.6), TRIM)
        sketch.add_box((end - 0.1, -0.42 * half, 0.42), (end + 0.005, 0.42 * half, 0.56), TRIM)
        sketch.add_box((end - 0.1, -0.25, 0.44), (end + 0.01, 0.25, 0.54), PLATE)
        sketch.add_box((-end - 0.01, -0.25, 0.55), (-end + 0.1, 0.25, 0.65), PLATE)
    add_pairs(sketch, pairs)


def _add_distant_lights(sketch: Sketch, end: float, half: float) -> None:
    """Lights that are seen from afar: a square each."""
    for x, paint in ((end + 0.02, HEAD_LIGHT), (-end - 0.02, REAR_LIGHT)):
        corners = [(x, y, z) for y, z in ((0.5, 0.55), (0.85, 0.55), (0.85, 0.75), (0.5, 0.75))]
        square = [(x, y * half, z) for x, y, z in corners]
        side = Sketch()
        side.add(square if x > 0 else square[::-1], paint)
        sketch.include(side)
        sketch.include(side.mirrored())


def add_pairs(sketch: Sketch, boxes: list[tuple[Point, Point, Paint]]) -> None:
    """Adds boxes on the left, each with its mirror image on the right."""
    for low, high, paint in boxes:
        half = Sketch()
        half.add_box(low, high, paint)
        sketch.include(half)
        sketch.include(half.mirrored())


def add_painted_wheels(
    sketch: Sketch, axles: tuple[float, ...], radius: float, half: float
) -> None:
    """Adds a picture of each wheel, for bodies that are seen from afar."""
    side, angles = Sketch(), np.linspace(0.0, 2.0 * np.pi, 9)[:-1] + np.pi / 8.0
    for x in axles:
        for y, size, paint in ((half + 0.01, 1.0, TYRE), (half + 0.02, 0.6, RIM)):
            rim = [(x - size * radius * c, y, radius + size * radius * s) for c, s in _unit(angles)]
            side.add(rim, paint)
    sketch.include(side)
    sketch.include(side.mirrored())


@dataclass(frozen=True, slots=True)
class Boxy:
    """A lorry or a bus: boxes with windows on them. All in metres, x from the middle.

    Attributes:
        length: along x.
        width: along y.
        height: above the ground.
        wheel: radius of the wheels.
        axles: places x of the axles.
    """

    length: float
    width: float
    height: float
    wheel: float
    axles: tuple[float, ...]


BUS = Boxy(length=11.95, width=2.55, height=3.1, wheel=0.48, axles=(3.275, -2.625))
LORRY = Boxy(length=7.6, width=2.4, height=3.2, wheel=0.48, axles=(2.55, -1.55))


def bus(level: int) -> Sketch:
    """A bus for a town, with doors on the right."""
    shape, sketch = BUS, Sketch()
    end, half = shape.length / 2, shape.width / 2
    sketch.add_box((-end, -half, 0.32), (end, half, shape.height), BODY)
    if level > 0:
        add_painted_wheels(sketch, shape.axles, shape.wheel, half + 0.01)
    else:
        _add_dark_arches(sketch, shape)
    w = 0.012
    sketch.add_box((end, -half + 0.1, 1.05), (end + w, half - 0.1, 2.75), GLASS)
    sketch.add_box((-end - w, -half + 0.3, 1.7), (-end, half - 0.3, 2.7), GLASS)
    panes = ((-5.7, 5.8),) if level else tuple((x, x + 1.75) for x in np.arange(-5.72, 5.0, 1.9))
    for start, stop in panes:
        sketch.add_box((start, half, 1.25), (stop, half + w, 2.6), GLASS)
        sketch.add_box((start, -half - w, 1.25), (stop, -half, 2.6), GLASS)
    if level == 0:
        for x in (4.35, 0.2, -4.6):
            sketch.add_box((x, -half - 2 * w, 0.45), (x + 1.2, -half, 2.6), GLASS)
    if level == 0:
        for x in (4.93, 0.78, -4.02):
            sketch.add_box((x, -half - 3 * w, 0.45), (x + 0.06, -half, 2.6), TRIM)
        sketch.add_box((end, -0.8, 2.78), (end + w, 0.8, 3.02), INDICATOR)
        sketch.add_box((-3.0, -0.8, shape.height), (-1.0, 0.8, shape.height + 0.18), CANVAS)
        pairs: list[tuple[Point, Point, Paint]] = [
            ((end - 0.3, half, 2.2), (end + 0.18, half + 0.22, 2.6), TRIM)
        ]
        add_pairs(sketch, pairs)
        sketch.add_box((end, -0.3, 0.45), (end + 0.015, 0.3, 0.56), PLATE)
    _add_boxy_lights(sketch, end, half, 0.7)
    return sketch


def lorry(level: int) -> Sketch:
    """A lorry with a closed box behind its cab."""
    shape, sketch = LORRY, Sketch()
    end, half = shape.length / 2, shape.width / 2
    _add_cab(sketch, end, half, cab_top=2.75, cab_length=1.75, level=level)
    sketch.add_box((-end, -half, 1.05), (end - 1.95, half, shape.height), CANVAS)
    sketch.add_box((-end + 0.1, -0.45, 0.62), (end - 0.3, 0.45, 1.05), STEEL)
    _add_underride(sketch, -end, half, level)
    if level > 0:
        add_painted_wheels(sketch, shape.axles, shape.wheel, half)
    _add_boxy_lights(sketch, end, half, 0.72, rear=0.85)
    return sketch


def _add_cab(
    sketch: Sketch, end: float, half: float, *, cab_top: float, cab_length: float, level: int
) -> None:
    """A cab with a slanted windscreen: its profile from the side, drawn across."""
    back, sill = end - cab_length, 0.42
    profile = [(back, sill), (end, sill), (end, 1.55), (end - 0.22, cab_top - 0.12)]
    profile += [(end - 0.4, cab_top), (back, cab_top)]
    left = [(x, half, z) for x, z in profile]
    right = [(x, -half, z) for x, z in profile]
    sketch.add(left[::-1], BODY)
    sketch.add(right, BODY)
    for k in range(len(profile)):
        following = (k + 1) % len(profile)
        paint = GLASS if k == 2 else TRIM if k == 0 else BODY
        sketch.add([right[k], right[following], left[following], left[k]][::-1], paint)
    pairs: list[tuple[Point, Point, Paint]] = [
        ((end - 1.15, half, 1.6), (end - 0.35, half + 0.012, 2.35), GLASS)
    ]
    if level == 0:
        pairs.append(((end - 0.35, half, 1.75), (end - 0.2, half + 0.24, 2.4), TRIM))
        sketch.add_box((end, -0.8, 0.85), (end + 0.012, 0.8, 1.4), TRIM)
        sketch.add_box((end, -0.3, 0.5), (end + 0.015, 0.3, 0.62), PLATE)
    add_pairs(sketch, pairs)
    if level < 2:
        sketch.add_box((end - 0.15, -half, 0.42), (end + 0.03, half, 0.62), TRIM)


def _add_underride(sketch: Sketch, x: float, half: float, level: int) -> None:
    if level < 2:
        sketch.add_box((x, -half + 0.1, 0.5), (x + 0.12, half - 0.1, 0.66), TRIM)


def _add_dark_arches(sketch: Sketch, shape: Boxy) -> None:
    """Arches painted onto the sides, a little before them, in which the wheels stand."""
    half = shape.width / 2 + 0.006
    reach = _ARCH * shape.wheel
    angles = np.linspace(0.0, np.pi, 7)
    for axle in shape.axles:
        points = [(axle + reach * c, half, shape.wheel + reach * s) for c, s in _unit(angles)]
        points += [(axle - reach, half, 0.315), (axle + reach, half, 0.315)]
        side = Sketch()
        side.add(points[::-1], TRIM)
        sketch.include(side)
        sketch.include(side.mirrored())


def _unit(angles: Floats) -> list[tuple[float, float]]:
    return list(zip(np.cos(angles).tolist(), np.sin(angles).tolist(), strict=True))


def _add_boxy_lights(
    sketch: Sketch, end: float, half: float, low: float, *, rear: float | None = None
) -> None:
    tail = low + 0.2 if rear is None else rear
    pairs: list[tuple[Point, Point, Paint]] = [
        ((end - 0.05, 0.58 * half, low - 0.1), (end + 0.02, 0.84 * half, low + 0.1), HEAD_LIGHT),
        ((end - 0.05, 0.86 * half, low - 0.1), (end + 0.02, 0.95 * half, low + 0.1), INDICATOR),
        (
            (-end - 0.02, 0.7 * half, tail - 0.16),
            (-end + 0.05, 0.92 * half, tail + 0.16),
            REAR_LIGHT,
        ),
    ]
    add_pairs(sketch, pairs)


def wheel() -> Sketch:
    """A wheel of radius 1 and width 1 about the y axis; its outer face looks to the left."""
    sketch, segments = Sketch(), 12
    profile = [(0.6, -0.5), (1.0, -0.42), (1.0, 0.42), (0.64, 0.5), (0.0, 0.36)]
    paints: list[list[Paint | None]] = [[TYRE] * segments for _ in range(3)]
    # Spokes show that it turns.
    paints.append([RIM if k % 3 else STEEL for k in range(segments)])
    sketch.add_grid(lathe(profile, segments), paints)
    return sketch


def cycle_wheel(level: int) -> Sketch:
    """A wheel with spokes of radius 1 and width 1 about the y axis, the same from both sides."""
    sketch, segments = Sketch(), (18, 10)[level]
    ring = [(0.88, -0.5), (1.0, 0.0), (0.88, 0.5), (0.82, 0.0), (0.88, -0.5)]
    paints = [[paint] * segments for paint in (TYRE, TYRE, RIM, RIM)]
    sketch.add_grid(lathe(ring, segments), paints)
    for angle in np.arange(0.0, np.pi, np.pi / 4.0):
        c, s = np.cos(angle), np.sin(angle)
        for side in (-1.0, 1.0):
            across = 0.015 * np.array([-s, 0.0, c]) * side
            ends = np.array([[0.85 * c, 0.0, 0.85 * s], [-0.85 * c, 0.0, -0.85 * s]])
            corners = [ends[0] - across, ends[1] - across, ends[1] + across, ends[0] + across]
            sketch.add(np.array(corners), RIM)
    return sketch
