"""What is printed where nobody reads holds nobody up."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from autosim.helper_processes.nonblocking_output import NonBlockingWriter, ProgramOutput


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def fill(descriptor: int) -> int:
    """Fills a pipe; how many bytes it took."""
    os.set_blocking(descriptor, False)
    size = 0
    try:
        while True:
            size += os.write(descriptor, b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(descriptor, True)
        return size


def read(descriptor: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        data += os.read(descriptor, size - len(data))
    return data


def test_what_is_put_is_written_in_order(pipe: tuple[int, int]) -> None:
    outlet = NonBlockingWriter(pipe[1])
    for number in range(100):
        outlet.put(b"%d\n" % number)
    outlet.close()
    assert os.read(pipe[0], 4096) == b"".join(b"%d\n" % number for number in range(100))


@pytest.mark.parametrize("pieces", [(4, 4, 4, 4), (12, 4), (10, 3, 3)])
def test_a_log_file_is_cut_and_says_so(pieces: tuple[int, ...], tmp_path: Path) -> None:
    path = tmp_path / "log"
    with path.open("wb") as file:
        outlet = NonBlockingWriter(file.fileno(), most_file_bytes=10)
        for size in pieces:
            outlet.put(b"x" * size)
        outlet.close()
    full = b"\n... the log file is full: all further output is left out\n"
    assert path.read_bytes() == b"x" * 10 + full


@pytest.mark.timeout(30)
def test_nobody_waits_for_a_pipe_that_nobody_reads(pipe: tuple[int, int]) -> None:
    held = fill(pipe[1])
    outlet = NonBlockingWriter(pipe[1], most_bytes=1000)
    for _ in range(1000):
        outlet.put(b"0123456789")
    assert outlet.is_full
    read(pipe[0], held)
    # Once it is read again, what waited comes, and how much has been dropped.
    data = b""
    while not data.endswith(b"it was not read\n"):
        data += os.read(pipe[0], 4096)
    kept, _, said = data.partition(b"... ")
    dropped = int(said.split()[0])
    assert len(kept) + dropped == 10_000
    assert 1000 <= len(kept) <= 1020
    outlet.put(b"later\n")
    assert read(pipe[0], 6) == b"later\n"
    outlet.close()


def test_a_pipe_without_a_reader_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    outlet = NonBlockingWriter(writer)
    outlet.put(b"x")
    outlet.put(b"y")
    outlet.close()
    os.close(writer)


def test_what_a_process_prints_goes_through(capfd: pytest.CaptureFixture[str]) -> None:
    program = "import sys; print('out'); print('err', file=sys.stderr)"
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    heard: list[tuple[str, bytes]] = []
    hears = (lambda data: heard.append(("out", data)), lambda data: heard.append(("err", data)))
    output = ProgramOutput(process, hears=hears)
    process.wait()
    output.close()
    assert capfd.readouterr() == ("out\n", "err\n")
    for stream, text in (("out", b"out\n"), ("err", b"err\n")):
        assert b"".join(data for name, data in heard if name == stream) == text


def test_pipes_are_added_while_a_process_runs(capfd: pytest.CaptureFixture[str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        output = ProgramOutput(process)
        ended = threading.Event()
        heard: list[bytes] = []

        def hear(data: bytes) -> None:
            heard.append(data)
            if not data:
                ended.set()

        (reader, writer), (silent, unused) = os.pipe(), os.pipe()
        output.add((reader, silent), (hear, lambda data: None))
        os.write(writer, b"added\n")
        os.close(writer)
        assert ended.wait(60.0)
        os.close(unused)
        process.communicate(b"\n")
        output.close()
    assert b"".join(heard) == b"added\n"
    assert capfd.readouterr().out == "added\n"


def test_a_pipe_that_a_forked_process_has_too_ends_for_the_reader(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "input(); print('still read')"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        output = ProgramOutput(process)
        ended = threading.Event()
        (reader, writer), (silent, unused) = os.pipe(), os.pipe()
        copy = os.dup(reader)

        def hear(data: bytes) -> None:
            if not data:
                ended.set()

        output.add((reader, silent), (hear, lambda data: None))
        os.close(writer)
        assert ended.wait(60.0)
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.close()
        process.wait()
        os.close(unused)
        output.close()
        os.close(copy)
    assert capfd.readouterr().out == "still read\n"


def test_a_second_close_touches_no_file_that_has_been_opened_since(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    process = subprocess.Popen(["true"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output = ProgramOutput(process)
    process.wait()
    output.close()
    written: list[int] = []
    monkeypatch.setattr(os, "eventfd_write", lambda bell, value: written.append(bell))
    output.close()
    assert not written
