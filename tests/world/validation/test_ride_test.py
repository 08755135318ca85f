"""A ball rolled along lanes: the measure against what physics says, and against PyBullet."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from autosim.config.world_settings import GRAVITY
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.lanes.roads import LaneRecord, RoadNetwork
from autosim.world.validation.ride_test import SPEED, sample_lanes, worst_wheel_lift
from tests.applications.rides import roll
from tests.worlds import flat_world

HALF = 4.0


def strip(x, z):
    """A street along x with heights `z` at `x`, 8 m wide."""
    n = len(x)
    vertices = np.vstack([np.column_stack([x, np.full(n, side), z]) for side in (-HALF, HALF)])
    k = np.arange(n - 1)
    triangles = np.vstack(
        [np.column_stack([k, k + 1, k + n]), np.column_stack([k + 1, k + 1 + n, k + n])]
    )
    surfaces = np.full(len(triangles), Surface.CARRIAGEWAY, dtype=np.uint8)
    return Mesh(vertices, triangles.astype(np.int32), surfaces)


def street(x, z, cuts=()):
    """The strip, with a lane along it that is cut in lanes at `cuts`."""
    ends = [x[0] + 1.0, *cuts, x[-1] - 1.0]
    lanes = []
    for number, (a, b) in enumerate(itertools.pairwise(ends)):
        s = np.arange(a, b + 0.5, 1.0)
        line = np.column_stack([s, np.zeros_like(s), np.interp(s, x, z)])
        following = (number + 1,) if number + 2 < len(ends) else ()
        lanes.append(LaneRecord(0, line, 3.0, 15.0, "road", False, following))
    return strip(x, z), RoadNetwork.from_lanes(lanes)


def hop(mesh, roads):
    return worst_wheel_lift(roads, sample_lanes(roads, GroundIndex.build(mesh)))


def kink(angle, cuts=()):
    x = np.array([0.0, 100.0, 200.0])
    return street(x, np.array([0.0, 0.0, -100.0 * angle]), cuts)


@pytest.mark.parametrize("angle", [0.03, 0.06, 0.12])
def test_a_kink_throws_the_ball_as_high_as_its_angle_says(angle):
    found = hop(*kink(angle))
    assert found.height == pytest.approx((SPEED * angle) ** 2 / (2.0 * GRAVITY), rel=0.1)
    assert 100.0 < found.place[0] < 130.0


def test_a_kink_where_a_lane_ends_counts_too():
    assert hop(*kink(0.12, cuts=(100.0,))).height == pytest.approx(0.165, rel=0.1)


@pytest.mark.parametrize(("radius", "leaves"), [(40.0, False), (15.0, True)])
def test_a_ball_leaves_crests_that_are_rounder_than_its_speed_allows(radius, leaves):
    x = np.arange(0.0, 160.5, 0.5)
    bend = np.clip(x - 80.0, 0.0, 0.2 * radius)
    z = -(bend**2) / (2.0 * radius) - 0.2 * np.maximum(x - 80.0 - 0.2 * radius, 0.0)
    assert (hop(*street(x, z)).height > 0.02) == leaves


def test_level_streets_and_worlds_without_lanes_have_no_hop():
    x = np.array([0.0, 200.0])
    assert hop(*street(x, 0.0 * x)).height == 0.0
    mesh, _ = street(x, 0.0 * x)
    assert hop(mesh, RoadNetwork.from_lanes([])) is None


def test_a_missing_floor_is_no_hop_but_is_counted():
    mesh, roads = kink(0.0)
    holed = Mesh(mesh.vertices, mesh.triangles[[0]], mesh.surfaces[[0]])
    samples = sample_lanes(roads, GroundIndex.build(holed))
    assert np.isnan(samples.floors).any()
    assert worst_wheel_lift(roads, samples).height == 0.0


def test_turns_are_rolled_no_faster_than_tyres_hold():
    angle = np.linspace(0.0, np.pi / 2.0, 30)
    line = np.column_stack([6.0 * np.sin(angle), 6.0 * np.cos(angle), 0.0 * angle])
    record = LaneRecord(0, line, 3.0, 15.0, "road", True, ())
    slowest = [
        sample_lanes(
            RoadNetwork.from_lanes([replace(record, is_connector=each)]),
            GroundIndex.build(strip(np.array([-9.0, 9.0]), np.zeros(2))),
        ).speeds.min()
        for each in (False, True)
    ]
    assert slowest[0] == SPEED
    assert slowest[1] == pytest.approx(np.sqrt(0.8 * GRAVITY * 6.0), rel=0.05)


@pytest.mark.parametrize("roughness", [0.15, 0.25])
def test_a_real_ball_on_a_bumpy_street_does_the_same(roughness):
    x = np.arange(0.0, 221.0, 4.0)
    mesh, roads = street(x, np.random.default_rng(1).normal(0.0, roughness, len(x)))
    world = replace(flat_world(), ground=mesh, roads=roads)
    lifts = roll(world, roads.lanes[0].centre_line)[40:]
    assert lifts.max() > 0.3
    assert hop(mesh, roads).height == pytest.approx(lifts.max(), rel=0.25)
