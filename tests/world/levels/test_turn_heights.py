"""Turns between streets: their heights beside carriageways, and how far they reach into decks."""

import numpy as np
import pytest

from autosim.world.lanes.lane_drafts import LaneDraft, LanePlan, TurningHead
from autosim.world.levels.head_heights import head_samples
from autosim.world.levels.heights import StreetSamples, level_height
from autosim.world.levels.junction_reaches import clear_of_separations, junction_reaches
from autosim.world.levels.level_division import GROUND, divide_into_levels
from autosim.world.levels.turn_heights import find_turns, turn_samples
from autosim.world.profiles.grade_separations import find_separations
from autosim.world.profiles.profile import Profile
from autosim.world.validation.soundness import measures
from tests.world.maps import build_map
from tests.world.one_street import street

# Two streets that part at the origin at 40 degrees: one level, one falling by one in ten.
ANGLE = np.radians(40.0)
FORK = [
    street(0, 1, [(0.0, 0.0), (80.0, 0.0)]),
    street(0, 2, [(0.0, 0.0), (80.0 * np.cos(ANGLE), 80.0 * np.sin(ANGLE))]),
]
S = np.arange(0.0, 81.0, 8.0)
PROFILES = [Profile(S, 0.0 * S, 0.0 * S), Profile(S, -0.1 * S, -0.1 + 0.0 * S)]


def across():
    """A turn from the one street into the other, far before they meet."""
    t = np.linspace(0.0, 1.0, 30)[:, None]
    start, end = np.array([40.0, 0.0]), 40.0 * np.array([np.cos(ANGLE), np.sin(ANGLE)])
    control = np.array([26.0, 9.5])
    points = (1.0 - t) ** 2 * start + 2.0 * t * (1.0 - t) * control + t**2 * end
    return LaneDraft(1, 0, points, 3.0, FORK[1].profile, is_connector=True)


def by_streets_alone():
    parts = []
    for each, profile in zip(FORK, PROFILES, strict=True):
        ahead = (each.points[1] - each.points[0]) / 80.0
        s = np.arange(0.0, 81.0, 2.0)
        parts.append(
            StreetSamples(
                s[:, None] * ahead,
                profile.at(s),
                profile.grade_at(s)[:, None] * ahead,
                np.full((len(s), 2), 2.75),
                np.tile([-ahead[1], ahead[0]], (len(s), 1)),
            )
        )
    return StreetSamples.joined(parts)


def steepest_change(height, line):
    """The largest change of grade from one metre to the next."""
    return np.abs(np.diff(height(line), 2)).max()


def test_a_turn_between_two_streets_leads_smoothly_from_one_height_to_the_other():
    turn = across()
    turns = find_turns(LanePlan([turn]), divide_into_levels(FORK, PROFILES))
    assert [each.level for each in turns] == [GROUND]
    alone = by_streets_alone()
    own = turn_samples(turns, FORK, level_height(alone))
    assert len(own.points) > 2
    t = np.linspace(0.0, 1.0, 25)
    line = np.column_stack([np.interp(t, np.linspace(0.0, 1.0, 30), p) for p in turn.points.T])
    both = level_height(StreetSamples.joined([alone, own]))
    assert steepest_change(both, line) < 0.6 * steepest_change(level_height(alone), line)


def test_streets_keep_their_heights_beside_such_a_turn():
    alone = by_streets_alone()
    turns = find_turns(LanePlan([across()]), divide_into_levels(FORK, PROFILES))
    both = level_height(
        StreetSamples.joined([alone, turn_samples(turns, FORK, level_height(alone))])
    )
    axis = np.column_stack([np.linspace(20.0, 70.0, 51), np.zeros(51)])
    assert np.abs(both(axis)).max() < 0.03


def test_a_turn_at_one_height_needs_no_samples():
    turns = find_turns(LanePlan([across()]), divide_into_levels(FORK, PROFILES))
    assert not len(turn_samples(turns, FORK, lambda points: np.zeros(len(points))).points)


def test_a_turn_that_continues_an_outer_lane_ends_at_the_edge_of_its_streets():
    """Another street may lie higher beyond it, and is not the turn's."""
    ahead = np.array([np.cos(ANGLE), np.sin(ANGLE)])
    left = np.array([-ahead[1], ahead[0]])
    streets = [street(k, k + 1, [40.0 * k * ahead, 40.0 * (k + 1) * ahead]) for k in range(2)]
    half = streets[0].profile.width / 2.0
    line = np.linspace(20.0, 60.0, 30)[:, None] * ahead + half / 2.0 * left
    turn = LaneDraft(1, 0, line, half, streets[1].profile, is_connector=True)
    profiles = [Profile(S[:6], 0.0 * S[:6], 0.0 * S[:6])] * 2

    def height(points):
        return 0.01 * points @ ahead + (points @ left > half - 0.2)

    turns = find_turns(LanePlan([turn]), divide_into_levels(streets, profiles))
    assert not len(turn_samples(turns, streets, height).points)


def test_a_junction_reaches_into_a_bridge_as_far_as_its_turns_do():
    turn = across()
    bridge = street(0, 2, 2.0 * FORK[1].points, layer=1)
    near = LaneDraft(1, 0, 0.5 * turn.points, 3.0, FORK[1].profile, is_connector=True)
    assert junction_reaches([near], [FORK[0], bridge]) == {(1, True): pytest.approx(21.0)}
    assert junction_reaches([near, turn], [FORK[0], bridge]) == {(1, True): 30.0}
    assert junction_reaches([turn], FORK) == {}


def test_a_junction_does_not_reach_into_a_tunnel_to_where_a_street_leads_over_it():
    tunnel = street(0, 1, [(0.0, 0.0), (80.0, 0.0)], layer=-1)
    over = street(2, 3, [(20.0, -50.0), (20.0, 50.0)])
    ramp = street(0, 4, [(0.0, 0.0), (-80.0, 0.0)])
    streets = [tunnel, over, ramp]
    separations = find_separations(streets)
    wanted = {(0, True): 30.0, (0, False): 30.0}
    reaches = clear_of_separations(wanted, streets, separations, levels=[1, 0, 0])
    assert reaches[(0, True)] == pytest.approx(20.0 - tunnel.profile.width, abs=1.0)
    assert reaches[(0, False)] == 30.0
    # Where the node is on a deck itself, a street of the ground is not in its way.
    assert clear_of_separations(wanted, streets, separations, levels=[2, 0, 1]) == wanted


def test_a_turning_head_has_one_height_to_its_edge():
    """Also where the terrain beside the street falls, and where the street winds in its head."""
    head = TurningHead(0, np.array([70.0, 0.0]), 9.6)
    alone = StreetSamples.joined([by_streets_alone().select(np.arange(82) < 36)])
    terrain = level_height(alone, lambda points: -0.5 * np.abs(points[:, 1]))
    own = head_samples([head], FORK, PROFILES)
    both = level_height(
        StreetSamples.joined([alone, own]), lambda points: -0.5 * np.abs(points[:, 1])
    )
    turn = np.linspace(0.0, 2.0 * np.pi, 40)
    ring = head.centre + 9.0 * np.column_stack([np.cos(turn), np.sin(turn)])
    assert np.abs(terrain(ring)).max() > 0.5
    assert np.abs(both(ring)).max() < 0.05


TRACK = {"highway": "track"}
ROAD = {"highway": "secondary"}


def test_a_track_beside_the_ramp_of_a_tunnel_is_left_without_a_step(tmp_path):
    """The turn from the track leads beside the ramp past where the ground's level used to end."""
    ways = [
        (((-160.0, 3.0), (-40.0, 0.0), (0.0, 0.0)), ROAD | {"tunnel": "yes", "layer": "-1"}),
        (((0.0, 0.0), (60.0, -7.0), (160.0, -9.0)), ROAD),
        (((-30.0, 70.0), (-14.0, 22.0), (0.0, 0.0)), TRACK),
        (((-100.0, -80.0), (-90.0, 80.0)), {"highway": "residential"}),
    ]
    world = build_map(tmp_path, ways, side="right")
    assert [each.name for each in measures(world) if each.is_broken] == []
