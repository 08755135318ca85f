"""Vehicles and people of traffic are in pictures, as their arrays have them."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("panda3d")

from autosim.client.cameras.camera_rigs import CameraPose
from autosim.client.models.model_library import ModelLibrary
from autosim.client.panda.panda_frames import look_rotation
from autosim.client.scene.viewer import Viewer
from autosim.client.traffic.appearance import posed_vehicles
from autosim.client.traffic.posing import Posed, select_visible, write_pose_mesh
from autosim.client.traffic.rigs import vehicle_rigs
from autosim.config.semantic_classes import class_number
from autosim.config.world_settings import SkyDescription, TrafficDescription
from autosim.model.instance_numbers import FIRST_PERSON, FIRST_VEHICLE
from autosim.model.state import State
from autosim.traffic.traffic_node import P, V, traffic_arrays_of
from autosim.traffic.vehicle_kinds import FLEET, KIND_NAMES, Light
from tests.client.synthetic_town import car_state, car_world, compiled_town
from tests.paths import ROOT

SIZE = (160, 120)
CAR, BUS, BICYCLE = (KIND_NAMES.index(name) for name in ("saloon", "bus", "bicycle"))


class Eye:
    """A camera at a place that looks at another."""

    fov = np.radians(40.0)

    def __init__(self, place, target) -> None:
        forward = np.array(target, dtype=float) - place
        self._pose = CameraPose(
            np.array(place, dtype=float), look_rotation(forward, np.array([0.0, 0.0, 1.0]))
        )

    def pose(self, state: State) -> CameraPose:
        return self._pose


class Town:
    """A viewer of a street with places for traffic, all free at first."""

    def __init__(self) -> None:
        width, height = SIZE
        world = car_world(width=width, height=height)
        self.world = replace(world, traffic=TrafficDescription(vehicles=3, people=3))
        self.state = car_state(self.world, x=-150.0)
        arrays = traffic_arrays_of(self.state)
        self.vehicles, self.people = arrays.vehicles, arrays.people
        self.viewer = Viewer(
            *(self.world, compiled_town([]), self.state.tree),
            width=width,
            height=height,
            onscreen=False,
        )

    def clear(self) -> None:
        self.state.ints[1] = 0
        self.vehicles[:], self.people[:] = 0.0, 0.0
        self.vehicles[:, V.kind] = self.people[:, P.kind] = -1.0
        self.viewer.show_sky(self.world.graphics.sky)

    def look(self, place=(0.0, -9.0, 1.5), target=(0.0, 0.0, 0.8)):
        self.viewer.add_camera("eye", Eye(place, target))
        self.viewer.update(self.state)

    def picture(self, **options) -> np.ndarray:
        self.look(**options)
        return self.viewer.image("eye")[..., :3].astype(float)

    def measured(self, **options):
        self.look(**options)
        return self.viewer.measure("eye")


@pytest.fixture(scope="module")
def drawn():
    town = Town()
    yield town
    town.viewer.close()


@pytest.fixture
def town(drawn):
    drawn.clear()
    return drawn


def test_free_places_are_not_drawn(town):
    assert (town.measured().instances == 0).all()


def test_each_kind_is_drawn_in_its_size_and_class(town):
    classes = {"van": "car", "lorry": "truck", "hatchback": "car", "saloon": "car", "estate": "car"}
    for number, kind in enumerate(FLEET):
        town.vehicles[1, V.kind] = number
        measured = town.measured(place=(0.0, -25.0, 1.5))
        seen = measured.instances == FIRST_VEHICLE + 1
        name = classes.get(kind.name, kind.name)
        assert (measured.classes[seen] == class_number(name)).all(), kind.name
        scale = 120 / (2 * 25.0 * np.tan(np.radians(20.0)))
        columns, rows = np.flatnonzero(seen.any(axis=0)), np.flatnonzero(seen.any(axis=1))
        assert np.ptp(columns) + 1 == pytest.approx(kind.length * scale, rel=0.12, abs=3)
        assert np.ptp(rows) + 1 == pytest.approx(kind.height * scale, rel=0.2, abs=3)


def test_each_kind_has_two_models_by_its_colour(town):
    # Glass and rims are as dark or light in any paint.
    for number, kind in enumerate(FLEET):
        town.vehicles[1, V.kind] = number
        seen, options = [], {"place": (0.0, -1.6 * kind.length, 1.5)}
        for colour in (0, 7, 0):
            town.vehicles[1, V.colour] = colour
            seen.append(np.nan_to_num(town.measured(**options).depths, posinf=1e3))
        assert np.array_equal(seen[0], seen[2])
        assert (np.abs(seen[0] - seen[1]) > 0.003).sum() > 5, kind.name


def test_people_open_umbrellas_while_it_rains(town):
    town.people[0, [P.kind, P.colour]] = 1.0, 5.0
    dry = town.measured(place=(0.0, -6.0, 1.2), target=(0.0, 0.0, 1.2)).instances
    town.viewer.show_sky(SkyDescription(rain=0.3))
    wet = town.measured(place=(0.0, -6.0, 1.2), target=(0.0, 0.0, 1.2)).instances
    tops = [np.flatnonzero((seen == FIRST_PERSON).any(axis=1)).min() for seen in (dry, wet)]
    assert tops[1] < tops[0] - 8
    assert (wet[tops[1] : tops[0]] == FIRST_PERSON).any(axis=0).sum() > 15


def test_people_lead_dogs_push_prams_and_sit_in_wheelchairs(town):
    spans = {}
    for name, kind, group in (("none", 1, 0), ("pram", 1, 800), ("dog", 0, 800), ("chair", 3, 820)):
        town.people[0, [P.kind, P.colour]] = kind, group
        seen = town.measured(place=(0.0, -6.0, 1.0)).instances == FIRST_PERSON
        rows, columns = np.nonzero(seen)
        spans[name] = (np.ptp(rows), np.ptp(columns))
    assert spans["pram"][1] > 2.0 * spans["none"][1]
    assert spans["dog"][1] > 1.8 * spans["none"][1]
    assert spans["chair"][0] < 0.9 * spans["none"][0]


def test_vehicles_come_in_several_paints(town):
    town.vehicles[0, V.kind] = CAR
    seen = []
    for colour in (0, 1, 5):
        town.vehicles[0, V.colour] = colour
        seen.append(town.picture()[60:80, 60:100].mean(axis=(0, 1)))
    assert np.abs(seen[0] - seen[1]).max() > 30
    assert np.abs(seen[1] - seen[2]).max() > 20


def test_wheels_turn_with_the_way_and_steer(town):
    town.vehicles[0, V.kind] = CAR
    options = {"place": (1.4, -4.0, 0.5), "target": (1.4, 0.0, 0.32)}
    before = town.picture(**options)
    town.vehicles[0, V.rolled] = 0.14
    rolled = town.picture(**options)
    town.vehicles[0, V.rolled] = 0.0
    town.vehicles[0, V.steering] = 0.5
    steered = town.picture(**options)
    for changed in (rolled, steered):
        places = np.argwhere(np.abs(changed - before).max(axis=2) > 25)
        assert len(places) > 40


def test_brake_lights_and_indicators_shine_where_their_bits_are_set(town):
    town.vehicles[0, V.kind] = CAR
    options = {"place": (-9.0, 0.0, 1.5), "target": (0.0, 0.0, 0.8)}
    dark = town.picture(**options)
    town.vehicles[0, V.lights] = Light.BRAKE
    braking = town.picture(**options)
    assert (braking[..., 0] - dark[..., 0]).max() > 40
    town.vehicles[0, V.lights] = Light.LEFT_INDICATOR
    left = town.picture(**options)
    _, columns = np.nonzero((left - dark).max(axis=2) > 25)
    assert columns.mean() < SIZE[0] / 2
    town.state.ints[1] = int(0.5e9)
    assert np.abs(town.picture(**options) - dark).max() < 25


def test_head_lights_are_seen_by_night_and_light_the_road(town):
    town.viewer.show_sky(SkyDescription(hours=0.0))
    town.vehicles[0, V.kind] = CAR
    options = {"place": (16.0, -5.0, 3.0), "target": (6.0, 0.0, 0.0)}
    lit = town.picture(**options)
    town.vehicles[0, V.kind] = -1.0
    dark = town.picture(**options)
    assert lit.max() > 180
    assert ((lit - dark).mean(axis=2) > 15).sum() > 1500


def test_head_lights_go_on_by_themselves_where_the_picture_is_dark(town):
    town.vehicles[0, V.kind] = CAR
    options = {"place": (16.0, -5.0, 3.0), "target": (6.0, 0.0, 0.0)}
    for sky in (SkyDescription(), SkyDescription(hours=0.0)):
        town.viewer.show_sky(sky)
        town.vehicles[0, V.lights] = 0.0
        by_itself = town.picture(**options)
        town.vehicles[0, V.lights] = Light.HEAD
        is_same = np.array_equal(town.picture(**options), by_itself)
        assert is_same is (sky.hours is not None)


def test_lamps_are_mirrored_by_a_wet_street_at_night(town):
    town.vehicles[0, [V.kind, V.x, V.lights]] = CAR, 12.0, Light.BRAKE
    pictures = []
    for wetness in (0.0, 1.0):
        town.viewer.show_sky(SkyDescription(hours=0.0, wetness=wetness))
        pictures.append(town.picture(place=(0.0, 0.0, 1.5), target=(12.0, 0.0, 0.3)))
    dry, wet = pictures
    below = np.s_[78:, 60:100]
    assert (wet - dry)[below][..., 0].max() > 25


def test_people_walk_and_lie(town):
    town.people[2, [P.kind, P.speed]] = 1.0, 1.3
    options = {"place": (0.0, -6.0, 1.0)}
    standing = town.measured(**options)
    town.people[2, P.walked] = 0.36
    striding = town.measured(**options)
    town.people[2, P.posture] = 1.0
    lying = town.measured(**options)
    spans = []
    for measured in (standing, striding, lying):
        seen = measured.instances == FIRST_PERSON + 2
        assert (measured.classes[seen] == class_number("person")).all()
        rows, columns = np.nonzero(seen)
        spans.append((np.ptp(rows), np.ptp(columns)))
    assert spans[1][1] > 1.2 * spans[0][1]
    assert spans[2][0] < 0.4 * spans[0][0] < spans[2][1]


def test_a_cyclists_legs_turn_the_pedals(town):
    town.vehicles[0, V.kind] = BICYCLE
    town.vehicles[0, V.speed] = 5.0
    options = {"place": (0.0, -4.0, 1.0), "target": (0.0, 0.0, 0.7)}
    before = town.measured(**options).instances
    town.vehicles[0, V.rolled] = 1.2
    assert (town.measured(**options).instances != before).sum() > 60


def test_what_is_far_is_coarse_and_what_is_behind_is_left_out(town):
    rigs = vehicle_rigs(ModelLibrary((ROOT,)))
    town.vehicles[0, V.kind] = CAR
    planes = np.array([(1.0, 0.0, 0.0)])
    counts = []
    for x in (10.0, 50.0, 300.0, 5000.0, -100.0):
        town.vehicles[0, V.x] = x
        things = posed_vehicles(town.vehicles, 0.0)
        counts.append(select_visible(rigs, things, np.zeros(3), planes, 1e9).whole[1])
    assert counts[0] > 3 * counts[1] > 6 * counts[2] > 0
    assert counts[3:] == [0, 0]


def test_motion_pictures_show_how_far_a_vehicle_and_its_wheels_have_moved(town):
    town.vehicles[0, V.kind] = CAR
    town.look(place=(0.0, -8.0, 1.0))
    before, now = town.viewer.new_moment(), town.viewer.new_moment()
    before.update(town.state)
    town.vehicles[0, [V.x, V.rolled]] = 0.25, 0.25
    now.update(town.state)
    moved = town.viewer.motion("eye", at=now, since=before)
    measured = town.viewer.measure("eye", at=now)
    car = measured.instances == FIRST_VEHICLE
    # The camera looks along y, with x to the right: the car was to the left of where it is.
    assert np.median(moved[car][:, 1]) == pytest.approx(0.25, abs=1e-4)
    assert np.abs(moved[~car & (measured.instances == 0)]).max() < 1e-4
    # Where a wheel touches the ground, it stands.
    assert moved[car][:, 1].min() < 0.1
    town.vehicles[0, V.x] = 20.0
    now.update(town.state)
    moved = town.viewer.motion("eye", at=now, since=before)
    assert np.abs(moved).max() < 1e-4


def test_a_parallel_projection_and_a_view_from_above_show_all(town):
    town.vehicles[0, V.kind] = BUS
    measured = town.measured(place=(0.1, 0.0, 60.0), target=(0.0, 0.0, 0.0))
    assert (measured.instances == FIRST_VEHICLE).sum() > 50


def test_what_is_near_and_the_rest_are_meshes_of_their_own(town):
    for row, x in ((0, 80.0), (1, 5.0)):
        town.vehicles[row, V.kind], town.vehicles[row, V.x] = CAR, x
    rigs = vehicle_rigs(ModelLibrary((ROOT,)))
    things = posed_vehicles(town.vehicles, 0.0)
    seen = select_visible(rigs, things, np.zeros(3), np.zeros((0, 3)), 30.0)
    posed = Posed.room_for(seen)
    write_pose_mesh(rigs, things, seen, posed)
    assert seen.rows.tolist() == [1, 0]
    for part, x in zip(posed.parts(seen), (5.0, 80.0), strict=True):
        assert np.abs(part.rows[:, 0] - x).max() < 3.0
        assert sorted(set(part.corners.tolist())) == list(range(len(part.rows)))
