"""Pictures of virtual cameras on their way from the process that draws to a user program."""

import numpy as np

from autosim.arrays import Bytes
from autosim.userprogram.exchange.shared_memory import SharedMemory

Pixels = Bytes
CHANNELS = 4
"""Number of bytes of a pixel: red, green, blue and alpha."""


class ImageMemory:
    """Shared memory for one picture: (height, width, 4) uint8, RGBA, rows from the top.

    `pixels` is writable in the process that created the memory (the one that draws).
    """

    def __init__(self, memory: SharedMemory, *, width: int, height: int) -> None:
        self._memory = memory
        self.width = width
        self.height = height
        count = width * height * CHANNELS
        flat = np.frombuffer(memory.memory, dtype=np.uint8, count=count)
        self.pixels: Pixels = flat.reshape(height, width, CHANNELS)

    @classmethod
    def create(cls, *, width: int, height: int) -> "ImageMemory":
        """New memory for pictures of `width` by `height` pixels; this process writes it."""
        memory = SharedMemory.create(width * height * CHANNELS, "autosim-image")
        return cls(memory, width=width, height=height)

    @classmethod
    def open(cls, fd: int, *, width: int, height: int) -> "ImageMemory":
        """Maps memory that another process created, to read it. Takes over `fd`."""
        return cls(SharedMemory.open(fd), width=width, height=height)

    @property
    def fd(self) -> int:
        """The file descriptor to hand to another process."""
        return self._memory.fd

    def close(self) -> None:
        """Closes the file descriptor. The memory goes with the last view of it."""
        self._memory.close()
