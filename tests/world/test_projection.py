import numpy as np
import pytest

from autosim.world.driving_side import guess_driving_side
from autosim.world.projection import Projection

PERTH = (-31.9728, 115.827)


def test_places_come_back_from_metres():
    points = np.random.default_rng(1).uniform(-5000.0, 5000.0, (100, 2))
    projection = Projection(PERTH)
    assert np.allclose(projection.to_local(projection.to_geographic(points)), points, atol=1e-4)


def test_east_is_x_and_north_is_y():
    x, y = Projection(PERTH).to_local(np.array([[PERTH[0] + 0.001, PERTH[1] + 0.001]]))[0]
    assert x == pytest.approx(94.5, abs=0.3)
    assert y == pytest.approx(110.9, abs=0.3)


@pytest.mark.parametrize(
    ("place", "side"),
    [(PERTH, "left"), ((53.8, -1.53), "left"), ((60.17, 24.94), "right"), ((33.6, -84.6), "right")],
)
def test_the_driving_side_is_guessed_from_the_place(place, side):
    assert guess_driving_side(*place)[0] == side
