"""Memory that one process writes and others read."""

import fcntl
import mmap
import os

import pytest

from autosim.userprogram.ipc.shared_memory import SharedMemory, SharedMemoryError
from autosim.userprogram.ipc.shared_state import SharedState


def test_lockstep_readers_see_the_live_state_in_place():
    state = SharedState.create(24)
    reader = SharedState.open(os.dup(state.fd))
    state.live[:3] = b"abc"
    assert bytes(reader.live[:3]) == b"abc"


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
