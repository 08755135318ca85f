"""The live state of a simulation in memory that other processes map.

One process writes. User programs read in place: while a program is awake, the simulation stands
still. So does the front when it hands the state on to a program elsewhere. All others get copies
(see the server's `outbox`).
"""

from autosim.userprogram.ipc.shared_memory import SharedMemory, SharedMemoryError

MAGIC = 0x4155544F53494D31
"""The first word of the header, "AUTOSIM1" as bytes: memory of anything else is refused."""

HEADER_BYTES = 64
"""Number of bytes before the state: a line of the cache, so that the state begins at one."""

_MAGIC, _SIZE = range(2)


class SharedState:
    """State memory: a header, then the state.

    `live` is a memoryview of `size` bytes, writable in the process that created the memory. Use
    `create` and `open`.
    """

    def __init__(self, memory: SharedMemory, size: int) -> None:
        self._memory = memory
        self.size = size
        self.live = memory.memory[HEADER_BYTES:][:size]

    @classmethod
    def create(cls, size: int) -> "SharedState":
        """New, zeroed memory for a state of `size` bytes; this process writes it."""
        memory = SharedMemory.create(HEADER_BYTES + size, "autosim-state")
        header = memory.memory[:HEADER_BYTES].cast("q")
        header[_MAGIC], header[_SIZE] = MAGIC, size
        return cls(memory, size)

    @classmethod
    def open(cls, fd: int) -> "SharedState":
        """Maps state memory that another process created, to read it. Takes over `fd`.

        Raises:
            SharedMemoryError: the memory holds no state.
        """
        memory = SharedMemory.open(fd)
        words = memory.memory[:HEADER_BYTES].cast("q") if len(memory.memory) > HEADER_BYTES else []
        if not words or words[_MAGIC] != MAGIC:
            raise SharedMemoryError("the shared memory holds no simulation state")
        return cls(memory, words[_SIZE])

    @property
    def fd(self) -> int:
        """The file descriptor to hand to another process (`pass_fds`, `socket.send_fds`)."""
        return self._memory.fd

    def close(self) -> None:
        """Closes the file descriptor. The memory goes with the last view of it."""
        self._memory.close()
