"""What vehicles that drive by chance make of the lanes."""

import numpy as np
import pytest

from autosim.traffic.vehicles.lanes.lane_table import LATERAL, lane_table_of, speed_in_bend
from autosim.world.lanes.roads import RoadNetwork
from tests.traffic.vehicles.towns import lane, line


@pytest.mark.parametrize(("metres", "share"), [(4.0, 0.05), (40.0, 0.6)])
def test_few_turn_back_through_a_gap_in_a_median(metres, share):
    there, back = 8.0, 8.0 + metres
    roads = RoadNetwork.from_lanes(
        [
            lane(0, line((-90.0, 0.0), (0.0, 0.0)), successors=(1, 4)),
            lane(1, line((0.0, 0.0), (8.0, 0.0), (8.0, there)), successors=(2,), is_connector=True),
            lane(1, line((8.0, there), (8.0, back)), successors=(3,)),
            lane(2, line((8.0, back), (8.0, back + 8.0), (0.0, back + 8.0)), is_connector=True),
            lane(3, line((0.0, 0.0), (16.0, 0.0)), successors=(5,), is_connector=True),
            lane(3, line((16.0, 0.0), (90.0, 0.0))),
        ]
    )
    table = lane_table_of(roads, (0,))
    left, straight = table.weights[table.successor_starts[0] : table.successor_starts[1]]
    assert left / straight == pytest.approx(share)
    assert np.isfinite(table.weights).all()


def test_speeds_in_bends_are_those_that_drivers_accept():
    """Lateral accelerations grow from 2.0 m/s² at speed to 3.2 m/s² in the tightest turns."""
    radii = np.array([6.0, 25.0, 200.0])
    speeds = speed_in_bend(1.0 / radii)
    accepted = speeds**2 / radii
    assert accepted[2] == pytest.approx(LATERAL)
    assert LATERAL < accepted[1] < accepted[0] < 1.85 * LATERAL
    assert (np.diff(speeds) > 0.0).all()


def test_drivers_cut_the_kinks_of_a_line():
    angle = np.radians(10.0)
    kinked = line((-100.0, 0.0), (0.0, 0.0), (100.0 * np.cos(angle), 100.0 * np.sin(angle)))
    roads = RoadNetwork.from_lanes([lane(0, kinked)])
    assert lane_table_of(roads, (0,)).bends.min() > 8.0
