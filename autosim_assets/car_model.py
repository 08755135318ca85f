"""Draws the body and the wheels of the robot `impreza`: a four-door saloon with a boot."""

import numpy as np

from autosim.arrays import Floats
from autosim_assets.obj_sketch import Paint, Point, Sketch, lathe

LENGTH, WIDTH, HEIGHT = 4.46, 1.74, 1.22
"""Extent [m] of the chassis in the robot file; the model's centre is the box's."""

GROUND = -0.81
"""Height [m] of the ground in the model's frame when the car stands."""

WHEEL_RADIUS, WHEEL_WIDTH = 0.316, 0.205
"""Radius and width [m] of a wheel, as in the robot file."""

_AXLES = (1.33, -1.19)
"""Places x [m] of the axles in the model's frame, as in the robot file."""

_HUB = 0.318
"""Height [m] of the hubs above the ground: the radius of a wheel, rounded up."""

_ARCH = 0.375
"""Radius [m] of the wheel arches, so that a wheel turns and moves in them."""

_INSIDE = 0.56
"""Distance [m] from the middle to the inner ends of the wheel arches: inside the wheels."""


PAINT = Paint("paint", (0.10, 0.24, 0.55), 0.35)
GLASS = Paint("glass", (0.07, 0.09, 0.11), 0.15)
TRIM = Paint("trim", (0.07, 0.07, 0.08), 0.9)
CHROME = Paint("chrome", (0.72, 0.73, 0.75), 0.4)
HEADLIGHT = Paint("headlight", (0.90, 0.92, 0.93), 0.3)
INDICATOR = Paint("indicator", (0.93, 0.50, 0.10), 0.5)
REAR_LIGHT = Paint("rear_light", (0.68, 0.05, 0.05), 0.5)
PLATE = Paint("plate", (0.93, 0.93, 0.88), 1.0)
RIM = Paint("rim", (0.42, 0.42, 0.44), 0.6)
"""The mean colour of spokes and the dark between them, for the coarse model."""

TYRE = Paint("tyre", (0.09, 0.09, 0.095), 1.0)

# Key stations from the tail to the nose. Heights are above the ground:
#   x, half width at the waist, bottom, waist (lower edge of the windows), half width of the
#   upper edge, upper edge, top in the middle.
_STATIONS = np.array(
    [
        (-2.230, 0.700, 0.42, 0.780, 0.640, 0.800, 0.810),
        (-2.190, 0.790, 0.30, 0.880, 0.700, 0.935, 0.945),
        (-2.080, 0.840, 0.25, 0.905, 0.710, 0.980, 0.995),
        (-1.620, 0.865, 0.22, 0.920, 0.710, 1.005, 1.020),
        (-1.080, 0.870, 0.21, 0.920, 0.600, 1.340, 1.365),
        (-0.900, 0.870, 0.21, 0.920, 0.585, 1.385, 1.405),
        (-0.300, 0.870, 0.20, 0.915, 0.580, 1.405, 1.420),
        (0.200, 0.870, 0.20, 0.905, 0.585, 1.380, 1.400),
        (0.340, 0.870, 0.20, 0.900, 0.595, 1.350, 1.375),
        (1.020, 0.868, 0.20, 0.885, 0.740, 0.960, 0.985),
        (1.600, 0.855, 0.21, 0.820, 0.730, 0.880, 0.915),
        (2.000, 0.830, 0.22, 0.740, 0.690, 0.800, 0.830),
        (2.150, 0.780, 0.24, 0.660, 0.650, 0.715, 0.735),
        (2.230, 0.660, 0.32, 0.580, 0.560, 0.600, 0.610),
    ]
)
_PILLARS = ((-1.02, -0.90), (-0.13, -0.03))
"""Ranges of x [m] of the pillars between the side windows."""

_SIDE_GLASS = (-1.35, 0.78)
"""Range of x [m] of the side windows."""


def chassis() -> Sketch:
    """The body without its wheels, centre of its box at the origin."""
    above_ground = _shell(_xs(arch_corners=13))
    _add_lights(above_ground)
    _add_fittings(above_ground)
    return _lowered(above_ground)


def distant_chassis() -> Sketch:
    """The coarse body, also for its shadow: fewer cuts, and no fittings but its lights."""
    above_ground = _shell(_xs(arch_corners=5))
    _add_lights(above_ground)
    return _lowered(above_ground)


def _shell(xs: Floats) -> Sketch:
    sketch = Sketch()
    left = _side(xs)
    sketch.include(left)
    sketch.include(left.mirrored())
    _add_ends(sketch)
    _add_underbody(sketch)
    return sketch


def distant_wheel(*, is_left: bool) -> Sketch:
    """The coarse model of a wheel: a tyre and a disc."""
    sketch = Sketch()
    half = WHEEL_WIDTH / 2
    profile = [
        (0.0, -half + 0.05),
        (WHEEL_RADIUS, -half),
        (WHEEL_RADIUS, half),
        (0.20, half),
        (0.0, half - 0.015),
    ]
    paints = [TYRE, TYRE, TYRE, RIM]
    sketch.add_grid(lathe(profile, 10), [[paint] * 10 for paint in paints])
    return sketch if is_left else sketch.mirrored()


def wheel(*, is_left: bool) -> Sketch:
    """A wheel about the y axis; its outer face looks to the left or the right."""
    sketch = Sketch()
    half = WHEEL_WIDTH / 2
    profile = [
        (0.0, -half + 0.05),
        (0.20, -half + 0.05),
        (0.205, -half + 0.012),
        (0.285, -half),
        (WHEEL_RADIUS, -half + 0.025),
        (WHEEL_RADIUS, half - 0.025),
        (0.285, half),
        (0.215, half - 0.008),
        (0.195, half - 0.030),
        (0.070, half - 0.018),
        (0.055, half - 0.008),
        (0.0, half - 0.006),
    ]
    grid = lathe(profile, _SPOKES * 6)
    sketch.add_grid(grid, [[_wheel_paint(i, j) for j in range(_SPOKES * 6)] for i in range(11)])
    return sketch if is_left else sketch.mirrored()


_SPOKES = 5
"""Number of spokes of a wheel."""


def _wheel_paint(ring: int, segment: int) -> Paint:
    if ring == 8:
        return CHROME if segment % 6 < 3 else TRIM
    return CHROME if ring in (7, 9, 10) else TYRE


def _lowered(sketch: Sketch) -> Sketch:
    moved = Sketch()
    for points, paint in sketch.polygons:
        moved.add(points + np.array([0.0, 0.0, GROUND]), paint)
    return moved


def _xs(*, arch_corners: int) -> Floats:
    """The x [m] of the body's cross-sections: key stations, wheel arches, pillars."""
    angles = np.linspace(0.0, np.pi, arch_corners)
    arches = [axle + _ARCH * np.cos(angles) for axle in _AXLES]
    pillars = [x for pillar in _PILLARS for x in pillar]
    return np.unique(np.round(np.concatenate([_STATIONS[:, 0], *arches, pillars]), 4))


def _sections(xs: Floats) -> Floats:
    """Left halves (n, 8, 3) of the body's cross-sections, from the sill up to the middle."""
    at = [np.interp(xs, _STATIONS[:, 0], column) for column in _STATIONS[:, 1:].T]
    half, bottom, waist, upper_half, upper, top = at
    sill = np.maximum(bottom, _arch_height(xs))
    crease = np.maximum(np.minimum(0.62, waist - 0.04), sill)
    low = np.minimum(sill + 0.08, crease)
    pairs = [
        (half - 0.05 * (sill == bottom), sill),
        (half, low),
        (half + 0.0, crease),
        (half - 0.035, waist),
        (upper_half, upper),
        (upper_half * 0.80, upper * 0.35 + top * 0.65),
        (upper_half * 0.40, top - 0.004),
        (0.0 * half, top),
    ]
    return np.stack([np.stack([xs, y, z], axis=1) for y, z in pairs], axis=1)


def _arch_height(xs: Floats) -> Floats:
    """Height [m] of the wheel arches above the ground; 0 where there is none."""
    heights = np.zeros_like(xs)
    for axle in _AXLES:
        beside = np.abs(xs - axle)
        rise = np.sqrt(np.maximum(_ARCH**2 - beside**2, 0.0))
        heights = np.where(beside < _ARCH - 1e-6, _HUB + rise, heights)
    return heights


def _side(xs: Floats) -> Sketch:
    """The left half of the shell, cut at `xs`, with the liners of its wheel arches."""
    sketch = Sketch()
    sections = _sections(xs)
    middles = (xs[:-1] + xs[1:]) / 2
    sketch.add_grid(sections, [[_shell_paint(x, strip) for strip in range(7)] for x in middles])
    liner = sections[:, :1].copy()
    liner[:, 0, 1] = _INSIDE
    strips = np.concatenate([liner, sections[:, :1]], axis=1)
    sketch.add_grid(strips, [[TRIM]] * len(middles))
    return sketch


def _shell_paint(x: float, strip: int) -> Paint:
    """The paint of a place of the shell. Strips run from the sill to the middle."""
    is_pillar = any(low < x < high for low, high in _PILLARS)
    if strip == 3 and _SIDE_GLASS[0] < x < _SIDE_GLASS[1] and not is_pillar:
        return GLASS
    is_windscreen, is_rear_window = 0.36 < x < 1.0, -1.6 < x < -1.1
    if strip >= 4 and (is_windscreen or is_rear_window):
        return GLASS
    return TRIM if strip == 0 else PAINT


def _add_ends(sketch: Sketch) -> None:
    """Closes the shell at the nose and the tail."""
    for x, is_nose in ((_STATIONS[-1, 0], True), (_STATIONS[0, 0], False)):
        half = _sections(np.array([x]))[0]
        outline = np.concatenate([half, half[-2::-1] * np.array([1.0, -1.0, 1.0])])
        # At the nose the outline runs counter-clockwise seen from outside; at the tail it does not.
        sketch.add(outline if is_nose else outline[::-1], PAINT)


def _add_underbody(sketch: Sketch) -> None:
    sketch.add_box((-1.95, -_INSIDE, 0.23), (1.95, _INSIDE, 0.60), TRIM)


def _add_lights(sketch: Sketch) -> None:
    """Adds lights: boxes that jut out of the shell a little."""
    front: tuple[tuple[Point, Point, Paint], ...] = (
        ((2.10, 0.40, 0.585), (2.215, 0.66, 0.69), HEADLIGHT),
        ((2.02, 0.66, 0.585), (2.165, 0.765, 0.68), INDICATOR),
    )
    rear: tuple[tuple[Point, Point, Paint], ...] = (
        ((-2.236, 0.36, 0.62), (-2.05, 0.745, 0.77), REAR_LIGHT),
        ((-2.238, 0.46, 0.64), (-2.05, 0.58, 0.68), HEADLIGHT),
    )
    _add_pairs(sketch, (*front, *rear))


def _add_fittings(sketch: Sketch) -> None:
    """Adds grille, plates, mirrors and handles: boxes like the lights."""
    side: tuple[tuple[Point, Point, Paint], ...] = (
        ((0.62, 0.82, 0.93), (0.78, 0.87, 1.04), PAINT),
        ((-0.30, 0.862, 0.80), (-0.16, 0.872, 0.83), TRIM),
        ((0.50, 0.862, 0.79), (0.64, 0.872, 0.82), TRIM),
    )
    _add_pairs(sketch, side)
    sketch.add_box((2.12, -0.36, 0.59), (2.222, 0.36, 0.665), TRIM)
    sketch.add_box((2.12, -0.56, 0.33), (2.236, 0.56, 0.41), TRIM)
    sketch.add_box((2.20, -0.24, 0.43), (2.245, 0.24, 0.53), PLATE)
    sketch.add_box((-2.245, -0.24, 0.64), (-2.15, 0.24, 0.75), PLATE)
    sketch.add_box((-2.236, -0.62, 0.43), (-2.10, 0.62, 0.50), TRIM)


def _add_pairs(sketch: Sketch, boxes: tuple[tuple[Point, Point, Paint], ...]) -> None:
    """Adds boxes on the left, each with its mirror image on the right."""
    for low, high, paint in boxes:
        half = Sketch()
        half.add_box(low, high, paint)
        sketch.include(half)
        sketch.include(half.mirrored())
