import numpy as np
import pytest
from pyproj import Transformer

from autosim.world.geometry.map_projection import MapProjection

PERTH = (-31.9728, 115.827)


def test_places_come_back_from_metres():
    points = np.random.default_rng(1).uniform(-5000.0, 5000.0, (100, 2))
    projection = MapProjection(PERTH)
    assert np.allclose(projection.to_local(projection.to_geographic(points)), points, atol=1e-4)


@pytest.mark.parametrize(
    "origin",
    [PERTH, (60.1717, 24.9443), (0.0, -0.1), (-16.8, 179.99), (78.2, 15.6), (-77.85, 166.7)],
)
def test_places_are_those_of_a_library_of_projections(origin):
    local = f"+proj=tmerc +lat_0={origin[0]!r} +lon_0={origin[1]!r} +k=1 +datum=WGS84 +units=m"
    transformer = Transformer.from_crs("EPSG:4326", local, always_xy=True)
    points = np.random.default_rng(2).uniform(-300_000.0, 300_000.0, (2000, 2))
    longitudes, latitudes = transformer.transform(*points.T, direction="INVERSE")
    places = np.column_stack([latitudes, longitudes])
    projection = MapProjection(origin)
    assert np.abs(projection.to_local(places) - points).max() < 1e-7
    assert np.abs(projection.to_geographic(points) - places).max() < 1e-11


def test_the_origin_is_in_the_middle():
    assert np.abs(MapProjection(PERTH).to_local(np.array([PERTH]))).max() < 1e-8


def test_of_the_other_side_of_the_earth_nothing_is_known():
    assert np.isinf(MapProjection((0.0, 25.0)).to_local(np.array([[0.0, 114.9]]))).all()


def test_east_is_x_and_north_is_y():
    x, y = MapProjection(PERTH).to_local(np.array([[PERTH[0] + 0.001, PERTH[1] + 0.001]]))[0]
    assert x == pytest.approx(94.5, abs=0.3)
    assert y == pytest.approx(110.9, abs=0.3)
