"""Draws the lorries of traffic, and the wheels of all its vehicles.

A body stands with the middle of its footprint at the origin, its wheels are not part of it. Each is
drawn in three levels of detail; the last two have wheels painted on.
"""

from dataclasses import dataclass

import numpy as np

from autosim_assets.car_bodies import add_painted_wheels, add_pairs, add_plate
from autosim_assets.obj_sketch import Paint, Point, Sketch, lathe
from autosim_assets.traffic_paints import (
    BODY,
    CANVAS,
    GLASS,
    HEAD_LIGHT,
    INDICATOR,
    INSIDE,
    REAR_LIGHT,
    RIM,
    SOIL,
    STEEL,
    TRIM,
    TYRE,
)


@dataclass(frozen=True, slots=True)
class Boxy:
    """A lorry: boxes behind a cab. All in metres, x from the middle.

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


LORRY = Boxy(length=7.6, width=2.4, height=3.2, wheel=0.48, axles=(2.55, -1.55))

_CAB, _CAB_TOP = 1.75, 2.75
"""Length and height [m] of the cab."""


def lorry(level: int) -> Sketch:
    """A lorry with a closed box behind its cab."""
    sketch, end, half = _chassis(level)
    front = end - _CAB - 0.2
    sketch.add_box((-end, -half, 1.05), (front, half, LORRY.height), CANVAS)
    if level == 0:
        low, high = 1.05, LORRY.height
        for x in (-end, front - 0.06):
            add_pairs(sketch, [((x, half, low), (x + 0.06, half + 0.015, high), STEEL)])
        for z in (low, high - 0.08):
            add_pairs(sketch, [((-end, half, z), (front, half + 0.015, z + 0.08), STEEL)])
        sketch.add_box((-end - 0.012, -0.008, low + 0.05), (-end, 0.008, high - 0.05), TRIM)
        for y in (-0.55, -0.2, 0.2, 0.55):
            bar = (-end - 0.03, y - 0.015, low + 0.05), (-end, y + 0.015, high - 0.05)
            sketch.add_box(*bar, STEEL)
    return sketch


def tipper(level: int) -> Sketch:
    """A lorry with an open body for soil and rubble behind its cab."""
    sketch, end, half = _chassis(level)
    front, low, high = end - _CAB - 0.2, 1.08, 1.95
    sketch.add_box((-end, -half, low), (front, half, low + 0.1), STEEL)
    for y in (-half, half - 0.06):
        sketch.add_box((-end, y, low), (front, y + 0.06, high), BODY)
    sketch.add_box((front - 0.06, -half, low), (front, half, high + 0.45), BODY)
    sketch.add_box((-end, -half, low), (-end + 0.06, half, high), BODY)
    if level < 2:
        heap = [(-end + 0.1, 1.75), (-1.6, 2.15), (0.2, 2.2), (front - 0.1, 1.8)]
        grid = np.array(
            [[(x, y, z - 0.35 * abs(y)) for y in (-half + 0.1, 0.0, half - 0.1)] for x, z in heap]
        )
        sketch.add_grid(grid, [[SOIL] * 2] * (len(heap) - 1))
    if level == 0:
        for x in np.arange(-end + 0.5, front, 0.75).tolist():
            add_pairs(sketch, [((x, half, low), (x + 0.08, half + 0.05, high), BODY)])
        add_pairs(sketch, [((-end, half, high - 0.08), (front, half + 0.05, high), BODY)])
    return sketch


def _chassis(level: int) -> tuple[Sketch, float, float]:
    """The cab, the frame and the lamps of a lorry, half its length and half its width."""
    shape, sketch = LORRY, Sketch()
    end, half = shape.length / 2, shape.width / 2
    _add_cab(sketch, end, half, level)
    sketch.add_box((-end + 0.1, -0.45, 0.62), (end - 0.3, 0.45, 1.05), STEEL)
    if level < 2:
        sketch.add_box((-end, -half + 0.1, 0.5), (-end + 0.12, half - 0.1, 0.66), TRIM)
    if level > 0:
        add_painted_wheels(sketch, shape.axles, shape.wheel, half, level)
    else:
        _add_below(sketch, -end, half)
    _add_lights(sketch, end, half)
    return sketch, end, half


def _add_cab(sketch: Sketch, end: float, half: float, level: int) -> None:
    """A cab with a slanted windscreen: its profile from the side, drawn across."""
    back, arch = end - _CAB, 1.02
    profile = [(back, arch), (end - 0.72, arch), (end - 0.62, 0.42), (end, 0.42), (end, 1.5)]
    profile += [(end - 0.16, 2.5), (end - 0.32, 2.68), (end - 0.55, _CAB_TOP), (back, _CAB_TOP)]
    narrow = [half] * 5 + [0.97 * half, 0.93 * half, 0.9 * half, 0.9 * half]
    left = [(x, y, z) for (x, z), y in zip(profile, narrow, strict=True)]
    right = [(x, -y, z) for x, y, z in left]
    # Its parts are convex: below the windows, before the wheels, and above.
    for part in ((1, 2, 3, 4), (0, 1, 4, 5, 6, 7, 8)):
        sketch.add([left[k] for k in part][::-1], BODY)
        sketch.add([right[k] for k in part], BODY)
    for k in range(len(profile)):
        following = (k + 1) % len(profile)
        paint = GLASS if k == 4 else TRIM if k in (0, 1, 2) else BODY
        sketch.add([right[k], right[following], left[following], left[k]][::-1], paint)
    x, y = end, 0.985 * half
    add_pairs(sketch, [((x - 1.25, y - 0.1, 1.62), (x - 0.30, y + 0.012, 2.36), GLASS)])
    sketch.add_box((x - 0.05, -half, 0.42), (x + 0.03, half, 0.62), TRIM)
    if level < 2:
        sketch.add_box((x, -0.8, 0.88), (x + 0.012, 0.8, 1.38), TRIM)
    if level == 0:
        _add_cab_details(sketch, x, y, half)


def _add_cab_details(sketch: Sketch, x: float, y: float, half: float) -> None:
    """Adds what is seen of a cab from near: mirrors, bars of the grille, seats and people."""
    pairs: list[tuple[Point, Point, Paint]] = [
        ((x - 0.22, half, 1.75), (x - 0.08, half + 0.24, 2.4), TRIM),
        ((x - 1.0, y, 1.62), (x - 0.55, y + 0.016, 1.9), INSIDE),
        ((x - 0.86, y, 1.9), (x - 0.70, y + 0.016, 2.16), INSIDE),
        ((x - 1.34, half, 0.9), (x - 1.33, half + 0.008, 2.5), TRIM),
        ((x - 1.3, half, 1.38), (x - 1.12, half + 0.03, 1.42), TRIM),
        ((x - 0.6, half - 0.3, 0.62), (x - 0.1, half + 0.01, 0.68), STEEL),
    ]
    add_pairs(sketch, pairs)
    for z in (0.98, 1.1, 1.22):
        sketch.add_box((x, -0.76, z), (x + 0.02, 0.76, z + 0.03), STEEL)
    for side in (-1.0, 1.0):
        angles = np.linspace(0.0, 2.0 * np.pi, 9)[:-1]
        ring = [(side * 0.58 + 0.1 * np.cos(a), 2.0 + 0.13 * np.sin(a)) for a in angles]
        body = [(side * 0.58 + b, z) for b, z in ((-0.26, 1.52), (0.26, 1.52), (0.17, 1.84))]
        body.append((side * 0.58 - 0.17, 1.84))
        for outline in (ring, body):
            points = [(x - 0.16 * (z - 1.5) + 0.012, across, z) for across, z in outline]
            sketch.add(points, INSIDE)
    add_plate(sketch, x + 0.035, 0.52, 1.0)


def _add_below(sketch: Sketch, tail: float, half: float) -> None:
    """Adds what is below the body: mudguards, the tank and the plate behind."""
    reach = 1.16 * LORRY.wheel
    for axle, from_angle, to_angle in ((LORRY.axles[0], 0.25, 0.95), (LORRY.axles[1], 0.1, 0.9)):
        angles = np.pi * np.linspace(from_angle, to_angle, 7)
        rows = [
            [(axle + reach * c, y, LORRY.wheel + reach * s) for y in (half, half - 0.4)]
            for c, s in zip(np.cos(angles).tolist(), np.sin(angles).tolist(), strict=True)
        ]
        guard, below = Sketch(), Sketch()
        guard.add_grid(np.array(rows), [[TRIM]] * 6)
        below.add_grid(np.array(rows[::-1]), [[TRIM]] * 6)
        for each in (guard, below, guard.mirrored(), below.mirrored()):
            sketch.include(each)
    pairs: list[tuple[Point, Point, Paint]] = [
        ((0.35, half - 0.6, 0.5), (1.25, half - 0.05, 0.98), STEEL),
        ((-0.75, half - 0.08, 0.55), (0.2, half - 0.03, 0.62), STEEL),
        ((-0.75, half - 0.08, 0.78), (0.2, half - 0.03, 0.85), STEEL),
    ]
    add_pairs(sketch, pairs)
    add_plate(sketch, tail - 0.012, 0.58, -1.0)


def _add_lights(sketch: Sketch, end: float, half: float) -> None:
    pairs: list[tuple[Point, Point, Paint]] = [
        ((end - 0.05, 0.60 * half, 0.64), (end + 0.035, 0.84 * half, 0.82), HEAD_LIGHT),
        ((end - 0.05, 0.86 * half, 0.64), (end + 0.035, 0.97 * half, 0.82), INDICATOR),
        ((-end - 0.03, 0.72 * half, 0.72), (-end + 0.05, 0.94 * half, 0.92), REAR_LIGHT),
        ((-end - 0.03, 0.58 * half, 0.72), (-end + 0.05, 0.70 * half, 0.92), INDICATOR),
    ]
    add_pairs(sketch, pairs)


def wheel() -> Sketch:
    """A wheel of radius 1 and width 1 about the y axis; its outer face looks to the left."""
    sketch, segments = Sketch(), 15
    profile = [(0.6, -0.5), (1.0, -0.42), (1.0, 0.42), (0.68, 0.5)]
    profile += [(0.58, 0.34), (0.16, 0.30), (0.0, 0.34)]
    paints: list[list[Paint | None]] = [[TYRE] * segments for _ in range(3)]
    paints.append([RIM] * segments)
    # Five spokes show that it turns.
    paints.append([TRIM if k % 3 == 0 else RIM for k in range(segments)])
    paints.append([STEEL] * segments)
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
