"""Draws people in pieces that clients move: bodies, arms, thighs and shanks; and riders.

A piece hangs from its joint, which is the origin, and stands upright. A body stands with its feet
(which it has not) at the origin; in the last level of detail it is a whole figure.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim_assets.obj_sketch import Paint, Point, Sketch
from autosim_assets.traffic_paints import (
    BODY,
    CLOTH,
    GREY_HAIR,
    HAIR,
    HEAD_LIGHT,
    REAR_LIGHT,
    SHOES,
    SKIN,
    STEEL,
    TRIM,
    TROUSERS,
    TYRE,
)

HIP, KNEE = 0.90, 0.48
"""Heights [m] of the joints of the legs of a person of 1.75 m."""

SHOULDER = 1.42
"""Height [m] of the joints of the arms of the same."""

_SEGMENTS = (8, 5, 4)
"""Number of sides of limbs and bodies in each level of detail."""


@dataclass(frozen=True, slots=True)
class Figure:
    """Appearance of a person: half widths of shoulders and hips [m], hair, and clothes.

    Attributes:
        has_long_hair: long hair.
        has_skirt: A skirt in place of trousers.
        has_hat: A hat.
    """

    shoulders: float
    hips: float
    hair: Paint
    has_long_hair: bool = False
    has_skirt: bool = False
    has_hat: bool = False


FIGURES = (
    Figure(shoulders=0.205, hips=0.155, hair=HAIR),
    Figure(shoulders=0.180, hips=0.165, hair=HAIR, has_long_hair=True),
    Figure(shoulders=0.178, hips=0.170, hair=GREY_HAIR, has_skirt=True),
    Figure(shoulders=0.215, hips=0.170, hair=GREY_HAIR, has_hat=True),
)
"""The kinds of people, by number."""


def body(figure: Figure, level: int) -> Sketch:
    """Trunk, neck and head."""
    sketch, sides = Sketch(), _SEGMENTS[level]
    deep = 0.62
    chest, hips = figure.shoulders, figure.hips
    trunk = [
        ((0.0, 0.0, 0.84), hips * 0.75),
        ((0.0, 0.0, 0.92), hips),
        ((0.0, 0.0, 1.10), hips * 0.88),
        ((0.0, 0.0, 1.36), chest),
        ((0.0, 0.0, 1.46), chest * 0.72),
        ((0.0, 0.0, 1.49), 0.06),
    ]
    trunk_paints = [TROUSERS, TROUSERS, CLOTH, CLOTH, CLOTH]
    if level == 2:
        _tube(sketch, trunk[1::2], deep, sides, [CLOTH, CLOTH])
        _tube(sketch, [((0, 0, 0.0), 0.1), ((0, 0, 0.92), hips)], 0.7, sides, [TROUSERS])
    else:
        _tube(sketch, trunk, deep, sides, trunk_paints)
    if figure.has_skirt:
        _tube(sketch, [((0, 0, 0.5), 0.24), ((0, 0, 1.0), hips * 0.95)], 0.85, sides, [TROUSERS])
    add_head(sketch, (0.02, 0.0, 1.62), figure, level)
    return sketch


def add_head(sketch: Sketch, middle: Point, figure: Figure, level: int) -> None:
    """Adds neck, face and hair."""
    sides = _SEGMENTS[level]
    x, y, z = middle
    if level < 2:
        _tube(
            sketch,
            [((x - 0.03, y, z - 0.17), 0.05), ((x - 0.01, y, z - 0.06), 0.05)],
            1.0,
            5,
            [SKIN],
        )
    face = [(z - 0.115, 0.045), (z - 0.08, 0.08), (z + 0.0, 0.095), (z + 0.05, 0.092)]
    skull = [(z + 0.04, 0.102), (z + 0.095, 0.080), (z + 0.125, 0.03)]
    _tube(sketch, [((x, y, h), r) for h, r in face], 1.12, sides, [SKIN] * 3)
    _tube(
        sketch,
        [((x - 0.012, y, h), r) for h, r in skull],
        1.15,
        sides,
        [figure.hair] * 2,
        is_closed=True,
    )
    if level == 0:
        back = 0.22 if figure.has_long_hair else 0.09
        low = (x - 0.115, -0.08, z - back)
        sketch.add_box(low, (x - 0.02, 0.08, z + 0.06), figure.hair)
        sketch.add_box((x + 0.09, -0.015, z - 0.03), (x + 0.125, 0.015, z + 0.01), SKIN)
    if figure.has_hat and level < 2:
        brim = [((x, y, z + 0.07), 0.15), ((x, y, z + 0.085), 0.15), ((x, y, z + 0.09), 0.1)]
        crown = [((x, y, z + 0.16), 0.085)]
        _tube(sketch, [*brim, *crown], 1.1, sides, [SHOES] * 3, is_closed=True)


def arm(level: int) -> Sketch:
    """An arm with its hand."""
    sketch, sides = Sketch(), max(_SEGMENTS[level] - 2, 4)
    upper = [((0.03, 0, -0.56), 0.032), ((0.01, 0, -0.30), 0.042), ((0, 0, 0.03), 0.055)]
    _tube(sketch, upper, 1.0, sides, [CLOTH, CLOTH], is_closed=True)
    hand = [((0.045, 0, -0.67), 0.02), ((0.04, 0, -0.62), 0.036), ((0.03, 0, -0.55), 0.028)]
    _tube(sketch, hand, 1.2, 4, [SKIN, SKIN])
    return sketch


def thigh(level: int, paint: Paint = TROUSERS) -> Sketch:
    """A leg down to the knee."""
    sketch, sides = Sketch(), max(_SEGMENTS[level] - 2, 4)
    length = HIP - KNEE
    _tube(
        sketch,
        [((0, 0, -length - 0.02), 0.058), ((0, 0, 0.03), 0.088)],
        1.0,
        sides,
        [paint],
        is_closed=True,
    )
    return sketch


def shank(level: int, paint: Paint = TROUSERS) -> Sketch:
    """The lower leg with its shoe."""
    sketch, sides = Sketch(), max(_SEGMENTS[level] - 2, 4)
    _tube(
        sketch,
        [((0, 0, -KNEE + 0.07), 0.042), ((0, 0, 0.02), 0.06)],
        1.0,
        sides,
        [paint],
        is_closed=True,
    )
    sketch.add_box((-0.07, -0.042, -KNEE), (0.18, 0.042, -KNEE + 0.075), SHOES)
    return sketch


def _tube(
    sketch: Sketch,
    rings: Sequence[tuple[Point, float]],
    deep: float,
    sides: int,
    paints: Sequence[Paint],
    *,
    is_closed: bool = False,
) -> None:
    """A tube through rings from below, each (middle, half width); `deep`: depth to width."""
    angles = np.arange(sides + 1) / sides * 2 * np.pi
    grid = np.array(
        [
            [(x + deep * r * np.cos(a), y + r * np.sin(a), z) for a in angles]
            for (x, y, z), r in rings
        ]
    )
    sketch.add_grid(grid, [[paint] * sides for paint in paints])
    if is_closed:
        sketch.add(grid[-1, :-1], paints[-1])


def bicycle(level: int) -> Sketch:
    """A bicycle without wheels, with the trunk, the arms and the head of who rides it."""
    sketch = Sketch()
    joints = {
        "rear": (-0.50, 0.34),
        "pedals": (-0.07, 0.29),
        "seat": (-0.22, 0.88),
        "head": (0.38, 0.86),
        "front": (0.56, 0.34),
    }
    bars = (
        (
            *(("rear", "pedals"), ("rear", "seat"), ("pedals", "seat"), ("pedals", "head")),
            *(("seat", "head"), ("head", "front")),
        )
        if level < 2
        else (("rear", "seat"), ("pedals", "head"), ("head", "front"))
    )
    for first, second in bars:
        _bar(sketch, joints[first], joints[second], 0.022, BODY)
    if level == 0:
        sketch.add_box((-0.34, -0.07, 0.90), (-0.10, 0.07, 0.96), TRIM)
        sketch.add_box((0.30, -0.27, 1.00), (0.34, 0.27, 1.03), STEEL)
        sketch.add_box((0.40, -0.04, 0.82), (0.46, 0.04, 0.90), HEAD_LIGHT)
        sketch.add_box((-0.60, -0.04, 0.68), (-0.55, 0.04, 0.75), REAR_LIGHT)
    if level == 2:
        for x in (-0.50, 0.56):
            sketch.add_box((x - 0.3, -0.015, 0.05), (x + 0.3, 0.015, 0.63), TYRE)
        sketch.add_box((-0.2, -0.15, 0.4), (0.0, 0.15, 0.95), TROUSERS)
    _add_rider(sketch, level, seat=(-0.22, 0.95), grips=(0.30, 1.02), lean=0.22)
    return sketch


def motorcycle(level: int) -> Sketch:
    """A motorcycle without wheels, with its rider."""
    sketch = Sketch()
    sketch.add_box((-0.35, -0.16, 0.30), (0.35, 0.16, 0.62), STEEL)
    tank = [((0.15, 0, 0.62), 0.17), ((0.12, 0, 0.80), 0.19), ((0.08, 0, 0.9), 0.1)]
    _tube(sketch, tank, 1.7, 6, [BODY, BODY], is_closed=True)
    sketch.add_box((-0.85, -0.14, 0.66), (-0.05, 0.14, 0.80), TRIM)
    sketch.add_box((-1.0, -0.10, 0.72), (-0.75, 0.10, 0.88), BODY)
    sketch.add_box((-1.03, -0.08, 0.74), (-0.98, 0.08, 0.84), REAR_LIGHT)
    sketch.add_box((0.50, -0.10, 0.82), (0.68, 0.10, 1.0), HEAD_LIGHT)
    _bar(sketch, (0.48, 1.0), (0.76, 0.32), 0.05, STEEL)
    _bar(sketch, (-0.2, 0.4), (-0.72, 0.32), 0.05, STEEL)
    if level == 2:
        for x in (-0.74, 0.76):
            sketch.add_box((x - 0.28, -0.06, 0.03), (x + 0.28, 0.06, 0.6), TYRE)
    else:
        sketch.add_box((0.40, -0.34, 1.02), (0.45, 0.34, 1.06), TRIM)
    for side in (-1, 1):
        leg = Sketch()
        _limb(leg, (-0.30, 0.14 * side, 0.84), (0.16, 0.22 * side, 0.66), 0.08, TROUSERS)
        _limb(leg, (0.16, 0.22 * side, 0.66), (-0.12, 0.2 * side, 0.30), 0.06, TROUSERS)
        if level < 2:
            leg.add_box((-0.18, 0.2 * side - 0.05, 0.26), (0.08, 0.2 * side + 0.05, 0.34), SHOES)
        sketch.include(leg)
    _add_rider(sketch, level, seat=(-0.30, 0.84), grips=(0.40, 1.04), lean=0.26, has_helmet=True)
    return sketch


def _add_rider(
    sketch: Sketch,
    level: int,
    *,
    seat: tuple[float, float],
    grips: tuple[float, float],
    lean: float,
    has_helmet: bool = False,
) -> None:
    (x, z), (hand_x, hand_z) = seat, grips
    trunk = [
        ((x, 0, z - 0.05), 0.13),
        ((x + 0.03, 0, z + 0.06), 0.155),
        ((x + 0.6 * lean, 0, z + 0.32), 0.165),
        ((x + lean, 0, z + 0.50), 0.18),
        ((x + 1.05 * lean, 0, z + 0.58), 0.07),
    ]
    sides = _SEGMENTS[level]
    paints = [TROUSERS, CLOTH if not has_helmet else TROUSERS] + [CLOTH] * 2
    _tube(sketch, trunk, 0.65, sides, paints, is_closed=True)
    for side in (-1, 1):
        shoulder = (x + lean, 0.19 * side, z + 0.48)
        _limb(sketch, shoulder, (hand_x, 0.25 * side, hand_z), 0.042, CLOTH)
    head = (x + lean + 0.07, 0.0, z + 0.74)
    figure = Figure(shoulders=0.2, hips=0.16, hair=TRIM if has_helmet else HAIR)
    add_head(sketch, head, figure, level)
    if has_helmet:
        hx, _, hz = head
        shell = [(hz - 0.12, 0.11), (hz, 0.14), (hz + 0.1, 0.12), (hz + 0.155, 0.05)]
        _tube(
            sketch,
            [((hx - 0.01, 0, h), r) for h, r in shell],
            1.1,
            sides,
            [BODY] * 3,
            is_closed=True,
        )


def _bar(
    sketch: Sketch, low: tuple[float, float], high: tuple[float, float], half: float, paint: Paint
) -> None:
    """A bar of a frame between two places (x, z) of the plane y = 0."""
    _limb(sketch, (low[0], 0.0, low[1]), (high[0], 0.0, high[1]), half, paint)


def _limb(sketch: Sketch, start: Point, stop: Point, half: float, paint: Paint) -> None:
    """A square bar between two points, `half` its half width [m]."""
    a, b = np.array(start, dtype=float), np.array(stop, dtype=float)
    along = (b - a) / np.linalg.norm(b - a)
    side = np.cross(along, [0.0, 1.0, 0.0])
    if np.linalg.norm(side) < 1e-6:
        side = np.array([1.0, 0.0, 0.0])
    side /= np.linalg.norm(side)
    other = np.cross(along, side)
    ring = np.array([side + other, other - side, -side - other, side - other, side + other])
    grid = np.stack([a + half * ring, b + half * ring])
    sketch.add_grid(grid, [[paint] * 4])
    sketch.add(grid[0, :-1][::-1], paint)
    sketch.add(grid[1, :-1], paint)
