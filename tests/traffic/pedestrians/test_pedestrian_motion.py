"""How people walk: past each other and past posts, as fast as in reality, each time the same."""

import numpy as np
import pytest

from autosim.traffic.road_users import B
from autosim.traffic.traffic_node import P
from autosim.traffic.vehicles.spawning import SPAWN_VISIBILITY
from autosim.traffic.ways.walk_network import WayKind
from tests.traffic.pedestrians.towns import (
    around,
    block,
    crowd,
    room_between,
    speed_in_ring,
    street,
    walk,
)


def weidmann(density):
    """Speed [m/s] at a density [1/m²]: Weidmann, Transporttechnik der Fussgänger (1993)."""
    return 1.34 * (1.0 - np.exp(-1.913 * (1.0 / density - 1.0 / 5.4)))


@pytest.mark.parametrize("density", [0.5, 1.0, 2.0, 3.0])
def test_people_are_as_fast_as_weidmanns_at_each_density(density):
    assert speed_in_ring(density) == pytest.approx(weidmann(density), rel=0.15)


def test_a_run_is_the_same_each_time_and_another_with_another_seed():
    runs = []
    for seed in (1, 1, 2):
        people, state = crowd(block(), 40, seed)
        walk(people, state, 20.0, around(40))
        runs.append(state.tobytes() + people.rows.tobytes())
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_nobody_walks_into_another_and_all_get_on():
    people, state = crowd(block(), 60)
    met, step = around(60), 0
    before = state[:, P.walked].copy()
    assert (state[:, P.kind] >= 0.0).all()
    for _ in range(80):
        step = walk(people, state, 0.5, met, step)
        assert room_between(people, state) > -0.02
    walked = state[:, P.walked] - before
    assert walked.mean() > 0.75 * 40.0 * people.rows["pace"].mean()
    assert walked.min() > 10.0


def test_people_stay_on_their_ways():
    people, state = crowd(block(edge=40.0, half=0.5), 40)
    step = 0
    for _ in range(60):
        step = walk(people, state, 0.5, around(40), step)
        x, y = state[:, P.x], state[:, P.y]
        inside = np.minimum(np.minimum(x, 40.0 - x), np.minimum(y, 40.0 - y))
        assert np.abs(inside).max() < 0.5 + 0.25 + 0.15


def test_a_density_is_one_per_length_of_pavement():
    _, state = crowd(block(100.0), 50, density=20.0)
    assert (state[:, P.kind] >= 0.0).sum() == 8


def test_two_streams_that_meet_on_a_crossing_get_through():
    people, state = crowd(street(WayKind.CROSSING), 40)
    meet = around(40)
    for step in range(20 * 120):
        people.advance(step, state, meet)
    before = state[:, P.walked].copy()
    for step in range(20 * 120, 20 * 180):
        people.advance(step, state, meet)
    about = state[:, P.kind] >= 0.0
    assert np.median((state[:, P.walked] - before)[about]) > 20.0


def test_people_go_round_a_post_in_their_way():
    posts = np.array([(10.0, 0.0, 0.15), (25.0, 0.3, 0.15), (40.0, 20.0, 0.15)])
    people, state = crowd(block(half=0.6), 12, posts=posts)
    step, nearest = 0, np.inf
    for _ in range(600):
        step = walk(people, state, 0.1, around(12), step)
        gaps = np.hypot(state[:, P.x, None] - posts[:, 0], state[:, P.y, None] - posts[:, 1])
        nearest = min(nearest, float((gaps - 0.15 - people.rows["radius"][:, None]).min()))
    assert nearest > -0.05
    assert state[:, P.speed].mean() > 0.9 * people.rows["pace"].mean()


def test_people_turn_to_where_they_go():
    people, state = crowd(block(), 5)
    walk(people, state, 5.0, around(5))
    speed = np.column_stack([people.rows["speed_x"], people.rows["speed_y"]])
    ahead = np.column_stack([np.cos(state[:, P.yaw]), np.sin(state[:, P.yaw])])
    share = (speed * ahead).sum(axis=1) / np.linalg.norm(speed, axis=1)
    assert np.median(share) > 0.9


def robot_at(x, y):
    """The boxes of one robot, and of a place that no robot has."""
    boxes = np.zeros((2, len(B)))
    boxes[0, [B.x, B.y, B.half_length]] = x, y, 2.0
    return boxes


def test_people_go_and_come_back_where_no_robot_sees_it():
    people, state = crowd(block(400.0), 40)
    robot = robot_at(0.0, 0.0)

    def about():
        return int((state[:, P.kind] >= 0.0).sum())

    near = np.hypot(state[:, P.x], state[:, P.y]) < SPAWN_VISIBILITY
    assert 0 < near.sum() < 30
    people.keep(0, state, robot, 6)
    assert about() == near.sum(), "who is seen stays"
    walk(people, state, 1.0, around(40))
    for step in range(300):
        before = state[:, P.kind] < 0.0
        people.keep(30, state, robot, step)
        came = before & (state[:, P.kind] >= 0.0)
        assert (np.hypot(state[came, P.x], state[came, P.y]) > SPAWN_VISIBILITY).all()
    assert about() == 30
    walked = state[:, P.walked].copy()
    walk(people, state, 5.0, around(40))
    is_about = state[:, P.kind] >= 0.0
    assert (state[is_about, P.walked] > walked[is_about]).mean() > 0.9
    for step in range(300):
        people.keep(None, state, robot, step)
    assert about() == 40, "as many as at first"
