import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from autosim.helper_processes.process_socket import INLINE_BYTES, ControlClosedError, ControlSocket


@pytest.fixture
def pair() -> Iterator[tuple[ControlSocket, ControlSocket]]:
    one, other = ControlSocket.pair()
    yield one, other
    one.close()
    other.close()


@pytest.mark.parametrize("size", [0, 1, INLINE_BYTES, 10 * INLINE_BYTES, 5_000_000])
def test_messages_of_any_size_arrive_whole(
    pair: tuple[ControlSocket, ControlSocket], size: int
) -> None:
    message = os.urandom(size)
    pair[0].send(message)
    pair[0].send("next")
    assert pair[1].receive() == (message, ())
    assert pair[1].receive() == ("next", ())


@pytest.mark.parametrize("size", [1, 5_000_000])
def test_open_files_come_along(pair: tuple[ControlSocket, ControlSocket], size: int) -> None:
    end, start = os.pipe()
    pair[0].send(b"x" * size, (start,))
    os.close(start)
    _, (received,) = pair[1].receive()
    assert not os.get_inheritable(received)
    os.write(received, b"through")
    assert os.read(end, 100) == b"through"
    os.close(received)
    os.close(end)


def test_an_end_that_does_not_wait_says_that_there_is_nothing(
    pair: tuple[ControlSocket, ControlSocket],
) -> None:
    pair[0].set_blocking(False)
    with pytest.raises(BlockingIOError):
        pair[0].receive()


def test_each_end_notices_that_the_other_is_gone(
    pair: tuple[ControlSocket, ControlSocket],
) -> None:
    pair[1].close()
    with pytest.raises(ControlClosedError):
        pair[0].receive()
    with pytest.raises(ControlClosedError):
        pair[0].send("anybody?")


def test_last_words_arrive_also_from_an_end_that_had_not_listened(
    pair: tuple[ControlSocket, ControlSocket],
) -> None:
    pair[0].send("unheard")
    pair[1].send("last words")
    pair[1].close()
    assert pair[0].receive() == ("last words", ())
    with pytest.raises(ControlClosedError):
        pair[0].receive()


def test_no_descriptor_is_left_open() -> None:
    before = os.listdir("/proc/self/fd")
    one, other = ControlSocket.pair()
    one.send(b"x" * 1_000_000)
    other.receive()
    one.close()
    other.close()
    assert os.listdir("/proc/self/fd") == before


CROWDED = """
import os, resource, socket
from autosim.helper_processes.process_socket import ControlSocket, MessageLostError

ours, theirs = ControlSocket.pair()
descriptor = os.open("/dev/null", os.O_RDONLY)
ours.send("with a file", (descriptor,))
ours.send(b"long" * 100_000)
ours.send("short")
_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (32, hard))
taken = []
try:
    while True:
        taken.append(os.dup(0))
except OSError:
    pass
for _ in range(2):
    try:
        theirs.receive()
    except MessageLostError as error:
        print(error)
print(theirs.receive()[0])
"""


def test_a_message_whose_files_cannot_be_taken_is_lost_with_the_limit_named() -> None:
    done = subprocess.run([sys.executable, "-c", CROWDED], capture_output=True, text=True)
    lost = "this process may have 32 files and connections open: allow more (ulimit -n)"
    assert done.stdout.splitlines() == [lost, lost, "short"], done.stderr


def test_both_ends_wait_though_a_library_limits_all_new_sockets() -> None:
    code = (
        "import os, socket\n"
        "from autosim.helper_processes.process_socket import ControlSocket\n"
        "socket.setdefaulttimeout(0.2)\n"
        "ours, theirs = ControlSocket.pair()\n"
        "kept = ControlSocket.inherited(os.dup(theirs.fileno()))\n"
        "print([os.get_blocking(each.fileno()) for each in (ours, theirs, kept)])\n"
    )
    said = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert said == "[True, True, True]\n"
