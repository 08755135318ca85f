"""Programs that start threads of their own, in processes of their own."""

from pathlib import Path

import pytest

from tests.userprogram.rig import Toy, closing, write

HELPED = """
    from threading import Thread
    from time import sleep
    from autosim.userprogram import get_data, get_time, set_data, wait

    def main(argv):
        chassis, done = f"{argv[0]}.chassis", []

        def help_out():
            while not done:
                set_data(f"{chassis}.drive", [0.0, 1.0, get_data(f"{chassis}.psd0")])
                sleep(0.001)

        helper = Thread(target=help_out)
        helper.start()
        wait(0.1)
        done.append(True)
        helper.join()
        wait(0.05)
        print(round(get_time() * 240))
    """

DELEGATES = """
    from threading import Thread
    from autosim.userprogram import get_time, wait

    def worker():
        for _ in range(3):
            wait(0.025)
        print(round(get_time() * 240))

    def main(argv):
        helper = Thread(target=worker)
        helper.start()
        helper.join()
    """

TWO_WAIT = """
    from threading import Thread
    from autosim.userprogram import get_time, wait

    def worker(seconds):
        for _ in range(4):
            before = get_time()
            wait(seconds)
            assert get_time() - before >= seconds - 1e-6

    def main(argv):
        helpers = [Thread(target=worker, args=(seconds,)) for seconds in (0.0125, 0.025, 0.05)]
        for helper in helpers:
            helper.start()
        for helper in helpers:
            helper.join()
        print("all of them waited")
    """

FAILS = """
    from threading import Thread
    from autosim.userprogram import get_data, wait

    def main(argv):
        helper = Thread(target=get_data, args=("gamma.chassis.psd0",))
        helper.start()
        helper.join()
        wait(0.05)
        print("goes on")
    """


def play(
    folder: Path, source: str, capfd: pytest.CaptureFixture[str], steps: int = 120
) -> tuple[Toy, str, str]:
    """What a program does, prints and complains."""
    toy = Toy.new()
    participants = toy.processes()
    with closing(participants):
        participants.launch(write(folder, "threaded", source), robot="alpha")
        toy.run(participants, steps)
    assert [each.reason for _, each in toy.program_exits] == ["main returned"]
    out, error = capfd.readouterr()
    return toy, out.strip(), error


def test_a_thread_reads_and_sets_while_main_waits(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    toy, out, _ = play(tmp_path, HELPED, capfd)
    assert out == "36"
    assert {each.device for _, each in toy.log} == {"alpha.chassis.drive"}


def test_a_thread_may_do_the_waiting(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    assert play(tmp_path, DELEGATES, capfd)[1] == "18"


def test_threads_that_wait_at_the_same_time_all_get_their_time(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    assert play(tmp_path, TWO_WAIT, capfd)[1] == "all of them waited"


def test_a_thread_that_fails_shows_its_own_frames_and_the_program_goes_on(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    _, out, error = play(tmp_path, FAILS, capfd)
    assert out == "goes on"
    assert "UNKNOWN_ROBOT" in error
    assert "session.py" not in error
