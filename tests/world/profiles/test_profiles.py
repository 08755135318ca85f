"""Heights of streets by least squares."""

import numpy as np
import pytest

from autosim.world.lanes.lane_drafts import TurningHead
from autosim.world.profiles.chains import Chain, places_on
from autosim.world.profiles.clearance_obstacles import Obstacles
from autosim.world.profiles.design_standard import STANDARD
from autosim.world.profiles.grade_separations import find_separations, no_separations
from autosim.world.profiles.profile import Profile, heights_along
from autosim.world.profiles.profile_problem import ProfileProblem
from tests.world.one_street import street

NO_OBSTACLES = Obstacles(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))


def solve(streets, terrain, separations=None, heads=()):
    found = find_separations(streets) if separations is None else separations
    problem = ProfileProblem(streets, terrain=terrain, obstacles=NO_OBSTACLES, heads=heads)
    return problem.solve(found, no_separations())


def steepest(profiles):
    return max(float(np.abs(np.diff(p.z) / np.diff(p.s)).max()) for p in profiles)


def hill(points):
    return 0.05 * points[:, 0]


def test_a_street_follows_gentle_terrain():
    (profile,) = solve([street(0, 1, [(0, 0), (200, 0)])], hill)
    assert profile.z == pytest.approx(0.05 * profile.s, abs=0.05)
    assert profile.grade_at(100.0) == pytest.approx(0.05, abs=0.002)


def test_streets_share_the_height_of_their_node():
    streets = [street(0, 1, [(0, 0), (90, 0)]), street(1, 2, [(90, 0), (90, 70)])]
    first, second = solve(streets, hill)
    assert first.z[-1] == second.z[0]


@pytest.mark.parametrize("highway", ["motorway", "residential", "track"])
def test_no_street_is_steeper_than_its_class_may_be(highway):
    rough = np.random.default_rng(1).normal(0.0, 8.0, 400)

    def terrain(points):
        return np.interp(points[:, 0], np.arange(400.0) * 3.0, rough)

    one = street(0, 1, [(0, 0), (600, 0)], highway=highway)
    profiles = solve([one], terrain)
    assert steepest(profiles) < STANDARD.grade_limit(one) + 0.005


def test_a_turning_head_is_nearly_level():
    head = TurningHead(0, np.array([190.0, 0.0]), 9.6)
    one = street(0, 1, [(0, 0), (200, 0)])
    (with_head,) = solve([one], lambda points: 0.12 * points[:, 0], heads=[head])
    (without,) = solve([one], lambda points: 0.12 * points[:, 0])
    s = np.linspace(180.0, 200.0, 9)
    assert np.abs(with_head.grade_at(s)).max() < 0.05
    assert np.abs(without.grade_at(s)).min() > 0.1
    assert with_head.grade_at(80.0) > 0.1


def test_a_hairpin_is_less_steep_than_its_class_may_be():
    turn = np.radians(np.linspace(-90.0, 90.0, 13))
    arc = np.column_stack([100.0 + 5.0 * np.cos(turn), 5.0 + 5.0 * np.sin(turn)])
    one = street(0, 1, [(0, 0), *arc, (0, 10)])
    (profile,) = solve([one], lambda points: 0.14 * np.hypot(points[:, 0], 10.0 * points[:, 1]))
    within = (profile.s > 102.0) & (profile.s < 114.0)
    assert np.abs(profile.grades[within]).max() < 0.6 * STANDARD.grade_limit(one)


def test_a_crossing_gets_its_clearance():
    streets = [
        street(0, 1, [(-100, 0), (-20, 0)]),
        street(1, 2, [(-20, 0), (20, 0)], layer=1),
        street(2, 3, [(20, 0), (100, 0)]),
        street(4, 5, [(0, -100), (0, 100)]),
    ]
    separations = find_separations(streets)
    assert set(zip(separations.upper.tolist(), separations.lower.tolist(), strict=True)) == {(1, 3)}
    profiles = solve(streets, lambda points: np.zeros(len(points)), separations)
    gap = profiles[1].at(20.0) - profiles[3].at(100.0)
    assert gap == pytest.approx(5.5, abs=0.1)
    assert steepest(profiles) < 0.165


def test_the_grade_limit_goes_before_the_clearance():
    streets = [
        street(0, 1, [(-30, 0), (-20, 0)]),
        street(1, 2, [(-20, 0), (20, 0)], layer=1),
        street(2, 3, [(20, 0), (30, 0)]),
        street(4, 5, [(0, -40), (0, 40)]),
        street(6, 0, [(-30, -300), (-30, 0)]),
        street(3, 7, [(30, 0), (30, 300)]),
    ]
    profiles = solve(streets, lambda points: np.zeros(len(points)))
    assert steepest(profiles) < 0.165


def test_streets_that_meet_do_not_cross():
    streets = [street(0, 1, [(0, 0), (50, 0)], layer=1), street(1, 2, [(50, 0), (20, 4)])]
    assert not len(find_separations(streets).upper)


def test_a_tunnel_goes_under_the_ground_and_comes_up_at_its_ends():
    streets = [
        street(0, 1, [(-200, 0), (-100, 0)]),
        street(1, 2, [(-100, 0), (100, 0)], layer=-1),
        street(2, 3, [(100, 0), (200, 0)]),
    ]
    nothing = no_separations()
    first, tunnel, _ = solve(streets, lambda points: np.zeros(len(points)), nothing)
    assert tunnel.at(100.0) < -4.0
    assert abs(first.z[0]) < 1.0


def test_of_two_decks_on_one_bridge_the_lower_one_stays_over_the_ground():
    streets = [
        street(0, 1, [(-150, -3), (150, 3)], layer=2),
        street(2, 3, [(-150, 3), (150, -3)], layer=1),
    ]
    upper, lower = solve(streets, lambda points: np.zeros(len(points)))
    assert lower.z.min() > -0.3
    assert upper.at(150.0) - lower.at(150.0) > 5.0


def test_crests_are_no_rounder_than_the_class_allows():
    def ridge(points):
        return -0.3 * np.abs(points[:, 0] - 200.0)

    one = street(0, 1, [(0, 0), (400, 0)], highway="residential")
    (profile,) = solve([one], ridge)
    s = np.arange(0.0, 400.0, 4.0)
    radius = -16.0 / np.diff(profile.at(s), 2).min()
    assert radius > 0.6 * STANDARD.crest_radius(one)
    assert steepest([profile]) < STANDARD.grade_limit(one) + 0.005


def test_streets_go_on_into_one_another_without_a_kink():
    def ridge(points):
        return -0.1 * np.abs(points[:, 0] - 100.0)

    first, second = solve(
        [street(0, 1, [(0, 0), (100, 0)]), street(2, 1, [(200, 0), (100, 0)])], ridge
    )
    assert first.grade_at(100.0) == pytest.approx(-second.grade_at(100.0), abs=1e-9)


def test_places_on_chains_are_between_their_neighbours_and_never_beyond_an_end():
    first = Chain(np.array([0, 1, 2]), np.array([0.0, 4.0, 8.0]), np.zeros((3, 2)))
    second = Chain(np.array([2, 5]), np.array([0.0, 6.0]), np.zeros((2, 2)))
    unknowns, shares = places_on([first, second], [0, 0, 1, 1, 1], [5.0, 9.0, 1.5, -1.0, 6.0])
    assert unknowns.tolist() == [[1, 2], [1, 2], [2, 5], [2, 5], [2, 5]]
    np.testing.assert_allclose(shares[:, 1], [0.25, 1.0, 0.25, 0.0, 1.0])
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_many_profiles_at_once_say_what_each_says():
    rng = np.random.default_rng(2)
    lengths = (2, 5, 3)
    profiles = [
        Profile(np.cumsum(rng.uniform(1.0, 9.0, n)), rng.normal(size=n), rng.normal(size=n))
        for n in lengths
    ]
    numbers = rng.integers(0, len(profiles), 200)
    # Beyond both ends too, and exactly at places of the profiles.
    s = np.where(rng.random(200) < 0.8, rng.uniform(-5.0, 40.0, 200), 0.0)
    s[:3] = [profiles[k].s[-1] for k in numbers[:3]]
    each = [profiles[k].both_at(at) for k, at in zip(numbers, s, strict=True)]
    assert np.array_equal(np.transpose(heights_along(profiles, numbers, s)), np.array(each))
