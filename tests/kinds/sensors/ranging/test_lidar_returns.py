"""Lidars: the strength of returns, what rain and fog take, and the solid-state pattern."""

from dataclasses import replace
from math import cos, exp, pi, radians

import numpy as np
import pytest

from autosim.config.world_settings import SkyDescription
from autosim.kinds.banks import Weather
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor
from autosim.kinds.sensors.ranging.lidar_scan import Scan, azimuths
from autosim.world.geometry.meshes import Surface
from tests.kinds.sensors.alone import STEP, Alone, wall
from tests.kinds.sensors.boxes_with_devices import box_robot, simulate

ONE_RAY = LidarSensor(
    "lidar",
    "",
    channels=1,
    columns=1,
    min_elevation=-0.01,
    max_elevation=0.01,
    field_of_view=0.1,
    update_rate=240.0,
    has_intensity=True,
)
CLEAR = SkyDescription()
MANY = replace(ONE_RAY, columns=2000, has_intensity=False)


def seen(lidar, *meshes, seed=0, step=1, sky=CLEAR):
    """Ranges and intensities of a lidar; its second field is the newest column."""
    alone = Alone(lidar, meshes=meshes, seed=seed, air=Weather.under(sky)).sense(step)
    return [alone.values(0, field) for field in range(3 if lidar.has_intensity else 1)]


@pytest.mark.parametrize(
    ("surface", "share"),
    [(Surface.WALL, 0.4), (Surface.CARRIAGEWAY, 0.15), (Surface.WATER, 0.02)],
)
@pytest.mark.parametrize("angle", [0.0, 0.6])
def test_intensity_is_that_of_the_surface_and_falls_with_the_angle(surface, share, angle):
    ranges, _, intensities = seen(ONE_RAY, wall(20.0, turned=angle, surface=surface))
    assert np.ravel(ranges)[0] == pytest.approx(20.0)
    assert np.ravel(intensities)[0] == pytest.approx(share * cos(angle), rel=1e-6)


def test_where_nothing_comes_back_the_intensity_is_zero():
    ranges, _, intensities = seen(ONE_RAY, wall(200.0))
    assert (np.ravel(ranges)[0], np.ravel(intensities)[0]) == (0.0, 0.0)


def test_bodies_of_robots_have_an_intensity_too(tmp_path):
    lidar = (
        '<LidarSensor name="lidar"><Part name="hull"/><Position x="0" y="0" z="1"/>'
        '<Channels value="1"/><Columns value="1"/><UpdateRate value="240"/>'
        '<FieldOfView value="0.1"/><Intensity value="true"/></LidarSensor>'
    )
    seeing, plain = box_robot(tmp_path, lidar, name="seeing"), box_robot(tmp_path, "")
    with simulate((seeing, (0.0, 0.0, None), 0.0), (plain, (12.0, 0.0, None), 0.2)) as simulation:
        simulation.step()
        node = simulation.tree.find("r0.hull.lidar")
        strength = np.ravel(simulation.state.value(node, node.fields[2]))[0]
    assert strength == pytest.approx(0.6 * cos(0.2), abs=0.02)


@pytest.mark.parametrize(
    ("changes", "extinction"),
    [({"visibility": 60.0}, 3.0 / 60.0), ({"rain": 200.0}, 0.248e-3 * 200.0**0.67)],
)
def test_fog_and_rain_take_returns_by_chance_and_light_by_their_extinction(changes, extinction):
    left = exp(-2.0 * extinction * 15.0)
    ranges = np.ravel(seen(replace(MANY, **changes), wall(15.0))[0])
    assert (ranges > 0.0).mean() == pytest.approx(left, abs=0.03)
    _, _, intensities = seen(replace(ONE_RAY, columns=50, **changes), wall(15.0))
    got = np.ravel(intensities)
    assert got.max() == pytest.approx(0.4 * left, rel=0.01)


@pytest.mark.parametrize(
    ("sky", "own"),
    [({"visibility": 60.0}, {"visibility": 60.0}), ({"rain": 0.5}, {"rain": 25.0})],
)
def test_a_lidar_sees_by_the_weather_of_the_world_unless_it_has_its_own(sky, own):
    world, far = SkyDescription(**sky), wall(95.0)
    under = np.ravel(seen(MANY, far, sky=world)[0])
    np.testing.assert_array_equal(under, np.ravel(seen(replace(MANY, **own), far)[0]))
    assert (under == 0.0).any()
    dry = replace(MANY, rain=0.0, visibility=0.0)
    clear = np.ravel(seen(MANY, far)[0])
    np.testing.assert_array_equal(np.ravel(seen(dry, far, sky=world)[0]), clear)


def test_what_is_lost_follows_from_the_seed_and_in_clear_air_nothing_is():
    foggy = replace(MANY, visibility=60.0)
    runs = [np.ravel(seen(foggy, wall(15.0), seed=seed)[0]) for seed in (1, 1, 2)]
    assert (runs[0] == runs[1]).all()
    assert (runs[0] != runs[2]).any()
    assert (np.ravel(seen(MANY, wall(15.0))[0]) > 0.0).all()


def test_a_solid_state_lidar_sees_its_field_of_view_alone_from_the_right_to_the_left():
    lidar = replace(MANY, columns=90, field_of_view=pi / 2)
    around = azimuths(lidar)
    assert around[0] == pytest.approx(-radians(44.5))
    assert around[-1] == pytest.approx(radians(44.5))
    ranges = np.ravel(seen(lidar, wall(10.0, width=200.0))[0])
    assert ranges == pytest.approx(10.0 / np.cos(around), rel=1e-6)
    points = Scan(lidar).points(ranges.reshape(1, -1), 89)
    assert points[:, 0] == pytest.approx(10.0, rel=1e-6)
    assert (np.diff(points[:, 1]) > 0.0).all()


def test_it_sweeps_a_part_of_its_columns_in_a_step():
    lidar = replace(MANY, columns=80, update_rate=10.0, field_of_view=pi / 2)
    alone = Alone(lidar, meshes=(wall(10.0, width=200.0),))
    counts = []
    for step in range(1, round(0.1 / STEP) + 1):
        alone.sense(step)
        counts.append(int((np.ravel(alone.values()) > 0.0).sum()))
    assert counts[0] in (3, 4)
    assert counts[-1] == 80


def test_a_lidar_that_turns_is_as_it_was():
    plain = LidarSensor("lidar", "")
    assert plain.is_spinning
    assert azimuths(plain)[90] == pytest.approx(pi / 2)
    assert [field.name for field in plain.kind.fields_of(plain)] == ["ranges", "newest_column"]
