"""The state of a simulation in memory that other processes map.

One process writes. It works on the *live* state and, once a step, publishes a copy of it. Two
kinds of readers:

- user programs in lockstep read the live state in place: while a program is awake, the
  simulation stands still;
- everybody else (the network, a window) takes the newest published copy while the writer goes on.

Published copies go to two slots in turn. The writer first announces the number of the copy that it
begins, then copies, then gives out the number: so a reader knows afterwards whether the writer
has begun to overwrite the slot that it read, and has a whole step's time to read it. The order of
these writes is the order in which they are seen on x86-64; processors with a weaker order would
need a fence that Python does not have.
"""

from autosim.userprogram.shared_memory import SharedMemory, SharedMemoryError

MAGIC = 0x4155544F53494D31
HEADER_BYTES = 64
_MAGIC, _SIZE, _STARTED, _PUBLISHED = range(4)
_ATTEMPTS = 10_000


class SharedState:
    """State memory: a header, the live state, two slots for published copies.

    `live` is a memoryview of `size` bytes, writable in the process that created the memory. Use
    `create` and `open`.
    """

    def __init__(self, memory: SharedMemory, size: int) -> None:
        self._memory = memory
        self.size = size
        stride = _stride(size)
        slots = [memory.memory[HEADER_BYTES + i * stride :][:size] for i in range(3)]
        self.live = slots[0]
        self._slots = (slots[1], slots[2])
        self._header = memory.memory[:HEADER_BYTES].cast("q")

    @classmethod
    def create(cls, size: int) -> "SharedState":
        """New, zeroed memory for a state of `size` bytes; this process writes it."""
        memory = SharedMemory.create(HEADER_BYTES + 3 * _stride(size), "autosim-state")
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

    @property
    def sequence(self) -> int:
        """How often `publish` was called: the number of the newest copy, 0 for none yet."""
        return self._header[_PUBLISHED]

    def publish(self) -> None:
        """Makes a copy of the live state the newest one for all readers."""
        number = self._header[_PUBLISHED] + 1
        self._header[_STARTED] = number
        self._slots[number & 1][:] = self.live
        self._header[_PUBLISHED] = number

    def read(self) -> bytes:
        """The newest published copy, whole, while the writer goes on; zeros before the first.

        Raises:
            SharedMemoryError: the writer publishes faster than this process can copy.
        """
        for _ in range(_ATTEMPTS):
            number = self._header[_PUBLISHED]
            copy = bytes(self._slots[number & 1])
            if self._header[_STARTED] <= number + 1:
                return copy
        raise SharedMemoryError("the state is published faster than it can be read")

    def close(self) -> None:
        """Closes the file descriptor. The memory goes with the last view of it."""
        self._memory.close()


def _stride(size: int) -> int:
    """Bytes from one copy to the next: whole cache lines."""
    return -(-size // 64) * 64
