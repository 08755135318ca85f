"""User programs that are classes."""

from pathlib import Path

import pytest

from tests.userprogram.rig import Toy, closing, write

FAULTS = {
    "class Program:\n    pass": "bad.py:1: error: class Program has none of start, step, stop",
    "Program = 3": "bad.py:1: error: Program is a int, not a class",
    "\nclass Program:\n    def step(self): pass": (
        "bad.py:3: error: step must be step(self, dt): too many positional arguments"
    ),
    "class Program:\n    def start(self, robot, speed): pass": (
        "bad.py:2: error: start must be start(self, robot): missing a required argument: 'speed'"
    ),
    "class Program:\n    def stop(self, why): pass": "bad.py:2: error: stop must be stop(self)",
    "class Program:\n    def start(self, robot): pass\n    def steps(self, dt): pass": (
        "bad.py:3: error: class Program has steps; did you mean step?"
    ),
    "class Program:\n    step = 3": "bad.py:1: error: step is a int, not a method",
    "class Program:\n    period = 0\n    def step(self, dt): pass": (
        "bad.py:1: error: period must be a positive number of seconds, not 0"
    ),
    "class Program:\n    def __init__(self, robot): pass\n    def stop(self): pass": (
        "bad.py:2: error: __init__ must be __init__(self)"
    ),
    "def main(argv): pass\nclass Program:\n    def stop(self): pass": (
        "bad.py:1: error: there is both main(argv) and a class Program"
    ),
}


def program_exit(folder: Path, source: str, *arguments: str, steps: int = 1):
    toy = Toy.new()
    participants = toy.threads()
    with closing(participants):
        program = write(folder, "bad", source)
        participants.launch(program, robot="alpha", arguments=arguments)
        toy.run(participants, steps)
    return toy


@pytest.mark.parametrize("source", FAULTS)
def test_a_class_that_does_not_fit_is_told_with_its_line(tmp_path: Path, source: str):
    toy = program_exit(tmp_path, source)
    assert FAULTS[source] in toy.program_exit("bad")[1].reason


def test_arguments_that_start_does_not_take_are_told(tmp_path: Path):
    source = "class Program:\n    def start(self, robot): pass"
    reason = program_exit(tmp_path, source, "fast", "3").program_exit("bad")[1].reason
    assert "start must be start(self, robot) for the robot's name and 2 arguments" in reason


WALKER = """
    from autosim.userprogram import get_time, set_data, wait

    class Program:
        period = 0.025

        def start(self, robot, goal="2"):
            self.drive = f"{robot}.chassis.drive"
            self.left = int(goal)
            wait(1 / 240)

        def step(self, dt):
            set_data(self.drive, [get_time(), dt, 0.0])
            self.left -= 1
            return self.left > 0

        def stop(self):
            print("stopped at", round(get_time() * 240))
    """


def test_the_hooks_are_called_in_turn_at_exact_steps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    toy = program_exit(tmp_path, WALKER, "3", steps=30)
    assert [step for step, _ in toy.log] == [7, 13, 19]
    dts = [memoryview(each.data).cast("d")[1] for _, each in toy.log]
    assert dts == pytest.approx([0.025] * 3)
    assert capsys.readouterr().out == "stopped at 19\n"
    step, left = toy.program_exit("bad")
    assert (step, left.has_failed, left.reason) == (20, False, "main returned")


def test_stop_is_called_after_an_error_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    toy = program_exit(
        tmp_path,
        "class Program:\n    def step(self, dt): 1 / 0\n    def stop(self): print('stopped')",
        steps=20,
    )
    assert capsys.readouterr().out == "stopped\n"
    told = toy.program_exit("bad")[1]
    assert told.reason == "ZeroDivisionError: division by zero"
    assert 'bad.py", line 2, in step' in told.traceback
    assert "hooks.py" not in told.traceback


def test_an_error_is_reported_though_stop_fails_too(tmp_path: Path) -> None:
    toy = program_exit(
        tmp_path,
        "class Program:\n    def start(self, robot): 1 / 0\n    def stop(self): self.file.close()",
    )
    told = toy.program_exit("bad")[1]
    assert told.reason == "ZeroDivisionError: division by zero"
    assert "stop has failed, too: AttributeError" in told.traceback


def test_a_class_without_step_stays_until_the_simulation_ends(tmp_path: Path):
    toy = program_exit(tmp_path, "class Program:\n    def start(self, robot): pass", steps=50)
    assert not toy.program_exits
