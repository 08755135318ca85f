"""The pictures of robots' cameras, as programs get them: in the camera's size, kinds and rate."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from autosim.arrays import Bytes, Floats32
from autosim.client.cameras.camera_rigs import CameraPose, CameraRig, camera_rigs
from autosim.client.panda.renderer_errors import RendererError
from autosim.client.rendering.exposure import exposed, noisy_depths
from autosim.client.rendering.flow import optical_flow
from autosim.client.rendering.measured import Measured
from autosim.client.rendering.optics import Optics
from autosim.client.rendering.view_state import ViewState
from autosim.client.rendering.world_renderer import WorldRenderer
from autosim.config.descriptions import WorldDescription
from autosim.config.world_settings import SkyDescription
from autosim.kinds.sensors.perception.camera import lens_of
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.userprogram.ipc.camera_images import DrawnImage, Image, PictureRequest

_EARLY = 1e-6
"""Share of its period by which a camera may be asked too early: times are sums of rounded steps."""


@dataclass(slots=True, eq=False)
class _Exposure:
    """A camera's last picture: its time, that of the one before, and the images rendered so far."""

    moment: ViewState
    before: ViewState | None = None
    images: dict[str, Image] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _FlatRig:
    """A device's camera with another vertical field of view [rad]."""

    rig: CameraRig
    fov: float

    def pose(self, state: State) -> CameraPose:
        """Pose of the device."""
        return self.rig.pose(state)


class DevicePictures:
    """Draws what robots' cameras see.

    A camera keeps what it saw until its rate allows the next picture, so that an earlier request
    gets the same picture again.

    Args:
        renderer: draws the scene.
        world: the robots, and the size of pictures of cameras that have none.
        tree: the tree of the states.
        seed: of the run, of which noise follows; it may be set later.
    """

    def __init__(
        self,
        renderer: WorldRenderer,
        world: WorldDescription,
        tree: SimulationTree,
        *,
        seed: int = 0,
    ) -> None:
        self._renderer = renderer
        self._size = (world.graphics.width, world.graphics.height)
        self._rigs = camera_rigs(world, tree)
        self.seed = seed
        self._optics: dict[str, Optics | None] = {}
        self._exposures: dict[str, _Exposure] = {}
        self._latest: ViewState | None = None
        self._sky: SkyDescription | None = None

    def begin(self, seed: int, sky: SkyDescription | None = None) -> None:
        """Forgets what cameras have seen: another run begins, with its own seed.

        Args:
            seed: of the run.
            sky: day time and weather of the run; None: those of the world.
        """
        self.seed, self._sky = seed, sky
        self._exposures.clear()
        self._latest = None

    def draw(self, wishes: Sequence[PictureRequest], state: State) -> list[DrawnImage]:
        """Draws pictures of one state, or gives those again that are not old enough.

        Args:
            wishes: the cameras and kinds.
            state: what to draw; it may change afterwards.

        Raises:
            RendererError: there is no such camera, or the renderer cannot draw that kind.
        """
        return [self._draw(wish, state) for wish in wishes]

    def is_plain(self, camera: str) -> bool:
        """Whether a camera's picture is that of the renderer: no lens, noise, exposure or rate."""
        rig = self._rigs.get(camera)
        if rig is None:
            return True
        own = rig.description
        has_sensor = own.exposure != 0.0 or own.full_well > 0.0 or own.update_rate > 0.0
        return not has_sensor and lens_of(own, self._size).is_pinhole

    def colours(self, camera: str, state: State) -> Bytes:
        """The picture in colour (height, width, 4) of a camera, whatever kinds it makes."""
        (drawn,) = self.draw([PictureRequest(camera, "rgb")], state)
        return drawn.pixels

    def _draw(self, wish: PictureRequest, state: State) -> DrawnImage:
        rig = self._rigs.get(wish.camera)
        if rig is None:
            known = ", ".join(self._rigs) or "none"
            raise RendererError(f"there is no camera '{wish.camera}'; there are: {known}")
        exposure = self._exposure(wish.camera, rig, state)
        if wish.kind not in exposure.images:
            exposure.images |= self._images(wish, rig, exposure)
        return DrawnImage(exposure.images[wish.kind], exposure.moment.state.step)

    def _exposure(self, camera: str, rig: CameraRig, state: State) -> _Exposure:
        """The camera's last exposure, or a new one where its rate allows it."""
        last = self._exposures.get(camera)
        if last is not None:
            age = state.time - last.moment.state.time
            rate = rig.description.update_rate
            if age == 0.0 and np.array_equal(last.moment.state.ints, state.ints):
                return last
            if rate > 0.0 and 0.0 <= age < (1.0 - _EARLY) / rate:
                return last
        exposure = _Exposure(self._moment_of(state), last.moment if last is not None else None)
        self._exposures[camera] = exposure
        return exposure

    def _moment_of(self, state: State) -> ViewState:
        """A moment that shows this state for ever: cameras that see the same share it."""
        if self._latest is None or not np.array_equal(self._latest.state.ints, state.ints):
            self._latest = self._renderer.new_moment()
            self._latest.sky = self._sky or self._latest.sky
            self._latest.update(state)
        return self._latest

    def _images(
        self, wish: PictureRequest, rig: CameraRig, exposure: _Exposure
    ) -> dict[str, Image]:
        """The picture, and the others that come with it at no cost."""
        name, optics = f"device:{wish.camera}", self._optics_of(wish.camera, rig)
        if wish.kind == "rgb":
            picture = self._renderer.image(name, at=exposure.moment)
            bent = picture if optics is None else optics.colours(picture)
            step = exposure.moment.state.step
            return {
                "rgb": exposed(bent, rig.description, name=wish.camera, seed=self.seed, step=step)
            }
        measured = self._renderer.measure(name, at=exposure.moment)
        measured = measured if optics is None else optics.measured(measured)
        if wish.kind == "flow":
            return {"flow": self._flow(name, rig, optics, exposure, measured.depths)}
        step = exposure.moment.state.step
        depths = noisy_depths(
            measured.depths, rig.description, name=wish.camera, seed=self.seed, step=step
        )
        return _by_kind(replace(measured, depths=depths))

    def _flow(
        self,
        name: str,
        rig: CameraRig,
        optics: Optics | None,
        exposure: _Exposure,
        depths: Floats32,
    ) -> Floats32:
        now, before = exposure.moment, exposure.before
        if before is None:
            return np.full((*depths.shape, 2), np.nan, dtype=np.float32)
        moved = self._renderer.motion(name, at=now, since=before)
        return optical_flow(
            depths,
            moved if optics is None else optics.nearest(moved),
            lens=lens_of(rig.description, self._size),
            now=rig.pose(now.state),
            before=rig.pose(before.state),
        )

    def _optics_of(self, camera: str, rig: CameraRig) -> Optics | None:
        """The camera's lens, if it is not a pinhole; registers the camera with the renderer."""
        if camera not in self._optics:
            lens = lens_of(rig.description, self._size)
            optics = None if lens.is_pinhole else Optics(lens)
            name = f"device:{camera}"
            if optics is None:
                self._renderer.add_camera(name, rig, size=(lens.width, lens.height))
            else:
                flat = optics.flat
                flat_rig = _FlatRig(rig, flat.fov)
                self._renderer.add_camera(name, flat_rig, size=(flat.width, flat.height))
            self._optics[camera] = optics
        return self._optics[camera]


def _by_kind(measured: Measured) -> dict[str, Image]:
    return {
        "depth": measured.depths,
        "semantic": measured.classes.astype(np.uint8),
        "instance": measured.instances,
        "normals": measured.normals,
    }
