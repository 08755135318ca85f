"""Programs on clients continue, with all that they remember, when robots come and go."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from autosim.client.link.mirror import Mirror
from autosim.client.link.server_management import ServerManagement
from autosim.client.link.simulation_control import SimulationControl, simulation_control
from autosim.client.programs.client_programs import ClientPrograms, ProgramOrder
from autosim.loading.loader import load_world
from autosim.model.notices import Notice
from autosim.orders.robot_orders import AddRobot
from autosim.server.network.server_process import ServerProcess
from tests.paths import ROOT
from tests.server.light_simulation import light_options

COUNTS = """
from autosim.userprogram import get_data, get_time, wait

def main(argv):
    for turn in range(1, 7):
        wait(0.1)
        x = get_data(f"{argv[0]}.chassis.gps")
        print(turn, round(240 * get_time()), file=open(argv[1], "a"))
"""

NOTES_GAPS = """
from pathlib import Path
from autosim.userprogram import get_time, wait

def main(argv):
    turn, folder = 0, Path(argv[1])
    while not (folder / "stop").exists():
        if (step := round(240 * get_time())) != 24 * turn:
            print(turn, step, file=open(folder / "gaps", "a"))
            return
        turn += 1
        (folder / "turns").write_text(str(turn))
        wait(0.1)
"""
"""Writes a file when it is not woken at each 24th step; ends when there is a file "stop"."""


@contextmanager
def served(
    report: Callable[[Notice], None],
) -> Iterator[tuple[ClientPrograms, SimulationControl]]:
    """The programs of a client, and the control of the server that it is connected to."""
    world = load_world(ROOT / "worlds" / "circle_town.xml")
    with (
        ServerProcess(world, light_options(is_safe=True)) as server,
        Mirror(world, server.address) as mirror,
        simulation_control(server.address) as control,
    ):
        mirror.connection.wait_for_state(300.0)
        with ClientPrograms(mirror, report=report) as programs:
            yield programs, control


def wait_until_attached(control: SimulationControl) -> None:
    """Waits until the present simulation knows of a program that runs elsewhere."""
    end = time.monotonic() + 300.0
    while "elsewhere" not in [each.side for each in ServerManagement(control).programs()]:
        assert time.monotonic() < end, "the program does not take part"
        time.sleep(0.02)


def test_a_program_continues_when_a_robot_is_added_and_removed(tmp_path: Path) -> None:
    program, lines = tmp_path / "counts.py", tmp_path / "lines.txt"
    program.write_text(COUNTS)
    said: list[Notice] = []
    with served(said.append) as (programs, control):
        programs.launch(ProgramOrder(program, "impreza", (str(lines),)))
        wait_until_attached(control)
        control.step(60)
        management = ServerManagement(control)
        management.add_robot(AddRobot("robots/scout.xml", "two", position=(5.0, -3.0), yaw=0.0))
        wait_until_attached(control)
        control.step(40)
        management.remove_robot("two")
        wait_until_attached(control)
        control.step(100)
        while programs.running:
            time.sleep(0.02)
    assert lines.read_text().splitlines() == [f"{turn} {24 * turn}" for turn in range(1, 7)]
    assert [(each.level, each.text) for each in said] == [("info", "main returned")]


def turns_in(folder: Path) -> int:
    """The number of turns that the program of that folder has had."""
    text = (folder / "turns").read_text() if (folder / "turns").exists() else ""
    return int(text or 0)


def test_a_run_that_continues_with_other_robots_waits_for_a_program_of_a_client(
    tmp_path: Path,
) -> None:
    program = tmp_path / "notes_gaps.py"
    program.write_text(NOTES_GAPS)
    said: list[Notice] = []
    with served(said.append) as (programs, control):
        programs.launch(ProgramOrder(program, "impreza", (str(tmp_path),)))
        wait_until_attached(control)
        control.run(real_time_factor=0.0)
        management = ServerManagement(control)
        management.add_robot(AddRobot("robots/scout.xml", "two", position=(5.0, -3.0), yaw=0.0))
        before = turns_in(tmp_path)
        while programs.running and turns_in(tmp_path) < before + 3:
            time.sleep(0.02)
        (tmp_path / "stop").touch()
        while programs.running:
            time.sleep(0.02)
    assert not (tmp_path / "gaps").exists()
    assert [(each.level, each.text) for each in said] == [("info", "main returned")]
