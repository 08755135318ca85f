"""Free places, parking as the end of a route, and its score."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.arrays import Floats
from autosim.benchmark.episode import Episode
from autosim.benchmark.infractions import find_infractions
from autosim.benchmark.parking import ParkingPlace, free_places, has_parked, is_within
from autosim.benchmark.parking_routes import plan_in
from autosim.benchmark.progress import RouteCourse
from autosim.benchmark.routes import make_route
from autosim.benchmark.trace import Trace
from autosim.errors import UserError
from autosim.loading.loader import load_world
from autosim.loading.suite_file import load_suite
from autosim.world.compiled.compiled_world import CompiledWorld, PropKind
from autosim.world.pipeline.cache import compile_world
from tests.benchmark.straight_road import around, route, street, trace

PLACE = ParkingPlace(60.0, -3.0, 0.0, 7.0, 2.3)
"""A place of the straight street; the car of its traces is 4 m long and 2 m wide."""


@pytest.fixture(scope="module")
def town() -> CompiledWorld:
    return compile_world(load_world("worlds/circle_town.xml").terrain)


def standing(x: float, y: float, yaw: float = 0.0, seconds: float = 1.5) -> Trace:
    return trace(np.full(round(seconds / 0.1) + 1, x), y=y, yaw=yaw)


def test_places_lie_between_two_parked_cars_and_overlap_none(town: CompiledWorld) -> None:
    props = town.props
    is_car = (props.kinds == PropKind.PARKED_CAR) | (props.kinds == PropKind.PARKED_VAN)
    cars = props.positions[is_car, :2]
    places = free_places(town, "parallel")
    assert len(places) == 4
    for each in places:
        x, y, yaw, length, width, _ = each.place
        away = np.sort(np.hypot(cars[:, 0] - x, cars[:, 1] - y))
        assert away[0] > 0.5 * length + 2.25
        assert away[1] < 2.1 * 6.5
        lane = town.roads.lanes[each.lane]
        assert abs(lane.local_coordinates((x, y))[1]) > 0.5 * lane.width
        assert np.isclose(lane.heading(each.station), yaw)
        assert width < length
    assert free_places(town, "perpendicular") == []


@pytest.mark.parametrize(
    ("x", "y", "yaw", "is_in"),
    [
        (60.0, -3.0, 0.0, True),
        (61.4, -3.1, 0.02, True),
        (61.6, -3.0, 0.0, False),  # its front reaches out
        (60.0, -2.8, 0.0, False),  # its side does
        (60.0, -3.0, 0.12, False),  # askew
        (60.0, -3.0, np.pi, False),  # against the lane
    ],
)
def test_a_car_is_in_a_place_with_all_its_corners(
    x: float, y: float, yaw: float, is_in: bool
) -> None:
    assert bool(is_within(standing(x, y, yaw), PLACE).all()) is is_in


def test_across_a_street_a_car_may_face_either_way() -> None:
    place = PLACE._replace(is_across=True)
    assert is_within(standing(60.0, -3.0, np.pi), place).all()


def test_a_car_has_parked_after_a_second_without_motion() -> None:
    assert has_parked(standing(60.0, -3.0), PLACE)
    assert not has_parked(standing(60.0, -3.0, seconds=0.8), PLACE)
    assert not has_parked(trace(np.linspace(59.0, 60.5, 16), y=-3.0), PLACE)


def drive_by_and(end: Floats) -> Trace:
    """A drive along the lane to x = 60, then a stop at (x, y) of `end`."""
    xs = np.concatenate([np.arange(0.0, 60.0, 0.5), np.full(20, end[0])])
    ys = np.concatenate([np.zeros(120), np.full(20, end[1])])
    return trace(xs, y=ys)


def test_the_way_is_half_of_the_route_and_parking_the_other() -> None:
    way = replace(route(street(), 60.0), place=PLACE)
    parked, beside = drive_by_and(np.array([60.0, -3.0])), drive_by_and(np.array([60.0, 0.0]))
    assert RouteCourse.of(parked, way).completion(way) == 1.0
    assert RouteCourse.of(beside, way).completion(way) == 0.5
    assert RouteCourse.of(trace(np.arange(0.0, 30.5, 0.5)), way).completion(way) == 0.25


def test_a_car_that_parks_may_be_slower_than_traffic_in_the_last_quarter() -> None:
    roads = street()
    crawl = np.concatenate([np.arange(0.0, 46.0, 1.0), np.arange(46.0, 64.0, 0.2)])
    driven = trace(crawl, vehicle=(55.0, 4.0, np.pi, 9.0))
    for place, expected in ((None, ["min_speed"]), (PLACE, [])):
        way = replace(route(roads, 60.0), place=place)
        course = RouteCourse.of(driven, way)
        found = find_infractions(driven, way, course, around(roads), "arrived")
        assert [each.kind for each in found] == expected


def test_routes_of_the_suite_end_at_places_and_survive_as_text(town: CompiledWorld) -> None:
    suite = load_suite("parking")
    group = suite.groups[0]
    routes = plan_in(town, group)
    assert len({each.place for each in routes}) == group.routes == 4
    for each in routes:
        assert each.place is not None
        planned = make_route(town.roads, *each)
        gx, gy = planned.goal
        assert np.hypot(gx - each.place.x, gy - each.place.y) < 4.0
        episode = Episode(
            *("s", "g", "train", "state", 0, each.lanes, each.length, 0, 0, None, 0.0, 60.0, 60.0),
            *("parking", "parking_driver.py"),
            place=each.place,
        )
        assert Episode.from_json(episode.to_json()) == episode
    with pytest.raises(UserError, match="found 0 of 4 routes to free perpendicular places"):
        plan_in(town, replace(group, parking="perpendicular"))
