"""Slivers of the carriageway are mended where another diagonal does that."""

import numpy as np
import shapely

from autosim.world.geometry.height_function import nowhere_uneven
from autosim.world.geometry.meshes import Surface
from autosim.world.surfaces.partition import NOTHING, Partition
from autosim.world.surfaces.slivers import SLIVER_HEIGHT, heights_of, without_slivers
from autosim.world.surfaces.triangulation import Density, triangulate

NO_BORDERS = np.zeros((0, 2), dtype=np.int64)
# As in the kerb of a street in Neukölln: two corners 7 cm apart, nearly in line with the third.
POINTS = np.array(
    [(115.1233, -84.2429), (115.1486, -84.3138), (115.5435, -85.1549), (125.909, -80.424)]
)
TRIANGLES = np.array([(1, 2, 0), (0, 2, 3)], dtype=np.int32)


def mended(points=POINTS, surface=Surface.CARRIAGEWAY, borders=NO_BORDERS):
    return without_slivers(points, TRIANGLES, np.array([Surface.CARRIAGEWAY, surface]), borders)


def test_a_sliver_and_its_neighbour_become_two_wide_triangles():
    before, after = heights_of(POINTS[TRIANGLES]), heights_of(POINTS[mended()])
    assert 0.0 < before.min() < SLIVER_HEIGHT
    assert after.min() > SLIVER_HEIGHT
    assert set(map(frozenset, mended().tolist())) == {frozenset((0, 1, 3)), frozenset((1, 2, 3))}


def test_borders_stay():
    assert (mended(borders=np.array([(2, 0)])) == TRIANGLES).all()
    assert (mended(surface=Surface.KERB) == TRIANGLES).all()


def test_a_sliver_stays_where_the_other_diagonal_makes_one_too():
    points = POINTS.copy()
    points[3] = points[2] + 0.01 * (points[0] - points[2]) + (0.002, 0.001)
    assert (mended(points) == TRIANGLES).all()


def test_a_carriageway_with_such_a_border_is_cut_into_wide_triangles():
    road = Partition(
        np.array([shapely.Polygon(POINTS)], dtype=object),
        np.array([Surface.CARRIAGEWAY], dtype=np.uint8),
    )
    mesh = triangulate(road, density=Density(), is_uneven=nowhere_uneven, rest=NOTHING)
    assert len(mesh.triangles) == 2
    assert heights_of(mesh.vertices[mesh.triangles]).min() > SLIVER_HEIGHT
