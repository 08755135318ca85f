"""Draws cycles without their wheels, with the trunk, the arms and the head of the rider."""

from dataclasses import dataclass

import numpy as np

from autosim_assets.limbs import Ring, add_limb, add_rings
from autosim_assets.obj_sketch import Paint, Point, Sketch
from autosim_assets.people_models import FIGURES, SEGMENTS, Figure, add_head
from autosim_assets.traffic_paints import (
    BAG,
    BODY,
    CHROME,
    CLOTH,
    GLASS,
    HEAD_LIGHT,
    INDICATOR,
    REAR_LIGHT,
    SHOES,
    SKIN,
    STEEL,
    TRIM,
    TROUSERS,
    TYRE,
)

Flat = tuple[float, float]
"""A place (x, z) [m] in the plane of a cycle's wheels."""

_TUBE = 0.016
"""Radius [m] of the tubes of a bicycle's frame."""


@dataclass(frozen=True, slots=True)
class Seating:
    """Pose of a rider.

    Attributes:
        seat: place of the hips.
        grips: place of the hands.
        lean: how far [m] the shoulders are before the hips.
        apart: distance [m] of the hands from the middle.
    """

    seat: Flat
    grips: Flat
    lean: float
    apart: float


def bicycle(level: int, figure: Figure = FIGURES[0], *, is_low: bool = False) -> Sketch:
    """A bicycle with its rider; with a low frame and a basket where `is_low`."""
    sketch = Sketch()
    rear, front = (-0.50, 0.34), (0.56, 0.34)
    pedals, seat, head, neck = (-0.07, 0.29), (-0.20, 0.86), (0.37, 0.86), (0.40, 0.70)
    upper: tuple[Flat, Flat] = ((-0.16, 0.50), neck) if is_low else (seat, head)
    bars = [(rear, pedals), (rear, seat), (pedals, seat), (pedals, neck), upper, (neck, head)]
    for first, second in bars if level < 2 else bars[1:5:2]:
        _add_bar(sketch, first, second, _TUBE, BODY)
    _add_bar(sketch, neck, front, _TUBE, BODY if level == 2 else STEEL)
    if level < 2:
        _add_handlebar(sketch, (0.36, 1.02), 0.27, level)
        saddle: list[Ring] = [(-0.22, 0.89, 0.11, 0.06), (-0.22, 0.94, 0.13, 0.07)]
        add_rings(sketch, saddle, 6, [TRIM], is_closed=True)
        sketch.add_box((0.45, -0.035, 0.78), (0.52, 0.035, 0.85), HEAD_LIGHT)
        sketch.add_box((-0.68, -0.035, 0.68), (-0.64, 0.035, 0.74), REAR_LIGHT)
    if level == 0:
        _add_bicycle_details(sketch, pedals, is_low=is_low)
    if level == 2:
        for x in (-0.50, 0.56):
            sketch.add_box((x - 0.3, -0.015, 0.05), (x + 0.3, 0.015, 0.63), TYRE)
        sketch.add_box((-0.2, -0.15, 0.4), (0.0, 0.15, 0.95), TROUSERS)
    add_rider(sketch, level, Seating((-0.22, 0.95), (0.34, 1.03), 0.22, 0.24), figure)
    return sketch


def _add_bicycle_details(sketch: Sketch, pedals: Flat, *, is_low: bool) -> None:
    """Adds mudguards, the carrier, the chainwheel, and a basket."""
    for x in (-0.50, 0.56):
        angles = np.radians([15.0, 50.0, 85.0, 120.0, 150.0] if x < 0 else [40.0, 80.0, 120.0])
        guard = [(x + 0.365 * np.cos(a), 0.0, 0.34 + 0.365 * np.sin(a)) for a in angles]
        add_limb(sketch, guard, [0.022] * len(guard), 4, [TRIM] * (len(guard) - 1))
    for y in (-0.06, 0.06):
        line: list[Point] = [(-0.30, y, 0.73), (-0.68, y, 0.73), (-0.50, y, 0.36)]
        add_limb(sketch, line, [0.007] * 3, 4, [STEEL] * 2)
    x, z = pedals
    sketch.add_box((x - 0.09, -0.05, z - 0.09), (x + 0.09, -0.04, z + 0.09), STEEL)
    if is_low:
        sketch.add_box((0.44, -0.16, 0.90), (0.68, 0.16, 1.08), BAG)


def motorcycle(level: int) -> Sketch:
    """A motorcycle with its rider."""
    sketch = Sketch()
    tank: list[Ring] = [
        (0.16, 0.62, 0.24, 0.10),
        (0.14, 0.74, 0.30, 0.15),
        (0.12, 0.83, 0.24, 0.13),
        (0.12, 0.87, 0.14, 0.07),
    ]
    add_rings(sketch, tank, 8 if level == 0 else 5, [BODY] * 3, is_closed=True)
    engine: list[Ring] = [
        (0.02, 0.24, 0.28, 0.10),
        (0.02, 0.36, 0.34, 0.17),
        (0.04, 0.60, 0.30, 0.15),
    ]
    add_rings(sketch, engine, 8 if level == 0 else 5, [STEEL] * 2, is_closed=True)
    seat: list[Point] = [(0.0, 0.0, 0.76), (-0.4, 0.0, 0.76), (-0.78, 0.0, 0.84)]
    add_limb(sketch, seat, [0.10, 0.14, 0.09], 6, [TRIM] * 2)
    tail: list[Point] = [(-0.55, 0.0, 0.74), (-0.98, 0.0, 0.86)]
    add_limb(sketch, tail, [0.10, 0.05], 6, [BODY])
    sketch.add_box((-1.03, -0.08, 0.80), (-0.97, 0.08, 0.88), REAR_LIGHT)
    sketch.add_box((0.52, -0.09, 0.80), (0.68, 0.09, 0.96), HEAD_LIGHT)
    for y in (-0.09, 0.09) if level < 2 else (0.0,):
        fork: list[Point] = [(0.50, y, 0.98), (0.76, y, 0.31)]
        add_limb(sketch, fork, [0.028, 0.022], 5, [CHROME])
        swing: list[Point] = [(-0.15, y, 0.36), (-0.72, y, 0.31)]
        add_limb(sketch, swing, [0.03, 0.03], 4, [STEEL])
    if level == 0:
        _add_motorcycle_details(sketch)
    if level == 2:
        for x in (-0.74, 0.76):
            sketch.add_box((x - 0.28, -0.06, 0.03), (x + 0.28, 0.06, 0.6), TYRE)
    else:
        _add_handlebar(sketch, (0.44, 1.04), 0.36, level)
    _add_sitting_legs(sketch, level, (-0.25, 0.84), (0.16, 0.64), (-0.14, 0.32), 0.19)
    rider = Seating((-0.28, 0.84), (0.42, 1.05), 0.30, 0.30)
    add_rider(sketch, level, rider, FIGURES[0], has_helmet=True)
    return sketch


def _add_motorcycle_details(sketch: Sketch) -> None:
    """Adds the exhaust, indicators, mudguards and a windshield."""
    pipe: list[Point] = [
        (0.25, -0.16, 0.42),
        (0.1, -0.17, 0.26),
        (-0.4, -0.18, 0.28),
        (-0.85, -0.19, 0.40),
    ]
    add_limb(sketch, pipe, [0.03, 0.03, 0.045, 0.05], 6, [CHROME] * 3)
    guard = [(0.76 + 0.33 * np.cos(a), 0.0, 0.31 + 0.33 * np.sin(a)) for a in (0.6, 1.4, 2.2)]
    add_limb(sketch, guard, [0.06, 0.065, 0.06], 5, [BODY] * 2)
    shield: list[Point] = [
        (0.60, -0.14, 0.98),
        (0.60, 0.14, 0.98),
        (0.46, 0.11, 1.22),
        (0.46, -0.11, 1.22),
    ]
    sketch.add(shield, GLASS)
    sketch.add(shield[::-1], GLASS)
    for side in (-1.0, 1.0):
        for x, z in ((0.56, 0.9), (-0.9, 0.80)):
            low, high = sorted((side * 0.12, side * 0.18))
            sketch.add_box((x - 0.02, low, z), (x + 0.03, high, z + 0.04), INDICATOR)
        stalk: list[Point] = [(0.40, 0.26 * side, 1.04), (0.36, 0.32 * side, 1.18)]
        add_limb(sketch, stalk, [0.01, 0.04], 5, [TRIM])


def scooter(level: int) -> Sketch:
    """A scooter with its rider."""
    sketch = Sketch()
    sides = 8 if level == 0 else 5
    rear: list[Ring] = [
        (-0.45, 0.34, 0.34, 0.14),
        (-0.48, 0.52, 0.42, 0.19),
        (-0.50, 0.72, 0.40, 0.16),
    ]
    add_rings(sketch, rear, sides, [BODY] * 2, is_closed=True)
    sketch.add_box((-0.30, -0.18, 0.26), (0.45, 0.18, 0.32), TRIM)
    shield: list[Point] = [(0.48, 0.0, 0.26), (0.55, 0.0, 0.60), (0.44, 0.0, 0.96)]
    for y in (-0.1, 0.0, 0.1):
        line = [(x, y, z) for x, _, z in shield]
        add_limb(sketch, line, [0.10, 0.09, 0.06], 5, [BODY] * 2)
    seat: list[Ring] = [(-0.42, 0.71, 0.36, 0.14), (-0.42, 0.79, 0.36, 0.15)]
    add_rings(sketch, seat, sides, [TRIM], is_closed=True)
    sketch.add_box((-0.96, -0.09, 0.58), (-0.90, 0.09, 0.68), REAR_LIGHT)
    sketch.add_box((0.48, -0.09, 0.86), (0.58, 0.09, 0.98), HEAD_LIGHT)
    fork: list[Point] = [(0.58, 0.0, 0.5), (0.76, 0.0, 0.31)]
    add_limb(sketch, fork, [0.06, 0.05], 5, [STEEL])
    if level == 2:
        for x in (-0.74, 0.76):
            sketch.add_box((x - 0.28, -0.06, 0.03), (x + 0.28, 0.06, 0.6), TYRE)
    else:
        _add_handlebar(sketch, (0.42, 1.03), 0.32, level)
    if level == 0:
        sketch.add_box((-1.02, -0.19, 0.86), (-0.68, 0.19, 1.16), TRIM)
        for side in (-1.0, 1.0):
            low, high = sorted((side * 0.12, side * 0.20))
            sketch.add_box((0.50, low, 0.80), (0.57, high, 0.85), INDICATOR)
            sketch.add_box((-0.93, low, 0.50), (-0.87, high, 0.55), INDICATOR)
    _add_sitting_legs(sketch, level, (-0.36, 0.84), (0.10, 0.80), (0.16, 0.36), 0.13)
    add_rider(
        sketch, level, Seating((-0.38, 0.84), (0.38, 1.04), 0.12, 0.28), FIGURES[1], has_helmet=True
    )
    return sketch


def _add_sitting_legs(
    sketch: Sketch, level: int, hip: Flat, knee: Flat, foot: Flat, apart: float
) -> None:
    sides = max(SEGMENTS[level] - 2, 4)
    for side in (-1.0, 1.0):
        y = side * apart
        line: list[Point] = [
            (hip[0], 0.6 * y, hip[1]),
            (knee[0], y, knee[1]),
            (foot[0], y, foot[1]),
        ]
        add_limb(sketch, line, [0.085, 0.068, 0.05], sides, [TROUSERS] * 2)
        if level < 2:
            x, z = foot
            shoe: list[Point] = [(x - 0.08, y, z - 0.02), (x + 0.17, y, z - 0.03)]
            add_limb(sketch, shoe, [0.05, 0.035], 5, [SHOES])


def add_rider(
    sketch: Sketch, level: int, pose: Seating, figure: Figure, *, has_helmet: bool = False
) -> None:
    """Adds the trunk, the arms and the head of a rider."""
    (x, z), (hand_x, hand_z), lean = pose.seat, pose.grips, pose.lean
    sides = SEGMENTS[level]
    trunk: list[Ring] = [
        (x, z - 0.07, 0.09, figure.hips * 0.8),
        (x + 0.01, z + 0.04, 0.115, figure.hips),
        (x + 0.45 * lean, z + 0.24, 0.115, figure.waist),
        (x + 0.85 * lean, z + 0.43, 0.12, 0.97 * figure.shoulders),
        (x + lean, z + 0.52, 0.085, 0.75 * figure.shoulders),
        (x + 1.06 * lean, z + 0.57, 0.06, 0.065),
    ]
    cloth = TRIM if has_helmet else CLOTH
    add_rings(sketch, trunk, sides, [TROUSERS] + [CLOTH] * 2 + [cloth] * 2, is_closed=True)
    limb_sides = max(sides - 3, 4)
    for side in (-1.0, 1.0):
        shoulder: Point = (x + lean, side * figure.shoulders, z + 0.48)
        hand: Point = (hand_x, side * pose.apart, hand_z)
        middle = [(a + b) / 2.0 for a, b in zip(shoulder, hand, strict=True)]
        elbow: Point = (middle[0] - 0.06, middle[1] + 0.07 * side, middle[2] - 0.10)
        wrist: Point = (hand_x - 0.08, side * (pose.apart + 0.01), hand_z + 0.01)
        add_limb(sketch, [shoulder, elbow, wrist], [0.056, 0.044, 0.034], limb_sides, [CLOTH] * 2)
        add_limb(sketch, [wrist, hand], [0.03, 0.036], 5, [TRIM if has_helmet else SKIN])
    head: Point = (x + 1.06 * lean + 0.03, 0.0, z + 0.72)
    if not has_helmet:
        add_head(sketch, head, figure, level)
        if figure is FIGURES[0]:
            _add_cycling_helmet(sketch, head, sides)
        return
    hx, _, hz = head
    shell: list[Ring] = [
        (hx, hz - 0.13, 0.09, 0.085),
        (hx, hz - 0.04, 0.135, 0.12),
        (hx - 0.005, hz + 0.05, 0.138, 0.122),
        (hx - 0.01, hz + 0.12, 0.10, 0.09),
        (hx - 0.01, hz + 0.15, 0.04, 0.035),
    ]
    visor: list[Paint] = [
        GLASS if k / sides < 0.2 or k / sides > 0.8 else BODY for k in range(sides)
    ]
    rows: list[Paint | list[Paint]] = [BODY, visor, BODY, BODY]
    add_rings(sketch, shell, sides, rows, is_closed=True)


def _add_cycling_helmet(sketch: Sketch, head: Point, sides: int) -> None:
    hx, _, hz = head
    shell: list[Ring] = [
        (hx, hz + 0.045, 0.125, 0.098),
        (hx - 0.005, hz + 0.10, 0.115, 0.09),
        (hx - 0.01, hz + 0.15, 0.05, 0.04),
    ]
    add_rings(sketch, shell, sides, [BODY] * 2, is_closed=True)


def _add_handlebar(sketch: Sketch, at: Flat, half: float, level: int) -> None:
    x, z = at
    line: list[Point] = [
        (x - 0.05, -half, z),
        (x, -0.5 * half, z + 0.01),
        (x, 0.5 * half, z + 0.01),
    ]
    line.append((x - 0.05, half, z))
    add_limb(sketch, line, [0.016] * 4, 5 if level == 0 else 3, [TRIM, STEEL, TRIM])
    stem: list[Point] = [(x + 0.02, 0.0, z - 0.18), (x, 0.0, z)]
    add_limb(sketch, stem, [0.018] * 2, 4, [STEEL])


def _add_bar(sketch: Sketch, low: Flat, high: Flat, radius: float, paint: Paint) -> None:
    """A bar of a frame between two places of the plane y = 0."""
    ends: list[Point] = [(low[0], 0.0, low[1]), (high[0], 0.0, high[1])]
    add_limb(sketch, ends, [radius, radius], 5, [paint])
