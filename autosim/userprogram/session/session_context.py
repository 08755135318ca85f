"""Records with all that the session of a user program needs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from autosim.model.tree import SimulationTree
from autosim.userprogram.ipc.camera_images import ImageMemory
from autosim.userprogram.ipc.channel import ProgramChannel
from autosim.userprogram.ipc.preparation import PreparationClock
from autosim.userprogram.session.program_memory import ProgramMemory

if TYPE_CHECKING:  # slow to import, and only programs that navigate need it
    from autosim.userprogram.session.navigation_map import NavigationMap


@dataclass(frozen=True, slots=True)
class Layout:
    """A state that takes the place of the one before; the fields are those of `SessionContext`.

    Attributes:
        tree: tree with the new layout.
        memory: live state, read-only.
        images: memory of pictures, None without cameras.
    """

    tree: SimulationTree
    memory: memoryview
    images: ImageMemory | None


@dataclass(frozen=True, slots=True)
class SessionContext:
    """All that a session needs.

    tree: laid out as the simulation's. memory: the live state, which stands still while the
    program is awake. channel: to the host. step_seconds: of the simulation. load_navigation_map:
    reads the world's roads, called when the program first asks for them. images: the memory for
    pictures, None where there are no cameras. memory_of_program: what it remembers at moments of
    the simulation. take_layout: opens the state that came with the last message, in a program that
    continues when robots are added or removed. clock: of what does not count towards its deadline.
    """

    tree: SimulationTree
    memory: memoryview
    channel: ProgramChannel
    step_seconds: float
    load_navigation_map: "Callable[[], NavigationMap]"
    images: ImageMemory | None = None
    memory_of_program: ProgramMemory = field(default_factory=ProgramMemory)
    take_layout: "Callable[[], Layout] | None" = None
    clock: PreparationClock = field(default_factory=PreparationClock)
