"""Infractions and the driving score, each term against a case computed by hand."""

import numpy as np
import pytest

from autosim.benchmark.infractions import Infraction, find_infractions
from autosim.benchmark.progress import RouteCourse
from autosim.benchmark.scores.driving_score import driving_score
from autosim.benchmark.trace import Trace
from autosim.world.lanes.lane_rules import Control, SignalState
from tests.benchmark.straight_road import around, route, street, trace

CRUISE = np.arange(0.0, 105.0, 0.5)
"""100 m at 5 m/s."""


def found(driven: Trace, control: Control = Control.NONE, line: float = np.nan) -> list[Infraction]:
    roads = street(control, line)
    way = route(roads)
    return find_infractions(driven, way, RouteCourse.of(driven, way), around(roads), "arrived")


def kinds(driven: Trace, control: Control = Control.NONE, line: float = np.nan) -> list[str]:
    return [each.kind for each in found(driven, control, line)]


def counted(sample: int) -> list[int]:
    return [int(k >= sample) for k in range(len(CRUISE))]


def test_a_clean_drive_has_no_infraction_and_scores_100() -> None:
    assert found(trace(CRUISE)) == []
    assert driving_score(1.0, []).score == 100.0


def test_a_route_that_is_half_driven_scores_50() -> None:
    roads = street()
    half = trace(CRUISE[CRUISE <= 50.0])
    completion = RouteCourse.of(half, route(roads)).completion(route(roads))
    assert driving_score(completion, []).score == 50.0


def test_collisions_name_their_partner_time_and_place() -> None:
    (hit,) = found(trace(CRUISE, collisions=counted(100), vehicle=(54.0, 0.0, 0.0, 0.0)))
    assert (hit.kind, hit.time, hit.x, hit.y) == ("collision_vehicle", 10.0, 50.0, 0.0)
    assert kinds(trace(CRUISE, collisions=counted(100), person=(52.4, 0.0))) == [
        "collision_pedestrian"
    ]
    assert kinds(trace(CRUISE, collisions=counted(100))) == ["collision_layout"]


def test_the_same_partner_counts_once_within_five_seconds() -> None:
    twice = [int(k >= 100) + int(k >= 110) for k in range(len(CRUISE))]
    parked = (54.0, 0.0, 0.0, 0.0)
    assert kinds(trace(CRUISE, collisions=twice, vehicle=parked)) == ["collision_vehicle"]
    later = [int(k >= 100) + int(k >= 160) for k in range(len(CRUISE))]
    assert len(kinds(trace(CRUISE, collisions=later))) == 2


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (SignalState.RED, ["red_light"]),
        (SignalState.RED_AMBER, ["red_light"]),
        (SignalState.GREEN, []),
        (SignalState.AMBER, []),
    ],
)
def test_a_line_may_not_be_passed_at_red(state: SignalState, expected: list[str]) -> None:
    # Stations of lanes begin 8 m before the start of the route.
    assert kinds(trace(CRUISE, signal=int(state)), Control.SIGNALS, 68.0) == expected


def test_a_stop_sign_wants_a_stop() -> None:
    (passed,) = found(trace(CRUISE), Control.STOP, 68.0)
    # The front is 2 m ahead of the middle and counts half a metre behind the line at x = 60 m.
    assert (passed.kind, passed.x) == ("stop_sign", pytest.approx(59.0))
    stopped = np.concatenate(
        [np.arange(0.0, 57.0, 0.5), np.full(20, 57.0), np.arange(57, 105, 0.5)]
    )
    assert kinds(trace(stopped), Control.STOP, 68.0) == []


def test_driving_beside_the_street_costs_its_share_of_the_way() -> None:
    ys = np.where((CRUISE >= 50.0) & (CRUISE < 60.0), -4.0, 0.0)
    driven = trace(CRUISE)
    driven.car[:, 1] = ys
    (outside,) = found(driven)
    assert outside.kind == "outside_route_lanes"
    assert outside.value == pytest.approx(100.0 * 10.0 / 104.0, abs=0.6)
    assert driving_score(1.0, [outside]).score == pytest.approx(100.0 - outside.value)


def test_the_lane_of_others_is_the_wrong_way() -> None:
    assert kinds(trace(CRUISE, y=4.0)) == ["outside_route_lanes"]


def test_a_part_driven_at_half_the_speed_of_traffic_costs_15_percent() -> None:
    driven = trace(CRUISE, vehicle=(50.0, 30.0, 0.0, 10.0))
    slow = [each for each in found(driven) if each.kind == "min_speed"]
    assert [each.value for each in slow] == pytest.approx([50.0] * 4)
    # 1 - (1 - 0.7) (1 - 0.5) = 0.85 for each of the four parts.
    assert driving_score(1.0, slow).penalty == pytest.approx(0.85**4)


@pytest.mark.parametrize(
    ("kind", "factor"),
    [
        ("collision_pedestrian", 0.5),
        ("collision_vehicle", 0.6),
        ("collision_layout", 0.65),
        ("red_light", 0.7),
        ("stop_sign", 0.8),
        ("agent_blocked", 1.0),
    ],
)
def test_each_infraction_has_the_factor_of_the_leaderboard(kind: str, factor: float) -> None:
    one = Infraction(kind, 0.0, 0.0, 0.0, "")
    assert driving_score(0.8, [one]).score == pytest.approx(80.0 * factor)
    assert driving_score(0.8, [one, one]).score == pytest.approx(80.0 * factor**2)


def test_what_ended_a_route_early_is_listed() -> None:
    roads = street()
    way, driven = route(roads), trace(np.full(10, 20.0))
    driven.car[:, 4] = 0.0
    (blocked,) = find_infractions(
        driven, way, RouteCourse.of(driven, way), around(roads), "blocked"
    )
    assert (blocked.kind, blocked.x) == ("agent_blocked", 20.0)
