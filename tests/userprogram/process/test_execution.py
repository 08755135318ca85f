"""How a program's file is loaded and how its end is told."""

import sysconfig
from pathlib import Path

import pytest

import autosim
from autosim.userprogram.ipc.channel import QueueChannel
from autosim.userprogram.ipc.program_messages import turn_message
from autosim.userprogram.process.execution import program_frames, run_program
from autosim.userprogram.session.program_session import ProgramStopped, Session
from autosim.userprogram.session.session_context import SessionContext
from tests.userprogram.rig import STEP_SECONDS, Toy, load_navigation_map, write


def leave_of(file: Path, *arguments: str):
    toy = Toy.new()
    host, channel = QueueChannel.pair()
    host.send(turn_message(0))
    session = Session(
        SessionContext(toy.tree, toy.shared.live, channel, STEP_SECONDS, load_navigation_map)
    )
    return run_program(session, file=file, robot="alpha", arguments=arguments).leave


def test_main_gets_the_robots_name_and_the_arguments(tmp_path: Path):
    program = write(tmp_path, "ok", "def main(argv): assert argv == ['alpha', '--fast']")
    leave = leave_of(program, "--fast")
    assert (leave.has_failed, leave.reason) == (False, "main returned")


def test_a_program_is_a_module_without_being_main(tmp_path: Path):
    source = """
        from dataclasses import dataclass
        import pickle, sys

        @dataclass
        class Goal:
            x: "float"

        def main(argv):
            assert pickle.loads(pickle.dumps(Goal(1.0))) == Goal(1.0)

        if __name__ == "__main__":
            raise SystemExit("not to be run")
        """
    assert not leave_of(write(tmp_path, "goal", source)).has_failed
    assert [each.name for each in tmp_path.iterdir()] == ["goal.py"]


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        (
            "def mian(argv): pass",
            "a user program defines main(argv) or a class Program; it defines mian",
        ),
        (
            "from textwrap import dedent\ndef mian(argv): pass",
            "a user program defines main(argv) or a class Program; it defines mian",
        ),
        ("", "bad.py:1: error: a user program defines main(argv)"),
        ("main = 3", "bad.py:1: error: main is a int, not a function"),
        ("\n\ndef main(): pass", "bad.py:3: error: main must take one argument, main(argv)"),
        ("def main(argv, x): pass", "bad.py:1: error: main must take one argument"),
        ("def main(argv)\n  pass", "SyntaxError: expected ':' (bad.py, line 1)"),
    ],
)
def test_a_file_that_is_no_program_is_told_with_its_line(tmp_path: Path, source: str, fault: str):
    leave = leave_of(write(tmp_path, "bad", source))
    assert leave.has_failed
    assert fault in leave.reason


def test_a_missing_file_is_told(tmp_path: Path):
    assert "missing.py: error: cannot be read" in leave_of(tmp_path / "missing.py").reason


def test_the_traceback_holds_the_programs_own_frames_alone(tmp_path: Path):
    source = """
        from autosim.userprogram import get_data

        def look():
            return get_data("alpha.chassis.sonar")

        def main(argv):
            try:
                look()
            except Exception as error:
                raise RuntimeError("lost\\nfor good") from error
        """
    program = write(tmp_path, "lost", source)
    leave = leave_of(program)
    assert leave.reason == "RuntimeError: lost"
    files = {line.split('"')[1] for line in leave.traceback.splitlines() if "File " in line}
    assert files == {str(program)}
    assert "line 5, in look" in leave.traceback
    assert "UNKNOWN_DEVICE: no device 'alpha.chassis.sonar'" in leave.traceback
    assert "KeyError" not in leave.traceback


@pytest.mark.parametrize(
    ("call", "has_failed", "reason"),
    [
        ("sys.exit()", False, "the program exited"),
        ("sys.exit(0)", False, "the program exited"),
        ("sys.exit(3)", True, "the program exited with 3"),
        ("sys.exit('no way')", True, "the program exited with 'no way'"),
        ("raise KeyboardInterrupt", True, "KeyboardInterrupt"),
        ("raise Mute", True, "Mute: (its text could not be made)"),
    ],
)
def test_every_way_out_is_told(tmp_path: Path, call: str, has_failed: bool, reason: str):
    source = f"""
        import sys

        class Mute(Exception):
            def __str__(self):
                raise ValueError

        def main(argv):
            {call}
        """
    leave = leave_of(write(tmp_path, "out", source))
    assert (leave.has_failed, leave.reason) == (has_failed, reason)


def test_a_program_that_is_stopped_tells_nothing(tmp_path: Path):
    source = """
        from autosim.userprogram import ProgramStopped

        def main(argv):
            raise ProgramStopped
        """
    with pytest.raises(ProgramStopped):
        leave_of(write(tmp_path, "stopped", source))


def test_of_the_command_that_runs_it_a_stack_shows_nothing():
    installed = Path(sysconfig.get_path("purelib")) / "click" / "core.py"
    package = Path(autosim.__file__).parent
    stack = [
        "/home/me/.venv/bin/autosim",
        str(installed),
        str(package / "cli" / "run.py"),
        str(package / "userprogram" / "process" / "execution.py"),
        "/home/me/follow.py",
        str(installed),  # the program may use that, too
    ]
    assert program_frames(stack) == [4, 5]
    quoted = [f'{name}", line 3 in main' for name in stack]
    assert program_frames(quoted) == [4, 5], "as in the stack of a program that hangs"


def test_a_value_of_a_part_is_not_a_device_and_that_is_said(tmp_path: Path):
    source = """
        from autosim.userprogram import get_data
        def main(argv):
            get_data("alpha.chassis.position")
        """
    leave = leave_of(write(tmp_path, "truth", source))
    assert "'alpha.chassis.position' is a value of 'alpha.chassis', not a device" in leave.reason
