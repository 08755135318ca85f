"""What user programs read of sensors with several values of different kinds."""

import numpy as np
import pytest

from autosim.kinds.nmea import read_gga, read_rmc
from autosim.kinds.sensors.positioning.gps import GPSSensor
from autosim.kinds.sensors.positioning.lane_sensor import LaneSensor
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor
from autosim.kinds.sensors.ranging.radar import RadarSensor
from autosim.userprogram.session.readers import make_point_reader, make_reader
from tests.kinds.sensors.alone import Alone, wall

LIDAR = LidarSensor(
    "lidar", "", channels=2, columns=9, field_of_view=0.5, update_rate=240.0, has_intensity=True
)


def reading(device, *meshes):
    alone = Alone(device, meshes=meshes).sense(1)
    node = alone.state.tree.find(device.name)
    return make_reader(node, alone.state.buffer)(), node, alone.state.buffer


def test_a_receiver_with_two_sentences_gives_a_line_for_each():
    alone = Alone(GPSSensor("gps", "", has_gga=True)).sense(0)
    node = alone.state.tree.find("gps")
    rmc, gga = make_reader(node, alone.state.buffer)().split("\n")
    assert read_rmc(rmc).latitude == read_gga(gga).latitude


def test_a_lidar_with_intensities_gives_ranges_and_intensities_and_its_points():
    table, node, memory = reading(LIDAR, wall(10.0))
    assert table.shape == (2, 2, 9)
    assert (table[0] > 9.9).all()
    assert table[1].max() <= 0.4
    points = make_point_reader(node, LIDAR, memory)()
    assert points[:, 0] == pytest.approx(10.0)


def test_a_lane_sensor_gives_five_numbers_and_a_radar_a_list():
    assert reading(LaneSensor("lane", ""))[0].tolist() == [0.0, 0.0, 0.0, -1.0, 0.0]
    alone = Alone(RadarSensor("radar", ""), meshes=(wall(10.0),)).sense(0)
    rows = make_reader(alone.state.tree.find("radar"), alone.state.buffer)()
    assert rows == pytest.approx(np.array([[10.0, 0.0, 0.0]]), abs=1e-9)
