"""Programs read what robots believe, own it, and know the truth only where the world allows it."""

from dataclasses import replace

import pytest

from autosim.config.descriptions import ProgramLimits
from tests.server.rows_of_cars import simulate
from tests.server.runs import digest_of_run, program
from tests.worlds import impreza_world

READS = """
import numpy as np
from autosim.userprogram import *

def main(argv):
    robot = argv[0]
    set_data(f"{robot}.chassis.drive_chassis", [0.1, 0.5, 0.0])
    wait(0.5)
    believed = get_state_estimate(robot)
    assert believed.time == get_time() and believed.age == 0.0
    assert np.linalg.norm(believed.velocity) > 0.5
    assert abs(believed.heading - get_data(f"{robot}.chassis.compass")) < 0.05
    assert get_data(f"{robot}.state")[1:4].tolist() == believed.position.tolist()
    assert describe(f"{robot}.state").name == "belief", describe(f"{robot}.state")
    for read in (lambda: get_state_truth(robot), lambda: get_data(f"{robot}.state_truth")):
        try:
            print("truth", read() is not None)
        except DeviceError as error:
            print(error.reason)
    for wrong in ("impreza.chassis", "impreza.state", "imprezza"):
        try:
            get_state_estimate(wrong)
        except DeviceError as error:
            print(error.code.name)
"""

OWNS = """
import numpy as np
from autosim.userprogram import *

def main(argv):
    robot = argv[0]
    for wrong in (
        dict(position=[0, 0, 0]),
        dict(position=[0, 0], heading=0.0),
        dict(position=[0, 0, float("nan")], heading=0.0),
        dict(position=[0, 0, 0], orientation=[0, 0, 0, 0]),
        dict(position=["east", 0, 0], heading=0.0),
    ):
        try:
            set_state_estimate(robot, **wrong)
        except DeviceError as error:
            print(error.reason)
    for k in range(20):
        set_state_estimate(robot, position=[k, 2, 3], heading=1.0, covariance=np.eye(9))
        wait(0.01)
        believed = get_state_estimate(robot)
        assert believed.position.tolist() == [k, 2, 3], believed
        assert abs(believed.heading - 1.0) < 1e-12
        assert believed.covariance.tolist() == np.eye(9).tolist()
"""

OTHER = """
from autosim.userprogram import *

def main(argv):
    wait(0.05)
    set_state_estimate(argv[0], position=[0, 0, 0], heading=0.0)
    wait(1.0)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))
    return tmp_path


def world_with(folder, text, *, is_truth_readable=False):
    program(folder, text)
    world = impreza_world(program="program.py", position=(0.0, 0.0, None), yaw=0.0)
    (car,) = world.robots
    robot = replace(car.robot, is_truth_readable=is_truth_readable)
    return replace(world, robots=(replace(car, robot=robot),))


def run(world, capsys, steps=150):
    notices = []
    with simulate(world, notices=notices) as simulation:
        for _ in range(steps):
            simulation.step()
    assert [each.text for each in notices if each.level == "error"] == []
    return capsys.readouterr().out


@pytest.mark.parametrize("is_truth_readable", [False, True])
def test_a_program_reads_the_belief_and_the_truth_only_where_it_may(
    folder, capsys, is_truth_readable
):
    said = run(world_with(folder, READS, is_truth_readable=is_truth_readable), capsys)
    assert said.count("truth True") == 2 * is_truth_readable
    refused = "programs may not read 'impreza.state_truth': the world file allows it"
    assert said.count(refused) == 2 * (not is_truth_readable)
    assert said.split()[-3:] == ["INVALID_DEVICE", "INVALID_DEVICE", "UNKNOWN_ROBOT"]


def test_a_program_owns_the_belief(folder, capsys):
    said = run(world_with(folder, OWNS), capsys).splitlines()
    assert said == [
        "expected either an orientation or a heading",
        "position: expected an array of the shape (3,), not (2,)",
        "position: expected finite numbers",
        "orientation: expected a quaternion that is not zero",
        "position: expected numbers, not ['east', 0, 0]",
    ]


def test_a_second_program_cannot_set_it(folder):
    world = world_with(folder, OWNS.replace("range(20)", "range(200)"))
    (folder / "userprograms" / "other.py").write_text(OTHER)
    notices = []
    with simulate(world, notices=notices) as simulation:
        simulation.start()
        simulation.participants.launch(
            folder / "userprograms" / "other.py",
            robot="impreza",
            arguments=(),
            limits=ProgramLimits(),
        )
        for _ in range(60):
            simulation.step()
        belief = simulation.tree.find("impreza.state")
        assert simulation.state.value(belief, belief.fields[1])[0] > 0.0
    (fault,) = (each for each in notices if each.level == "error")
    assert "what 'impreza' believes is owned by the program" in fault.text


def test_the_same_run_believes_the_same_bytes(folder):
    world = world_with(folder, OWNS)
    with simulate(world) as first, simulate(world) as second:
        assert digest_of_run(first, 40) == digest_of_run(second, 40)
