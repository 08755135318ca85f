"""Radars against boxes of other robots and walls whose places and speeds are known."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest

from autosim.config.noise_records import WhiteNoise
from autosim.kinds.banks import BankContext, MountedDevice
from autosim.kinds.device_banks import DeviceBanks
from autosim.kinds.kind import kind_of
from autosim.kinds.sensors.ranging.radar import RadarSensor
from autosim.model.bodies import BodyStates
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.rays.caster import RayCaster
from autosim.rays.ray_scene import RayScene
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.geometry.meshes import Mesh
from tests.kinds.sensors.boxes_with_devices import box_robot, rows, simulate
from tests.worlds import flat_world

RADAR = (
    '<RadarSensor name="radar"><Part name="hull"/><Position x="0" y="0.1" z="1.0"/>{}</RadarSensor>'
)


def targets(folder, *others, radar="", speeds=(), mine=(0.0, 0.0, 0.0), compiled=None):
    """What a radar at (1, 0) [m] sees, looking east, of boxes of 2 m × 1 m at `others`."""
    seeing = box_robot(folder, RADAR.format(radar), name="seeing")
    plain = box_robot(folder, "", name="plain")
    placed = [(seeing, (0.0, 0.0, None), 0.0)]
    placed += [(plain, (x, y, None), yaw) for x, y, yaw in others]
    with simulate(*placed, compiled=compiled) as simulation:
        for number, speed in enumerate((mine, *speeds)):
            if any(speed):
                place = ((0.0, 0.0), *(other[:2] for other in others))[number]
                simulation.place(f"r{number}", place, velocity=speed)
        simulation.step()
        for _ in range(11):
            if not simulation.state.step % 12:
                break
            simulation.step()
        states = simulation.state.value
        nodes = [simulation.tree.find(f"r{k}.hull") for k in range(len(placed))]
        poses = [states(node, node.fields[0]) for node in nodes]
        moves = [states(node, node.fields[2]) for node in nodes]
        return rows(simulation, "r0.hull.radar"), np.array(poses), np.array(moves)


def test_range_is_that_to_the_side_that_faces_the_radar(tmp_path):
    found, poses, moves = targets(tmp_path, (21.0, 0.0, 0.0))
    ((distance, azimuth, speed),) = found.tolist()
    assert distance == pytest.approx(poses[1, 0] - 1.0 - (poses[0, 0] + 1.0), abs=0.01)
    assert azimuth == pytest.approx(0.0, abs=1e-9)
    assert speed == pytest.approx(moves[1, 0] - moves[0, 0], abs=0.05)


@pytest.mark.parametrize("bearing", [-0.6, -0.2, 0.3, 0.7])
def test_azimuth_is_positive_to_the_left_within_the_resolution(tmp_path, bearing):
    x, y = 1.0 + 30.0 * np.cos(bearing), 30.0 * np.sin(bearing)
    ((distance, azimuth, _),) = targets(tmp_path, (x, y, bearing))[0].tolist()
    # The near side is 1 m wide: the nearest of its beams is within half a beam of its middle.
    assert distance == pytest.approx(29.0, abs=0.03)
    assert azimuth == pytest.approx(bearing, abs=pi / 180)


@pytest.mark.parametrize(("mine", "theirs"), [(0.0, 5.0), (5.0, 0.0), (4.0, -6.0)])
def test_speed_is_positive_where_the_target_goes_away(tmp_path, mine, theirs):
    found, _, moves = targets(
        tmp_path, (40.0, 0.0, 0.0), mine=(mine, 0, 0), speeds=((theirs, 0, 0),)
    )
    ((_, _, speed),) = found.tolist()
    assert speed == pytest.approx(moves[1, 0] - moves[0, 0], abs=0.05)
    assert np.sign(speed) == np.sign(theirs - mine)


def test_what_passes_across_has_the_radial_share_of_its_speed(tmp_path):
    bearing = 0.5
    x, y = 1.0 + 30.0 * np.cos(bearing), 30.0 * np.sin(bearing)
    found, _, moves = targets(tmp_path, (x, y, 0.0), speeds=((6.0, 0.0, 0.0),))
    ((_, azimuth, speed),) = found.tolist()
    assert speed == pytest.approx(
        moves[1, 0] * np.cos(azimuth) + moves[1, 1] * np.sin(azimuth), abs=0.05
    )


def test_what_is_hidden_behind_another_is_not_seen_and_the_nearest_comes_first(tmp_path):
    found = targets(tmp_path, (30.0, 0.0, 0.0), (12.0, 0.0, 0.0), (20.0, 6.0, 0.0))[0]
    assert len(found) == 2
    assert found[0, 0] == pytest.approx(10.0, abs=0.02)
    assert found[1, 1] > 0.2


def test_the_field_of_view_the_ranges_and_the_capacity_bound_what_is_seen(tmp_path):
    others = ((12.0, 0.0, 0.0), (20.0, 8.0, 0.0), (40.0, -9.0, 0.0))
    assert len(targets(tmp_path, *others)[0]) == 3
    assert len(targets(tmp_path, *others, radar='<FieldOfView value="0.2"/>')[0]) == 1
    assert len(targets(tmp_path, *others, radar='<Range value="15"/>')[0]) == 1
    assert len(targets(tmp_path, *others, radar='<MinRange value="15"/>')[0]) == 2
    nearest = targets(tmp_path, *others, radar='<Capacity value="2"/>')[0]
    assert nearest[:, 0] == pytest.approx([10.0, 19.5], abs=0.5)


def walled():
    """The plain with a wall at x = 50 m, upright, 20 m wide and 6 m high."""
    corners = np.array([[50.0, -10, 0], [50, 10, 0], [50, 10, 6], [50, -10, 6]])
    wall = Mesh(corners, np.array([[0, 1, 2], [0, 2, 3]], np.int32), np.zeros(2, np.uint8))
    return replace(flat_world(), buildings=replace(wall, starts=np.array([0, 2])))


def test_a_wall_is_a_target_that_stands_and_the_ground_is_none(tmp_path):
    radar = '<Elevation value="0.5"/>'
    assert len(targets(tmp_path, radar=radar)[0]) == 0
    scene = RayScene((walled().buildings, flat_world().ground))
    found = sensed(scene, velocity=(10.0, 0.0, 0.0))
    ((distance, azimuth, speed),) = found.tolist()
    assert (distance, azimuth) == pytest.approx((50.0, 0.0), abs=1e-9)
    assert speed == pytest.approx(-10.0)


def sensed(scene, *, velocity=(0.0, 0.0, 0.0), noises=(), seed=0):
    """What a radar sees at (0, 0, 1) [m] that looks east, alone in a scene."""
    device = RadarSensor("radar", "", noises=noises)
    tree = SimulationTree()
    node = tree.register(kind_of(device).node("radar", device))
    rays = RayCaster(scene, robots=np.zeros(1, np.int64))
    context = BankContext(1 / 240, seed, MapProjection((0.0, 0.0)), rays=rays)
    state, bodies = State(tree.lay_out()), BodyStates(1)
    bodies.positions[0], bodies.velocities[0] = (0.0, 0.0, 1.0), velocity
    DeviceBanks({RadarSensor: [MountedDevice(node, device, 0)]}, context).sense(bodies, state)
    return state.value(node, node.fields[0])


def test_noise_acts_on_the_field_that_it_names_and_follows_from_the_seed():
    scene = RayScene((walled().buildings,))
    noises = (WhiteNoise(0.5, field="range"),)
    runs = [sensed(scene, noises=noises, seed=seed) for seed in (1, 1, 2)]
    assert runs[0].tolist() == runs[1].tolist() != runs[2].tolist()
    assert 0.0 < abs(runs[0][0, 0] - 50.0) <= 0.5
    assert runs[0][0, 1] == pytest.approx(0.0, abs=1e-9)
