"""Pockets and crumbs of surfaces: what is too small for anything belongs to its neighbour."""

import numpy as np
import pytest
import shapely

from autosim.world.geometry.meshes import Surface
from autosim.world.surfaces.carriageway_shapes import without_pockets
from autosim.world.surfaces.partition import make_partition

NOTHING = shapely.MultiPolygon()
WINDOW = shapely.box(0.0, 0.0, 40.0, 30.0)


def parts(**layers):
    given = dict.fromkeys(("carriageway", "pavement", "water"), NOTHING)
    return make_partition(WINDOW, **(given | layers))


@pytest.mark.parametrize(("side", "is_kept"), [(0.3, False), (1.5, True)])
def test_a_carriageway_has_no_pocket_too_small_for_anything(side, is_kept):
    ring = shapely.box(0.0, 0.0, 10.0, 10.0) - shapely.box(5.0, 5.0, 5.0 + side, 5.0 + side)
    (polygon,) = without_pockets(shapely.MultiPolygon([ring])).geoms
    assert len(polygon.interiors) == is_kept


def test_a_crumb_at_the_border_is_given_to_what_comes_next():
    """Left out, it would be a notch in the ground: an open edge."""
    crumb = shapely.Polygon([(20.0, 30.0), (20.03, 29.86), (20.16, 30.0)])
    whole = parts(cover=[(Surface.PARK, crumb)])
    assert whole.surfaces.tolist() == [Surface.GROUND]
    assert shapely.area(whole.polygons).sum() == pytest.approx(WINDOW.area, abs=1e-6)


def test_what_is_large_enough_keeps_its_surface():
    park = shapely.box(10.0, 10.0, 20.0, 20.0)
    found = parts(cover=[(Surface.PARK, park)])
    assert set(found.surfaces.tolist()) == {Surface.PARK, Surface.GROUND}
    assert np.sum(shapely.area(found.polygons)) == pytest.approx(WINDOW.area, abs=1e-6)
