"""The pictures of a client: drawn where there is a renderer, else said to be missing."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from PIL import Image

from autosim.applications.common.files import write_picture
from autosim.arrays import Bytes
from autosim.client.panda.display_modules import Probe, has_panda3d
from autosim.client.rendering.device_pictures import DevicePictures
from autosim.config.descriptions import WorldDescription
from autosim.kinds.sensors.perception.camera import Camera
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.userprogram.ipc.camera_images import DrawnImage, PictureRequest
from autosim.world.compiled.compiled_world import CompiledWorld


class PictureOutput(Protocol):
    """Shows states. `renderer` names what draws; `limitations` says what it cannot do."""

    renderer: str
    limitations: tuple[str, ...]
    frames: int

    @property
    def has_window(self) -> bool:
        """Whether a window is open in which a person may be watching."""

    @property
    def is_closed(self) -> bool:
        """Whether the user has closed the window."""

    def show(self, state: State) -> None:
        """Draws a state."""

    def refresh(self) -> None:
        """Keeps a window alive while no new state comes."""

    def save(self, folder: Path) -> list[Path]:
        """Writes the pictures of the state shown last."""

    def close(self) -> None:
        """Ends the renderer."""


class NoPictures:
    """Stands in where nothing can be drawn: Panda3D is an optional extra."""

    frames = 0
    is_closed = False
    has_window = False

    def __init__(self, reason: str) -> None:
        self.renderer = "none"
        self.limitations: tuple[str, ...] = (reason,)

    def show(self, state: State) -> None:
        """Draws nothing."""

    def refresh(self) -> None:
        """Has no window."""

    def save(self, folder: Path) -> list[Path]:
        """Writes nothing."""
        return []

    def close(self) -> None:
        """Has nothing to end."""


class RenderResult:
    """A window, or pictures offscreen: the chase camera, and the first robot's front camera."""

    def __init__(
        self,
        world: WorldDescription,
        compiled: CompiledWorld,
        tree: SimulationTree,
        *,
        onscreen: bool,
        renderer: str | None,
        camera: str = "",
        probe: Probe | None = None,
    ) -> None:
        from autosim.client.scene.viewer import Viewer

        self._viewer = Viewer(
            world,
            compiled,
            tree,
            width=world.graphics.width,
            height=world.graphics.height,
            onscreen=onscreen,
            renderer=renderer,
            probe=probe,
        )
        self._device_pictures = DevicePictures(self._viewer, world, tree)
        # Whose rates are not those of the programs' pictures.
        self._shown_pictures = DevicePictures(self._viewer, world, tree)
        self._state: State | None = None
        self._onscreen = onscreen
        self._camera = camera
        self._front = front_camera(world)
        self.renderer = self._viewer.renderer
        self.limitations = (*self._viewer.limitations, *self._viewer.warnings)
        self.frames = 0

    @property
    def has_window(self) -> bool:
        """Whether the pictures are in a window."""
        return self._viewer.has_window

    @property
    def is_closed(self) -> bool:
        """Whether the user has closed the window."""
        return self._viewer.is_closed

    def show(self, state: State) -> None:
        """Draws a state in the window, or offscreen and reads it back."""
        self._state = state
        self._viewer.update(state)
        if self._onscreen:
            self._viewer.draw()
        else:
            self._viewer.image(self._camera)
        self.frames += 1

    def refresh(self) -> None:
        """Handles the window's events."""
        if self._onscreen:
            self._viewer.draw()

    def image(self, camera: str) -> Bytes:
        """The picture (height, width, 4) RGBA of a camera at the state shown last.

        Of a device it is that of the device, with its lens, noise and rate.
        """
        if self._state is None or self._shown_pictures.is_plain(camera):
            return self._viewer.image(camera)
        return self._shown_pictures.colours(camera, self._state)

    def program_images(
        self, wishes: Sequence[PictureRequest], state: State, *, seed: int = 0
    ) -> Sequence[DrawnImage]:
        """Pictures for a user program: of the state that it sees, whatever is shown."""
        self._device_pictures.seed = seed
        return self._device_pictures.draw(wishes, state)

    def save(self, folder: Path) -> list[Path]:
        """Writes `chase.png` and `front.png`.

        Raises:
            UserError: one of them cannot be written.
        """
        cameras = {"chase.png": self._camera, "front.png": self._front}
        saved = []
        for name, camera in cameras.items():
            if name == "chase.png" or camera:
                picture = Image.fromarray(self.image(camera)).convert("RGB")
                write_picture(folder / name, picture)
                saved.append(folder / name)
        return saved

    def close(self) -> None:
        """Ends the renderer."""
        self._viewer.close()


def front_camera(world: WorldDescription) -> str:
    """Qualified name of the first fixed camera of the first robot, "" where it has none."""
    for robot in world.robots[:1]:
        for device in robot.robot.devices:
            if isinstance(device, Camera) and device.type == "fixed":
                return f"{robot.name}.{device.part}.{device.name}"
    return ""


def open_pictures(
    world: WorldDescription,
    compiled: CompiledWorld,
    tree: SimulationTree,
    *,
    onscreen: bool,
    renderer: str | None,
    camera: str = "",
    probe: Probe | None = None,
) -> PictureOutput:
    """The best pictures that this machine can draw.

    Args:
        world: robots, cameras, graphics settings.
        compiled: the place.
        tree: of the states to be shown.
        onscreen: a window is wanted.
        renderer: the display module to take, None for the first that starts.
        camera: its qualified name, "" for the main view.
        probe: tries a display module, as for `Viewer`.

    Raises:
        RendererError: the renderer that was asked for does not start, or none that is installed.
    """
    if not has_panda3d():
        return NoPictures("no pictures: Panda3D is not installed (pip install 'autosim[client]')")
    return RenderResult(
        world,
        compiled,
        tree,
        onscreen=onscreen,
        renderer=renderer,
        camera=camera,
        probe=probe,
    )
