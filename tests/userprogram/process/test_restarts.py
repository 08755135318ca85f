"""Programs that fail are started again, with patience."""

from dataclasses import replace

import numpy as np

from autosim.config.descriptions import ProgramLimits
from autosim.engine.step.simulation import Simulation
from autosim.model.commands import DeviceState
from autosim.userprogram.process.restarts import Restarts
from tests.worlds import flat_world, impreza_world

FLAKY = """
from pathlib import Path
from autosim.userprogram import get_time, set_data, wait

def main(argv):
    with Path(argv[1]).open("a") as log:
        print(round(get_time() * 240), file=log)
    set_data(f"{argv[0]}.chassis.drive_chassis", [0.0, 0.5, 0.0])
    wait(0.25)
    raise RuntimeError("flaky")
"""


def test_the_third_failure_in_a_minute_is_the_last():
    restarts = Restarts()
    assert restarts.fail("a", 10.0) == 1.0
    assert restarts.take_due(10.9) == []
    assert restarts.take_due(11.0) == ["a"]
    assert restarts.take_due(11.1) == []
    assert restarts.fail("a", 20.0) == 2.0
    assert restarts.fail("b", 20.0) == 1.0
    assert restarts.fail("a", 69.9) is None
    assert restarts.take_due(30.0) == ["a", "b"]


def test_failures_are_forgotten_after_a_minute():
    restarts = Restarts()
    delays = [restarts.fail("a", time) for time in (0.0, 40.0, 70.0, 120.0, 125.0)]
    assert delays == [1.0, 2.0, 2.0, 2.0, None]


def test_a_program_that_fails_gets_three_chances_at_exact_steps(tmp_path, monkeypatch):
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))
    (tmp_path / "userprograms").mkdir()
    (tmp_path / "userprograms" / "flaky.py").write_text(FLAKY)
    log = tmp_path / "starts.txt"
    world = impreza_world(program="flaky.py", program_arguments=(str(log),))
    limits = ProgramLimits(is_restarted=True)
    world = replace(world, robots=(replace(world.robots[0], program_limits=limits),))
    notices = []
    with Simulation(world, compiled=flat_world(), report=notices.append) as simulation:
        robot = simulation.tree.children[0].start // 8
        states = []
        for _ in range(240 * 6):
            simulation.step()
            states.append(DeviceState(simulation.state.ints[robot]))
    assert [int(line) for line in log.read_text().split()] == [0, 300, 840]
    assert states[299] is DeviceState.BLOCKED
    assert states[301] is DeviceState.ACTIVE
    assert np.all(np.array(states[900:]) == DeviceState.BLOCKED)
    warnings = [each.text for each in notices if each.level == "warning"]
    assert warnings == [
        "is started again in 1 s",
        "is started again in 2 s",
        "has failed 3 times in 60 s: it stays stopped",
    ]
