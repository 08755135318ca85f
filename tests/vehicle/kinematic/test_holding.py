"""What a vehicle does that is not commanded, or by what is no number."""

import numpy as np
import pytest

from autosim.kinds.kinematic.model_catalogue import CODES
from autosim.vehicle.kinematic.kinematic_step import BRAKE, DRIVEN, HELD, STEERED
from tests.vehicle.kinematic.drives import STEP, fleet_of, vehicle


def moving(model):
    fleet = fleet_of(vehicle(model))
    fleet.commands[0, :2] = 3.0, 0.1
    for _ in range(200):
        fleet.advance()
    assert fleet.rows[0, 3] > 1.0
    return fleet


@pytest.mark.parametrize("model", CODES)
@pytest.mark.parametrize(("column", "value"), [(DRIVEN, np.nan), (STEERED, np.inf), (HELD, 1.0)])
def test_a_vehicle_that_is_held_brakes_to_a_standstill_and_stays(model, column, value):
    fleet = moving(model)
    fleet.commands[0, column] = value
    speed, steering = fleet.rows[0, 3:5]
    fleet.advance()
    assert fleet.rows[0, 3] == pytest.approx(speed - BRAKE * STEP)
    for _ in range(int(speed / BRAKE / STEP) + 2):
        fleet.advance()
    assert fleet.rows[0, 3] == 0.0
    assert fleet.rows[0, 4] == steering
    stands = fleet.rows[0, :3].copy()
    fleet.advance()
    assert fleet.rows[0, :3].tolist() == stands.tolist()
    assert np.isfinite(fleet.rows).all()


def test_a_vehicle_goes_on_with_new_commands_when_it_is_let_go():
    fleet = moving("DELAY_STEER_ACC")
    fleet.commands[0, DRIVEN] = np.nan
    for _ in range(1000):
        fleet.advance()
    fleet.commands[0, DRIVEN] = 1.0
    for _ in range(4):
        fleet.advance()
    assert fleet.rows[0, 3] == 0.0, "commands of before came out of the dead time"
    for _ in range(40):
        fleet.advance()
    assert fleet.rows[0, 3] > 0.5


def test_vehicles_of_one_fleet_do_not_know_of_each_other():
    random = np.random.default_rng(3)
    together = fleet_of(*(vehicle(model) for model in CODES))
    alone = [fleet_of(vehicle(model)) for model in CODES]
    for _ in range(50):
        commands = random.uniform(-1, 1, (len(CODES), 2)) * [2.0, 0.3]
        together.commands[:, :2] = commands
        together.advance()
        for fleet, command in zip(alone, commands, strict=True):
            fleet.commands[0, :2] = command
            fleet.advance()
    states = np.array([fleet.state[0] for fleet in alone])
    assert np.array_equal(together.state, states)
