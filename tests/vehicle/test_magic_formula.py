"""The Magic Formula against its published equations, written down here a second time.

Source: Pacejka, Tyre and Vehicle Dynamics, 3rd ed., 2012, equations 4.E1 to 4.E67.
"""

from math import atan, cos, exp, sin, tan

import numpy as np
import pytest

from autosim.kinds.actuators.tyre_coefficients import DEFAULTS
from autosim.vehicle.tyres import magic_formula
from autosim.vehicle.tyres.magic_formula import NAMES, magic_forces, scaled

TYRE = {
    "FNOMIN": 4100.0,
    "NOMPRES": 2.2e5,
    "INFLPRES": 2.0e5,
    "PCX1": 1.6,
    "PDX1": 1.15,
    "PDX2": -0.04,
    "PDX3": 0.5,
    "PEX1": 0.3,
    "PEX2": 0.1,
    "PEX3": -0.02,
    "PEX4": 0.05,
    "PKX1": 21.0,
    "PKX2": -0.2,
    "PKX3": 0.25,
    "PHX1": -0.002,
    "PHX2": 0.001,
    "PVX1": 0.003,
    "PVX2": -0.001,
    "RBX1": 12.0,
    "RBX2": -10.0,
    "RBX3": 1.0,
    "RCX1": 1.1,
    "REX1": -0.2,
    "REX2": 0.1,
    "RHX1": 0.006,
    "PCY1": 1.2,
    "PDY1": 1.02,
    "PDY2": -0.14,
    "PDY3": 4.0,
    "PEY1": -1.0,
    "PEY2": -0.5,
    "PEY3": -0.08,
    "PEY4": -4.0,
    "PEY5": 3.0,
    "PKY1": -15.0,
    "PKY2": 2.1,
    "PKY3": 0.03,
    "PKY4": 1.8,
    "PKY5": 1.0,
    "PKY6": -0.9,
    "PKY7": -0.2,
    "PHY1": 0.003,
    "PHY2": -0.001,
    "PHY3": 0.07,
    "PVY1": 0.045,
    "PVY2": -0.02,
    "PVY3": -0.5,
    "PVY4": 0.04,
    "RBY1": 6.5,
    "RBY2": 4.2,
    "RBY3": -0.015,
    "RBY4": 0.5,
    "RCY1": 1.05,
    "REY1": 0.1,
    "REY2": 0.05,
    "RHY1": 0.009,
    "RHY2": 0.002,
    "RVY1": 0.05,
    "RVY2": -0.07,
    "RVY3": 0.5,
    "RVY4": 30.0,
    "RVY5": 1.9,
    "RVY6": -10.0,
    "PPX1": -0.3,
    "PPX2": 0.4,
    "PPX3": -0.1,
    "PPX4": 0.06,
    "PPY1": -0.6,
    "PPY2": 1.2,
    "PPY3": -0.1,
    "PPY4": 0.05,
    "PPY5": 0.3,
    "LMUX": 0.9,
    "LMUY": 1.1,
    "LKX": 1.05,
    "LKY": 0.95,
    "LFZO": 1.02,
    "LCX": 1.01,
    "LEX": 0.9,
    "LEY": 0.8,
    "LHX": 0.7,
    "LHY": 0.6,
    "LVX": 0.5,
    "LVY": 0.4,
    "LKYC": 1.2,
    "LXAL": 1.1,
    "LYKA": 0.9,
    "LVYKA": 0.8,
    "LCY": 0.99,
}
"""Numbers of no tyre: none is zero, so that each term shows."""


def published(c, kappa, angle, fz, lean, *, is_61):
    """Fx and Fy [N], term by term as they are printed; `angle` and `lean` in radians."""
    c = {**DEFAULTS, **c}
    fz0 = c["FNOMIN"] * c["LFZO"]
    dfz = (fz - fz0) / fz0
    dpi = (c["INFLPRES"] - c["NOMPRES"]) / c["NOMPRES"] if is_61 else 0.0
    a, g = (tan(angle), sin(lean)) if is_61 else (angle, lean)

    def sign(x):
        return float(np.sign(x))

    def formula(B, C, D, E, x):
        return D * sin(C * atan(B * x - E * (B * x - atan(B * x))))

    def weight(B, C, E, x, shift):
        def share(s):
            return cos(C * atan(B * s - E * (B * s - atan(B * s))))

        return share(x + shift) / share(shift)

    mux = (c["PDX1"] + c["PDX2"] * dfz) * (1 - c["PDX3"] * g**2) * c["LMUX"]
    mux *= 1 + c["PPX3"] * dpi + c["PPX4"] * dpi**2
    Kx = fz * (c["PKX1"] + c["PKX2"] * dfz) * exp(c["PKX3"] * dfz) * c["LKX"]
    Kx *= 1 + c["PPX1"] * dpi + c["PPX2"] * dpi**2
    Cx, Dx = c["PCX1"] * c["LCX"], mux * fz
    kx = kappa + (c["PHX1"] + c["PHX2"] * dfz) * c["LHX"]
    Ex = (c["PEX1"] + c["PEX2"] * dfz + c["PEX3"] * dfz**2) * (1 - c["PEX4"] * sign(kx)) * c["LEX"]
    SVx = fz * (c["PVX1"] + c["PVX2"] * dfz) * c["LVX"] * c["LMUX"]
    Fx0 = formula(Kx / (Cx * Dx), Cx, Dx, Ex, kx) + SVx
    Bxa = (c["RBX1"] + (c["RBX3"] * g**2 if is_61 else 0.0)) * cos(atan(c["RBX2"] * kappa))
    Fx = Fx0 * weight(Bxa * c["LXAL"], c["RCX1"], c["REX1"] + c["REX2"] * dfz, a, c["RHX1"])

    muy = (c["PDY1"] + c["PDY2"] * dfz) * (1 - c["PDY3"] * g**2) * c["LMUY"]
    muy *= 1 + c["PPY3"] * dpi + c["PPY4"] * dpi**2
    Cy, Dy = c["PCY1"] * c["LCY"], muy * fz
    SVyg = fz * (c["PVY3"] + c["PVY4"] * dfz) * g * c["LKYC"] * c["LMUY"]
    SVy = fz * (c["PVY1"] + c["PVY2"] * dfz) * c["LVY"] * c["LMUY"] + SVyg
    shift = (c["PHY1"] + c["PHY2"] * dfz) * c["LHY"]
    if is_61:
        Ky = c["PKY1"] * fz0 * (1 + c["PPY1"] * dpi) * (1 - c["PKY3"] * abs(g)) * c["LKY"]
        at = (fz / fz0) / ((c["PKY2"] + c["PKY5"] * g**2) * (1 + c["PPY2"] * dpi))
        Ky *= sin(c["PKY4"] * atan(at))
        Kyg = fz * (c["PKY6"] + c["PKY7"] * dfz) * (1 + c["PPY5"] * dpi) * c["LKYC"]
        shift += (Kyg * g - SVyg) / Ky
    else:
        Ky = c["PKY1"] * fz0 * sin(2 * atan(fz / (c["PKY2"] * fz0))) * c["LKY"]
        Ky *= 1 - c["PKY3"] * abs(g)
        shift += c["PHY3"] * g
    ay = a + shift
    Ey = (c["PEY1"] + c["PEY2"] * dfz) * c["LEY"]
    bend = c["PEY5"] * g**2 if is_61 else 0.0
    Ey *= 1 + bend - (c["PEY3"] + c["PEY4"] * g) * sign(ay)
    Fy0 = formula(Ky / (Cy * Dy), Cy, Dy, Ey, ay) + SVy
    Byk = (c["RBY1"] + (c["RBY4"] * g**2 if is_61 else 0.0)) * c["LYKA"]
    Byk *= cos(atan(c["RBY2"] * (a - c["RBY3"])))
    E, S = c["REY1"] + c["REY2"] * dfz, c["RHY1"] + c["RHY2"] * dfz
    DV = muy * fz * (c["RVY1"] + c["RVY2"] * dfz + c["RVY3"] * g) * cos(atan(c["RVY4"] * a))
    SVyk = DV * sin(c["RVY5"] * atan(c["RVY6"] * kappa)) * c["LVYKA"]
    return Fx, Fy0 * weight(Byk, c["RCY1"], E, kappa, S) + SVyk


def table_of(c, *, is_61=True):
    return np.array([scaled(c, is_61=is_61)])


@pytest.mark.parametrize("is_61", [False, True])
def test_forces_are_those_of_the_published_equations(is_61):
    table, random = table_of(TYRE, is_61=is_61), np.random.default_rng(1)
    for _ in range(200):
        kappa, angle, fz, lean = random.uniform([-0.9, -0.6, 500, -0.1], [0.9, 0.6, 9000, 0.1])
        found = magic_forces(table, 0, kappa, tan(angle), fz, lean, 1.0)
        expected = published(TYRE, kappa, angle, fz, lean, is_61=is_61)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-6)


SIMPLE = {
    "FNOMIN": 4000.0,
    "PCX1": 1.6,
    "PDX1": 1.1,
    "PKX1": 22.0,
    "PKX2": -0.5,
    "PKX3": 0.2,
    "PCY1": 1.35,
    "PDY1": 1.05,
    "PDY2": -0.12,
    "PEY1": -0.6,
    "PKY1": -24.6,
    "PKY2": 1.8,
    "RBX1": 15.0,
    "RBX2": -10.0,
    "RCX1": 1.0,
    "RBY1": 11.0,
    "RBY2": 8.0,
    "RCY1": 1.0,
}
"""A tyre without shifts."""


@pytest.mark.parametrize("load", [1500.0, 4000.0, 7000.0])
def test_slopes_at_no_slip_and_peaks_are_those_of_the_coefficients(load):
    table, dfz = table_of(SIMPLE), load / 4000.0 - 1.0
    along = magic_forces(table, 0, 1e-6, 0.0, load, 0.0, 1.0)[0] / 1e-6
    assert along == pytest.approx(load * (22.0 - 0.5 * dfz) * exp(0.2 * dfz), rel=1e-5)
    across = magic_forces(table, 0, 0.0, 1e-6, load, 0.0, 1.0)[1] / 1e-6
    assert across == pytest.approx(-24.6 * 4000 * sin(2 * atan(load / 7200)), rel=1e-5)
    slips = np.linspace(0.0, 1.0, 2001)
    forces = [magic_forces(table, 0, slip, 0.0, load, 0.0, 1.0)[0] for slip in slips]
    assert max(forces) == pytest.approx(1.1 * load, rel=1e-5)
    forces = [-magic_forces(table, 0, 0.0, slip, load, 0.0, 1.0)[1] for slip in slips]
    assert max(forces) == pytest.approx((1.05 - 0.12 * dfz) * load, rel=1e-5)


def test_without_shifts_forces_are_symmetric_and_the_friction_scales_their_peaks():
    table = table_of(SIMPLE)
    for slip, tangent in ((0.05, 0.0), (0.2, 0.1), (-0.3, 0.2)):
        fx, fy = magic_forces(table, 0, slip, tangent, 4000.0, 0.0, 1.0)
        assert magic_forces(table, 0, slip, -tangent, 4000.0, 0.0, 1.0) == pytest.approx((fx, -fy))
        back, _ = magic_forces(table, 0, -slip, 0.0, 4000.0, 0.0, 1.0)
        assert -back == pytest.approx(magic_forces(table, 0, slip, 0.0, 4000.0, 0.0, 1.0)[0])
    slips = np.linspace(0.0, 1.0, 2001)
    wet = max(magic_forces(table, 0, slip, 0.0, 4000.0, 0.0, 0.4)[0] for slip in slips)
    assert wet == pytest.approx(0.4 * 1.1 * 4000.0, rel=1e-4)


def test_combined_slip_stays_within_the_friction_ellipse():
    table = table_of(SIMPLE)
    for slip in np.linspace(-0.5, 0.5, 21):
        for tangent in np.linspace(-0.5, 0.5, 21):
            fx, fy = magic_forces(table, 0, slip, tangent, 4000.0, 0.0, 1.0)
            assert np.hypot(fx / (1.1 * 4000.0), fy / (1.05 * 4000.0)) < 1.05
            pure, _ = magic_forces(table, 0, slip, 0.0, 4000.0, 0.0, 1.0)
            assert abs(fx) <= abs(pure) + 1e-9


def test_coefficients_of_the_book_count_forces_to_the_right():
    """With PKY1 above zero; the wheel is pushed the same way, whatever the signs of the file."""
    theirs = {**SIMPLE, "PKY1": 24.6}
    ours = magic_forces(table_of(SIMPLE), 0, 0.02, 0.05, 4000.0, 0.0, 1.0)
    assert magic_forces(table_of(theirs), 0, 0.02, 0.05, 4000.0, 0.0, 1.0) == pytest.approx(ours)
    assert ours[1] < 0.0
    both = {**SIMPLE, "PDY1": -1.05, "PDY2": 0.12}
    assert magic_forces(table_of(both), 0, 0.02, 0.05, 4000.0, 0.0, 1.0) == pytest.approx(ours)


def test_a_load_far_beyond_the_nominal_one_keeps_its_friction():
    fx, _ = magic_forces(table_of(SIMPLE), 0, 0.15, 0.0, 200_000.0, 0.0, 1.0)
    _, fy = magic_forces(table_of(SIMPLE), 0, 0.0, 0.3, 200_000.0, 0.0, 1.0)
    assert 0.5 * 200_000.0 < fx < 1.2 * 200_000.0
    assert 0.5 * 200_000.0 < -fy < 1.2 * 200_000.0


def test_columns_have_the_numbers_of_their_names():
    assert all(getattr(magic_formula, name) == place for place, name in enumerate(NAMES))
