"""Shapes made whole."""

import pytest
import shapely

from autosim.world.geometry.overlays import made_valid

WHOLE = shapely.box(0.0, 0.0, 4.0, 4.0)
OVERLAPPING = shapely.MultiPolygon([WHOLE, shapely.box(3.0, 1.0, 6.0, 3.0)])
CROSSING = shapely.Polygon([(0, 0), (4, 4), (4, 0), (0, 4)])


@pytest.mark.parametrize(("broken", "area"), [(OVERLAPPING, 20.0), (CROSSING, 8.0)])
def test_a_broken_shape_is_made_of_all_that_it_encloses(broken, area):
    mended = made_valid(broken)
    assert shapely.is_valid(mended)
    assert shapely.area(mended) == pytest.approx(area)


def test_a_whole_shape_stays_as_it_is():
    assert made_valid(WHOLE) is WHOLE
