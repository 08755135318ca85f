"""Vehicles that come onto a street can stop before what is ahead."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.traffic.vehicles import spawning
from autosim.world.lanes.lane_rules import Control, SignalState
from tests.traffic.vehicles.test_right_of_way import with_rules
from tests.traffic.vehicles.towns import crossroads, put, run, vehicles_on

APPROACH = 0
LINE = 60.0
"""Station [m] of the stop line: in the middle of the lane, as at a crossing of people."""


def new_vehicle_before(state, gap):
    """A vehicle that comes onto a street `gap` [m] before a stop line with a signal."""
    signals = np.full(6, -1, dtype=np.int64)
    signals[APPROACH] = state
    roads = with_rules(crossroads(), controls=[(APPROACH, Control.SIGNALS)])
    traffic = replace(roads.traffic, stop_lines=np.array([LINE, *[np.nan] * 5]))
    vehicles = vehicles_on(replace(roads, traffic=traffic), 1, signals=signals)
    speed = spawning.free_speed(vehicles.town, APPROACH, LINE - gap, 4.2)
    put(vehicles, 0, APPROACH, LINE - gap, speed)
    return vehicles


@pytest.mark.parametrize("gap", [0.5, 1.0, 3.0, 10.0, 30.0])
def test_a_new_vehicle_stops_before_a_red_signal(gap):
    vehicles = new_vehicle_before(SignalState.RED, gap)
    run(vehicles, 8.0)
    assert vehicles.rows["front"][0] == 0
    assert vehicles.rows["station"][0] <= LINE


def test_a_new_vehicle_passes_a_green_signal():
    vehicles = new_vehicle_before(SignalState.GREEN, 10.0)
    assert vehicles.rows["speed"][0] > 8.0
    run(vehicles, 2.0)
    assert vehicles.rows["station"][0] > LINE
