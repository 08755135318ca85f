"""Memory that one process writes and others read."""

import fcntl
import mmap
import os
import socket
import subprocess
import sys

import pytest

from autosim.userprogram.shared_memory import SharedMemory, SharedMemoryError
from autosim.userprogram.shared_state import SharedState

WRITER = """
import socket, sys
from autosim.userprogram.shared_state import SharedState
state = SharedState.create(80_000)
words = state.live.cast("q")
connection = socket.socket(fileno=int(sys.argv[1]))
socket.send_fds(connection, [b"state"], [state.fd])
connection.setblocking(False)
number = 0
while True:
    number += 1
    words[:] = memoryview(bytes(number.to_bytes(8, "little") * len(words))).cast("q")
    state.publish()
    try:
        connection.recv(1)
        break
    except BlockingIOError:
        pass
"""


def test_readers_see_nothing_before_it_is_published():
    state = SharedState.create(24)
    reader = SharedState.open(os.dup(state.fd))
    state.live[:3] = b"abc"
    assert (reader.sequence, reader.read()) == (0, bytes(24))
    state.publish()
    state.live[:3] = b"xyz"
    assert (reader.sequence, reader.read()) == (1, b"abc".ljust(24, b"\0"))


def test_lockstep_readers_see_the_live_state_in_place():
    state = SharedState.create(24)
    reader = SharedState.open(os.dup(state.fd))
    state.live[:3] = b"abc"
    assert bytes(reader.live[:3]) == b"abc"


def test_every_copy_is_whole_while_another_process_publishes_without_pause():
    ours, theirs = socket.socketpair()
    with (
        ours,
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(theirs.fileno())], pass_fds=[theirs.fileno()]
        ) as writer,
    ):
        theirs.close()
        _, descriptors, _, _ = socket.recv_fds(ours, 16, 1)
        reader = SharedState.open(descriptors[0])
        seen = set()
        while len(seen) < 300:
            copy = reader.read()
            assert copy == copy[:8] * 10_000
            seen.add(copy[:8])
        ours.send(b"!")
        assert writer.wait() == 0


def test_a_reader_can_neither_write_nor_shrink_the_memory():
    state = SharedState.create(24)
    reader = SharedState.open(os.dup(state.fd))
    with pytest.raises(TypeError):
        reader.live[0] = 1
    with pytest.raises(PermissionError):
        mmap.mmap(reader.fd, 64)
    with pytest.raises(PermissionError):
        os.ftruncate(reader.fd, 0)
    with pytest.raises(PermissionError):
        fcntl.fcntl(reader.fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)


@pytest.mark.parametrize("size", [8, 4096])
def test_other_memory_is_refused(size):
    memory = SharedMemory.create(size)
    with pytest.raises(SharedMemoryError, match="no simulation state"):
        SharedState.open(os.dup(memory.fd))


def test_the_memory_has_no_name_in_the_file_system():
    before = set(os.listdir("/dev/shm"))
    state = SharedState.create(1_000_000)
    assert set(os.listdir("/dev/shm")) <= before
    state.close()


def test_file_descriptors_go_with_their_owners():
    before = len(os.listdir("/proc/self/fd"))
    kept = SharedState.create(64).live
    SharedState.create(64).close()
    assert len(os.listdir("/proc/self/fd")) <= before + 1  # the mapping of `kept` has its own
    kept[0] = 1
