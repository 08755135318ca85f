"""Draws companions of people: phones, umbrellas, wheelchairs, prams and dogs."""

from autosim_assets.limbs import add_limb, add_rings
from autosim_assets.obj_sketch import Point, Sketch
from autosim_assets.people_models import SEGMENTS
from autosim_assets.traffic_paints import BROLLY, FUR, LINEN, SHOES, STEEL, TRIM, TYRE


def phone() -> Sketch:
    """A phone in the hand of a bent arm."""
    sketch = Sketch()
    sketch.add_box((0.265, -0.036, -0.13), (0.275, 0.036, 0.02), TRIM)
    return sketch


def umbrella(level: int) -> Sketch:
    """An open umbrella over the hand of a bent arm, which is at the origin."""
    sketch, sides = Sketch(), (10, 8)[level]
    shaft: list[Point] = [(0.0, 0.0, -0.08), (0.0, 0.0, 0.86)]
    add_limb(sketch, shaft, [0.012, 0.008], 4, [STEEL])
    canopy = [
        (0.0, 0.60, 0.50, 0.50),
        (0.0, 0.71, 0.38, 0.38),
        (0.0, 0.79, 0.16, 0.16),
        (0.0, 0.815, 0.01, 0.01),
    ]
    add_rings(sketch, canopy, sides, [BROLLY] * 3)
    # From below it is seen, too.
    under = [(x, z - 0.006, -rx, ry) for x, z, rx, ry in canopy]
    add_rings(sketch, under, sides, [TRIM] * 3)
    return sketch


def wheelchair(level: int) -> Sketch:
    """A wheelchair without its large wheels; the seat is 0.5 m above the ground."""
    sketch = Sketch()
    sketch.add_box((-0.20, -0.22, 0.46), (0.22, 0.22, 0.50), TRIM)
    sketch.add_box((-0.24, -0.21, 0.50), (-0.20, 0.21, 0.92), TRIM)
    for side in (-1.0, 1.0):
        y = 0.23 * side
        bars: list[list[Point]] = [
            [(-0.22, y, 0.98), (-0.22, y, 0.30), (0.30, y, 0.30)],
            [(-0.34, y, 0.96), (-0.22, y, 0.96)],
            [(0.22, y, 0.48), (0.36, y, 0.12), (0.46, y, 0.10)],
        ]
        for line in bars if level == 0 else bars[:1]:
            add_limb(sketch, line, [0.014] * len(line), 4, [STEEL] * (len(line) - 1))
        sketch.add_box((-0.18, y - 0.03, 0.68), (0.12, y + 0.03, 0.71), TRIM)
        sketch.add_box((0.26, y - 0.015, 0.0), (0.38, y + 0.015, 0.12), TYRE)
        sketch.add_box(
            (0.34, y * 0.15 if side > 0 else y, 0.07),
            (0.52, y if side > 0 else y * 0.15, 0.09),
            TRIM,
        )
    return sketch


def pram(level: int) -> Sketch:
    """A pram without its wheels, whose handle is at x = -0.42 m and 1 m above the ground."""
    sketch, sides = Sketch(), SEGMENTS[level]
    tub = [(0.06, 0.46, 0.30, 0.17), (0.05, 0.60, 0.38, 0.22), (0.05, 0.74, 0.40, 0.235)]
    add_rings(sketch, tub, sides, [BROLLY] * 2)
    blanket = [(0.08, 0.72, 0.36, 0.21), (0.10, 0.765, 0.22, 0.14), (0.10, 0.78, 0.02, 0.02)]
    add_rings(sketch, blanket, sides, [LINEN] * 2)
    hood = [
        (-0.16, 0.72, 0.20, 0.235),
        (-0.18, 0.88, 0.17, 0.215),
        (-0.20, 0.98, 0.10, 0.13),
        (-0.21, 1.01, 0.02, 0.03),
    ]
    add_rings(sketch, hood, sides, [BROLLY] * 3)
    for side in (-1.0, 1.0):
        y = 0.22 * side
        bars: list[list[Point]] = [
            [(-0.42, y, 1.0), (-0.30, y, 0.62), (0.32, y, 0.14)],
            [(-0.32, y, 0.14), (0.15, y, 0.46)],
        ]
        for line in bars if level == 0 else bars[:1]:
            add_limb(sketch, line, [0.014] * len(line), 4, [STEEL] * (len(line) - 1))
    handle: list[Point] = [(-0.42, -0.22, 1.0), (-0.42, 0.22, 1.0)]
    add_limb(sketch, handle, [0.018] * 2, 4, [TRIM])
    return sketch


def dog(level: int) -> Sketch:
    """A dog without its legs, its shoulders 0.5 m above the ground."""
    sketch, sides = Sketch(), SEGMENTS[level] - 2
    trunk: list[Point] = [
        (-0.33, 0.0, 0.44),
        (-0.20, 0.0, 0.44),
        (0.16, 0.0, 0.42),
        (0.28, 0.0, 0.48),
    ]
    add_limb(sketch, trunk, [0.05, 0.095, 0.115, 0.075], sides, [FUR] * 3)
    head: list[Point] = [(0.24, 0.0, 0.50), (0.36, 0.0, 0.63), (0.44, 0.0, 0.62), (0.55, 0.0, 0.58)]
    add_limb(sketch, head, [0.06, 0.07, 0.065, 0.03], sides, [FUR] * 3)
    tail: list[Point] = [(-0.32, 0.0, 0.47), (-0.46, 0.0, 0.58), (-0.52, 0.0, 0.68)]
    add_limb(sketch, tail, [0.025, 0.02, 0.012], 4, [FUR] * 2)
    if level == 0:
        for y in (-0.05, 0.05):
            ear: list[Point] = [(0.35, y, 0.68), (0.33, 1.5 * y, 0.58)]
            add_limb(sketch, ear, [0.03, 0.02], 4, [SHOES])
        sketch.add_box((0.535, -0.015, 0.565), (0.565, 0.015, 0.595), SHOES)
    return sketch


def dog_leg(level: int) -> Sketch:
    """A leg of a dog, 0.4 m long."""
    sketch = Sketch()
    line: list[Point] = [(0.02, 0.0, -0.39), (-0.02, 0.0, -0.2), (0.0, 0.0, 0.03)]
    add_limb(sketch, line, [0.024, 0.03, 0.055], (5, 4)[level], [FUR] * 2)
    return sketch


def leash() -> Sketch:
    """A leash from the hand at the origin to the dog's collar."""
    sketch = Sketch()
    line: list[Point] = [(0.0, 0.0, 0.0), (0.18, -0.08, -0.18), (0.42, -0.20, -0.22)]
    add_limb(sketch, line, [0.006] * 3, 3, [TRIM] * 2)
    return sketch
