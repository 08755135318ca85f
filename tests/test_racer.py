"""The racer finds cones and the line between them, and drives along it in the simulation."""

import sys

import numpy as np
import pytest

from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_world
from autosim.model.belief import StateEstimate, belief_of, state_words, truth_of
from tests.paths import ROOT, SHARED

HALF_WIDTH = 1.75
LIDAR = np.array([-0.6, 0.0, 0.505])
HEIGHT = 0.245


@pytest.fixture(scope="module")
def cones():
    sys.path.insert(0, str(ROOT / "userprograms"))
    try:
        import cones
    finally:
        sys.path.remove(str(ROOT / "userprograms"))
    return cones


def bend(radius, angles):
    """Cones on both sides of a bend to the left that begins at (0, 0) along x."""
    sides = [
        np.column_stack([r * np.sin(angles), radius - r * np.cos(angles)])
        for r in (radius - HALF_WIDTH, radius + HALF_WIDTH)
    ]
    return np.vstack(sides)


@pytest.mark.parametrize("radius", [9.0, -9.0, 30.0, 1e6])
def test_the_line_lies_in_the_middle_between_cones(cones, radius):
    places = bend(abs(radius), np.arange(-4.0, 13.0, 3.0) / abs(radius)) * [1.0, np.sign(radius)]
    rng = np.random.default_rng(1)
    line = cones.middle_line(places + rng.normal(0.0, 0.03, places.shape), HALF_WIDTH)
    off = np.linalg.norm(line - [0.0, radius], axis=1) - abs(radius)
    assert len(line) > 8
    assert np.abs(off[2:]).max() < 0.3


def test_it_bears_with_cones_that_are_not_seen_and_with_a_car_beside_the_line(cones):
    places = bend(20.0, np.arange(-4.0, 16.0, 3.5) / 20.0)
    places[:, 1] += 0.6
    line = cones.middle_line(np.delete(places, [2, 9], axis=0), HALF_WIDTH)
    off = np.linalg.norm(line - [0.0, 20.6], axis=1) - 20.0
    assert np.abs(off[3:]).max() < 0.35


def test_without_cones_there_is_no_line(cones):
    assert cones.middle_line(np.zeros((0, 2)), HALF_WIDTH).shape == (0, 2)


def scan(places, pitch):
    """Points of ground and cones as the lidar of a car that pitches by `pitch` [rad] sees them."""
    angle, distance = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, 90), np.linspace(3.0, 14.0, 8))
    ground = np.stack([distance * np.cos(angle), distance * np.sin(angle), 0.0 * angle], axis=-1)
    shapes = [
        [
            (x - 0.08 * x / np.hypot(x, y), y - 0.08 * y / np.hypot(x, y), z)
            for z in (0.12, 0.2, 0.3)
        ]
        for x, y in places
    ]
    points = np.vstack([ground.reshape(-1, 3), np.reshape(shapes, (-1, 3))])
    points[:, 2] -= HEIGHT + points[:, 0] * np.tan(pitch)
    return points + np.random.default_rng(2).normal(0.0, 0.01, points.shape)


@pytest.mark.parametrize("pitch", [0.0, 0.03, -0.03])
def test_cones_are_told_from_the_ground_also_when_the_car_pitches(cones, pitch):
    places = np.array([(5.0, 2.0), (9.0, -1.5), (-3.0, 4.0)])
    found = cones.find_cones(scan(places, pitch), HEIGHT)
    order = np.argmin(np.linalg.norm(found[:, None] - places, axis=2), axis=1)
    assert sorted(order) == [0, 1, 2]
    np.testing.assert_allclose(found, places[order], atol=0.1)


def test_a_wall_is_no_cone(cones):
    wall = [(6.0, y) for y in np.arange(-2.0, 2.0, 0.2)]
    assert not len(cones.find_cones(scan(wall, 0.0), HEIGHT))


def test_points_are_moved_to_where_they_are_seen_now(cones):
    # A post at (10, 0) now, seen from a car at 8 m/s in all of the last revolution.
    age = np.array([0.0, 0.02, 0.04])
    angle = 2.0 * np.pi * ((1.0 - age) * 20.0 % 1.0)
    reach = np.column_stack([np.cos(angle), np.sin(angle)]) * 5.0
    seen = np.column_stack([reach + LIDAR[:2], np.zeros(3)])
    found = cones.deskewed(seen, LIDAR, time=1.0, rate=20.0, speed=8.0, turn=0.0)
    np.testing.assert_allclose(seen[:, 0] - found[:, 0], 8.0 * age, atol=1e-9)


@pytest.mark.slow
def test_it_races_between_the_cones_and_believes_where_it_is():
    world = load_world(ROOT / "worlds" / "cone_track.xml")
    reports = []
    with Simulation(world, report=reports.append) as simulation:
        simulation.start()
        tree, state = simulation.tree, simulation.state
        while state.time < 4.0:
            simulation.step()
        truth, believed = (
            StateEstimate.of(state_words(state.floats, node), state.time)
            for node in (truth_of(tree, "racer"), belief_of(tree, "racer"))
        )
        positions = np.array([each.position[:2] for each in world.objects])
    assert not reports, reports
    assert np.linalg.norm(truth.velocity) > 5.0
    # Between the cones on both sides, and beyond none of them.
    assert np.linalg.norm(positions - truth.position[:2], axis=1).min() < 4.0
    assert np.linalg.norm(believed.position - truth.position) < 0.7


STREETS = """
<World name="street_race">
  <Terrain>
    <Map name="streets">
      {map}
    </Map>
  </Terrain>
  <Objects>
    <Robot name="racer">
      <File path="robots/formula.xml"/>
      <UserProgram file="userprograms/mppi_racer.py" arguments="streets {speed}"/>
    </Robot>
  </Objects>
</World>
"""
EXTRACT = SHARED / "osm" / "city" / "tiny_roundabout.osm"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "speed", "seconds", "least"),
    [
        pytest.param('<Folder path="worlds/circle_town"/>', 10, 7.0, 30.0, id="shipped"),
        pytest.param(
            f'<OsmFile path="{EXTRACT.name}"/>',
            *(8, 12.0, 55.0),
            id="extract",
            marks=pytest.mark.skipif(not EXTRACT.exists(), reason="no maps beside the checkout"),
        ),
    ],
)
def test_it_races_along_the_streets_of_a_map(source, speed, seconds, least, tmp_path):
    if EXTRACT.exists():
        (tmp_path / EXTRACT.name).write_bytes(EXTRACT.read_bytes())
    file = tmp_path / "street_race.xml"
    file.write_text(STREETS.format(map=source, speed=speed))
    reports = []
    with Simulation(load_world(file), report=reports.append) as simulation:
        simulation.start()
        tree, state = simulation.tree, simulation.state
        node = truth_of(tree, "racer")
        beside, places = [], []
        while state.time < seconds:
            simulation.step()
            if state.step % 24 == 0:
                truth = StateEstimate.of(state_words(state.floats, node), state.time)
                beside.append(abs(simulation.compiled.roads.nearest_lane(truth.position[:2])[2]))
                places.append(truth.position[:2])
    assert not [each for each in reports if each.level != "info"], reports
    assert np.linalg.norm(np.diff(places, axis=0), axis=1).sum() > least
    assert max(beside) < 1.5
