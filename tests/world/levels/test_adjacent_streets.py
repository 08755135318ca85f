"""Streets beside one another at different heights: each has its own side of what is between."""

import math
from dataclasses import replace

import numpy as np
import pytest
import shapely

from autosim.world.geometry.curves import arc_lengths
from autosim.world.lanes.lane_drafts import LaneDraft, LanePlan
from autosim.world.levels.adjacent_streets import find_adjacent_streets
from autosim.world.levels.borders import beyond_borders
from autosim.world.levels.lane_shifts import shifted_lanes
from autosim.world.levels.level_division import divide_into_levels
from autosim.world.profiles.profile import Profile
from autosim.world.validation.soundness import measures
from tests.world.maps import build_map
from tests.world.one_street import street

WIDTH = 7.0


def level(line, z):
    """A profile at one height."""
    s = np.linspace(0.0, float(arc_lengths(line.points)[-1]), 9)
    return Profile(s, np.full(9, z), np.zeros(9))


def beside(rise, *, gap=4.0, layer=0):
    """Two streets, 7 m wide, and what they have at their sides: the first one to its left."""
    streets = [
        street(0, 1, [(0, 0), (100, 0)]),
        replace(street(2, 3, [(0, gap), (100, gap)]), layer=layer),
    ]
    streets = [replace(s, profile=replace(s.profile, width=WIDTH)) for s in streets]
    profiles = [level(streets[0], 1.0), level(streets[1], 1.0 + rise)]
    levels = divide_into_levels(streets, profiles)
    return streets, levels, find_adjacent_streets(streets, profiles, levels)


def test_streets_of_one_height_have_all_their_width():
    _, _, adjacent = beside(0.0)
    assert not adjacent.side_clearances
    assert not len(adjacent.cliffs)


@pytest.mark.parametrize("rise", [2.0, -2.0, 12.0])
def test_streets_of_different_heights_share_what_is_between_their_axes(rise):
    _, _, adjacent = beside(rise)
    left, right = adjacent.side_clearances[0].at([20.0, 50.0])
    other_left, other_right = adjacent.side_clearances[1].at([20.0, 50.0])
    assert right == pytest.approx([3.5, 3.5])
    assert other_left == pytest.approx([3.5, 3.5])
    assert (left > 1.4).all()
    assert (left + other_right < 4.0).all()
    assert len(adjacent.cliffs)


def test_streets_with_room_between_them_keep_it():
    _, _, adjacent = beside(2.0, gap=9.0)
    assert not adjacent.side_clearances


def test_the_arms_of_a_hairpin_are_neighbours():
    line = street(0, 1, [(0, 0), (60, 0), (63, 2), (60, 4), (0, 4)])
    line = replace(line, profile=replace(line.profile, width=WIDTH))
    s = arc_lengths(line.points)
    profiles = [Profile(s, 0.1 * s, np.full(len(s), 0.1))]
    adjacent = find_adjacent_streets([line], profiles, divide_into_levels([line], profiles))
    left, right = adjacent.side_clearances[0].at(20.0)
    assert left < 2.0 < right


def test_levels_end_at_the_border_between_them():
    streets, levels, adjacent = beside(2.0, layer=-1)
    bodies = []
    for k in (0, 1):
        (piece,) = levels.pieces[k]
        body = shapely.LineString(streets[k].points).buffer(WIDTH / 2.0)
        bodies.append(body - beyond_borders(piece, streets[k], adjacent.side_clearances[k]))
    assert bodies[0].distance(bodies[1]) == pytest.approx(0.6, abs=0.1)
    assert all(body.area > 100.0 * 5.0 for body in bodies)


@pytest.mark.parametrize("rise", [0.04, 0.06, 0.07, 0.08, 0.1])
def test_lanes_lie_on_their_level_where_two_levels_part(rise):
    """As soon as there is a gap between the floors, no lane reaches into it."""
    _, _, adjacent = beside(-rise, gap=2.0, layer=-1)
    own, other = (adjacent.side_clearances[k] for k in (0, 1))
    has_gap = own.left_border + other.right_border < 2.0
    assert has_gap.any() == (rise > 0.065)
    assert (own.left[has_gap] <= own.left_border[has_gap] + 1e-9).all()


def test_what_passes_clear_below_is_no_neighbour():
    _, _, adjacent = beside(-6.0, layer=-1)
    assert not adjacent.side_clearances


def test_lanes_and_connectors_move_into_the_room_that_there_is():
    streets, _, adjacent = beside(2.0)
    profile = streets[0].profile
    lanes = [
        LaneDraft(0, 0, np.array([(5.0, y), (80.0, y)]), 3.5, profile, False, [2] if y > 0 else [])
        for y in (1.75, -1.75)
    ]
    across = np.array([(80.0, 1.75), (100.0, -20.0)])
    plan = LanePlan([*lanes, LaneDraft(2, 0, across, 3.5, profile, True, [3])])
    plan.drafts.append(
        LaneDraft(2, 2, np.array([(100.0, -20.0), (100.0, -60.0)]), 3.5, profile, False)
    )
    moved = shifted_lanes(plan, streets, adjacent.side_clearances).drafts
    inner, outer = moved[0].points[:, 1], moved[1].points[:, 1]
    room = float(adjacent.side_clearances[0].left.min())
    assert inner.max() < room - 0.9
    assert (outer > -3.5 + 0.9).all()
    assert moved[0].width < 3.0
    assert moved[2].points[0] == pytest.approx(moved[0].points[-1])
    assert moved[2].points[-1] == pytest.approx(plan.drafts[3].points[0])
    assert moved[3] is plan.drafts[3]


def test_nothing_moves_where_there_is_room():
    streets, _, adjacent = beside(0.0)
    plan = LanePlan()
    assert shifted_lanes(plan, streets, adjacent.side_clearances) is plan


PRIMARY = {"highway": "primary", "oneway": "yes"}


@pytest.fixture(scope="module")
def dive(tmp_path_factory):
    """A street that dives into a tunnel under another, beside one that stays up."""
    along = [
        (((-250.0, 0.0), (-60.0, 0.0)), PRIMARY),
        (((-60.0, 0.0), (60.0, 0.0)), {**PRIMARY, "tunnel": "yes", "layer": "-1"}),
        (((60.0, 0.0), (250.0, 0.0)), PRIMARY),
        (((-250.0, 4.0), (250.0, 4.0)), PRIMARY),
        (((0.0, -150.0), (0.0, 4.0)), {"highway": "residential"}),
    ]
    return build_map(tmp_path_factory.mktemp("dive"), along)


def test_a_world_with_a_ramp_beside_a_street_is_sound(dive):
    assert {each.name: each.value for each in measures(dive) if each.is_broken} == {}


@pytest.mark.parametrize(("gap", "heading"), [(4.5, 1.3), (5.0, 0.3)])
def test_wheels_beside_the_mouth_of_a_tunnel_keep_their_floor(gap, heading, tmp_path):
    """The line on which the tunnel leaves the ground reaches into the lanes of another street."""

    def turned(*points):
        c, s = math.cos(heading), math.sin(heading)
        return tuple((round(c * x - s * y, 3), round(s * x + c * y, 3)) for x, y in points)

    road, street = {"highway": "secondary", "oneway": "yes"}, {"highway": "residential"}
    ways = [
        (turned((-200.0, 0.0), (0.0, 0.0)), road),
        (turned((0.0, 0.0), (120.0, 0.0)), {**road, "tunnel": "yes", "layer": "-1"}),
        (turned((120.0, 0.0), (320.0, 0.0)), road),
        (turned((-6.0, gap), (270.0, gap)), street),
        (turned((60.0, -100.0), (60.0, gap)), street),
    ]
    world = build_map(tmp_path, ways)
    assert {each.name: each.value for each in measures(world) if each.is_broken} == {}
