"""Cars stand on car parks: inside them, apart from each other, off the lanes, and solid."""

import numpy as np
import pytest
import shapely

from autosim.rays.ray_scene import RayScene
from autosim.world.compiled.compiled_world import CAR, PropKind
from tests.world.maps import RESIDENTIAL, build_map

STREET = (((-120.0, 0.0), (120.0, 0.0)), RESIDENTIAL)
LOT = ((-20.0, 12.0), (25.0, 12.0), (25.0, 32.0), (-20.0, 32.0), (-20.0, 12.0))


def parked(world):
    chosen = np.isin(world.props.kinds, (PropKind.PARKED_CAR, PropKind.PARKED_VAN))
    return world.props.positions[chosen], world.props.yaws[chosen]


def boxes(positions, yaws):
    half = 0.5 * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]) * CAR[:2]
    c, s = np.cos(yaws)[:, None], np.sin(yaws)[:, None]
    x, y = half.T
    return shapely.polygons(
        np.stack([c * x - s * y, s * x + c * y], axis=2) + positions[:, None, :2]
    )


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    return build_map(tmp_path_factory.mktemp("lot"), [STREET, (LOT, {"amenity": "parking"})])


def test_rows_of_cars_stand_on_a_car_park(town):
    positions, yaws = parked(town)
    # Two rows with 18 bays each, of which seven in ten are taken.
    assert 15 < len(positions) < 36
    outlines = boxes(positions, yaws)
    assert shapely.covered_by(outlines, shapely.Polygon(LOT).buffer(0.01)).all()
    tree = shapely.STRtree(outlines)
    assert len(tree.query(outlines, predicate="intersects")[0]) == len(outlines)


def test_they_are_solid(town):
    positions, _ = parked(town)
    first = positions[0] + (0.0, 0.0, 5.0)
    shares, _, _ = RayScene((town.obstacles,)).cast(first[None], positions[:1] - (0.0, 0.0, 1.0))
    assert 5.0 - 6.0 * shares[0] == pytest.approx(CAR[2], abs=0.8)


def test_a_mapped_bay_has_one_car_or_none_and_a_street_none(tmp_path):
    ways = [STREET]
    for k in range(12):
        x = -30.0 + 5.0 * k
        bay = ((x, 10.0), (x + 2.5, 10.0), (x + 2.5, 15.0), (x, 15.0), (x, 10.0))
        ways.append((bay, {"amenity": "parking_space"}))
    across = ((60.0, -3.0), (70.0, -3.0), (70.0, 3.0), (60.0, 3.0), (60.0, -3.0))
    ways.append((across, {"amenity": "parking"}))
    positions, yaws = parked(build_map(tmp_path, ways))
    assert 4 < len(positions) <= 12
    assert positions[:, 1] == pytest.approx(12.5, abs=0.01)
    assert np.abs(np.sin(yaws)) == pytest.approx(1.0, abs=0.01)


def test_a_garage_has_none_that_is_seen(tmp_path):
    tags = {"amenity": "parking", "parking": "underground"}
    positions, _ = parked(build_map(tmp_path, [STREET, (LOT, tags)]))
    assert not len(positions)
