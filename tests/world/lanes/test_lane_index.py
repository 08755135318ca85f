"""The index of lanes finds what looking at all of them finds, to the last bit."""

import numpy as np
import pytest

from autosim.world.lanes.lane_index import CELL_METRES
from autosim.world.lanes.roads import LaneRecord, RoadNetwork


def lane(line) -> LaneRecord:
    points = np.column_stack([line, np.zeros(len(line))]) if line.shape[1] == 2 else line
    return LaneRecord(0, points, 3.0, 10.0, "residential", False, ())


@pytest.fixture(scope="module")
def network():
    """Winding lanes over one another in a square of a kilometre, both ways, and some long ones."""
    random = np.random.default_rng(6)
    lines = []
    for count, step in [(40, 3.0)] * 60 + [(3, 300.0)] * 5:
        headings = random.uniform(0.0, 6.0) + np.cumsum(random.normal(0.0, 0.1, count))
        steps = step * np.column_stack([np.cos(headings), np.sin(headings)])
        plan = random.uniform(-400.0, 400.0, 2) + np.cumsum(steps, axis=0)
        lines.append(np.column_stack([plan, np.full(count, random.uniform(0.0, 12.0))]))
        lines.append(lines[-1][::-1])
    return RoadNetwork.from_lanes([lane(line) for line in lines])


def places(network, count=600):
    """On lanes, beside them, far from them, and far outside."""
    random = np.random.default_rng(1)
    points = network.points[random.integers(0, len(network.points), count)].copy()
    points[count // 3 :] += random.normal(0.0, 4.0, (count - count // 3, 3))
    points[count // 2 :, :2] = random.uniform(-700.0, 700.0, (count - count // 2, 2))
    points[-9:, :2] *= 50.0
    return points


@pytest.mark.parametrize("width", [2, 3])
@pytest.mark.parametrize("has_heading", [False, True])
def test_it_finds_what_looking_at_all_lanes_finds(network, width, has_heading):
    points = places(network)[:, :width]
    headings = np.random.default_rng(2).uniform(-9.0, 9.0, len(points)) if has_heading else None
    lanes, coordinates = network.nearest_lanes(points, headings)
    for row, point in enumerate(points):
        heading = None if headings is None else float(headings[row])
        alone = network.nearest_of_all_lanes(point, heading)
        assert (int(lanes[row]), *coordinates[row].tolist()) == alone
        assert network.nearest_lane(point, heading) == alone


def test_where_no_lane_leads_that_way_the_nearest_counts():
    network = RoadNetwork.from_lanes([lane(np.array([[0.0, 0.0], [50.0, 0.0]]))])
    lanes, coordinates = network.nearest_lanes(np.array([[9.0, 2.0]]), np.array([np.pi]))
    assert lanes.tolist() == [0]
    assert coordinates.tolist() == [[9.0, 2.0]]


def test_of_lanes_equally_near_the_first_is_found():
    line = np.array([[0.0, 0.0], [CELL_METRES, 0.0], [2 * CELL_METRES, 0.0]])
    network = RoadNetwork.from_lanes([lane(line + np.array([0.0, y])) for y in (40.0, -40.0, 40.0)])
    lanes, _ = network.nearest_lanes(np.array([[1.0, 0.0], [1.0, 41.0], [8.0, -1.0]]))
    assert lanes.tolist() == [0, 0, 1]


def test_a_network_without_lanes_has_no_nearest_lane():
    with pytest.raises(ValueError, match="without lanes"):
        RoadNetwork.from_lanes([]).nearest_lanes(np.zeros((1, 2)))
