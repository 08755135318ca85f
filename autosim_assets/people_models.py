"""Draws people in pieces that clients move: bodies, arms, thighs and shanks.

A piece hangs from its joint, which is the origin, and stands upright. A body stands with its feet
(which it has not) at the origin; in the last level of detail it is a whole figure.
"""

from dataclasses import dataclass

from autosim_assets.limbs import Ring, add_limb, add_rings
from autosim_assets.obj_sketch import Paint, Point, Sketch
from autosim_assets.traffic_paints import (
    BAG,
    CLOTH,
    DARK_HAIR,
    FAIR_HAIR,
    GREY_HAIR,
    HAIR,
    SHOES,
    SKIN,
    TRIM,
    TROUSERS,
)

HIP, KNEE = 0.90, 0.48
"""Heights [m] of the joints of the legs of a person of 1.75 m."""

SHOULDER = 1.42
"""Height [m] of the joints of the arms of the same."""

SEGMENTS = (10, 5, 4)
"""Number of sides of limbs and bodies in each level of detail."""


@dataclass(frozen=True, slots=True)
class Figure:
    """Appearance of a person: half widths of shoulders and hips [m], hair, and clothes.

    Attributes:
        waist: half width [m] between them.
        depth: half depth [m] of the trunk at its belly.
        hem: height [m] down to which a coat or a jacket reaches.
        skirt: height [m] down to which a skirt reaches, 0 for trousers.
        has_long_hair: long hair.
        has_hood: a hood in the colour of the clothes instead of hair.
        hat: brim [m] of a hat or a cap, 0 for none.
        bag: `backpack`, `handbag` or none.
    """

    shoulders: float
    hips: float
    hair: Paint
    waist: float = 0.145
    depth: float = 0.105
    hem: float = 0.94
    skirt: float = 0.0
    has_long_hair: bool = False
    has_hood: bool = False
    hat: float = 0.0
    bag: str = ""


FIGURES = (
    Figure(shoulders=0.200, hips=0.155, waist=0.150, hair=HAIR),
    Figure(
        shoulders=0.172, hips=0.165, waist=0.128, hair=DARK_HAIR, has_long_hair=True, bag="handbag"
    ),
    Figure(shoulders=0.170, hips=0.172, waist=0.150, depth=0.12, hair=GREY_HAIR, skirt=0.46),
    Figure(shoulders=0.205, hips=0.175, waist=0.178, depth=0.15, hair=GREY_HAIR, hat=0.15),
    Figure(
        shoulders=0.195,
        hips=0.150,
        waist=0.152,
        depth=0.112,
        hair=HAIR,
        hem=0.86,
        has_hood=True,
        bag="backpack",
    ),
    Figure(
        shoulders=0.180,
        hips=0.155,
        waist=0.150,
        depth=0.12,
        hair=FAIR_HAIR,
        hat=0.115,
        bag="backpack",
    ),
    Figure(shoulders=0.172, hips=0.165, waist=0.138, hair=FAIR_HAIR, hem=0.58, has_long_hair=True),
    Figure(shoulders=0.205, hips=0.160, waist=0.155, depth=0.115, hair=DARK_HAIR, hem=0.80),
)
"""The figures, by number: men and women of several ages; number 5 is drawn smaller, as a child."""


def body(figure: Figure, level: int) -> Sketch:
    """Trunk, neck and head."""
    sketch, sides = Sketch(), SEGMENTS[level]
    chest, hips, waist, depth = figure.shoulders, figure.hips, figure.waist, figure.depth
    trunk: list[Ring] = [
        (0.0, 0.80, 0.075, 0.80 * hips),
        (0.0, 0.87, 0.105, hips),
        (0.0, figure.hem if figure.hem > 0.87 else 0.94, 0.112, hips),
        (0.0, 1.10, depth, waist),
        (-0.005, 1.27, 0.118, 0.5 * (chest + waist)),
        (-0.01, 1.38, 0.112, 0.97 * chest),
        (-0.012, 1.44, 0.085, 0.78 * chest),
        (-0.01, 1.485, 0.062, 0.072),
    ]
    paints = [TROUSERS, TROUSERS] + [CLOTH] * 5
    if level == 2:
        trunk, paints = [trunk[0], trunk[3], trunk[5], trunk[7]], [TROUSERS, CLOTH, CLOTH]
    elif level == 1:
        trunk, paints = trunk[:1] + trunk[2:4] + trunk[5:], [TROUSERS] + [CLOTH] * 4
    add_rings(sketch, trunk, sides, paints, is_closed=True)
    if figure.hem < 0.87:
        flare = 0.10 * (0.94 - figure.hem)
        coat = [(0.0, figure.hem, 0.125 + flare, hips + 0.02 + flare), (0.0, 1.10, 0.11, waist)]
        add_rings(sketch, coat, sides, [CLOTH])
        add_rings(sketch, [(x, z, rx - 0.01, ry - 0.01) for x, z, rx, ry in coat], sides, [TRIM])
    if figure.skirt:
        skirt = [(0.0, figure.skirt, 0.20, 0.235), (0.0, 0.98, 0.11, hips)]
        add_rings(sketch, skirt, sides, [TROUSERS])
    add_head(sketch, (0.015, 0.0, 1.635), figure, level)
    if level < 2:
        _add_bag(sketch, figure, level)
    else:
        _add_limbs_from_afar(sketch, figure)
    return sketch


def add_head(sketch: Sketch, middle: Point, figure: Figure, level: int) -> None:
    """Adds neck, face and hair at the middle of a head."""
    sides, (x, _, z) = SEGMENTS[level], middle
    if level < 2:
        neck = [(x - 0.035, z - 0.18, 0.05, 0.05), (x - 0.015, z - 0.08, 0.046, 0.048)]
        add_rings(sketch, neck, 6, [SKIN])
    hair = CLOTH if figure.has_hood else figure.hair
    # Sides in the order of `add_rings`: those around the back are under hair.
    face: list[Paint] = [hair if 0.3 < (k / sides) < 0.75 else SKIN for k in range(sides)]
    rings: list[Ring] = [
        (x + 0.020, z - 0.125, 0.035, 0.032),
        (x + 0.012, z - 0.100, 0.072, 0.058),
        (x + 0.004, z - 0.045, 0.092, 0.072),
        (x, z + 0.010, 0.098, 0.078),
        (x - 0.002, z + 0.050, 0.101, 0.081),
        (x - 0.006, z + 0.095, 0.085, 0.068),
        (x - 0.010, z + 0.125, 0.045, 0.036),
    ]
    paints: list[Paint | list[Paint]] = [SKIN, SKIN, face, face, hair, hair]
    if level == 2:
        rings, paints = [rings[0], rings[2], rings[4], rings[6]], [SKIN, SKIN, hair]
    elif level == 1:
        rings, paints = [rings[0], *rings[2:4], *rings[4:]], [SKIN, face, face, hair, hair]
    add_rings(sketch, rings, sides, paints, is_closed=True)
    if level == 0:
        sketch.add_box((x + 0.085, -0.012, z - 0.045), (x + 0.118, 0.012, z - 0.018), SKIN)
        for y in (-0.032, 0.032):
            sketch.add_box(
                (x + 0.07, y - 0.013, z + 0.004), (x + 0.0975, y + 0.013, z + 0.018), SHOES
            )
        sketch.add_box((x + 0.06, -0.022, z - 0.078), (x + 0.091, 0.022, z - 0.07), SHOES)
    if figure.has_long_hair and level < 2:
        long = [
            (x - 0.075, z - 0.22, 0.03, 0.055),
            (x - 0.065, z - 0.08, 0.05, 0.078),
            (x - 0.05, z + 0.03, 0.055, 0.08),
        ]
        add_rings(sketch, long, sides, [hair, hair])
    if figure.hat and level < 2:
        _add_hat(sketch, (x, z), figure, sides)


def _add_hat(sketch: Sketch, at: tuple[float, float], figure: Figure, sides: int) -> None:
    """Adds a hat with a brim all around; of a child a cap with a peak."""
    (x, z), brim = at, figure.hat
    if brim < 0.12:
        cap = [
            (x, z + 0.035, 0.106, 0.088),
            (x - 0.004, z + 0.10, 0.088, 0.075),
            (x - 0.01, z + 0.14, 0.03, 0.03),
        ]
        add_rings(sketch, cap, sides, [CLOTH, CLOTH], is_closed=True)
        sketch.add_box((x + 0.08, -0.06, z + 0.04), (x + 0.17, 0.06, z + 0.052), CLOTH)
        return
    hat = [
        (x, z + 0.05, brim * 1.08, brim),
        (x, z + 0.062, brim * 1.08, brim),
        (x, z + 0.066, 0.098, 0.082),
        (x, z + 0.15, 0.082, 0.066),
    ]
    add_rings(sketch, hat, sides, [SHOES] * 3, is_closed=True)


def _add_bag(sketch: Sketch, figure: Figure, level: int) -> None:
    """Adds a bag on the back or at the side, with its straps."""
    if figure.bag == "backpack":
        pack = [
            (-0.185, 1.02, 0.06, 0.13),
            (-0.20, 1.14, 0.09, 0.15),
            (-0.185, 1.32, 0.075, 0.14),
            (-0.16, 1.41, 0.03, 0.10),
        ]
        add_rings(sketch, pack, 6, [BAG] * 3, is_closed=True)
        if level == 0:
            for y in (-0.11, 0.11):
                line: list[Point] = [(-0.11, y, 1.42), (0.02, y, 1.465), (0.115, y, 1.32)]
                add_limb(sketch, [*line, (0.10, y * 1.2, 1.12)], [0.017] * 4, 4, [BAG] * 3)
    if figure.bag == "handbag":
        sketch.add_box((-0.13, 0.20, 0.82), (0.13, 0.29, 1.02), BAG)
        if level == 0:
            line = [(0.0, 0.245, 1.0), (-0.01, 0.20, 1.3), (-0.01, 0.12, 1.475)]
            add_limb(sketch, line, [0.010] * 3, 4, [BAG] * 2)


def _add_limbs_from_afar(sketch: Sketch, figure: Figure) -> None:
    """Adds arms and legs that stand still."""
    for side in (-1.0, 1.0):
        y = side * (figure.shoulders + 0.01)
        arm_line: list[Point] = [(0.10, y * 1.1, 0.82), (0.0, y * 1.1, 1.1), (0.0, y, 1.42)]
        add_limb(sketch, arm_line, [0.03, 0.045, 0.05], 3, [SKIN, CLOTH])
        leg: list[Point] = [(0.13 * side, 0.085 * side, 0.0), (0.06 * side, 0.085 * side, 0.45)]
        paint = SKIN if figure.skirt else TROUSERS
        add_limb(sketch, [*leg, (0.0, 0.085 * side, 0.9)], [0.05, 0.06, 0.085], 3, [paint] * 2)


def arm(level: int) -> Sketch:
    """An arm with its hand."""
    return _arm(level, ((0.0, -0.28), (0.075, -0.53)), (0.10, -0.655))


def bent_arm(level: int) -> Sketch:
    """An arm that holds something up before the chest."""
    return _arm(level, ((0.0, -0.28), (0.23, -0.19)), (0.285, -0.10))


def _arm(
    level: int, ends: tuple[tuple[float, float], tuple[float, float]], hand: tuple[float, float]
) -> Sketch:
    """An arm from the shoulder over the elbow and the wrist (x, z) [m] to the finger tips."""
    sketch, sides = Sketch(), max(SEGMENTS[level] - 3, 4)
    (ex, ez), (wx, wz) = ends
    line: list[Point] = [(0.0, 0.0, 0.035), (0.0, 0.0, 0.0), (0.0, 0.0, -0.12), (ex, 0.0, ez)]
    radii = [0.020, 0.050, 0.052, 0.043]
    add_limb(sketch, [*line, (wx, 0.0, wz)], [*radii, 0.033], sides, [CLOTH] * 4)
    palm: Point = (0.4 * wx + 0.6 * hand[0], 0.0, 0.4 * wz + 0.6 * hand[1])
    fingers: Point = (hand[0], 0.0, hand[1])
    add_limb(sketch, [(wx, 0.0, wz), palm, fingers], [0.026, 0.038, 0.02], 5, [SKIN] * 2)
    return sketch


def thigh(level: int, paint: Paint = TROUSERS) -> Sketch:
    """A leg down to the knee."""
    sketch, sides, length = Sketch(), max(SEGMENTS[level] - 2, 4), HIP - KNEE
    line: list[Point] = [(0, 0, -length - 0.02), (0.005, 0, -0.24), (0, 0, -0.05), (0, 0, 0.04)]
    add_limb(sketch, line, [0.058, 0.076, 0.090, 0.06], sides, [paint] * 3)
    return sketch


def shank(level: int, paint: Paint = TROUSERS) -> Sketch:
    """The lower leg with its shoe."""
    sketch, sides = Sketch(), max(SEGMENTS[level] - 2, 4)
    is_bare = paint is SKIN
    line: list[Point] = [(0, 0, -KNEE + 0.06), (-0.012, 0, -0.16), (0, 0, 0.025)]
    radii = [0.040, 0.058, 0.056] if is_bare else [0.052, 0.060, 0.060]
    add_limb(sketch, line, radii, sides, [paint] * 2)
    bottom = -KNEE
    shoe: list[Ring] = [
        (0.06, bottom, 0.135, 0.046),
        (0.06, bottom + 0.03, 0.130, 0.046),
        (0.02, bottom + 0.075, 0.08, 0.038),
        (0.0, bottom + 0.10, 0.045, 0.036),
    ]
    rings = shoe if level == 0 else [shoe[0], shoe[1], shoe[3]]
    add_rings(sketch, rings, sides, [SHOES] * (len(rings) - 1), is_closed=True)
    return sketch
