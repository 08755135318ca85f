"""nuPlan's closed-loop score, each term against a case computed by hand."""

import numpy as np
import pytest

from autosim.benchmark.progress import RouteCourse
from autosim.benchmark.scores import closed_loop_score as score
from autosim.benchmark.scores.comfort import comfort_of, slopes
from tests.benchmark.straight_road import around, route, street, trace

CRUISE = np.arange(0.0, 105.0, 0.5)
"""100 m at 5 m/s."""

FIELD = around(street())


def test_a_clean_drive_scores_100() -> None:
    driven, way = trace(CRUISE), route(FIELD.roads)
    result = score.closed_loop_score(driven, way, RouteCourse.of(driven, way), FIELD)
    assert result.score == 100.0


def test_terms_weigh_5_5_4_2_and_factors_multiply() -> None:
    terms = {"progress": 0.5, "time_to_collision": 1.0, "speed_limit": 0.5, "comfort": 0.0}
    # (5 × 0.5 + 5 × 1 + 4 × 0.5 + 2 × 0) / 16 = 9.5 / 16.
    assert score.weighted_score({}, terms) == pytest.approx(59.375)
    assert score.weighted_score({"a": 0.5, "b": 1.0}, terms) == pytest.approx(29.6875)


def test_collisions_with_fixed_things_halve_the_score_and_two_end_it() -> None:
    in_lane = np.ones(len(CRUISE), dtype=np.bool_)
    steps = np.arange(len(CRUISE))
    once = (steps >= 20).astype(int)
    twice = once + (steps >= 120)
    assert score.collision_term(trace(CRUISE), in_lane) == 1.0
    assert score.collision_term(trace(CRUISE, collisions=once.tolist()), in_lane) == 0.5
    assert score.collision_term(trace(CRUISE, collisions=twice.tolist()), in_lane) == 0.0


@pytest.mark.parametrize(
    ("own_speed", "place", "other_speed", "is_in_lane", "at_fault"),
    [
        (0.0, (4.0, 0.0), 5.0, True, False),  # the car stands
        (5.0, (-4.0, 0.0), 0.0, True, True),  # the other one stands
        (5.0, (4.0, 0.5), 3.0, True, True),  # it is ahead
        (5.0, (-4.0, 0.5), 8.0, True, False),  # it hits the car from behind
        (5.0, (0.0, 2.0), 5.0, True, False),  # it comes from the side
        (5.0, (0.0, 2.0), 5.0, False, True),  # the car changes lanes
    ],
)
def test_fault_of_a_collision(
    own_speed: float,
    place: tuple[float, float],
    other_speed: float,
    is_in_lane: bool,
    at_fault: bool,
) -> None:
    car = np.array([0.0, 0.0, 0.0, 0.0, own_speed, 0.0])
    other = np.array([*place, 0.0, 2.0, 1.0])
    assert score.is_at_fault(car, other, other_speed, is_in_lane) == at_fault


def test_a_corner_may_be_30_centimetres_off_the_street() -> None:
    # The carriageway ends at y = -2 m, the car is 2 m wide.
    assert score.drivable_term(trace(CRUISE, y=-1.25), FIELD) == 1.0
    assert score.drivable_term(trace(CRUISE, y=-1.35), FIELD) == 0.0


@pytest.mark.parametrize(("speed", "expected"), [(1.9, 1.0), (5.0, 0.5), (7.0, 0.0)])
def test_driving_against_the_lane_costs_by_the_distance_in_a_second(
    speed: float, expected: float
) -> None:
    xs = np.arange(0.0, 50.0, speed / 10.0)
    # The other lane leads west.
    assert score.direction_term(trace(xs, y=5.5), FIELD) == expected


def test_the_time_to_a_standing_vehicle_ends_at_0_95_seconds() -> None:
    # At 10 m/s; a saloon of traffic is centred in front of the car.
    half = trace([0.0, 1.0], vehicle=(0.0, 0.0, 0.0, 0.0)).vehicle_halves()[0, 0, 0]
    in_lane = np.array([True, True])
    for gap, expected in ((8.9, True), (9.6, False)):
        middle = 1.0 + 2.0 + gap + float(half)
        driven = trace([0.0, 1.0], vehicle=(middle, 0.0, 0.0, 0.0))
        assert bool(score.is_too_near(driven, in_lane)[1]) == expected


def test_vehicles_at_the_side_count_only_outside_a_lane() -> None:
    driven = trace([0.0, 1.0], vehicle=(5.0, 5.0, -np.pi / 2, 5.0))
    assert not score.is_too_near(driven, np.array([True, True])).any()
    assert score.is_too_near(driven, np.array([False, False])).all()


def test_speed_above_the_limit_costs_its_integral() -> None:
    # 1.115 m/s above 10 m/s, half of 2.23 m/s, all the time.
    xs = np.arange(0.0, 150.0, 1.1115)
    assert score.speed_term(trace(xs), FIELD) == pytest.approx(1.0 - 1.115 / 2.23, abs=1e-9)
    assert score.speed_term(trace(CRUISE), FIELD) == 1.0


def test_slopes_of_a_parabola_are_exact_inside() -> None:
    times = np.arange(40) * 0.1
    assert slopes(3.0 * times**2, 0.1)[7:-7] == pytest.approx(6.0 * times[7:-7])


def test_braking_harder_than_4_05_is_not_comfortable() -> None:
    def braking(deceleration: float) -> float:
        # 2 s at 15 m/s, then braking, whose onset the filter of 1.5 s smooths.
        speeds = np.concatenate([np.full(20, 15.0), 15.0 - deceleration * np.arange(0, 3, 0.1)])
        driven = trace(np.cumsum(speeds) * 0.1)
        driven.car[:, 4] = speeds
        return comfort_of(driven).lon_braking

    assert braking(4.0) == pytest.approx(-4.0)
    assert braking(4.2) == pytest.approx(-4.2)
    gentle = trace(CRUISE)
    assert comfort_of(gentle).is_comfortable


def test_turning_at_one_radian_a_second_is_not_comfortable() -> None:
    yaws = np.cumsum(np.full(40, 0.1))
    driven = trace(np.zeros(40), yaw=yaws)
    assert comfort_of(driven).yaw_rate == pytest.approx(1.0)
    assert not comfort_of(driven).is_comfortable


def test_a_fifth_of_the_route_is_progress() -> None:
    way = route(FIELD.roads)
    for end, expected in ((19.0, 0.0), (21.0, 1.0)):
        driven = trace(CRUISE[end >= CRUISE])
        result = score.closed_loop_score(driven, way, RouteCourse.of(driven, way), FIELD)
        assert result.making_progress == expected
