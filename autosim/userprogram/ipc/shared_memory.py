"""Anonymous memory that one process writes and others map.

The memory has no name: it is reached through a file descriptor that is inherited or sent over
a socket, so that nothing is left behind when its processes are killed. It is sealed: no other
process can map it writable or shrink it, which would end its readers with SIGBUS.
"""

import fcntl
import mmap
import os
import weakref

from autosim.system_limits import named

F_SEAL_FUTURE_WRITE = 0x0010
"""Number of the seal in linux/fcntl.h (Linux 5.1); Python names it from 3.13 on."""


class SharedMemoryError(Exception):
    """Memory that was handed over is not what was expected."""


class SharedMemory:
    """A piece of anonymous shared memory.

    `memory` is a memoryview of its bytes: writable where it was created, read-only where it was
    opened. `fd` is a file descriptor of it that other processes can `open`; it is not inherited
    unless it is passed on, and is closed with this object.
    """

    def __init__(self, fd: int, mapping: mmap.mmap) -> None:
        self.fd = fd
        self.memory = memoryview(mapping)
        self._close = weakref.finalize(self, os.close, fd)

    @classmethod
    def create(
        cls, size: int, name: str = "autosim", *, is_written_elsewhere: bool = False
    ) -> "SharedMemory":
        """New memory of `size` bytes, all zero; /proc shows `name`.

        The calling process, and what it forks, is the only one that can ever write it, unless it
        `is_written_elsewhere`.
        """
        fd = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        with named(f"the shared memory '{name}'"):
            os.ftruncate(fd, size)
        mapping = mmap.mmap(fd, size)
        seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
        if not is_written_elsewhere:
            seals |= F_SEAL_FUTURE_WRITE
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
        return cls(fd, mapping)

    @classmethod
    def open(cls, fd: int, *, is_written: bool = False) -> "SharedMemory":
        """Maps memory that another process created, to read or write it. Takes over `fd`."""
        os.set_inheritable(fd, False)
        access = mmap.PROT_READ | (mmap.PROT_WRITE if is_written else 0)
        return cls(fd, mmap.mmap(fd, os.fstat(fd).st_size, prot=access))

    def close(self) -> None:
        """Closes the file descriptor. The mapping goes with the last view of it."""
        self._close()
