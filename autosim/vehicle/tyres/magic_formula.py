"""The Magic Formula: forces of a steadily rolling tyre under combined slip.

Versions 5.2 and 6.1; the equations are those of Pacejka, Tyre and Vehicle Dynamics, 3rd ed., 2012,
section 4.3.2 (4.E9 to 4.E67), and of the Delft-Tyre manual for 5.2, where 6.1 differs. Of turn slip
nothing is computed, of the aligning torque the trail alone (see `trail`). Slips and forces have
the signs of ISO 8855.
"""

from collections.abc import Mapping
from math import sqrt

from autosim.arrays import Floats
from autosim.jit import jitable
from autosim.kinds.actuators.tyre_coefficients import DEFAULTS
from autosim.portable import arctan, cos, exp_of, sin

NAMES = (
    *("FNOMIN", "IS_61", "SIGN"),
    *("PCX1", "PDX1", "PDX2", "PDX3", "PEX1", "PEX2", "PEX3", "PEX4", "PKX1", "PKX2", "PKX3"),
    *("PHX1", "PHX2", "PVX1", "PVX2", "RBX1", "RBX2", "RBX3", "RCX1", "REX1", "REX2", "RHX1"),
    *("PCY1", "PDY1", "PDY2", "PDY3", "PEY1", "PEY2", "PEY3", "PEY4", "PEY5"),
    *("PKY1", "PKY2", "PKY3", "PKY4", "PKY5", "PKY6", "PKY7"),
    *("PHY1", "PHY2", "PHY3", "PVY1", "PVY2", "PVY3", "PVY4"),
    *("RBY1", "RBY2", "RBY3", "RBY4", "RCY1", "REY1", "REY2", "RHY1", "RHY2"),
    *("RVY1", "RVY2", "RVY3", "RVY4", "RVY5", "RVY6"),
)
"""The columns of a row of coefficients, after scaling. IS_61 is 1 or 0. SIGN is -1 where the
coefficients count lateral forces to the right, as those of Pacejka's book do."""

FNOMIN, IS_61, SIGN = range(3)

(PCX1, PDX1, PDX2, PDX3, PEX1, PEX2, PEX3, PEX4, PKX1, PKX2, PKX3) = range(3, 14)
(PHX1, PHX2, PVX1, PVX2, RBX1, RBX2, RBX3, RCX1, REX1, REX2, RHX1) = range(14, 25)
(PCY1, PDY1, PDY2, PDY3, PEY1, PEY2, PEY3, PEY4, PEY5) = range(25, 34)
(PKY1, PKY2, PKY3, PKY4, PKY5, PKY6, PKY7) = range(34, 41)
(PHY1, PHY2, PHY3, PVY1, PVY2, PVY3, PVY4) = range(41, 48)
(RBY1, RBY2, RBY3, RBY4, RCY1, REY1, REY2, RHY1, RHY2) = range(48, 57)
(RVY1, RVY2, RVY3, RVY4, RVY5, RVY6) = range(57, 63)

_ONLY_61 = ("PEY5", "PKY5", "PKY6", "PKY7", "RBX3", "RBY4")
"""Coefficients that the formula 5.2 does not have; it has PKY4 = 2 and PHY3 instead."""

MOST_LOAD = 3.0
"""Factor on the nominal load up to which friction falls with the load as the coefficients say: far
beyond the loads of their measurements polynomials in the load mean nothing."""

LEAST_FRICTION = 0.05
"""Friction coefficient below which no tyre falls, whatever the load."""


def scaled(stated: Mapping[str, float], *, is_61: bool) -> list[float]:
    """The row of coefficients, in the order of `NAMES`, with all factors and the pressure in them.

    Args:
        stated: by their names in `.tir` files; others have their defaults.
        is_61: they are for the formula 6.1, not 5.2.
    """
    c = {**DEFAULTS, **stated}
    c["LKYC"] *= c["LKZC"]
    if not is_61:
        c |= dict.fromkeys(_ONLY_61, 0.0) | {"PKY4": 2.0}
    c |= {"IS_61": float(is_61), "SIGN": -1.0 if c["PKY1"] > 0.0 else 1.0}
    if is_61:
        c["PHY3"] = 0.0
        _inflate(c)
    for factor, names in _factors(c):
        for name in names:
            c[name] *= factor
    return [c[name] for name in NAMES]


def _inflate(c: dict[str, float]) -> None:
    """Multiplies into the coefficients what the pressure does (equations 4.E12 to 4.E30)."""
    dp = (c["INFLPRES"] - c["NOMPRES"]) / c["NOMPRES"] if c["INFLPRES"] > 0.0 else 0.0
    stiff_x = 1.0 + c["PPX1"] * dp + c["PPX2"] * dp**2
    mu_x = 1.0 + c["PPX3"] * dp + c["PPX4"] * dp**2
    mu_y = 1.0 + c["PPY3"] * dp + c["PPY4"] * dp**2
    for names, factor in (
        (("PKX1", "PKX2"), stiff_x),
        (("PDX1", "PDX2"), mu_x),
        (("PDY1", "PDY2"), mu_y),
        (("PKY1",), 1.0 + c["PPY1"] * dp),
        (("PKY2", "PKY5"), 1.0 + c["PPY2"] * dp),
        (("PKY6", "PKY7"), 1.0 + c["PPY5"] * dp),
    ):
        for name in names:
            c[name] *= factor


def _factors(c: Mapping[str, float]) -> tuple[tuple[float, tuple[str, ...]], ...]:
    """The scale factors, and the coefficients that each multiplies."""
    return (
        (c["LFZO"], ("FNOMIN",)),
        (c["LCX"], ("PCX1",)),
        (c["LMUX"], ("PDX1", "PDX2", "PVX1", "PVX2")),
        (c["LEX"], ("PEX1", "PEX2", "PEX3")),
        (c["LKX"], ("PKX1", "PKX2")),
        (c["LHX"], ("PHX1", "PHX2")),
        (c["LVX"], ("PVX1", "PVX2")),
        (c["LXAL"], ("RBX1", "RBX3")),
        (c["LCY"], ("PCY1",)),
        (c["LMUY"], ("PDY1", "PDY2", "PVY1", "PVY2", "PVY3", "PVY4")),
        (c["LEY"], ("PEY1", "PEY2")),
        (c["LKY"], ("PKY1",)),
        (c["LKYC"], ("PKY6", "PKY7", "PVY3", "PVY4")),
        (c["LHY"], ("PHY1", "PHY2")),
        (c["LVY"], ("PVY1", "PVY2")),
        (c["LYKA"], ("RBY1", "RBY4")),
        (c["LVYKA"], ("RVY1", "RVY2", "RVY3")),
    )


@jitable
def _bend(b: float, c: float, e: float, x: float) -> float:
    """C atan(B x - E (B x - atan(B x))), the angle whose sine or cosine is taken."""
    bx = b * x
    return c * arctan(bx - min(e, 1.0) * (bx - arctan(bx)))


@jitable
def _weight(b: float, c: float, e: float, x: float, shift: float) -> float:
    """The share of a force that the other slip leaves: 1 where there is none."""
    return float(cos(_bend(b, c, e, x + shift)) / cos(_bend(b, c, e, shift)))


@jitable
def _cosine_of(tangent: float) -> float:
    """cos(atan(tangent))."""
    return 1.0 / sqrt(1.0 + tangent * tangent)


@jitable
def _sign(number: float) -> float:
    if number == 0.0:
        return 0.0
    return 1.0 if number > 0.0 else -1.0


@jitable
def _friction(at_nominal: float, by_load: float, by_camber: float) -> float:
    """A coefficient of friction, with the sign of `at_nominal`."""
    size = (abs(at_nominal) + _sign(at_nominal) * by_load) * by_camber
    return max(size, LEAST_FRICTION) * (-1.0 if at_nominal < 0.0 else 1.0)


@jitable
def magic_forces(
    table: Floats,
    row: int,
    slip: float,
    tangent: float,
    load: float,
    camber: float,
    friction: float,
) -> tuple[float, float]:
    """Forces [N] along and to the left of a wheel.

    Args:
        table: (n, …) coefficients, each row as `scaled` gives it.
        row: of the tyre.
        slip: slip ratio, positive when driving.
        tangent: of the slip angle, positive where the wheel moves to its left.
        load: [N], above 0.
        camber: inclination [rad], positive where the wheel's top leans to its right.
        friction: factor on both coefficients of friction, above 0.
    """
    nominal = table[row, FNOMIN]
    fz = min(load, MOST_LOAD * nominal)
    alpha, gamma = arctan(tangent), camber
    if table[row, IS_61] > 0.5:
        alpha, gamma = tangent, sin(camber)
    along = _along(table, row, slip, alpha, fz, gamma, friction)
    across = _across(table, row, slip, alpha, fz, gamma, friction)
    scale = load / fz
    return scale * along, scale * table[row, SIGN] * across


@jitable
def _along(
    t: Floats, r: int, slip: float, alpha: float, fz: float, gamma: float, friction: float
) -> float:
    """Equations 4.E9 to 4.E18 and 4.E50 to 4.E57."""
    dfz, square = fz / t[r, FNOMIN] - 1.0, gamma * gamma
    mu = _friction(t[r, PDX1], t[r, PDX2] * dfz, 1.0 - t[r, PDX3] * square)
    d = mu * friction * fz
    kappa = slip + t[r, PHX1] + t[r, PHX2] * dfz
    e = t[r, PEX1] + t[r, PEX2] * dfz + t[r, PEX3] * dfz * dfz
    e *= 1.0 - t[r, PEX4] * _sign(kappa)
    stiffness = fz * (t[r, PKX1] + t[r, PKX2] * dfz) * exp_of(t[r, PKX3] * dfz)
    force = d * sin(_bend(stiffness / (t[r, PCX1] * d), t[r, PCX1], e, kappa))
    force += fz * (t[r, PVX1] + t[r, PVX2] * dfz) * friction
    b = (t[r, RBX1] + t[r, RBX3] * square) * _cosine_of(t[r, RBX2] * slip)
    e = t[r, REX1] + t[r, REX2] * dfz
    return float(force * _weight(b, t[r, RCX1], e, alpha, t[r, RHX1]))


@jitable
def _across(
    t: Floats, r: int, slip: float, alpha: float, fz: float, gamma: float, friction: float
) -> float:
    """Equations 4.E19 to 4.E30 and 4.E58 to 4.E67."""
    dfz, square = fz / t[r, FNOMIN] - 1.0, gamma * gamma
    mu = _friction(t[r, PDY1], t[r, PDY2] * dfz, 1.0 - t[r, PDY3] * square)
    d = mu * friction * fz
    ratio = fz / (t[r, FNOMIN] * (t[r, PKY2] + t[r, PKY5] * square))
    stiffness = t[r, PKY1] * t[r, FNOMIN] * sin(t[r, PKY4] * arctan(ratio))
    stiffness *= 1.0 - t[r, PKY3] * abs(gamma)
    leaning = fz * (t[r, PVY3] + t[r, PVY4] * dfz) * gamma * friction
    shift = t[r, PHY1] + t[r, PHY2] * dfz + t[r, PHY3] * gamma
    if t[r, IS_61] > 0.5 and stiffness != 0.0:
        shift += (fz * (t[r, PKY6] + t[r, PKY7] * dfz) * gamma - leaning) / stiffness
    angle = alpha + shift
    e = (t[r, PEY1] + t[r, PEY2] * dfz) * (
        1.0 + t[r, PEY5] * square - (t[r, PEY3] + t[r, PEY4] * gamma) * _sign(angle)
    )
    force = d * sin(_bend(stiffness / (t[r, PCY1] * d), t[r, PCY1], e, angle))
    force += fz * (t[r, PVY1] + t[r, PVY2] * dfz) * friction + leaning
    b = (t[r, RBY1] + t[r, RBY4] * square) * _cosine_of(t[r, RBY2] * (alpha - t[r, RBY3]))
    e, shift = t[r, REY1] + t[r, REY2] * dfz, t[r, RHY1] + t[r, RHY2] * dfz
    force *= _weight(b, t[r, RCY1], e, slip, shift)
    steer = d * (t[r, RVY1] + t[r, RVY2] * dfz + t[r, RVY3] * gamma)
    steer *= _cosine_of(t[r, RVY4] * alpha)
    return float(force + steer * sin(t[r, RVY5] * arctan(t[r, RVY6] * slip)))
