"""KS and ST against CommonRoad's own equations, and against published values."""

import numpy as np
import pytest

from autosim.vehicle.kinematic.motion_equations import KS, ST, state_derivative
from tests.vehicle.kinematic.drives import fleet_of, vehicle

dynamics = pytest.importorskip("vehiclemodels")

FAST = 15.0
CASES = 300


def oracle():
    from vehiclemodels.parameters_vehicle2 import parameters_vehicle2
    from vehiclemodels.vehicle_dynamics_ks import vehicle_dynamics_ks
    from vehiclemodels.vehicle_dynamics_st import vehicle_dynamics_st

    return parameters_vehicle2(), vehicle_dynamics_ks, vehicle_dynamics_st


def cases():
    """Seeded states x, y, steering, velocity, yaw, yaw rate, slip, and inputs."""
    random = np.random.default_rng(5)
    for number in range(CASES):
        state = random.uniform(-1, 1, 7) * [100, 100, 1.2, 55.0, 3, 1, 0.3]
        state[3] = 0.0015 * state[3] if number % 5 == 0 else abs(state[3])
        yield state, random.uniform(-1, 1, 2) * [0.6, 14.0]


@pytest.mark.parametrize("model", ["KS", "ST"])
def test_the_equations_are_those_of_commonroad(model):
    parameters, kinematic, single_track = oracle()
    row = fleet_of(vehicle(model)).parameters[0]
    code = KS if model == "KS" else ST
    for state, (rate, acceleration) in cases():
        x, y, steer, velocity, yaw, yaw_rate, slip = state.tolist()
        given = (x, y, yaw, velocity, steer, 0.0, yaw_rate, slip)
        law = kinematic if model == "KS" else single_track
        own = state[:5] if model == "KS" else state
        expected = law(own.tolist(), [rate, acceleration], parameters)
        found = state_derivative(code, tuple(row), given, (acceleration, rate, 0.0, 1.0, 0.0))
        order = [0, 1, 4, 3, 2] if model == "KS" else [0, 1, 4, 3, 2, 6, 7]
        assert [found[k] for k in order] == pytest.approx(expected, rel=1e-9, abs=1e-9)


REFERENCE = {
    "KS": (40.73416, 15.69024, 0.800389, 0.291062),
    "ST": (40.93809, 15.23532, 0.779546, 0.290820),
}
"""x, y [m], yaw [rad] and yaw rate [rad/s] after 3 s at 15 m/s: the steering turns by 0.1 rad/s for
half a second, and is held."""


@pytest.mark.parametrize("model", ["KS", "ST"])
def test_a_turn_at_speed_ends_where_it_was_published_to_end(model):
    fleet = fleet_of(vehicle(model), step=0.005)
    fleet.rows[0, 3] = FAST
    for step in range(600):
        fleet.commands[0, 5] = 0.1 if step < 100 else 0.0
        yaw = fleet.rows[0, 2]
        fleet.advance()
    x, y, end = fleet.rows[0, :3]
    assert (x, y, end) == pytest.approx(REFERENCE[model][:3], abs=1e-4)
    assert (end - yaw) / 0.005 == pytest.approx(REFERENCE[model][3], abs=1e-5)


def test_a_single_track_starts_and_stops_at_autowares_step_without_shaking():
    fleet = fleet_of(vehicle("ST"))
    fleet.commands[0, 1] = 0.3
    rates = []
    for step in range(400):
        fleet.commands[0, 0] = 1.0 if step < 200 else -1.0
        fleet.advance()
        rates.append(fleet.rows[0, 6])
    assert np.abs(rates).max() < 0.9
    assert np.abs(np.diff(rates)).max() < 0.1
