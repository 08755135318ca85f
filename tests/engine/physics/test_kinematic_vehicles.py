"""Robots that move as kinematic models say, in a simulation."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.config.descriptions import PlacedRobot
from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_robot
from autosim.model.commands import DeviceError, command_for
from autosim.model.tree import WORD
from autosim.world.compiled.tile_grid import sort_into_tiles
from autosim.world.geometry.meshes import Mesh
from tests.paths import ROOT
from tests.worlds import flat_world, impreza_world

STEP = 1.0 / 240.0
STATE = ("stamp", "x", "y", "cosine", "sine", "velocity", "sideways", "acceleration", "turning")
DRIVE, REVERSE, PARK = 1.0, 2.0, 3.0

NOISELESS = '<add_measurement_noise value="false"/>'


def car(tmp_path, *parameters, model="DELAY_STEER_ACC_GEARED", source="ORIGIN"):
    """A robot like the shipped one, without noise."""
    text = (ROOT / "robots" / "kinematic_car.xml").read_text()
    text = text.replace('model="DELAY_STEER_ACC_GEARED"', f'model="{model}"')
    text = text.replace('<initialize_source value="ORIGIN"/>', "".join((NOISELESS, *parameters)))
    text = text.replace(NOISELESS, f'{NOISELESS}<initialize_source value="{source}"/>')
    if model == "IDEAL_STEER_VEL":
        text = text.replace('<steer_lim value="0.6"/>', "")
    path = tmp_path / "car.xml"
    path.write_text(text)
    return load_robot(path, roots=[ROOT])


class Run:
    """A simulation of cars on level ground, or on another one."""

    def __init__(self, *robots, compiled=None, notices=None):
        world = replace(impreza_world(), robots=robots)
        report = (lambda notice: None) if notices is None else notices.append
        self.simulation = Simulation(world, compiled=compiled or flat_world(), report=report)

    def set(self, device, *values):
        self.simulation.queue([command_for(self.simulation.tree, device, values)])

    def get(self, name):
        node = self.simulation.tree.find(name)
        return self.simulation.state.floats[node.start // WORD : node.own_stop // WORD].copy()

    def go(self, seconds):
        for _ in range(round(seconds / STEP)):
            self.simulation.step()

    def state(self, robot="car"):
        return dict(zip(STATE, self.get(f"{robot}.chassis.kinematic_state"), strict=False))


def placed(robot, x=0.0, y=0.0, z=None, yaw=0.0, name="car"):
    return PlacedRobot(name, robot, position=(x, y, z), yaw=yaw)


def ground_of(height):
    """The flat world with other ground: `height(x, y)` on a grid of 5 m."""
    ticks = np.arange(-200.0, 200.1, 5.0)
    x, y = np.meshgrid(ticks, ticks)
    n = len(ticks)
    corner = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    above = corner + n
    triangles = np.stack([corner, corner + 1, above + 1, corner, above + 1, above], axis=1)
    vertices = np.stack([x.ravel(), y.ravel(), height(x, y).ravel()], axis=1)
    count = 2 * len(corner)
    mesh = Mesh(vertices, triangles.reshape(-1, 3).astype(np.int32), np.zeros(count, np.uint8))
    return sort_into_tiles(replace(flat_world(), ground=mesh, digest="uneven"))


def test_it_drives_as_its_model_alone_does_from_where_it_was_put(tmp_path):
    run = Run(placed(car(tmp_path), 10.0, -5.0, yaw=0.5))
    run.set("car.chassis.vehicle", 1.0, 0.0, 0.1)
    run.go(2.0)
    state = run.state()
    late = 2.0 - 0.1
    assert state["velocity"] == pytest.approx(late - 0.1, abs=2e-3)
    x, y, z = run.get("car.chassis")[:3]
    # The middle of the chassis is 1.19 m ahead of the rear axle, which began 1.19 m behind it.
    c, s = np.cos(0.5), np.sin(0.5)
    ahead = 1.19 * (state["cosine"] - 1.0), 1.19 * state["sine"]
    local = np.array([state["x"] + ahead[0], state["y"] + ahead[1]])
    assert [x, y] == pytest.approx([10, -5] + np.array([[c, -s], [s, c]]) @ local, abs=1e-9)
    assert z == pytest.approx(0.2 + 0.61)


def test_it_brakes_to_a_standstill_while_nobody_commands_it(tmp_path):
    run = Run(placed(car(tmp_path)))
    run.go(0.1)
    assert run.get("car.chassis.state_report")[-1] == 2
    run.simulation.place("car", (0.0, 0.0), velocity=(6.0, 0.0, 0.0))
    run.go(1.0)
    assert run.state()["velocity"] == pytest.approx(3.0)
    run.go(1.5)
    assert run.state()["velocity"] == 0.0


def test_a_late_command_is_reported_and_braked_for(tmp_path):
    notices = []
    run = Run(placed(car(tmp_path)), notices=notices)
    run.set("car.chassis.vehicle", 2.0, 0.0, 0.0, 0.0, 0.01)
    run.go(0.5)
    assert run.get("car.chassis.state_report")[-1] == 0
    run.go(2.0)
    assert run.state()["velocity"] == 0.0
    assert [each.text for each in notices if "late" in each.text] == ["brakes: its command is late"]


def test_what_is_no_number_is_refused_and_changes_nothing(tmp_path):
    run = Run(placed(car(tmp_path)))
    with pytest.raises(DeviceError, match="values must be finite"):
        run.set("car.chassis.vehicle", float("nan"), 0.0, 0.0)
    run.go(0.1)
    assert np.isfinite(run.get("car.chassis")).all()


def test_it_goes_backwards_in_reverse_and_stands_in_park(tmp_path):
    run = Run(placed(car(tmp_path)))
    run.set("car.chassis.state_command", 0, 0, 0, REVERSE)
    run.set("car.chassis.vehicle", -1.0, 0.0, 0.0)
    run.go(1.0)
    assert run.state()["velocity"] < -0.5
    assert run.get("car.chassis.state_report")[5] == REVERSE
    run.set("car.chassis.state_command", 2, 0, 0, PARK)
    run.go(0.1)
    assert run.state()["velocity"] == 0.0
    report = run.get("car.chassis.state_report")
    assert (report[2], report[5]) == (2, PARK)


def test_it_stands_at_its_initial_pose_and_waits_for_it(tmp_path):
    notices = []
    robot = car(tmp_path, source="INITIAL_POSE_TOPIC")
    run = Run(placed(robot), notices=notices)
    run.set("car.chassis.vehicle", 1.0, 0.0, 0.0)
    run.go(0.5)
    assert run.state()["velocity"] == 0.0
    assert run.get("car.chassis.state_report")[-1] == 1
    assert any("waits for its initial pose" in each.text for each in notices)
    run.set("car.chassis.initial_pose", 30.0, 20.0, 1.0)
    run.go(0.05)
    state = run.state()
    assert (state["x"], state["y"]) == pytest.approx((30.0, 20.0), abs=0.01)
    assert np.arctan2(state["sine"], state["cosine"]) == pytest.approx(1.0)
    run.go(1.0)
    assert run.state()["velocity"] > 0.5
    run.set("car.chassis.initial_pose", 3000.0, 20.0, 1.0)
    run.go(0.05)
    assert "is not on the map" in notices[-1].text


def test_it_lies_on_a_slope_and_is_as_fast_along_it_as_its_model(tmp_path):
    rise = 0.1
    robot = car(tmp_path, model="IDEAL_STEER_VEL")
    run = Run(placed(robot), compiled=ground_of(lambda x, y: rise * x))
    run.set("car.chassis.vehicle", 0.0, 5.0, 0.0)
    run.go(2.0)
    part = run.get("car.chassis")
    slope = np.arctan(rise)
    assert np.hypot(part[7], part[9]) == pytest.approx(5.0, rel=1e-4)
    assert part[0] == pytest.approx(10.0 * np.cos(slope), abs=0.15)
    # The rear axle lies on the ground, and the middle above it in the car's own axes.
    reference = part[:3] - 1.19 * np.array([np.cos(slope), 0.0, np.sin(slope)])
    reference -= 0.81 * np.array([-np.sin(slope), 0.0, np.cos(slope)])
    assert reference[2] == pytest.approx(rise * reference[0], abs=1e-3)


def test_it_leans_with_the_ground_across(tmp_path):
    run = Run(placed(car(tmp_path)), compiled=ground_of(lambda x, y: 0.1 * y))
    run.go(0.1)
    x, y, z, w = run.get("car.chassis")[3:7]
    up_of_left = 2.0 * (y * z + w * x)
    assert up_of_left == pytest.approx(np.sin(np.arctan(0.1)), abs=1e-3)


def test_it_stays_on_its_level_under_a_bridge_and_on_it(tmp_path):
    deck = 6.0
    corners = np.array([[20, -8, deck], [60, -8, deck], [60, 8, deck], [20, 8, deck]], np.float64)
    bridge = Mesh(corners, np.array([[0, 1, 2], [0, 2, 3]], np.int32), np.zeros(2, np.uint8))
    world = sort_into_tiles(replace(flat_world(), structures=bridge, digest="bridge"))
    robot = car(tmp_path, model="IDEAL_STEER_VEL")
    run = Run(placed(robot), placed(robot, 30.0, 0.0, deck + 0.81, name="above"), compiled=world)
    for name in ("car", "above"):
        run.set(f"{name}.chassis.vehicle", 0.0, 10.0, 0.0)
    run.go(2.0)
    assert run.get("car.chassis")[[0, 2]] == pytest.approx([20.0, 0.81], abs=0.1)
    run.go(0.5)
    assert run.get("above.chassis")[[0, 2]] == pytest.approx([55.0, deck + 0.81], abs=0.1)


def test_it_climbs_a_step_smoothly(tmp_path):
    robot = car(tmp_path, model="IDEAL_STEER_VEL")
    kerb = ground_of(lambda x, y: np.where(x > 20.0, 0.15, 0.0))
    run = Run(placed(robot), compiled=kerb)
    run.set("car.chassis.vehicle", 0.0, 10.0, 0.0)
    heights = []
    for _ in range(round(4.0 / STEP)):
        run.simulation.step()
        heights.append(run.get("car.chassis")[2])
    assert heights[-1] == pytest.approx(0.15 + 0.81, abs=1e-3)
    assert np.abs(np.diff(heights)).max() < 0.006


def test_a_run_goes_on_from_a_snapshot_with_the_same_bytes(tmp_path):
    robots = (placed(car(tmp_path)),)
    ground = ground_of(lambda x, y: 0.5 * np.sin(x / 10.0))
    run, other = Run(*robots, compiled=ground), Run(*robots, compiled=ground)
    run.set("car.chassis.vehicle", 2.0, 0.0, 0.1)
    run.go(1.0)
    other.simulation.restore(run.simulation.snapshot())
    for _ in range(24):
        for each in (run, other):
            each.go(1.0 / 240.0)
        assert bytes(run.simulation.state.buffer) == bytes(other.simulation.state.buffer)


def test_reported_motion_has_the_noise_that_the_file_gives(tmp_path):
    quiet = car(tmp_path)
    noise = "".join(
        f'<{name}_noise_stddev value="{value}"/>'
        for name, value in (("pos", 0.5), ("rpy", 0.01), ("vel", 0.2), ("steer", 0.03))
    )
    path = tmp_path / "loud.xml"
    text = (tmp_path / "car.xml").read_text()
    path.write_text(text.replace(NOISELESS, noise))
    run = Run(placed(quiet), placed(load_robot(path, roots=[ROOT]), 50.0, name="loud"))
    rows = []
    for _ in range(400):
        run.simulation.step()
        rows.append(run.get("loud.chassis.kinematic_state"))
    spread = np.std(rows, axis=0)
    assert spread[[1, 2, 4, 5, 9]] == pytest.approx([0.5, 0.5, 0.01, 0.2, 0.03], rel=0.15)
    assert not run.get("car.chassis.kinematic_state")[[1, 2, 4]].any()


def test_a_body_in_its_way_is_pushed_aside_and_counts_as_a_collision(tmp_path):
    notices = []
    robot = car(tmp_path, model="IDEAL_STEER_VEL")
    target = load_robot(ROOT / "robots" / "impreza.xml")
    run = Run(placed(robot), placed(target, 12.0, name="impreza"), notices=notices)
    run.set("car.chassis.vehicle", 0.0, 8.0, 0.0)
    run.go(2.0)
    assert run.get("impreza.chassis")[0] > 16.0
    assert run.get("car.chassis")[0] == pytest.approx(16.0, abs=0.1)
    counts = run.simulation.state.ints
    for name in ("car", "impreza"):
        assert counts[run.simulation.tree.find(name).start // WORD + 1] == 1
    assert any("has collided" in each.text for each in notices)


def test_sensors_see_it_where_it_is(tmp_path):
    robot = car(tmp_path, model="IDEAL_STEER_VEL")
    run = Run(placed(robot), placed(robot, 20.0, name="ahead"))
    run.set("ahead.chassis.vehicle", 0.0, 5.0, 0.0)
    run.go(2.0)
    gap = run.get("ahead.chassis")[0] - 2.23 - 2.25
    assert run.get("car.chassis.psd_front")[0] == pytest.approx(gap, abs=0.01)
    assert run.get("ahead.chassis.velocimeter")[0] == pytest.approx(5.0, abs=1e-6)


def walled():
    """Level ground with a wall across the way at x = 15 m."""
    corners = np.array([[15, -4, 0], [15, 4, 0], [15, 4, 3], [15, -4, 3]], np.float64)
    wall = Mesh(corners, np.array([[0, 1, 2], [0, 2, 3]], np.int32), np.zeros(2, np.uint8))
    return sort_into_tiles(replace(flat_world(), buildings=wall, digest="walled"))


@pytest.mark.parametrize("sideways", [0.0, 1.2])
def test_it_runs_into_walls(tmp_path, sideways):
    notices = []
    robot = car(tmp_path, model="IDEAL_STEER_VEL")
    run = Run(placed(robot, 0.0, sideways), compiled=walled(), notices=notices)
    run.set("car.chassis.vehicle", 0.0, 8.0, 0.0)
    run.go(1.0)
    assert not notices
    run.go(1.5)
    assert [each.text for each in notices] == ["has collided: chassis with a building"]


def test_two_of_them_run_into_each_other(tmp_path):
    notices = []
    robot = car(tmp_path, model="IDEAL_STEER_VEL")
    robots = placed(robot), placed(robot, 20.0, 1.0, yaw=np.pi, name="other")
    run = Run(*robots, placed(robot, 10.0, 4.0, name="beside"), notices=notices)
    for name in ("car", "other"):
        run.set(f"{name}.chassis.vehicle", 0.0, 5.0, 0.0)
    run.go(3.0)
    assert sorted((each.source, each.text) for each in notices) == [
        ("car", "has collided: chassis with other's chassis"),
        ("other", "has collided: chassis with car's chassis"),
    ]


def test_its_transform_names_its_frames(tmp_path):
    frames = '<origin_frame_id value="map"/><simulated_frame_id value="ego/base_link"/>'
    run = Run(placed(car(tmp_path, frames)))
    run.go(2 * STEP)
    node = run.simulation.tree.find("car.chassis.tf")
    fields = {each.name: each for each in node.fields}
    texts = [run.simulation.state.value(node, fields[f"{each}frame_id"]) for each in ("", "child_")]
    assert texts == ["map", "ego/base_link"]


@pytest.mark.parametrize("model", ["ACTUATION_CMD_VGR", "ACTUATION_CMD_MECHANICAL"])
def test_one_with_a_steering_wheel_turns_in_a_world_and_holds_its_steering(tmp_path, model):
    run = Run(placed(car(tmp_path, model=model)))
    run.set("car.chassis.vehicle", 1.0, 0.0, 3.0, 0.0, 0.0)
    run.go(3.0)
    steering = run.get("car.chassis.kinematic_state")[9]
    assert steering == pytest.approx(3.0 / (15.713 - 0.042 * 3.0), rel=0.05)
    assert run.state()["turning"] > 0.1
    run.set("car.chassis.vehicle", -100.0, 0.0, 3.0, 0.0, 0.0)
    run.go(2.0)
    assert run.state()["velocity"] == 0.0
    assert run.get("car.chassis.kinematic_state")[9] == pytest.approx(steering, rel=0.02)
