"""The step as a whole, in one process, on a flat world."""

import hashlib

import numpy as np
import pytest

from autosim.engine.step.simulation import Simulation
from autosim.errors import UserError
from autosim.kinds.nmea import read_rmc
from autosim.model.commands import (
    DeviceError,
    DeviceErrorCode,
    DeviceState,
    command_for,
)
from tests.server.rows_of_cars import cars_in_a_row, simulate
from tests.server.runs import digest_of_run, program
from tests.worlds import impreza_world

DRIVE = "impreza.chassis.drive_chassis"

WEAVE = """
from autosim.userprogram import get_data, set_data, wait

def main(argv):
    robot = argv[0]
    for _ in range(20):
        yaw_rate = get_data(f"{robot}.chassis.gyro_yaw")
        set_data(f"{robot}.chassis.drive_chassis", [0.1 - 0.5 * yaw_rate, 0.6, 0.0])
        wait(0.05)
"""


def value(simulation, device):
    node = simulation.tree.find(device)
    return simulation.state.value(node, node.fields[0])


def test_one_seed_gives_the_same_bytes_and_another_seed_others(tmp_path, monkeypatch):
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))
    program(tmp_path, WEAVE)
    world = impreza_world(2, program="program.py")
    first, again, other = (digest_of_run(simulate(world, seed=s), 300) for s in (1, 1, 2))
    assert first == again
    assert first != other


def test_inclinometers_read_next_to_nothing_while_a_car_circles_on_the_flat():
    names = [f"impreza.chassis.{each}" for each in ("gyro_yaw", "inclinometer_pitch")]
    with simulate(impreza_world(position=(0.0, 0.0, None), yaw=1.0)) as simulation:
        simulation.queue([command_for(simulation.tree, DRIVE, [0.4, 0.25, 0.0])])
        rows = []
        for _ in range(3000):
            simulation.step()
            rows.append([value(simulation, name) for name in names])
        turns = simulation.step_seconds * np.sum(rows, axis=0)[0] / (2 * np.pi)
    assert turns > 1.0
    assert np.abs(np.array(rows)[:, 1]).max() < 0.02  # [rad] of squat, and noise


def test_replaying_the_command_log_gives_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))
    program(tmp_path, WEAVE)
    recorded = simulate(impreza_world(program="program.py"))
    log = []
    recorded.on_command.append(lambda step, command: log.append((step, command)))
    original = digest_of_run(recorded, 200)
    assert len(log) == 17

    replay = simulate(impreza_world())
    digest = hashlib.sha256()
    with replay:
        for step in range(200):
            replay.queue([command for at, command in log if at == step])
            replay.step()
            digest.update(replay.state.buffer)
    assert digest.hexdigest() == original


def test_time_and_step_go_up_together():
    with simulate(impreza_world()) as simulation:
        for _ in range(240):
            simulation.step()
        assert simulation.state.step == 240
        assert simulation.state.time == 1.0
        assert value(simulation, "impreza.chassis.time") == pytest.approx(1.0, abs=0.01)


def test_a_robot_stands_braked_until_it_is_commanded():
    with simulate(impreza_world()) as simulation:
        before = value(simulation, "impreza.chassis").copy()
        for _ in range(480):
            simulation.step()
        assert np.linalg.norm(value(simulation, "impreza.chassis") - before) < 5e-3
        simulation.queue([command_for(simulation.tree, DRIVE, [0.0, 0.5, 0.0])])
        for _ in range(480):
            simulation.step()
        assert np.linalg.norm(value(simulation, "impreza.chassis") - before) > 2.0


@pytest.mark.parametrize(
    ("device", "values", "code"),
    [
        ("beetle.chassis.drive", [0, 0, 0], DeviceErrorCode.UNKNOWN_ROBOT),
        ("impreza.chassis.drive_chasis", [0, 0, 0], DeviceErrorCode.UNKNOWN_DEVICE),
        ("impreza.chassis", [0, 0, 0], DeviceErrorCode.INVALID_DEVICE),
        ("impreza.chassis.compass", [0], DeviceErrorCode.INVALID_OPERATION),
        (DRIVE, [0, float("nan"), 0], DeviceErrorCode.INVALID_OPERATION),
        (DRIVE, [0, 0], DeviceErrorCode.DATA_SIZE_MISMATCH),
    ],
)
def test_what_cannot_be_set_is_refused_with_its_code(device, values, code):
    with simulate(impreza_world()) as simulation:
        with pytest.raises(DeviceError) as refusal:
            command_for(simulation.tree, device, values)
        assert refusal.value.code is code


def test_the_gps_says_where_the_car_is_and_the_compass_where_it_heads():
    world = impreza_world(position=(30.0, 40.0, None), yaw=np.pi / 2)
    with simulate(world) as simulation:
        simulation.step()
        fix = read_rmc(value(simulation, "impreza.chassis.gps"))
        assert fix.latitude == pytest.approx(-31.9728 + 40.0 / 110_870, abs=1e-5)
        assert fix.longitude == pytest.approx(115.827 + 30.0 / 94_500, abs=1e-5)
        heading = value(simulation, "impreza.chassis.compass")
        assert np.sin(heading) == pytest.approx(0.0, abs=0.02)
        assert np.cos(heading) > 0


def test_a_psd_sensor_sees_the_car_ahead_and_not_its_own():
    world = cars_in_a_row(0.0, 20.0)
    with simulate(world) as simulation:
        simulation.step()
        length = world.robots[0].robot.parts[0].size[0]
        sensor = 2.25
        seen = value(simulation, "car0.chassis.psd_front")
        assert seen == pytest.approx(20.0 - length / 2 - sensor, abs=0.1)
        assert value(simulation, "car1.chassis.psd_front") > 39.0


def test_running_into_another_car_counts_once_for_each():
    world = cars_in_a_row(0.0, 8.0)
    notices = []
    with simulate(world, notices=notices) as simulation:
        drive = command_for(simulation.tree, "car0.chassis.drive_chassis", [0.0, 1.0, 0.0])
        simulation.queue([drive])
        for _ in range(720):
            simulation.step()
        counts = [simulation.state.ints[node.start // 8 + 1] for node in simulation.tree.children]
    assert counts == [1, 1]
    assert {notice.source for notice in notices} == {"car0", "car1"}


def test_a_program_that_raises_is_named_its_robot_brakes_and_the_others_go_on(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))
    program(
        tmp_path,
        "from autosim.userprogram import set_data, wait\n"
        "def main(argv):\n"
        "    set_data(f'{argv[0]}.chassis.drive_chassis', [0, 0.5, 0])\n"
        "    wait(1.0)\n"
        "    if argv[0] == 'impreza':\n"
        "        raise ValueError('no more')\n"
        "    wait(10.0)\n",
    )
    notices = []
    with simulate(impreza_world(2, program="program.py"), notices=notices) as simulation:
        for _ in range(720):
            simulation.step()
        speeds = [
            np.linalg.norm(simulation.state.floats[chassis.start // 8 + 7 :][:3])
            for chassis in (simulation.tree.find(f"{n}.chassis") for n in ("impreza", "impreza1"))
        ]
        states = [simulation.state.ints[node.start // 8] for node in simulation.tree.children]
        blocked = command_for(simulation.tree, DRIVE, [0.0, 1.0, 0.0])
        simulation.queue([blocked])
        simulation.step()
        assert tuple(simulation.state.floats[simulation.tree.find(DRIVE).start // 8 :][1:3]) == (
            0.0,
            1.0,
        )
    assert states == [DeviceState.BLOCKED, DeviceState.ACTIVE]
    assert speeds[0] < 0.1 < 2.0 < speeds[1]
    errors = [notice for notice in notices if notice.level == "error"]
    assert len(errors) == 1
    assert "ValueError: no more" in errors[0].text
    assert "line 6" in errors[0].text


LOOKS_ON_AND_FAILS = """
from autosim.userprogram import wait

def main(argv):
    wait(0.01)
    raise ValueError("no more")
"""
DRIVES_LATE = """
from autosim.userprogram import set_data, wait

def main(argv):
    wait(float(argv[1]))
    set_data(f"{argv[0]}.chassis.drive_chassis", [0.0, 0.75, 0.0])
    wait(1e6)
"""


def drive_with(simulation, folder, *, after):
    """Has a program drive the car after so many seconds, and another one look on and fail."""
    for name, source, arguments in (
        ("looks_on", LOOKS_ON_AND_FAILS, ()),
        ("drives", DRIVES_LATE, (str(after),)),
    ):
        (folder / f"{name}.py").write_text(source)
        simulation.participants.launch(folder / f"{name}.py", robot="impreza", arguments=arguments)


def state_and_push(simulation):
    robot = simulation.tree.children[0].start // 8
    drive = simulation.tree.find(DRIVE).start // 8
    return simulation.state.ints[robot], simulation.state.floats[drive + 1]


def test_a_robot_drives_on_when_a_program_leaves_that_only_looked_on(tmp_path):
    with simulate(impreza_world(), notices=[]) as simulation:
        drive_with(simulation, tmp_path, after=0.001)
        for _ in range(5):
            simulation.step()
        assert state_and_push(simulation) == (DeviceState.ACTIVE, 0.75)


def test_a_program_takes_over_a_robot_whose_program_has_failed(tmp_path):
    with simulate(impreza_world(), notices=[]) as simulation:
        drive_with(simulation, tmp_path, after=0.03)
        for _ in range(5):
            simulation.step()
        assert state_and_push(simulation) == (DeviceState.BLOCKED, 0.0)
        for _ in range(5):
            simulation.step()
        assert state_and_push(simulation) == (DeviceState.ACTIVE, 0.75)


def test_that_a_blocked_robot_is_not_set_by_hand_is_said_once():
    notices = []
    with simulate(impreza_world(program="no_such_program.py"), notices=notices) as simulation:
        simulation.step()
        for _ in range(3):
            simulation.queue([command_for(simulation.tree, DRIVE, [0.0, 1.0, 0.0])])
            simulation.step()
    (warning,) = (notice for notice in notices if notice.level == "warning")
    assert warning.source == "impreza"
    assert "since its program has failed" in warning.text


def test_a_program_that_is_not_there_is_named_and_its_robot_brakes():
    notices = []
    with simulate(impreza_world(program="no_such_program.py"), notices=notices) as simulation:
        simulation.step()
        assert simulation.state.ints[simulation.tree.children[0].start // 8] == DeviceState.BLOCKED
    assert [notice.level for notice in notices] == ["error"]
    assert "no_such_program.py" in notices[0].text


def test_values_are_had_by_their_names():
    with simulate(impreza_world()) as simulation:
        for _ in range(24):
            simulation.step()
        assert simulation.get("impreza.chassis.velocimeter") == value(
            simulation, "impreza.chassis.velocimeter"
        )
        chassis = simulation.get("impreza.chassis")
        assert chassis["position"].tolist() == simulation.get("impreza.chassis.position").tolist()
        assert simulation.get("step") == 24
        with pytest.raises(UserError, match=r"did you mean 'impreza\.chassis\.velocimeter'"):
            simulation.get("impreza.chassis.velocimetre")
        with pytest.raises(UserError, match="did you mean 'step'"):
            simulation.get("steps")
        with pytest.raises(UserError, match=r"there is no value ''$"):
            simulation.get("")
        assert repr(simulation) == "<Simulation 'flat' at step 24 (0.100 s): impreza>"


def test_a_file_in_place_of_a_world_is_named_with_the_way_to_load_it():
    with pytest.raises(TypeError, match=r"not 'town\.xml': Simulation\(load_world\("):
        Simulation("town.xml")  # type: ignore[arg-type]
