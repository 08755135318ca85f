"""docs/user_programs.md: its programs run, and it tells of everything that there is."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autosim import userprogram
from autosim.applications.common.open_worlds import open_named_world
from autosim.client.link.mirror import Mirror
from autosim.client.programs.client_programs import ClientPrograms, ProgramOrder
from autosim.model.notices import Notice
from autosim.server.network.front import ServerOptions
from autosim.server.network.server_process import ServerProcess
from autosim.userprogram.ipc.camera_images import DrawnImage
from autosim.userprogram.process import hooks
from autosim.world.pipeline.cache import compile_world, file_of
from tests.worlds import ROOT

PAGE = (ROOT / "docs" / "user_programs.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def mirror() -> Iterator[Mirror]:
    """A client of the shipped town, whose car is free."""
    world = open_named_world(str(ROOT / "worlds" / "circle_town.xml"))
    compile_world(world.terrain)
    world = replace(world, robots=(replace(world.robots[0], program=None),))
    options = ServerOptions(address="127.0.0.1:0", real_time_factor=0.0)
    with ServerProcess(world, options) as server, Mirror(world, server.address) as mirror:
        mirror.connection.wait_for_state(200.0)
        yield mirror


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_a_program_of_the_page_runs(mirror: Mirror, tmp_path: Path, number: int):
    program = tmp_path / "program.py"
    program.write_text(PROGRAMS[number], encoding="utf-8")
    world = open_named_world(str(ROOT / "worlds" / "circle_town.xml"))
    said: list[Notice] = []
    with ClientPrograms(
        mirror,
        world_file=file_of(compile_world(world.terrain)),
        render=lambda wishes, state: [DrawnImage(np.zeros((480, 640, 4), np.uint8), state.step)],
        report=said.append,
    ) as programs:
        programs.launch(ProgramOrder(program, "impreza"))
        assert programs.wait_until_attached()
        step = mirror.connection.status().step
        while programs.running and mirror.connection.status().step < step + 480:
            programs.serve_pending(0.05)
    assert not [notice for notice in said if notice.level == "error"], said


def test_every_function_and_hook_is_told_of():
    functions = [name for name in userprogram.__all__ if name.islower()]
    told = set(re.findall(r"`(\w+)\(", PAGE))
    assert set(functions) <= told
    assert all(f"def {hook}(" in PAGE for hook in hooks.SIGNATURES)


def test_every_attribute_of_a_program_is_told_of():
    from autosim.loading.world_schema import WORLD

    objects = next(each for each in WORLD.children if each.name == "Objects")
    element = next(each for each in objects.children[0].children if each.name == "UserProgram")
    for attribute in element.attributes:
        assert f'{attribute.name}="' in PAGE or f"`{attribute.name}`" in PAGE, attribute.name


def test_every_shipped_program_is_told_of():
    for program in (ROOT / "userprograms").glob("*.py"):
        assert f"`{program.name}`" in PAGE, program.name
