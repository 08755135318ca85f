"""The geometry of a lidar, and when it measures what."""

from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autosim.kinds.sensors.ranging.lidar import KIND
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor
from autosim.kinds.sensors.ranging.lidar_scan import (
    Scan,
    Sweep,
    azimuths,
    elevations,
    ray_directions,
    swept_columns,
)


def lidar(**values) -> LidarSensor:
    return LidarSensor("lidar", "chassis", **values)


def test_columns_go_to_the_left_and_channels_up():
    device = lidar(channels=3, columns=4, min_elevation=-pi / 4, max_elevation=pi / 4)
    rays = ray_directions(device)
    assert rays.shape == (3, 4, 3)
    np.testing.assert_allclose(rays[1], [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]], atol=1e-12)
    half = 0.5**0.5
    np.testing.assert_allclose(rays[[0, 2], 0], [[half, 0, -half], [half, 0, half]], atol=1e-12)


def test_a_lidar_that_lies_on_its_side_turns_about_its_own_axis():
    # Up is to the left; the direction is taken at a right angle to it.
    rays = ray_directions(lidar(channels=1, columns=4, up=(0, 1, 0), direction=(1, 5, 0)))
    np.testing.assert_allclose(rays[0], [[1, 0, 0], [0, 0, -1], [-1, 0, 0], [0, 0, 1]], atol=1e-12)


def test_a_single_channel_lies_in_the_middle():
    assert elevations(lidar(channels=1, min_elevation=0.1, max_elevation=0.3)) == [0.2]
    assert azimuths(lidar(columns=4)).tolist() == [0.0, pi / 2, pi, 3 * pi / 2]


def test_the_state_holds_a_whole_scan():
    ranges, newest = KIND.fields_of(lidar(channels=5, columns=7))
    assert (ranges.shape, ranges.unit, newest.name) == ((5, 7), "m", "newest_column")


def swept(sweep, columns, step, *, number=0):
    """The newest column of a lidar, and how many it measures in a step."""
    return swept_columns(
        step, columns, float(sweep.columns_in_a_step[number]), int(sweep.most[number])
    )


@given(
    columns=st.integers(1, 4000),
    rate=st.floats(0.01, 1000.0),
    step_seconds=st.sampled_from([1 / 60, 1 / 240, 1 / 1000, 0.01]),
    step=st.integers(0, 10_000_000),
)
def test_each_column_has_its_turn(columns, rate, step_seconds, step):
    device = lidar(columns=columns, update_rate=rate)
    sweep = Sweep([device], step_seconds)
    newest, count = swept(sweep, columns, step)
    following, then = swept(sweep, columns, step + 1)
    assert 0 <= newest < columns
    assert 0 <= count <= sweep.most[0] <= columns
    if then < columns:  # no gap, and none twice
        assert (newest + then) % columns == following
    assert sweep.between(step - 1, step) >= count


def test_a_revolution_takes_its_time():
    sweep = Sweep(
        [lidar(columns=360, update_rate=10.0), lidar(columns=100, update_rate=7.0)], 1 / 240
    )
    assert sweep.most.tolist() == [15, 3]
    first = [swept(sweep, 360, step)[1] for step in range(1, 241)]
    second = [swept(sweep, 100, step, number=1)[1] for step in range(1, 241)]
    assert set(first) == {15}
    assert (sum(first), sum(second)) == (3600, 700)
    assert swept(sweep, 360, 24)[0] == 359


def test_points_come_in_the_order_of_measuring_without_those_that_met_nothing():
    scan = Scan(lidar(channels=1, columns=4, position=(0.0, 0.0, 2.0)))
    ranges = np.array([[1.0, 0.0, 3.0, 4.0]])
    points = scan.points(ranges, newest_column=2)
    np.testing.assert_allclose(points, [[0, -4, 2], [1, 0, 2], [-3, 0, 2]], atol=1e-12)


@pytest.mark.parametrize("newest", [0, 3])
def test_an_empty_scan_has_no_points(newest):
    assert Scan(lidar(channels=2, columns=4)).points(np.zeros((2, 4)), newest).shape == (0, 3)
