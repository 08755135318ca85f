"""Bridges and tunnels: streets above and below one another."""

import numpy as np
import pytest
import shapely

from autosim.world.compiled.ground_index import GroundIndex, all_levels, height_at, on_carriageway
from autosim.world.geometry.meshes import Surface
from autosim.world.levels.level_division import divide_into_levels
from autosim.world.profiles.grade_separations import GradeSeparations
from autosim.world.profiles.profile import Profile
from autosim.world.validation.soundness import measures
from tests.world.crossing_streets import BRIDGE, UNDER, over
from tests.world.maps import RESIDENTIAL, build_map
from tests.world.one_street import street

TUNNEL = {**RESIDENTIAL, "tunnel": "yes", "layer": "-1"}


def square(x, y, side=12.0):
    h = side / 2.0
    return ((x - h, y - h), (x + h, y - h), (x + h, y + h), (x - h, y + h), (x - h, y - h))


@pytest.fixture(scope="module")
def bridge(tmp_path_factory):
    return build_map(tmp_path_factory.mktemp("bridge"), over(BRIDGE))


@pytest.fixture(scope="module")
def tunnel(tmp_path_factory):
    house = (square(16.0, 0.0, 8.0), {"building": "yes"})
    in_street = (square(140.0, 0.0, 8.0), {"building": "yes"})
    return build_map(tmp_path_factory.mktemp("tunnel"), [*over(TUNNEL, 100.0), house, in_street])


def counts(world):
    return {each.name: each.value for each in measures(world) if each.is_broken}


def lanes_along_x(world):
    return [lane for lane in world.roads.lanes if abs(np.cos(lane.heading(0.0))) > 0.9]


def test_a_bridge_clears_the_street_below(bridge):
    assert counts(bridge) == {}
    upper, lower = height_at(bridge, [[0.0, 0.0, 9.0], [0.0, 0.0, -9.0]])
    assert upper - lower > 5.0
    assert dict(bridge.invariants)["min_clearance_m"] > 5.0


def test_both_levels_are_carriageway_and_without_a_height_any_counts(bridge):
    z = height_at(bridge, [[0.0, 0.0, 9.0], [0.0, 0.0, -9.0]])
    points = [[0.0, 0.0, z[0]], [0.0, 0.0, z[1]], [10.0, 0.0, z[0]], [10.0, 0.0, z[1]]]
    assert on_carriageway(bridge, points).tolist() == [True, True, True, False]
    assert on_carriageway(bridge, [[10.0, 0.0], [10.0, 30.0]]).tolist() == [True, False]


def test_without_a_height_the_ground_is_meant(bridge):
    (z,) = height_at(bridge, [[10.0, 0.0]])
    assert z < height_at(bridge, [[10.0, 0.0, 9.0]])[0] - 2.0


def test_lanes_go_over_the_bridge_in_one_line(bridge):
    lanes = lanes_along_x(bridge)
    assert max(lane.centre_line[:, 2].max() for lane in lanes) > 2.5
    for lane in lanes:
        for follower in lane.successors:
            gap = bridge.roads.lanes[follower].centre_line[0] - lane.centre_line[-1]
            assert np.abs(gap).max() < 0.1


def test_no_lane_is_steeper_than_its_class_may_be(bridge):
    for lane in bridge.roads.lanes:
        grades = np.abs(np.diff(lane.centre_line[:, 2]) / np.diff(lane.stations))
        assert grades.max() < 0.16 + 0.02


def test_parapets_stand_beside_the_carriageway_and_not_on_it(bridge):
    mesh = bridge.structures
    tops = mesh.vertices[np.unique(mesh.triangles[mesh.surfaces == Surface.CONCRETE])]
    (deck,) = height_at(bridge, [[0.0, 0.0, 9.0]])
    _, triangles, heights = GroundIndex.build(mesh).hits([[x, 0.0] for x in range(-18, 19)])
    assert (heights[mesh.surfaces[triangles] == Surface.CONCRETE] < deck - 0.5).all()
    beside = tops[(np.abs(tops[:, 0]) < 15.0) & (np.abs(tops[:, 1]) > 3.5)]
    assert beside[:, 2].max() > deck + 0.8


@pytest.mark.parametrize("name", ["bridge", "tunnel"])
def test_structures_are_closed_solids(name, request):
    mesh = request.getfixturevalue(name).structures
    _, places = np.unique(mesh.vertices.round(6), axis=0, return_inverse=True)
    t = places.reshape(-1)[mesh.triangles]
    edges = np.vstack([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]])
    edges = edges[edges[:, 0] != edges[:, 1]]
    _, uses = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
    assert (uses % 2 == 0).all()


def test_the_ground_keeps_below_the_deck(bridge):
    x = np.linspace(-19.0, 19.0, 77)
    points = np.column_stack([x, np.zeros_like(x)])
    ground = GroundIndex.build(bridge.ground).heights_at(points)
    deck = height_at(bridge, np.column_stack([points, np.full_like(x, 9.0)]))
    assert (deck - ground >= -1e-6).all()
    assert (deck - ground)[np.abs(x) < 15.0].min() > 1.0


def test_the_step_onto_a_bridge_is_small(bridge):
    x = np.arange(-40.0, 40.0, 0.05)
    z = height_at(bridge, np.column_stack([x, np.zeros_like(x), np.full_like(x, 20.0)]))
    assert np.abs(np.diff(z)).max() < 0.03


def test_a_tunnel_lies_under_the_street_with_room_to_drive(tunnel):
    assert counts(tunnel) == {}
    low, high = height_at(tunnel, [[0.0, 0.0, -9.0], [0.0, 0.0, 9.0]])
    assert high - low > 5.0
    mesh = tunnel.structures
    index = GroundIndex.build(mesh)
    _, triangles, heights = index.hits([[0.0, 0.0]])
    ceiling = heights[(mesh.surfaces[triangles] == Surface.CONCRETE) & (heights > low)].min()
    assert ceiling - low > 4.0
    assert heights.max() < high


def test_the_ground_is_open_only_where_the_tunnel_comes_out(tunnel):
    points = np.column_stack([np.linspace(-140.0, 140.0, 281), np.zeros(281)])
    is_open = GroundIndex.build(tunnel.ground).triangles_at(points) < 0
    assert is_open.any()
    assert not is_open[np.abs(points[:, 0]) < 8.0].any()
    assert not is_open[np.abs(points[:, 0]) > 102.0].any()


def test_a_tunnel_whose_roof_would_stick_out_lies_in_an_open_cutting(tunnel):
    x, y = np.meshgrid(np.arange(-99.0, 99.0, 0.7), np.arange(-6.0, 6.0, 0.3))
    points = np.column_stack([x.ravel(), y.ravel()])
    ground = GroundIndex.build(tunnel.ground).heights_at(points)
    rows, _, heights = GroundIndex.build(tunnel.structures).hits(points)
    above = heights - ground[rows]
    assert above[~np.isnan(above)].max() < 1.0
    on_axis = np.isnan(ground[rows]) & (np.abs(points[rows, 1]) < 2.0)
    assert heights[on_axis].max() < 0.1


def test_there_is_a_floor_under_every_metre_of_every_lane(tunnel):
    index = GroundIndex.build(all_levels(tunnel))
    for lane in tunnel.roads.lanes:
        s = np.arange(0.0, lane.length, 0.5)
        places = [lane.position(each, t) for each in s for t in (-1.0, 1.0)]
        surfaces = index.surfaces_at(places)
        assert (surfaces == Surface.CARRIAGEWAY).all()
        assert np.abs(index.heights_at(places) - np.array(places)[:, 2]).max() < 0.25


def test_houses_may_stand_over_a_tunnel_but_not_on_streets(tunnel):
    houses = shapely.MultiPoint(tunnel.buildings.vertices[:, :2]).convex_hull
    assert houses.contains(shapely.Point(16.0, 0.0))
    assert not houses.intersects(shapely.Point(140.0, 0.0))


def test_a_bridge_over_nothing_on_level_ground_is_a_street(tmp_path):
    world = build_map(tmp_path, over(BRIDGE)[:3])
    assert not len(world.structures.triangles)
    assert np.ptp(world.ground.vertices[:, 2]) < 0.2


def test_a_bridge_over_water_rises_above_it(tmp_path):
    water = (square(0.0, 0.0, 24.0), {"natural": "water"})
    world = build_map(tmp_path, [*over(BRIDGE)[:3], water])
    assert height_at(world, [[0.0, 0.0, 9.0]])[0] > 1.5
    assert GroundIndex.build(world.ground).surfaces_at([[0.0, 0.0]])[0] == Surface.WATER


def test_a_straight_bridge_with_pavements_is_made_without_a_warning(tmp_path):
    """Where a deck goes over from a street to its lanes, points lie 1e-15 m apart."""
    secondary = {"highway": "secondary"}
    ways = [
        (((-150.0, 0.0), (-30.0, 0.0)), secondary),
        (((-30.0, 0.0), (30.0, 0.0)), secondary | {"bridge": "yes", "layer": "1"}),
        (((30.0, 0.0), (150.0, 0.0)), secondary),
        UNDER,
    ]
    assert counts(build_map(tmp_path, ways)) == {}


def test_the_grade_comes_before_the_clearance(tmp_path):
    """30 m of street between a junction and a bridge are too short to climb 5.5 m."""
    cross = [(((x, -80.0), (x, 0.0), (x, 80.0)), RESIDENTIAL) for x in (-30.0, 30.0)]
    ways = [
        (((-30.0, 0.0), (-12.0, 0.0)), RESIDENTIAL),
        (((-12.0, 0.0), (12.0, 0.0)), BRIDGE),
        (((12.0, 0.0), (30.0, 0.0)), RESIDENTIAL),
        *cross,
        UNDER,
    ]
    world = build_map(tmp_path, ways)
    for lane in world.roads.lanes:
        grades = np.abs(np.diff(lane.centre_line[:, 2]) / np.diff(lane.stations))
        assert grades.max() < 0.20
    assert counts(world) == {}


def test_a_bridge_that_begins_at_a_junction_leaves_the_junction_whole(tmp_path):
    ways = [*over(BRIDGE), (((-20.0, -80.0), (-20.0, 0.0), (-20.0, 80.0)), RESIDENTIAL)]
    world = build_map(tmp_path, ways)
    # A crest of 5.5 m within 20 m of a junction is where the ball leaves most.
    assert counts(world).keys() <= {"worst_hop_m"}
    assert dict(world.invariants)["worst_hop_m"] < 0.07
    index = GroundIndex.build(world.ground)
    around = [[-20.0 + x, y] for x in (-2.5, 0.0, 2.5) for y in (-2.5, 0.0, 2.5)]
    assert (index.surfaces_at(around) == Surface.CARRIAGEWAY).all()


def test_a_tunnel_that_begins_beside_another_one_passes_under_it(tmp_path):
    """Their carriageways overlap from the beginning, before there can be room between them."""
    upper, lower = {**TUNNEL, "oneway": "yes"}, {**TUNNEL, "oneway": "yes", "layer": "-2"}
    ways = [
        (((-200.0, 0.0), (-60.0, 0.0)), RESIDENTIAL),
        (((-60.0, 0.0), (-56.0, 1.5), (5.0, 1.5), (30.0, -20.0), (100.0, -60.0)), lower),
        (((-60.0, 0.0), (-57.0, -3.0)), upper),
        (((-57.0, -3.0), (5.0, -3.0), (40.0, 0.0), (100.0, 30.0)), upper),
        (((-57.0, -3.0), (-60.0, -60.0)), upper),
        (((-60.0, -60.0), (-60.0, -160.0)), RESIDENTIAL),
        (((100.0, -60.0), (200.0, -80.0)), RESIDENTIAL),
        (((100.0, 30.0), (200.0, 40.0)), RESIDENTIAL),
    ]
    world = build_map(tmp_path, ways, side="right")
    assert dict(world.invariants)["min_clearance_m"] > 5.0
    # Where they part, one falls from beside the other: that is felt, but nobody meets a step.
    assert counts(world).keys() <= {"worst_hop_m"}
    assert dict(world.invariants)["worst_hop_m"] < 0.2


def test_tunnels_that_have_one_height_and_cross_farther_on_lie_on_two_levels():
    streets = [
        street(0, 1, [(0.0, 3.0), (100.0, 3.0), (200.0, -60.0)], layer=-2),
        street(2, 3, [(0.0, -3.0), (200.0, -3.0)], layer=-1),
    ]
    s = np.array([0.0, 100.0, 200.0])
    profiles = [Profile(s, z, 0.0 * s) for z in (np.array([0.0, -8.0, -8.0]), 0.0 * s)]

    def where(s):
        row, at = np.zeros(1, dtype=np.int64), np.array([s])
        return GradeSeparations(row + 1, at, row, at, np.zeros(1, dtype=np.bool_))

    def levels(**separations):
        pieces = divide_into_levels(streets, profiles, where(5.0), **separations).pieces
        return [each[0].level for each in pieces]

    assert len(set(levels())) == 1
    assert len(set(levels(separations=where(110.0)))) == 2


@pytest.mark.parametrize(("drop", "count"), [(0.05, 1), (5.0, 2)])
def test_tunnels_that_cross_at_one_height_without_a_node_are_one_surface(drop, count):
    """At an acute angle, their heights differ by metres where their edges still overlap."""
    streets = [
        street(0, 1, [(-80.0, 0.0), (80.0, 0.0)], layer=-2),
        street(2, 3, [(-80.0, -40.0), (80.0, 40.0)], layer=-2),
    ]
    profiles = []
    for each, grade, z in zip(streets, (0.07, -0.07), (-8.0, -8.0 - drop), strict=True):
        length = float(np.linalg.norm(each.points[1] - each.points[0]))
        s = np.array([0.0, length])
        profiles.append(Profile(s, z + grade * (s - length / 2.0), np.full(2, grade)))
    levels = divide_into_levels(streets, profiles)
    assert len({pieces[0].level for pieces in levels.pieces}) == count


def test_a_roundabout_in_a_tunnel_is_one_surface():
    """Its arms part in height on levels of their own, not the short streets between them."""
    corners = [(0.0, 0.0), (8.0, 0.0), (8.0, 8.0), (0.0, 8.0)]
    ring = [street(k, (k + 1) % 4, [corners[k], corners[(k + 1) % 4]], -1) for k in range(4)]
    steep = [
        street(0, 10, [corners[0], (-40.0, -1.0)], -1),
        street(3, 11, [corners[3], (-40.0, 5.0)], -1),
    ]
    profiles = [Profile(np.array([0.0, 8.0]), np.full(2, -8.0), np.zeros(2)) for _ in ring]
    profiles += [
        Profile(np.array([0.0, 40.0]), np.array([-8.0, z]), np.full(2, (z + 8.0) / 40.0))
        for z in (0.0, -16.0)
    ]
    for streets, heights in (
        ([*ring, *steep], profiles),
        ([*steep, *ring], [*profiles[4:], *profiles[:4]]),
    ):
        levels = divide_into_levels(streets, heights)
        of_ring = {
            piece.level
            for each, pieces in zip(streets, levels.pieces, strict=True)
            for piece in pieces
            if each.start < 4 and each.end < 4
        }
        assert len(of_ring) == 1
        assert len({pieces[-1].level for pieces in levels.pieces}) > 1
