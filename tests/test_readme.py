"""The code of the README works, and what it names is there."""

import re
from dataclasses import replace

import numpy as np

from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_world
from tests.worlds import ROOT, flat_world, impreza_world

README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
MAKES = re.findall(r"^    make (\w+)", README, re.MULTILINE)


def test_the_first_user_program_drives_and_brakes(tmp_path, monkeypatch):
    program = BLOCKS[0]
    assert program.index("def main") < 60
    (tmp_path / "userprograms").mkdir()
    (tmp_path / "userprograms" / "first.py").write_text(program)
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))
    world = impreza_world(2, position=(0.0, 0.0, None), yaw=0.0)
    first, second = world.robots
    first = replace(first, program="first.py")
    second = replace(second, position=(60.0, 0.0, None))
    world = replace(world, robots=(first, second))
    notices = []
    with Simulation(world, compiled=flat_world(), report=notices.append) as simulation:
        speeds = []
        chassis = simulation.tree.find("impreza.chassis").start // 8
        for _ in range(240 * 15):
            simulation.step()
            speeds.append(np.linalg.norm(simulation.state.floats[chassis + 7 : chassis + 10]))
        x = simulation.state.floats[chassis]
    assert max(speeds) > 7.0
    assert speeds[-1] < 0.05
    assert 30.0 < x < 55.0
    assert not [notice for notice in notices if notice.level == "error"]


def test_the_library_example_steps_the_shipped_world(monkeypatch):
    monkeypatch.chdir(ROOT)
    done = {}
    steps = BLOCKS[1].replace("range(2400)", "range(24)")
    exec(steps, done)
    assert done["simulation"].state.step == 24


def test_the_files_it_names_are_there():
    named = re.findall(r"\]\(([\w/.]+)\)", README)
    assert len(named) >= 4
    for name in named:
        assert (ROOT / name).exists(), name
    assert load_world(ROOT / "worlds" / "circle_town.xml").robots[0].program


def test_it_names_the_two_commands_for_a_fresh_machine():
    assert MAKES == ["demo", "test"]
    assert (ROOT / ".ci" / "run").read_text().rstrip().endswith("make --no-print-directory test")
