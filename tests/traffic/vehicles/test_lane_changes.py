"""Changes of lane: how long a vehicle is on both lanes."""

import numpy as np

from autosim.world.lanes.roads import RoadNetwork
from tests.traffic.vehicles.towns import lane, line, put, run, vehicles_on


def test_a_lorry_is_on_its_old_lane_until_its_rear_has_left_it():
    roads = RoadNetwork.from_lanes(
        lane(0, line((0.0, 3.5 * k), (400.0, 3.5 * k))) for k in range(2)
    )
    vehicles = vehicles_on(roads, 1, shares=(("lorry", 1.0),))
    put(vehicles, 0, 0, 30.0, 3.0)
    row, ends = vehicles.rows[0], []
    row.wish = 1
    vehicles.apply_orders(np.array([[0.0, 3.0, 1.0, -1.0, -1.0, 0.0, 0.0]]))

    def look():
        if row.old_lane >= 0 and row.change_from == 0.0:
            ends.append(abs(row.rear_offset))
        assert row.old_lane >= 0 or abs(row.rear_offset) < 0.3

    run(vehicles, 15.0, each=look)
    assert ends
    assert ends[0] > 0.3
    assert row.old_lane == -1
