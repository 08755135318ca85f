"""What the simulation process and who draws pictures for its programs say to each other.

Over a `ControlSocket`. The first message to a process of the server's own is a `PictureSetup`, with
the descriptor of the state; somebody who has offered to draw gets none. Each `PictureOrder` is
answered by a `PicturesDrawn`.
"""

from dataclasses import dataclass
from pathlib import Path

from autosim.config.descriptions import WorldDescription
from autosim.userprogram.exchange.images import Place, Wish
from autosim.world.compiled.compiled import CompiledWorld

PICTURE_PROCESS = "autosim.client.scene.picture_process"
"""The module that draws: of the client, which the server never imports."""


@dataclass(frozen=True, slots=True)
class PictureSetup:
    """What is drawn: the world, its place (a file, or itself), and the run's seed."""

    world: WorldDescription
    compiled: Path | CompiledWorld
    seed: int


@dataclass(frozen=True, slots=True)
class PictureOrder:
    """Pictures of the state as it stands until the answer.

    `memory` numbers the memory that they belong into; with its first order comes its descriptor.
    """

    number: int
    memory: int
    wishes: tuple[Wish, ...]


@dataclass(frozen=True, slots=True)
class PicturesDrawn:
    """The answer: where the pictures are, or why there are none.

    `is_last`: the process ends with it, as it can draw nothing.
    """

    number: int
    places: tuple[Place, ...] = ()
    failure: str = ""
    is_last: bool = False
