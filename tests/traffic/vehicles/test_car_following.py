"""Vehicles behind each other, against the closed form of the Intelligent Driver Model."""

import numpy as np
import pytest
from scipy.optimize import brentq

from autosim.traffic.fleet import FLEET, KIND_NAMES
from autosim.traffic.vehicles.pool import SPEED, STATION
from tests.traffic.vehicles.towns import put, ring, run, speeds, street, vehicles_on

CAR = FLEET[KIND_NAMES.index("hatchback")]
LIMIT = 13.9


def equilibrium_speed(spacing):
    """The speed at which all drive behind each other, front to front `spacing` apart."""
    driving = CAR.driving

    def missing(v):
        gap = (driving.least_gap + v * driving.time_gap) / np.sqrt(1.0 - (v / LIMIT) ** 4)
        return gap + CAR.length - spacing

    return brentq(missing, 0.0, LIMIT - 1e-9)


@pytest.mark.parametrize("count", [20, 45, 80, 130])
def test_the_flow_on_a_ring_is_that_of_the_model(count):
    roads = ring()
    lengths = roads.lengths()
    vehicles = vehicles_on(roads, count)
    spacing = lengths.sum() / count
    for place in range(count):
        station = place * spacing + 5.0
        which = int(station > lengths[0])
        at = max(station - which * lengths[0], CAR.length + 0.6)
        put(vehicles, place, which, min(at, lengths[which] - 0.1), 1.0)
    run(vehicles, 150.0)
    density = count / lengths.sum()
    assert density * speeds(vehicles).mean() == pytest.approx(
        density * equilibrium_speed(spacing), rel=0.05
    )
    assert vehicles.counts[0] == 0


def test_one_who_drives_alone_keeps_to_the_limit():
    vehicles = vehicles_on(street(1500.0), 1)
    put(vehicles, 0, 0, 10.0)
    run(vehicles, 30.0)
    assert vehicles.rows[0, SPEED] == pytest.approx(LIMIT, rel=0.01)


def test_one_behind_who_brakes_as_hard_as_can_be_does_not_touch_him():
    vehicles = vehicles_on(street(1500.0), 2)
    put(vehicles, 0, 0, 60.0, 13.0)
    put(vehicles, 1, 0, 40.0, 13.0)
    step = run(vehicles, 6.0)
    vehicles.obey(np.array([[0.0, 0.0, 0.0, -1.0, -1.0, 0.0, 0.0]]))
    run(vehicles, 10.0, begin=step)
    assert vehicles.rows[:, SPEED] == pytest.approx(0.0, abs=0.2)
    assert vehicles.rows[0, STATION] - CAR.length - vehicles.rows[1, STATION] > 0.5
    assert vehicles.counts[0] == 0
