"""Proportions of the cars, vans and buses of traffic, as their bodies are lofted from them.

They are those of common vehicles of their sizes, chosen by eye.
"""

from dataclasses import dataclass, replace

import numpy as np

from autosim_assets.obj_sketch import Paint, Point
from autosim_assets.traffic_paints import BODY, CANVAS, GLASS, SIGN, STEEL, TRIM

Line = tuple[tuple[float, float], ...]
"""Points (x, value) of a line along a vehicle, from its tail to its nose."""

Extent = tuple[float, float]
"""From where to where x [m] something reaches."""

_NOWHERE: Extent = (0.0, 0.0)
"""Extent [m] of what a body does not have, as a rear window of a van."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CarShape:
    """Shape of a body; places x [m] from the middle, heights z [m] above the ground.

    Attributes:
        length: along x [m].
        width: along y [m].
        wheel: radius [m] of the wheels.
        axles: places x [m] of the axles.
        top: (x, z) [m] along the middle, from the tail to the nose.
        plan: (x, width as a share of the whole).
        belt: (x, z) [m] of the lower edge of the side windows.
        roof: width of the roof as a share of the whole.
        sill: height [m] of the lower edge of the body.
        glazed: extent x [m] of the side windows.
        windscreen: extent x [m] of the windscreen.
        rear_window: extent x [m] of the rear window.
        front_face: extent x [m] of head lights and grille.
        rear_face: extent x [m] of the tail lights.
        pillars: places x [m] between side windows.
        seams: places x [m] of the rear edges of doors.
        seats: places x [m] of rows of seats, the driver's first.
        mirror: height [m] of the mirrors; 0 for none.
        has_people: whether people are seen on the first seats.
        has_cladding: whether the sills are of dark plastic.
        has_wide_grille: whether the grille takes the whole of the front.
        boxes: further boxes, two opposite corners [m] and a paint; the first is seen from afar.
    """

    length: float
    width: float
    wheel: float
    axles: tuple[float, float]
    top: Line
    plan: Line
    belt: Line
    roof: float = 0.74
    sill: float = 0.21
    glazed: Extent
    windscreen: Extent
    rear_window: Extent = _NOWHERE
    front_face: Extent
    rear_face: Extent
    pillars: tuple[float, ...] = ()
    seams: tuple[float, ...] = ()
    seats: tuple[float, ...] = ()
    mirror: float = 0.15
    has_people: bool = True
    has_cladding: bool = False
    has_wide_grille: bool = True
    boxes: tuple[tuple[Point, Point, Paint], ...] = ()


def _plan(end: float, *, tail: float = 0.82, nose: float = 0.70) -> Line:
    """Widths of a car whose ends are rounded in plan, as shares of the whole."""
    return (
        *((-end, tail), (-end + 0.07, 0.5 * tail + 0.46), (-end + 0.35, 0.985)),
        *((-end + 0.9, 1.0), (end - 1.0, 1.0), (end - 0.5, 0.965)),
        *((end - 0.2, 0.5 * nose + 0.53), (end - 0.07, 0.5 * nose + 0.45), (end, nose)),
    )


HATCHBACK = CarShape(
    length=4.05,
    width=1.75,
    wheel=0.31,
    axles=(1.225, -1.315),
    top=(
        *((-2.025, 0.52), (-1.995, 0.72), (-1.94, 0.92), (-1.89, 0.98), (-1.52, 1.37)),
        *((-1.38, 1.425), (-0.6, 1.465), (0.0, 1.465), (0.28, 1.43), (1.14, 0.985)),
        *((1.24, 0.95), (1.62, 0.88), (1.83, 0.79), (1.96, 0.62), (2.025, 0.48)),
    ),
    plan=_plan(2.025),
    belt=((-2.0, 0.97), (1.2, 0.90)),
    glazed=(-1.42, 0.92),
    windscreen=(0.28, 1.14),
    rear_window=(-1.89, -1.52),
    front_face=(1.83, 1.96),
    rear_face=(-1.995, -1.94),
    pillars=(-0.82, -0.05),
    seams=(-0.9, 0.0),
    seats=(-0.12, -1.0),
)

CITY_CAR = CarShape(
    length=4.05,
    width=1.75,
    wheel=0.31,
    axles=(1.225, -1.315),
    top=(
        *((-2.025, 0.55), (-2.0, 0.75), (-1.97, 0.98), (-1.94, 1.03), (-1.80, 1.38)),
        *((-1.68, 1.45), (-0.8, 1.50), (0.1, 1.50), (0.42, 1.45), (1.34, 1.02)),
        *((1.44, 0.99), (1.70, 0.93), (1.87, 0.84), (1.98, 0.66), (2.025, 0.50)),
    ),
    plan=_plan(2.025, tail=0.88, nose=0.78),
    belt=((-2.0, 0.98), (1.4, 0.94)),
    roof=0.79,
    glazed=(-1.62, 1.05),
    windscreen=(0.42, 1.34),
    rear_window=(-1.94, -1.80),
    front_face=(1.84, 1.95),
    rear_face=(-2.0, -1.97),
    pillars=(-1.05, 0.0),
    seams=(0.02,),
    seats=(-0.05, -1.15),
    has_wide_grille=False,
)

SALOON = CarShape(
    length=4.65,
    width=1.81,
    wheel=0.32,
    axles=(1.425, -1.335),
    top=(
        *((-2.325, 0.52), (-2.295, 0.72), (-2.245, 0.92), (-2.19, 0.99), (-1.74, 1.03)),
        *((-1.64, 1.04), (-0.98, 1.36), (-0.78, 1.41), (-0.2, 1.44), (0.18, 1.435)),
        *((0.44, 1.40), (1.28, 0.975), (1.38, 0.94), (1.90, 0.865), (2.13, 0.77)),
        *((2.26, 0.60), (2.325, 0.46)),
    ),
    plan=_plan(2.325),
    belt=((-2.2, 0.97), (1.3, 0.89)),
    roof=0.73,
    glazed=(-1.25, 1.05),
    windscreen=(0.44, 1.28),
    rear_window=(-1.64, -0.98),
    front_face=(2.13, 2.26),
    rear_face=(-2.295, -2.245),
    pillars=(-0.86, 0.02),
    seams=(-0.92, 0.06),
    seats=(-0.02, -0.92),
)

TAXI = replace(
    SALOON,
    has_wide_grille=False,
    boxes=(
        ((-0.30, -0.32, 1.44), (-0.16, 0.32, 1.56), SIGN),
        ((-0.34, -0.36, 1.43), (-0.12, 0.36, 1.462), TRIM),
    ),
)

ESTATE = CarShape(
    length=4.70,
    width=1.83,
    wheel=0.32,
    axles=(1.45, -1.32),
    top=(
        *((-2.35, 0.52), (-2.32, 0.74), (-2.27, 0.95), (-2.22, 1.00), (-1.98, 1.38)),
        *((-1.86, 1.43), (-0.8, 1.48), (0.1, 1.475), (0.4, 1.43), (1.26, 0.98)),
        *((1.36, 0.945), (1.92, 0.87), (2.15, 0.77), (2.285, 0.60), (2.35, 0.46)),
    ),
    plan=_plan(2.35),
    belt=((-2.3, 0.98), (1.3, 0.90)),
    glazed=(-1.92, 1.03),
    windscreen=(0.4, 1.26),
    rear_window=(-2.22, -1.98),
    front_face=(2.15, 2.285),
    rear_face=(-2.32, -2.27),
    pillars=(-1.12, -0.04),
    seams=(-1.18, 0.0),
    seats=(-0.08, -1.0),
    boxes=(
        ((-1.8, 0.56, 1.475), (0.1, 0.60, 1.515), TRIM),
        ((-1.8, -0.60, 1.475), (0.1, -0.56, 1.515), TRIM),
    ),
)

SUV = CarShape(
    length=4.70,
    width=1.83,
    wheel=0.32,
    axles=(1.45, -1.32),
    top=(
        *((-2.35, 0.60), (-2.32, 0.84), (-2.29, 1.06), (-2.25, 1.10), (-2.06, 1.46)),
        *((-1.92, 1.51), (-0.8, 1.555), (0.15, 1.55), (0.45, 1.51), (1.22, 1.12)),
        *((1.32, 1.09), (1.95, 1.02), (2.18, 0.93), (2.31, 0.70), (2.35, 0.54)),
    ),
    plan=_plan(2.35, tail=0.88, nose=0.80),
    belt=((-2.3, 1.06), (1.3, 1.02)),
    roof=0.76,
    sill=0.27,
    glazed=(-1.90, 0.98),
    windscreen=(0.45, 1.22),
    rear_window=(-2.25, -2.06),
    front_face=(2.18, 2.31),
    rear_face=(-2.32, -2.29),
    pillars=(-1.08, 0.0),
    seams=(-1.14, 0.04),
    seats=(-0.04, -0.96),
    has_cladding=True,
    boxes=(
        ((-1.8, 0.58, 1.54), (0.1, 0.62, 1.585), STEEL),
        ((-1.8, -0.62, 1.54), (0.1, -0.58, 1.585), STEEL),
    ),
)

_VAN_TOP: Line = (
    *((-2.65, 0.50), (-2.64, 0.85), (-2.625, 1.30), (-2.60, 2.16), (-2.5, 2.26), (-1.6, 2.29)),
    *((0.5, 2.28), (0.95, 2.22), (1.16, 2.10), (1.98, 1.30), (2.08, 1.22), (2.38, 1.10)),
    *((2.51, 0.96), (2.61, 0.70), (2.65, 0.50)),
)

VAN = CarShape(
    length=5.30,
    width=1.99,
    wheel=0.34,
    axles=(1.7, -1.6),
    top=_VAN_TOP,
    plan=_plan(2.65, tail=0.96, nose=0.82),
    belt=((-2.6, 1.20), (2.0, 1.16)),
    roof=0.87,
    sill=0.26,
    glazed=(0.72, 1.75),
    windscreen=(1.16, 1.98),
    front_face=(2.51, 2.61),
    rear_face=(-2.64, -2.625),
    seams=(-0.62, 0.66),
    seats=(0.86,),
    mirror=0.34,
    has_cladding=True,
)

MINIBUS = CarShape(
    length=5.30,
    width=1.99,
    wheel=0.34,
    axles=(1.7, -1.6),
    top=_VAN_TOP,
    plan=_plan(2.65, tail=0.96, nose=0.82),
    belt=((-2.6, 1.22), (2.0, 1.16)),
    roof=0.87,
    sill=0.26,
    glazed=(-2.42, 1.75),
    windscreen=(1.16, 1.98),
    rear_window=(-2.625, -2.60),
    front_face=(2.51, 2.61),
    rear_face=(-2.64, -2.625),
    pillars=(-1.5, -0.55, 0.62),
    seams=(-0.55, 0.66),
    seats=(0.86, -0.1, -1.05, -1.95),
    mirror=0.34,
)


def _door(x: float) -> tuple[tuple[Point, Point, Paint], ...]:
    """A door with two wings of glass on the right side of a bus, from x [m] on."""
    side = -2.55 / 2
    return (
        ((x, side - 0.016, 0.42), (x + 1.2, side + 0.1, 2.62), TRIM),
        ((x + 0.06, side - 0.024, 0.50), (x + 0.57, side + 0.1, 2.54), GLASS),
        ((x + 0.63, side - 0.024, 0.50), (x + 1.14, side + 0.1, 2.54), GLASS),
    )


_BUS_MIRRORS: tuple[tuple[Point, Point, Paint], ...] = tuple(
    ((5.86, min(side * 1.22, side * 1.46), 2.05), (5.98, max(side * 1.22, side * 1.46), 2.5), TRIM)
    for side in (-1.0, 1.0)
)

_BUS_SEATS = tuple(np.arange(3.9, -5.2, -0.9).round(2).tolist())

BUS = CarShape(
    length=11.95,
    width=2.55,
    wheel=0.48,
    axles=(3.275, -2.625),
    top=(
        *((-5.975, 0.50), (-5.96, 0.85), (-5.95, 1.20), (-5.90, 2.90), (-5.75, 3.04)),
        *((-5.0, 3.08), (5.2, 3.08), (5.62, 3.04), (5.76, 2.92), (5.93, 1.16)),
        *((5.945, 1.0), (5.965, 0.75), (5.975, 0.50)),
    ),
    plan=((-5.975, 0.96), (-5.8, 1.0), (5.5, 1.0), (5.85, 0.97), (5.975, 0.88)),
    belt=((-6.0, 1.22), (6.0, 1.12)),
    roof=0.95,
    sill=0.30,
    glazed=(-5.72, 5.82),
    windscreen=(5.76, 5.93),
    rear_window=(-5.95, -5.90),
    front_face=(5.945, 5.965),
    rear_face=(-5.96, -5.95),
    pillars=(-4.2, -2.7, -1.2, 0.3, 1.8, 3.3, 4.6),
    seats=_BUS_SEATS,
    mirror=0.0,
    boxes=(
        ((-3.4, -0.85, 3.06), (-1.0, 0.85, 3.26), CANVAS),
        ((1.2, -0.7, 3.06), (2.8, 0.7, 3.18), CANVAS),
        ((5.70, -0.85, 2.74), (5.80, 0.85, 3.0), TRIM),
        ((5.70, -0.8, 2.78), (5.81, 0.8, 2.96), SIGN),
        *_BUS_MIRRORS,
        *_door(4.4),
        *_door(0.1),
        *_door(-4.7),
    ),
)

COACH = replace(
    BUS,
    belt=((-6.0, 1.52), (5.0, 1.52), (5.4, 1.2), (6.0, 1.12)),
    sill=0.34,
    pillars=(-3.9, -2.1, -0.3, 1.5, 3.3, 4.8),
    has_cladding=True,
    boxes=(((-4.6, -0.9, 3.06), (-2.4, 0.9, 3.22), BODY), *_BUS_MIRRORS, *_door(4.55)),
)

CARS = {
    "hatchback": HATCHBACK,
    "city_car": CITY_CAR,
    "saloon": SALOON,
    "taxi": TAXI,
    "estate": ESTATE,
    "suv": SUV,
    "van": VAN,
    "minibus": MINIBUS,
    "bus": BUS,
    "coach": COACH,
}
"""The bodies with cross-sections of a car, by the names of their models."""
