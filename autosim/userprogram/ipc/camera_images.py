"""Pictures of virtual cameras on their way from the process that draws to a user program."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from autosim.arrays import Bytes
from autosim.kinds.sensors.perception.camera import PICTURES, Camera, picture_size
from autosim.model.tree import SimulationTree
from autosim.userprogram.ipc.shared_memory import SharedMemory

Image = npt.NDArray[Any]
"""A picture of any kind, rows from the top.

See `autosim.kinds.sensors.perception.camera.PICTURES`.
"""

Pixels = Bytes

_WORD = 16
"""[bytes] Each picture begins at a multiple of it, as arrays of floats want."""


@dataclass(frozen=True, slots=True)
class PictureRequest:
    """A picture that a program wants: the camera's qualified name, and the kind."""

    camera: str
    kind: str


@dataclass(frozen=True, slots=True)
class DrawnImage:
    """A picture that was drawn, and the step count of the state that it shows."""

    pixels: Image
    """(height, width) or (height, width, channels)."""
    step: int


@dataclass(frozen=True, slots=True)
class ImageSlot:
    """Address of a picture in the memory: `offset` [bytes], `width` and `height` [pixels]."""

    width: int
    height: int
    offset: int
    step: int
    """Step count of the state that the picture shows."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """The pictures of one camera at one time, of all its kinds.

    `step` and `time` [s] are those of the state that it shows. `images`: an array by kind, with
    rows from the top; `picture["depth"]` is short for `picture.images["depth"]`.
    """

    camera: str
    step: int
    time: float
    images: Mapping[str, Image]

    def __getitem__(self, kind: str) -> Image:
        """The image of that kind.

        Raises:
            KeyError: the camera does not make it.
        """
        return self.images[kind]


class ImageMemory:
    """Shared memory for the pictures that a program asks for at once.

    Args:
        memory: of any size.
        width: of the pictures of cameras without their own resolution [pixels].
        height: the same.
    """

    def __init__(self, memory: SharedMemory, *, width: int, height: int) -> None:
        self._memory = memory
        self.width = width
        self.height = height

    @classmethod
    def create(
        cls, *, width: int, height: int, size: int, is_written_elsewhere: bool = False
    ) -> "ImageMemory":
        """New memory of `size` bytes, which this process writes, or another one that opens it."""
        memory = SharedMemory.create(
            max(size, _WORD), "autosim-image", is_written_elsewhere=is_written_elsewhere
        )
        return cls(memory, width=width, height=height)

    @classmethod
    def open(cls, fd: int, *, width: int, height: int, is_written: bool = False) -> "ImageMemory":
        """Maps memory that another process created, to read or write it. Takes over `fd`."""
        memory = SharedMemory.open(fd, is_written=is_written)
        return cls(memory, width=width, height=height)

    @property
    def fd(self) -> int:
        """The file descriptor to hand to another process."""
        return self._memory.fd

    def put(self, pictures: "list[DrawnImage]") -> list[ImageSlot]:
        """Writes pictures one after the other, over those before.

        Raises:
            ValueError: there is no room for all.
        """
        places, offset = [], 0
        for drawn in pictures:
            data = np.ascontiguousarray(drawn.pixels)
            end = offset + data.nbytes
            if end > self._memory.memory.nbytes:
                raise ValueError(
                    f"{len(pictures)} pictures do not fit into {self._memory.memory.nbytes} bytes: "
                    "ask for fewer at once"
                )
            self._memory.memory[offset:end] = data.reshape(-1).view(np.uint8).data
            height, width = data.shape[:2]
            places.append(ImageSlot(width, height, offset, drawn.step))
            offset = -(-end // _WORD) * _WORD
        return places

    def picture(self, kind: str, place: ImageSlot) -> Image:
        """A view of the picture of that kind; of one that was opened, read-only."""
        form = PICTURES[kind]
        shape = form.shape(place.width, place.height)
        count = int(np.prod(shape))
        flat = np.frombuffer(
            self._memory.memory, dtype=form.dtype, count=count, offset=place.offset
        )
        return flat.reshape(shape)

    @property
    def size(self) -> int:
        """Capacity [bytes]."""
        return self._memory.memory.nbytes

    def content(self, end: int) -> bytes:
        """A copy of its first `end` bytes."""
        return bytes(self._memory.memory[:end])

    def fill(self, data: bytes | bytearray) -> None:
        """Writes what `content` has given elsewhere; `data` fits into it."""
        self._memory.memory[: len(data)] = data

    def close(self) -> None:
        """Closes the file descriptor. The memory goes with the last view of it."""
        self._memory.close()


def slot_end(kind: str, place: ImageSlot) -> int:
    """End of a picture of that kind in the memory [bytes]."""
    return place.offset + PICTURES[kind].bytes_of(place.width, place.height)


def max_bytes(tree: SimulationTree, size: tuple[int, int]) -> int:
    """Size of all pictures of the robot with the most of them [bytes]; 0: no cameras.

    Args:
        tree: with the robots.
        size: of cameras without their own resolution [pixels].
    """
    sums = [
        sum(
            PICTURES[kind].bytes_of(*picture_size(camera, size)) + _WORD
            for camera in robot.devices
            if isinstance(camera, Camera)
            for kind in camera.kinds
        )
        for robot in tree.descriptions.values()
    ]
    return max(sums, default=0)
