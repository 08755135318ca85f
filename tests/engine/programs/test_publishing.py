"""Programs publish lists; others read them, and the same run publishes the same bytes."""

from dataclasses import replace

import pytest

from autosim.config.descriptions import Publication, PublishedColumn
from tests.server.rows_of_cars import simulate
from tests.server.runs import digest_of_run, program
from tests.worlds import impreza_world

PUBLISHES = """
from autosim.userprogram import DeviceError, describe, get_data, get_time, set_data, wait

def main(argv):
    columns = [each.name for each in describe(f"{argv[0]}.plan").columns]
    assert columns == ["x", "y"], columns
    assert get_data(f"{argv[0]}.plan").shape == (0, 2)
    for count in (3, 1, 4, 0, 2):
        rows = [[get_time(), float(k)] for k in range(count)]
        set_data(f"{argv[0]}.plan", rows)
        wait(0.01)
        assert get_data(f"{argv[0]}.plan").tolist() == rows
    try:
        set_data(f"{argv[0]}.plan", [[0.0, 0.0]] * 5)
    except DeviceError as error:
        print(error.reason)
"""


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))
    program(tmp_path, PUBLISHES)
    world = impreza_world(program="program.py", position=(0.0, 0.0, None), yaw=0.0)
    columns = (PublishedColumn("x", "m"), PublishedColumn("y", "m"))
    (car,) = world.robots
    robot = replace(car.robot, publications=(Publication("plan", columns, 4),))
    return replace(world, robots=(replace(car, robot=robot),))


def rows_in(simulation):
    node = simulation.tree.find("impreza.plan")
    return simulation.state.value(node, node.fields[0])


def test_a_program_publishes_rows_and_reads_them_again(world, capsys):
    notices, most = [], 0
    with simulate(world, notices=notices) as simulation:
        for _ in range(20):
            simulation.step()
            most = max(most, len(rows_in(simulation)))
    assert most == 4
    assert "at most 4 rows of 2 values (x, y)" in capsys.readouterr().out
    assert [each.text for each in notices if each.level == "error"] == []


@pytest.mark.parametrize("end", ["return", "raise ValueError"])
def test_a_list_is_empty_once_the_program_that_set_it_has_ended(world, tmp_path, end):
    text = f"""
from autosim.userprogram import set_data, wait

def main(argv):
    set_data(f"{{argv[0]}}.plan", [[1.0, 2.0]])
    wait(0.01)
    {end}
"""
    program(tmp_path, text)
    with simulate(world) as simulation:
        simulation.step()
        assert rows_in(simulation).tolist() == [[1.0, 2.0]]
        for _ in range(5):
            simulation.step()
        assert rows_in(simulation).shape == (0, 2)


def test_the_same_run_publishes_the_same_bytes(world):
    with simulate(world) as first, simulate(world) as second:
        assert digest_of_run(first, 12) == digest_of_run(second, 12)
