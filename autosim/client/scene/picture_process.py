"""A separate process that draws for the user programs of a server on the same machine.

The simulation process starts it when the first picture is wanted. It maps the memory in which the
simulation works, which stands still while a program is awake: so a picture shows exactly the state
at which the program was woken. It ends with the process that has started it.
"""

import signal
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from autosim.client.rendering.device_pictures import DevicePictures
from autosim.client.scene.viewer import Viewer
from autosim.errors import UserError
from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.helper_processes.start import inherited_control
from autosim.kinds.director import build_tree
from autosim.model.state import State
from autosim.userprogram.ipc.camera_images import ImageMemory
from autosim.userprogram.ipc.picture_orders import (
    PictureOrder,
    PicturesDrawn,
    PictureSetup,
)
from autosim.userprogram.ipc.shared_state import SharedState
from autosim.userprogram.process.process_cleanup import kill_with_parent
from autosim.world.compiled.compiled_file import load_compiled_world
from autosim.world.compiled.compiled_world import CompiledWorld


class StateRenderer:
    """Draws the state in a shared memory.

    Args:
        setup: what is drawn.
        shared: its state.

    Raises:
        RendererError: nothing can be drawn here.
    """

    def __init__(self, setup: PictureSetup, shared: SharedState) -> None:
        # Records from another process know their kinds only once all kinds are imported.
        import_module("autosim.kinds.registry")
        world, graphics = setup.world, setup.world.graphics
        tree = build_tree(world)
        self._state = State(tree, shared.live)
        self._size = graphics.width, graphics.height
        viewer = Viewer(
            world,
            _compiled(setup.compiled),
            tree,
            width=graphics.width,
            height=graphics.height,
            onscreen=False,
        )
        self._pictures = DevicePictures(viewer, world, tree, seed=setup.seed)
        self._memories: dict[int, ImageMemory] = {}

    def take_memory(self, number: int, descriptor: int) -> None:
        """Takes the memory of a program, which later orders name by its number."""
        width, height = self._size
        self._memories[number] = ImageMemory.open(
            descriptor, width=width, height=height, is_written=True
        )

    def draw(self, order: PictureOrder) -> PicturesDrawn:
        """Draws what a program has ordered."""
        try:
            drawn = self._pictures.draw(order.wishes, self._state)
            places = self._memories[order.memory].put(drawn)
        except (UserError, ValueError) as error:
            return PicturesDrawn(order.number, failure=str(error))
        return PicturesDrawn(order.number, places=tuple(places))


def serve(control: ControlSocket) -> None:
    """Draws what is ordered, until the other end is gone.

    Raises:
        ControlClosedError: it is.
    """
    setup, (state,) = control.receive()
    assert isinstance(setup, PictureSetup)
    shared = SharedState.open(state)
    draughtsman: StateRenderer | None = None
    while True:
        order, descriptors = control.receive()
        assert isinstance(order, PictureOrder)
        try:
            draughtsman = draughtsman or StateRenderer(setup, shared)
        except (UserError, OSError) as error:
            control.send(PicturesDrawn(order.number, failure=str(error), is_last=True))
            return
        for descriptor in descriptors:
            draughtsman.take_memory(order.memory, descriptor)
        control.send(draughtsman.draw(order))


def _compiled(place: Path | CompiledWorld) -> CompiledWorld:
    return load_compiled_world(place) if isinstance(place, Path) else place


def main(control_descriptor: int) -> int:
    """The process's whole life; returns its exit code."""
    kill_with_parent(signal.SIGKILL)
    with suppress(ControlClosedError):
        serve(inherited_control(control_descriptor))
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
