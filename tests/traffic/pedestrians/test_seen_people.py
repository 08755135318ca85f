"""Lidars and radars meet a person at the place where he stands."""

import numpy as np
import pytest

from autosim.config.scenarios import Actor, Scenario, WorldPosition
from autosim.config.world_settings import TrafficDescription
from autosim.traffic.pedestrians.pedestrian_bodies import RADIUS
from tests.kinds.sensors.boxes_with_devices import box_robot, rows, simulate

AHEAD = 12.0
LIDAR = (
    '<LidarSensor name="eye"><Part name="hull"/><Position x="0" y="0" z="1"/><Channels value="1"/>'
    '<Columns value="1"/><UpdateRate value="240"/><FieldOfView value="0.1"/></LidarSensor>'
)
RADAR = '<RadarSensor name="eye"><Part name="hull"/><Position x="0" y="0.1" z="1.0"/></RadarSensor>'


def seen(folder, device, people):
    """What a device 1 m before the middle of a box sees of somebody 12 m before that."""
    robot = box_robot(folder, device, name="seeing")
    place = WorldPosition(AHEAD, 0.0)
    actors = tuple(Actor(f"p{k}", "person", place) for k in range(people))
    traffic = TrafficDescription(scenario=Scenario("stands", 9.0, actors))
    with simulate((robot, (0.0, 0.0, None), 0.0), traffic=traffic) as simulation:
        for _ in range(25):
            simulation.step()
        return rows(simulation, "r0.hull.eye")


def test_a_radar_has_a_person_as_a_target(tmp_path):
    assert len(seen(tmp_path, RADAR, 0)) == 0
    ((distance, azimuth, speed),) = seen(tmp_path, RADAR, 1).tolist()
    assert distance == pytest.approx(AHEAD - 1.0 - RADIUS, abs=0.05)
    assert azimuth == pytest.approx(0.0, abs=0.03)
    assert speed == pytest.approx(0.0, abs=0.05)


def test_a_lidar_has_the_distance_of_a_person(tmp_path):
    assert np.ravel(seen(tmp_path, LIDAR, 0))[0] == 0.0
    (distance,) = np.ravel(seen(tmp_path, LIDAR, 1))
    assert distance == pytest.approx(AHEAD - 1.0 - RADIUS, abs=0.02)
