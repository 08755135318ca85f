"""From a tyre's slips to its forces, by the model that its wheel has."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import jitable
from autosim.kinds.actuators.tyre import MODELS, Tyre
from autosim.portable import arctan, hypot, sin
from autosim.vehicle.tyres.magic_formula import NAMES, magic_forces, scaled
from autosim.vehicle.tyres.trail import BRUSH_TRAIL

STANDARD, LINEAR, BRUSH = range(3)
"""The numbers of models in `TyreTable.models`; those above are Magic Formulas."""

SLIP_STIFFNESS, CORNERING_STIFFNESS, PER_LOAD, LESS_GRIP, LESS_STIFF = range(5)
"""The columns of `TyreTable.numbers` of a tyre that is not a Magic Formula: stiffness along and
across for each newton of load (of a linear and of a brush tyre), 1 / nominal load [1/N], and the
load sensitivity of friction and of stiffness."""

RELAXATION_LENGTH = 0.3
"""Sigma [m] of the standard tyre: about one radius of a passenger car's wheel."""

SHAPE, STIFFNESS = 1.819, 1.165
"""C and B of the magic formula sin(C atan(B s)): peak 1 at s = 1, 0.71 at `SLIDING`, where a
locked wheel slides."""

SLIDING = 3.0
"""Greatest combined slip, in slips of the peak force, that the standard tyre's carcass holds, and
the least of other tyres."""

PEAK_RATIO, PEAK_TANGENT = 0.10, 0.1014
"""Slip ratio and tangent of the slip angle with the standard tyre's greatest force. The second
gives the cornering stiffness 20.9 for each radian, newton of load and unit of friction of the
CommonRoad vehicle models."""

LEAST_RELAXATION = 0.02
"""Least relaxation length [m] of a tyre from coefficients: the way of a step at 5 m/s."""

MOST_SLIP = 1.0
"""Slip ratio of a locked wheel: up to it the forces of a Magic Formula are looked through."""

_SAMPLES = 500
"""Number of slips at which the peak of a Magic Formula is looked for: each is 0.002."""


class TyreTable(NamedTuple):
    """The tyres of a world, t of them, each once.

    models: (t,) see `STANDARD`; relaxation: (t, 2) m along and across; peaks: (t, 2) slip ratio
    and tangent of the slip angle with the greatest force on a dry road; sliding: (t,) greatest
    combined slip, in slips of the peak force; trails: (t, 2) of the aligning torque, without slip,
    [m], and [m] for each newton of load; numbers: (t, …) of a Magic Formula the coefficients, of
    other tyres see `SLIP_STIFFNESS`.
    """

    models: Integers
    relaxation: Floats
    peaks: Floats
    sliding: Floats
    trails: Floats
    numbers: Floats


@jitable
def grip(slip: float) -> float:
    """Force over peak force divided by the combined slip; finite at no slip, falling with it."""
    if slip < 1e-9:
        return SHAPE * STIFFNESS
    return sin(SHAPE * arctan(STIFFNESS * min(slip, SLIDING))) / slip


@jitable
def tyre_forces(
    models: Integers,
    peaks: Floats,
    numbers: Floats,
    tyre: int,
    slip: float,
    tangent: float,
    load: float,
    camber: float,
    friction: float,
) -> tuple[float, float]:
    """Forces [N] along and to the left of a wheel that rolls steadily.

    Args:
        models: see `TyreTable`.
        peaks: see `TyreTable`.
        numbers: see `TyreTable`.
        tyre: its row in them.
        slip: slip ratio, positive when driving.
        tangent: of the slip angle, positive where the wheel moves to its left.
        load: [N], above 0.
        camber: inclination [rad], positive where the wheel's top leans to its right.
        friction: of tyre and ground, above 0.
    """
    model = models[tyre]
    if model > BRUSH:
        return magic_forces(numbers, tyre, slip, tangent, load, camber, friction)
    excess = load * numbers[tyre, PER_LOAD] - 1.0
    less_grip = 1.0 + numbers[tyre, LESS_GRIP] * excess
    less_stiff = 1.0 + numbers[tyre, LESS_STIFF] * excess
    peak = friction * load / less_grip
    if model == STANDARD:
        # Its stiffness is in proportion to its peak.
        sooner = less_grip / less_stiff
        along, across = slip / peaks[tyre, 0] * sooner, -tangent / peaks[tyre, 1] * sooner
        share = grip(hypot(along, across))
        return peak * share * along, peak * share * across
    stiff = load / less_stiff
    along = numbers[tyre, SLIP_STIFFNESS] * stiff * slip
    across = -numbers[tyre, CORNERING_STIFFNESS] * stiff * tangent
    wanted = hypot(along, across)
    if wanted <= 0.0:
        return 0.0, 0.0
    if model == LINEAR:
        share = min(1.0, peak / wanted)
        return share * along, share * across
    # A brush under parabolic pressure (Pacejka 2012, equations 3.8 to 3.34).
    stuck = max(1.0 - wanted / (3.0 * peak), 0.0)
    share = peak * (1.0 - stuck * stuck * stuck) / wanted
    return share * along, share * across


def tyre_table(tyres: Sequence[Tyre], radii: Sequence[float]) -> tuple[Integers, TyreTable]:
    """The row (n,) of each tyre, and the table of them.

    Args:
        tyres: of all wheels.
        radii: (n,) m of the wheels, for tyres whose coefficients give none.
    """
    pairs = list(zip(tyres, radii, strict=True))
    different = list(dict.fromkeys(pairs))
    rows = np.array([different.index(each) for each in pairs], dtype=np.int64)
    made = [_row(tyre, radius) for tyre, radius in different]
    return rows, TyreTable(
        np.array([MODELS.index(tyre.model) for tyre, _ in different], dtype=np.int64),
        np.array([each.relaxation for each in made]).reshape(-1, 2),
        np.array([each.peaks for each in made]).reshape(-1, 2),
        np.array([each.sliding for each in made], dtype=np.float64),
        np.array([each.trail for each in made]).reshape(-1, 2),
        np.array([each.numbers for each in made]).reshape(-1, len(NAMES)),
    )


class _Row(NamedTuple):
    relaxation: tuple[float, float]
    peaks: tuple[float, float]
    sliding: float
    trail: tuple[float, float]
    numbers: list[float]


@cache
def _row(tyre: Tyre, radius: float) -> _Row:
    if tyre.is_magic_formula:
        return _magic_row(tyre, radius)
    trail = BRUSH_TRAIL * radius, 0.0
    per_load = 1.0 / tyre.nominal_load if tyre.nominal_load else 0.0
    losses = tyre.friction_load_sensitivity, tyre.stiffness_load_sensitivity
    numbers = [tyre.slip_stiffness, tyre.cornering_stiffness, per_load, *losses]
    numbers += [0.0] * (len(NAMES) - len(numbers))
    if tyre.model == "standard":
        length = RELAXATION_LENGTH
        return _Row((length, length), (PEAK_RATIO, PEAK_TANGENT), SLIDING, trail, numbers)
    until = 3.0 if tyre.model == "brush" else 1.0
    peaks = until / tyre.slip_stiffness, until / tyre.cornering_stiffness
    length = tyre.relaxation_length
    return _Row((length, length), peaks, max(SLIDING, MOST_SLIP / peaks[0]), trail, numbers)


def _magic_row(tyre: Tyre, radius: float) -> _Row:
    is_61 = tyre.model == "magic_formula_6.1"
    stated = dict(tyre.coefficients)
    numbers = scaled(stated, is_61=is_61)
    table, load = np.array([numbers]), numbers[NAMES.index("FNOMIN")]
    slips = [MOST_SLIP * (i + 1) / _SAMPLES for i in range(_SAMPLES)]
    along = [magic_forces(table, 0, s, 0.0, load, 0.0, 1.0)[0] for s in slips]
    across = [abs(magic_forces(table, 0, 0.0, s, load, 0.0, 1.0)[1]) for s in slips]
    peaks = slips[along.index(max(along))], slips[across.index(max(across))]
    lengths = _relaxation(stated, numbers, is_61=is_61, radius=radius)
    x, y = (max(each or tyre.relaxation_length, LEAST_RELAXATION) for each in lengths)
    # Equation 4.E42 at the nominal pressure, without camber.
    length = stated.get("UNLOADED_RADIUS", 0.0) or radius
    trail = 0.0, stated.get("QDZ1", 0.0) * stated.get("LTR", 1.0) * length / load
    return _Row((x, y), peaks, max(SLIDING, MOST_SLIP / peaks[0]), trail, numbers)


def _relaxation(
    stated: dict[str, float], numbers: list[float], *, is_61: bool, radius: float
) -> tuple[float, float]:
    """The relaxation lengths [m] along and across at the nominal load; 0 where none is given.

    Of 6.1 slip stiffness over that of the carcass (Besselink et al. 2010), of 5.2 by PTX and PTY.
    """
    c = dict(zip(NAMES, numbers, strict=True))
    bend = float(sin(c["PKY4"] * arctan(1.0 / c["PKY2"])))
    scale_x, scale_y = stated.get("LSGKP", 1.0), stated.get("LSGAL", 1.0)
    if is_61:
        x, y = stated.get("LONGITUDINAL_STIFFNESS", 0.0), stated.get("LATERAL_STIFFNESS", 0.0)
        slip, side = c["PKX1"] * c["FNOMIN"], abs(c["PKY1"] * bend) * c["FNOMIN"]
        return (scale_x * slip / x if x else 0.0), (scale_y * side / y if y else 0.0)
    length = stated.get("UNLOADED_RADIUS", 0.0) or radius
    x, y, at = stated.get("PTX1", 0.0), stated.get("PTY1", 0.0), stated.get("PTY2", 0.0)
    bend = float(sin(2.0 * arctan(1.0 / at))) if at else 0.0
    return scale_x * x * length, scale_y * y * bend * length
