"""What all tyres have in common, and what each model is made of."""

import numpy as np
import pytest

from autosim.kinds.actuators.tyre import Tyre
from autosim.kinds.actuators.tyre_file import read_tyre_file
from autosim.vehicle.tyres.tyre_models import tyre_forces, tyre_table
from tests.paths import ROOT
from tests.vehicle.rig import GRAVITY, WHEELBASE, Rig, car

PASSENGER = tuple(
    read_tyre_file((ROOT / "robots/tyres/passenger.tir").read_bytes()).coefficients.items()
)
TYRES = {
    "standard": Tyre("standard"),
    "linear": Tyre("linear"),
    "brush": Tyre("brush"),
    "magic_formula_6.1": Tyre("magic_formula_6.1", coefficients=PASSENGER),
    "magic_formula_5.2": Tyre("magic_formula_5.2", coefficients=PASSENGER),
}
models = pytest.mark.parametrize("tyre", TYRES.values(), ids=TYRES.keys())


def forces(tyre, slip, tangent, *, load=4000.0, friction=1.0):
    _, table = tyre_table([tyre], [0.316])
    numbers = table.models, table.peaks, table.numbers
    return tyre_forces(*numbers, 0, slip, tangent, load, 0.0, friction)


@models
def test_a_tyre_pushes_against_its_slip_with_its_stiffness_and_no_more_than_its_friction(tyre):
    assert forces(tyre, 0.0, 0.0) == pytest.approx((0.0, 0.0), abs=1e-9)
    along, across = forces(tyre, 1e-5, 0.0)[0] / 1e-5, forces(tyre, 0.0, 1e-5)[1] / 1e-5
    assert along == pytest.approx(21.2 * 4000.0, rel=0.05)
    assert across == pytest.approx(-20.9 * 4000.0, rel=0.02)
    for friction in (0.2, 1.0):
        for slip, tangent in ((0.3, 0.0), (0.0, -0.4), (-0.5, 0.5), (1.0, 0.1)):
            force = np.hypot(*forces(tyre, slip, tangent, friction=friction))
            assert 0.3 * friction * 4000.0 < force < 1.16 * friction * 4000.0


@pytest.mark.parametrize("model", ["standard", "linear", "brush"])
@pytest.mark.parametrize("load", [1000.0, 4000.0, 8000.0])
def test_a_tyre_loses_friction_and_stiffness_under_load_as_it_says(model, load):
    plain = Tyre(model)
    tyre = Tyre(
        model,
        nominal_load=4000.0,
        friction_load_sensitivity=0.2,
        stiffness_load_sensitivity=0.4,
    )
    excess = load / 4000.0 - 1.0

    def greatest(each):
        return max(abs(forces(each, 0.0, t, load=load)[1]) for t in np.linspace(0.01, 0.6, 600))

    def stiffness(each):
        return forces(each, 0.0, 1e-6, load=load)[1]

    assert greatest(tyre) == pytest.approx(greatest(plain) / (1.0 + 0.2 * excess), rel=1e-4)
    assert stiffness(tyre) == pytest.approx(stiffness(plain) / (1.0 + 0.4 * excess), rel=1e-4)


@pytest.mark.parametrize("model", ["standard", "linear", "brush"])
def test_two_wheels_hold_less_together_when_their_loads_differ(model):
    tyre = Tyre(
        model,
        nominal_load=4000.0,
        friction_load_sensitivity=0.2,
        stiffness_load_sensitivity=0.4,
    )
    for tangent in (0.01, 0.2):
        level = 2.0 * forces(tyre, 0.0, tangent)[1]
        leaning = sum(forces(tyre, 0.0, tangent, load=load)[1] for load in (2000.0, 6000.0))
        assert abs(leaning) < 0.98 * abs(level)


def test_a_linear_tyre_is_linear_until_it_slides():
    tyre = Tyre("linear", cornering_stiffness=10.0, slip_stiffness=20.0)
    assert forces(tyre, 0.02, -0.03) == pytest.approx((0.4 * 4000.0, 0.3 * 4000.0))
    assert np.hypot(*forces(tyre, 0.3, -0.5)) == pytest.approx(4000.0)


def test_a_brush_gives_three_quarters_of_its_way_at_half_of_the_slip_at_which_it_slides():
    """1 - (1 - s)³ of the friction at the share s; Pacejka 2012, equation 3.11."""
    tyre = Tyre("brush", cornering_stiffness=15.0)
    slides = 3.0 / 15.0
    for share in (0.1, 0.5, 0.9):
        _, force = forces(tyre, 0.0, -share * slides)
        assert force == pytest.approx((1.0 - (1.0 - share) ** 3) * 4000.0)
    assert forces(tyre, 0.0, -2.0 * slides)[1] == pytest.approx(4000.0)


def test_wheels_with_the_same_tyre_share_its_numbers():
    rows, table = tyre_table([Tyre("brush"), Tyre("linear"), Tyre("brush")], [0.3] * 3)
    assert rows.tolist() == [0, 1, 0]
    assert table.models.tolist() == [2, 1]


def test_relaxation_lengths_follow_from_the_carcass_or_from_the_coefficients():
    _, table = tyre_table([TYRES["magic_formula_6.1"]], [0.316])
    assert table.relaxation[0] == pytest.approx(
        (22.0 * 4000 / 300e3, 20.9 * 4000 / 140e3), rel=0.01
    )
    old = dict(PASSENGER) | {"PTX1": 1.5, "PTY1": 2.0, "PTY2": 1.0, "UNLOADED_RADIUS": 0.3}
    _, table = tyre_table([Tyre("magic_formula_5.2", coefficients=tuple(old.items()))], [0.316])
    assert table.relaxation[0] == pytest.approx((1.5 * 0.3, 2.0 * 0.3))


@models
def test_a_car_holds_on_a_slope_for_a_minute(tyre):
    with Rig([car(tyre=tyre)], slope=(0.28, 0.28), hertz=60) as rig:
        rig.run(3.0, brake=1.0)
        before = rig.bodies.positions.copy()
        rig.run(60.0, brake=1.0)
        assert np.linalg.norm(rig.bodies.positions - before) < 1e-6
        assert np.abs(rig.bodies.velocities).max() < 1e-9


@models
@pytest.mark.parametrize("hertz", [60, 240])
def test_a_car_drives_turns_and_stops_on_each(tyre, hertz):
    with Rig([car(tyre=tyre)], hertz=hertz) as rig:
        rig.start(3.0)
        rig.hold_speed(6.0, 3.0, steering=0.1)
        about_com = rig.forward_speed() / rig.bodies.angular_velocities[0, 2]
        radius = np.sqrt(about_com**2 - (WHEELBASE / 2.0) ** 2)
        assert radius == pytest.approx(WHEELBASE / np.tan(0.1), rel=0.02)
        rig.start(25.0)
        rig.run(0.3, brake=1.0)
        before = rig.forward_speed()
        rig.run(0.5, brake=1.0)
        assert 0.6 * GRAVITY < (before - rig.forward_speed()) / 0.5 < 1.12 * GRAVITY
        rig.run(5.0, brake=1.0)
        assert rig.bodies.velocities == pytest.approx(0.0, abs=1e-6)


def test_camber_pushes_a_wheel_to_where_it_leans():
    """Left and right lean outwards, as seen from the car: a pair pushes nowhere."""
    tyre = TYRES["magic_formula_6.1"]
    with Rig([car(tyre=tyre, camber=0.05)]) as rig:
        rig.start(10.0)
        rig.run(2.0)
        assert abs(rig.bodies.positions[0, 1]) < 1e-6
    _, table = tyre_table([tyre], [0.316])
    _, right = tyre_forces(table.models, table.peaks, table.numbers, 0, 0.0, 0.0, 4000.0, 0.05, 1.0)
    assert right == pytest.approx(-0.9 * 0.05 * 4000.0, rel=0.01)
