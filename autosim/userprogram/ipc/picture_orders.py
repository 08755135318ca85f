"""Messages between the simulation process and the process that renders for its programs.

Over a `ControlSocket`. The first message to the server's own process is a `PictureSetup`, with the
descriptor of the state; a client that has offered to render gets none. Each `PictureOrder` is
answered by a `PicturesDrawn`.
"""

from dataclasses import dataclass
from pathlib import Path

from autosim.config.descriptions import WorldDescription
from autosim.userprogram.ipc.camera_images import ImageSlot, PictureRequest
from autosim.world.compiled.compiled_world import CompiledWorld

PICTURE_PROCESS = "autosim.client.scene.picture_process"
"""The module that draws: of the client, which the server never imports."""


@dataclass(frozen=True, slots=True)
class PictureSetup:
    """The scene to render: the world, its origin (a file, or itself), and the run's seed."""

    world: WorldDescription
    compiled: Path | CompiledWorld
    """Compiled world, or the file that holds it."""
    seed: int


@dataclass(frozen=True, slots=True)
class PictureOrder:
    """Pictures of the current state, which stays until the answer.

    `memory` numbers the memory that they belong into; with its first order comes its descriptor.
    """

    number: int
    """Number of the order, which its answer repeats."""
    memory: int
    wishes: tuple[PictureRequest, ...]
    """Requested pictures, each with its camera and kind."""


@dataclass(frozen=True, slots=True)
class PicturesDrawn:
    """The answer: where the pictures are, or why there are none.

    `is_last`: the process ends with it, as it can draw nothing.
    """

    number: int
    """Number of the order."""
    places: tuple[ImageSlot, ...] = ()
    """Places of the pictures in the memory, in the order of the requests."""
    failure: str = ""
    """Reason why there are no pictures, "" where there are."""
    is_last: bool = False
