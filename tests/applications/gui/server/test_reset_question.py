"""What Reset in the server's window asks before it discards something."""

from dataclasses import replace

import pytest

pytest.importorskip("PyQt6")

from autosim.applications.gui.server.world_editing import reset_question
from autosim.model.program_status import ProgramStatus
from autosim.orders.programs import ProgramReport
from tests.server.light_simulation import light_world


def program(robot: str, file: str, side: str = "server") -> ProgramReport:
    state = ProgramStatus.RUNNING
    return ProgramReport(robot, file, (), side, state)


def test_reset_asks_only_where_it_discards_something() -> None:
    world = light_world(2)
    first, second = world.robots
    loaded = replace(world, robots=(replace(first, program="driver.py"), second))
    own = program("r0", "driver.py")
    assert reset_question(loaded, loaded, [own]) == ""
    assert reset_question(loaded, loaded, [own, program("r1", "elsewhere", "elsewhere")]) == ""
    asked = reset_question(loaded, loaded, [own, program("r1", "mine.py")])
    assert "the program 'mine.py' of 'r1', which was attached" in asked
    removed = replace(loaded, robots=loaded.robots[:1])
    assert "the removal of the robot 'r1'" in reset_question(loaded, removed, [own])
    asked = reset_question(removed, loaded, [own])
    assert "the robot 'r1', which was added" in asked
    assert "Save As" in asked
