"""Programs in threads: the twin of programs in processes."""

import sys
import threading
from pathlib import Path

import pytest

from autosim.config.descriptions import ProgramLimits
from autosim.engine.programs.deadlines import Deadlines
from autosim.engine.programs.lockstep import Lockstep
from tests.userprogram.rig import Toy, closing, write

CHASER = """
    from autosim.userprogram import get_data, set_data, wait

    def main(argv):
        me, other, period = argv[0], argv[1], float(argv[2])
        for turn in range(20):
            gap = get_data(f"{other}.chassis.psd0") - get_data(f"{me}.chassis.psd0")
            set_data(f"{me}.chassis.drive", [0.0, 1.0 + gap, 0.0])
            if turn % 3 == 0:
                set_data(f"{me}.chassis.drive", [0.1 * turn, 1.0 + 2.0 * gap, 0.0])
            wait(period)
    """

HANGS = """
    from autosim.userprogram import wait

    def main(argv):
        wait(0.05)
        while True:
            pass
    """


def chase(folder: Path, toy: Toy, participants: Lockstep) -> Toy:
    program = write(folder, "chaser", CHASER)
    with closing(participants):
        participants.launch(program, robot="beta", arguments=["alpha", "0.02"])
        participants.launch(program, robot="alpha", arguments=["beta", "0.03"])
        toy.run(participants, 160)
    return toy


def test_threads_and_processes_give_the_same_commands_and_the_same_bytes(tmp_path: Path):
    runs = []
    for make in (Toy.threads, Toy.processes, Toy.threads):
        toy = Toy.new()
        runs.append(chase(tmp_path, toy, make(toy)))
    first = runs[0]
    assert len(first.log) == 54
    for other in runs[1:]:
        assert other.log == first.log
        assert other.states == first.states
        assert other.program_exits == first.program_exits


@pytest.mark.parametrize(
    ("source", "reason", "stood"),
    [
        (HANGS, "did not reach its next wait() within 0.2 s", 'bad.py", line'),
        ("def main(argv): 1 / 0", "ZeroDivisionError: division by zero", "line 1, in main"),
        ("def main(): pass", "main must take one argument", ""),
    ],
)
def test_one_that_fails_is_dropped_and_the_others_go_on(
    tmp_path: Path, source: str, reason: str, stood: str
):
    toy = Toy.new()
    participants = toy.threads(Deadlines(turn=0.2))
    with closing(participants):
        participants.launch(write(tmp_path, "bad", source), robot="beta")
        chaser = write(tmp_path, "chaser", CHASER)
        limits = ProgramLimits(deadline=60.0)  # it does nothing wrong, however busy the machine is
        participants.launch(chaser, robot="alpha", arguments=["beta", "0.03"], limits=limits)
        toy.run(participants, 160)
    _, program_exit = toy.program_exit("bad")
    assert program_exit.has_failed
    assert reason in program_exit.reason
    assert stood in program_exit.traceback
    assert "threading.py" not in program_exit.traceback
    assert toy.reasons()["chaser"] == "main returned"


def test_a_kernel_that_compiles_does_not_count_towards_the_deadline(tmp_path: Path):
    source = """
        import time
        from numba.core import event
        from autosim.userprogram import wait

        def main(argv):
            wait(0.01)
            with event.trigger_event("numba:compile"):
                time.sleep(1.0)
            wait(0.01)
        """
    toy = Toy.new()
    participants = toy.threads(Deadlines(turn=0.5))
    with closing(participants):
        participants.launch(write(tmp_path, "compiles", source), robot="alpha")
        toy.run(participants, 10)
    assert toy.reasons() == {"compiles": "main returned"}


def test_a_dropped_program_can_do_nothing_more(tmp_path: Path):
    source = """
        import threading
        from autosim.userprogram import get_data, wait

        gate, caught = threading.Event(), []

        def main(argv):
            wait(0.01)
            gate.wait()
            try:
                get_data("alpha.chassis.psd0")
            except BaseException as error:
                caught.append(type(error).__name__)
                raise
        """
    toy = Toy.new()
    participants = toy.threads(Deadlines(turn=0.1))
    with closing(participants):
        participants.launch(write(tmp_path, "late", source), robot="alpha")
        toy.run(participants, 10)
        assert "late" in toy.reasons()
        sys.modules["userprogram_alpha"].gate.set()
        participants.close(grace=20.0)
    assert sys.modules["userprogram_alpha"].caught in (["ProgramStopped"], [])


def test_programs_that_wait_end_with_the_simulation(tmp_path: Path):
    before = threading.active_count()
    toy = Toy.new()
    participants = toy.threads()
    with closing(participants):
        program = write(
            tmp_path, "waits", "import autosim.userprogram as a\nmain = lambda _: a.wait(1e9)"
        )
        participants.launch(program, robot="alpha")
        toy.run(participants, 3)
        participants.close(grace=20.0)
    assert threading.active_count() == before
    assert not toy.program_exits
