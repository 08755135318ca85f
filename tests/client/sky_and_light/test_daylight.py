"""Where the sun stands, and what light that gives."""

import numpy as np
import pytest

pytest.importorskip("panda3d")

from autosim.client.sky_and_light.daylight import HORIZON, ZENITH, air_mass, make_daylight
from autosim.config.world_settings import SkyDescription
from autosim.model.environment.sun_position import sun_towards

PERTH = (-31.9728, 115.827)


def angles(direction):
    """Height and azimuth clockwise from north [degrees]."""
    east, north, up = direction
    return np.degrees(np.arcsin(up)), np.degrees(np.arctan2(east, north)) % 360.0


@pytest.mark.parametrize(
    ("when", "where", "height", "azimuth"),
    [
        # The solstice in London: 90° − 51.5° + 23.44°, at 12:02 UTC in the south.
        ((6, 21, 12.03), (51.5, 0.0), 61.94, 180.0),
        ((12, 21, 10.305), (60.17, 24.94), 90 - 60.17 - 23.44, 180.0),
        # South of the tropics it is in the north at noon.
        ((12, 21, 4.25), PERTH, 90 - 31.973 + 23.44, 0.0),
        # At the equinox it rises in the east, 6 hours before noon.
        ((3, 20, 12.12 - 6.0), (0.0, 0.0), 0.0, 90.0),
    ],
)
def test_the_sun_stands_where_the_almanac_says(when, where, height, azimuth):
    month, day, hours = when
    direction = sun_towards(
        month=month, day=day, utc_hours=hours, latitude=where[0], longitude=where[1]
    )
    assert np.linalg.norm(direction) == pytest.approx(1.0)
    seen_height, seen_azimuth = angles(direction)
    assert seen_height == pytest.approx(height, abs=0.15)
    assert (seen_azimuth - azimuth + 180.0) % 360.0 - 180.0 == pytest.approx(0.0, abs=1.0)


def test_local_mean_time_holds_where_no_offset_is_given():
    mean = make_daylight(SkyDescription(hours=12.0), PERTH).direction
    offset = make_daylight(SkyDescription(hours=12.0, utc_offset=PERTH[1] / 15.0), PERTH).direction
    np.testing.assert_allclose(mean, offset)
    assert angles(mean)[1] == pytest.approx(0.0, abs=6.0)


def test_a_stated_sun_replaces_that_of_the_time():
    night = SkyDescription(hours=1.0, sun_elevation=30.0, sun_azimuth=225.0)
    light = make_daylight(night, PERTH)
    assert angles(light.direction) == pytest.approx((30.0, 225.0))
    assert light.darkness < make_daylight(SkyDescription(hours=1.0), PERTH).darkness


def test_the_standard_light_is_the_one_that_the_town_was_painted_for():
    light = make_daylight(SkyDescription(), PERTH)
    np.testing.assert_allclose(light.sun_light, (1.28, 1.20, 1.02))
    np.testing.assert_allclose(light.sky_light, (0.46, 0.54, 0.68))
    np.testing.assert_allclose(light.ground_light, (0.26, 0.25, 0.21))
    np.testing.assert_allclose(light.horizon, HORIZON)
    np.testing.assert_allclose(light.zenith, ZENITH)
    assert light.fog == 0.0
    assert light.darkness == 0.0


def test_the_low_sun_is_red_and_by_night_there_is_the_moon():
    evening = make_daylight(SkyDescription(hours=17.5), PERTH)
    assert evening.sun_light[0] > 2.0 * evening.sun_light[2]
    night = make_daylight(SkyDescription(hours=0.0), PERTH)
    assert night.direction[2] > 0.5
    assert 0.0 < night.sun_light.max() < 0.1
    assert night.darkness == 1.0


def test_light_never_jumps_in_the_course_of_a_day():
    lights = [
        make_daylight(SkyDescription(hours=hours), PERTH) for hours in np.arange(0.0, 24.0, 0.02)
    ]
    for name in ("sun_light", "sky_light", "horizon", "zenith", "clouds"):
        values = np.array([getattr(light, name) for light in lights])
        assert np.abs(np.diff(values, axis=0)).max() < 0.05, name


def test_clouds_and_fog_take_the_sun_but_not_the_day():
    for sky in (SkyDescription(clouds=1.0), SkyDescription(visibility=100.0)):
        light = make_daylight(sky, PERTH)
        assert light.sun_light.max() < 0.06
        assert light.sky_light.min() > 0.2
        assert np.ptp(light.horizon) < 0.05


def test_of_what_is_as_far_as_the_visibility_a_twentieth_of_the_contrast_is_left():
    fog = make_daylight(SkyDescription(visibility=200.0), PERTH).fog
    assert np.exp(-fog * 200.0) == pytest.approx(0.05)


@pytest.mark.parametrize(("height", "mass"), [(90.0, 1.0), (30.0, 1.995), (0.0, 37.92)])
def test_the_air_mass_is_that_of_kasten_and_young(height, mass):
    assert air_mass(height) == pytest.approx(mass, rel=2e-3)
