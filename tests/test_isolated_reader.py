"""What reads foreign files may die of them: that is an error of the file, and no more."""

import os
import resource
import signal

import pytest

from autosim import isolated_reader
from autosim.config.diagnostics import Diagnostic
from autosim.isolated_reader import IsolatedReaderError, run_isolated
from autosim.world.osm.osm_sniff import UnusableFileError, error


def test_a_result_comes_from_another_process():
    assert run_isolated(os.getpid) != os.getpid()


def test_what_a_reader_raises_is_raised_here_whole(tmp_path):
    def read():
        raise error(tmp_path, "no map", 7)

    with pytest.raises(UnusableFileError) as found:
        run_isolated(read)
    assert found.value.finding == Diagnostic(tmp_path, 7, "error", "no map")
    assert "in read" in found.value.__notes__[0]


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE])
def test_a_signal_is_named_with_what_to_do(number):
    with pytest.raises(
        IsolatedReaderError, match=f"ended by {number.name}: the file is damaged; save"
    ):
        run_isolated(lambda: os.kill(os.getpid(), number))


def test_a_reader_that_is_killed_is_not_said_to_have_found_a_damaged_file():
    with pytest.raises(
        IsolatedReaderError, match="was killed: probably there was not enough memory"
    ):
        run_isolated(lambda: os.kill(os.getpid(), signal.SIGKILL))


def test_a_reader_that_does_not_end_uses_up_its_time(monkeypatch):
    monkeypatch.setattr(isolated_reader, "TIMEOUT_SECONDS", 1)

    with pytest.raises(IsolatedReaderError, match="was not done within"):
        run_isolated(signal.pause)


def test_a_reader_that_hangs_once_is_tried_again(monkeypatch, tmp_path):
    monkeypatch.setattr(isolated_reader, "IDLE_SECONDS", 0.2)
    tried = tmp_path / "tried"

    def read() -> int:
        if not tried.exists():
            tried.write_text(str(os.getpid()))
            signal.pause()
        return os.getpid()

    assert run_isolated(read) != os.getpid()
    with pytest.raises(ProcessLookupError):  # the one that hung is gone
        os.kill(int(tried.read_text()), 0)


def test_a_reader_works_in_a_process_with_many_open_files():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 2048 if hard == resource.RLIM_INFINITY else min(hard, 2048)
    if most < 1200:
        pytest.skip("this machine allows too few open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    opened = []
    try:
        while not opened or opened[-1] < 1024:  # what select can wait for ends there
            opened.append(os.open("/dev/null", os.O_RDONLY))
        assert run_isolated(lambda: "read") == "read"
    finally:
        for each in opened:
            os.close(each)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_reader_that_always_hangs_is_an_error_of_the_file(monkeypatch):
    monkeypatch.setattr(isolated_reader, "IDLE_SECONDS", 0.2)

    with pytest.raises(IsolatedReaderError, match="its reader hung: the file is damaged"):
        run_isolated(signal.pause)


def test_a_reader_that_ends_its_process_gives_no_result():
    with pytest.raises(IsolatedReaderError, match="ended with code 3"):
        run_isolated(lambda: os._exit(3))


def test_what_a_reader_says_on_its_own_is_not_heard_and_it_leaves_no_core(capfd):
    limits = run_isolated(lambda: (os.write(2, b"corrupted size"), resource.getrlimit(4))[1])
    assert limits == (0, 0)
    # Libraries of the parent may say something when it forks.
    assert "corrupted size" not in capfd.readouterr().err
