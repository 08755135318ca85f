"""The renderer of a world: the protocol that a graphics engine implements."""

from typing import Protocol

from autosim.arrays import Bytes, Floats32
from autosim.client.cameras.camera_rigs import CameraPose, Rig
from autosim.client.cameras.depth_test import Depths
from autosim.client.rendering.measured import Measured
from autosim.client.rendering.view_state import ViewState
from autosim.config.world_settings import SkyDescription
from autosim.model.state import State

Pixels = Bytes
"""(height, width, 4) uint8 RGBA, rows from the top."""


class WorldRenderer(Protocol):
    """Draws pictures of one world from named cameras.

    Everything above it (windows, overlays, recordings, programs that ask for pictures) knows no
    engine; `autosim.client.scene.viewer.Viewer` is the renderer with Panda3D. Another engine takes
    the same three things, a `WorldDescription`, a `CompiledWorld` and a `SimulationTree`, and finds
    the rest ready as NumPy arrays: the meshes of each tile (`tiles.tile_meshes`), models
    (`models.models`), looks of surfaces (`materials.surfaces`), the light of a sky
    (`light.daylight`), which lamps shine (`simulation.lights`), what is hidden (`tiles.occlusion`).

    Frames and units: W is right-handed with x east, y north, z up [m]; a `CameraPose` gives the
    axes of a camera in it; a `Rig` tells a camera's pose in each state. Pictures are RGBA bytes,
    rows from the top.

    What a picture shows is a function of its camera and its moment alone: the same state and sky
    give the same bytes, whatever was drawn before. Only a streamed picture may lack what is far.

    All methods are called by one thread, the one that made the renderer.
    """

    @property
    def renderer(self) -> str:
        """The engine and the driver behind it, as text for messages."""

    @property
    def limitations(self) -> tuple[str, ...]:
        """Limits of this renderer, a sentence each."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """The models and pictures that could not be shown so far, and why."""

    @property
    def is_closed(self) -> bool:
        """Whether it draws no more."""

    @property
    def has_all(self) -> bool:
        """Whether the last picture lacks nothing that its camera can see."""

    def close(self) -> None:
        """Frees everything."""

    def add_camera(self, name: str, rig: Rig, *, size: tuple[int, int] | None = None) -> None:
        """Adds a camera that is not a device, or changes it; `size`: (width, height) [pixels]."""

    def remove_camera(self, name: str) -> None:
        """Removes a camera that `add_camera` has added."""

    def pose(self, camera: str = "") -> CameraPose:
        """Pose of a camera at the renderer's own moment."""

    def fov(self, camera: str = "") -> float:
        """The vertical field of view [rad] of a camera."""

    def new_moment(self) -> ViewState:
        """A moment for another party: before any state, under the world's own sky."""

    def update(self, state: State) -> None:
        """Moves the renderer's own moment to `state`, which may change afterwards."""

    def show_sky(self, sky: SkyDescription) -> None:
        """Draws another day time and weather at the renderer's own moment."""

    def image(
        self, camera: str = "", *, is_streamed: bool = False, at: ViewState | None = None
    ) -> Pixels:
        """The picture of a camera, of the renderer's own moment or of another one.

        Args:
            camera: qualified name of a Camera device, or a name given to `add_camera`; "" for the
                main view.
            is_streamed: for a window: far things may still be missing, and come picture by picture
                (`has_all`).
            at: the moment to show; default: the renderer's own.

        Raises:
            RendererError: no such camera, or nothing can be drawn.
        """

    def measure(self, camera: str = "", *, at: ViewState | None = None) -> Measured:
        """Depths, classes, instances and normals of what a camera sees, as `image` shows it.

        Raises:
            RendererError: no such camera, or the renderer cannot measure.
        """

    def motion(self, camera: str, *, at: ViewState, since: ViewState) -> Floats32:
        """Motion of what a camera sees at `at` has moved since another moment.

        Returns:
            (height, width, 3) [m] where each place was less where it is, along the axes of the
            camera at `at` (forward, left, up); 0 where nothing is.

        Raises:
            RendererError: as `measure`.
        """

    def keep_depths(self, camera: str, is_kept: bool) -> None:
        """Keeps with each picture of a camera how far away things in it are, or no longer."""

    def depths(self, camera: str) -> Depths | None:
        """Depths (height, width) [m] along the view axis in a camera's last picture; None: none."""
