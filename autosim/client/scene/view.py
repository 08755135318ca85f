"""A view: one camera and the buffer or window that its pictures appear in."""

from math import atan, degrees, tan

import numpy as np

from autosim.arrays import Floats, Floats32
from autosim.client.cameras.camera_rigs import NEAR, CameraPose
from autosim.client.cameras.depth_test import Depths, metres_of
from autosim.client.panda.masks import LABEL_MASK, PICTURE_MASK
from autosim.client.panda.panda_imports import core
from autosim.client.panda.panda_nodes import panda_quaternion
from autosim.client.panda.readback import Pixels, read_depths, read_floats, read_pixels
from autosim.client.tiles.occlusion import Frustum


class View:
    """Draws the scene into `output` when it is active.

    Args:
        output: a buffer or window of the renderer.
        root: the scene.
        fov: vertical field of view [rad].
        span: height [m] of what a parallel projection shows; 0: in perspective.
        far: farthest distance [m] that is drawn.
        is_kept: whether the picture is kept in memory for `picture`. Not for a window: what
            other windows cover of it is undefined.

    `eye` is the camera itself, `camera` the node at which it is.
    """

    mask = PICTURE_MASK
    """The bits by which nodes hide from this sort of camera."""

    def __init__(
        self,
        output: core.GraphicsOutput,
        *,
        root: core.NodePath,
        fov: float,
        far: float,
        is_kept: bool,
        span: float = 0.0,
    ) -> None:
        self.output = output
        self._texture = core.Texture("picture")
        if is_kept:
            output.addRenderTexture(self._texture, core.GraphicsOutput.RTMCopyRam)
        output.setClearColorActive(True)
        self._depths: core.Texture | None = None
        self._fov, self._far, self._span = fov, far, span
        self._size = (0, 0)
        self.eye = core.Camera("view")
        self.eye.setCameraMask(core.BitMask32(self.mask))
        self.camera = root.attachNewNode(self.eye)
        output.makeDisplayRegion().setCamera(self.camera)
        self._fit_lens()

    @property
    def is_closed(self) -> bool:
        """Whether the window of this view is gone."""
        return not self.output.isValid()

    def place(self, pose: CameraPose) -> None:
        """Moves the camera, and fits its lens to a window whose size has changed."""
        self._fit_lens()
        self.camera.setPosQuat(core.LPoint3(*pose.position), panda_quaternion(pose.rotation))

    def frustum(self, pose: CameraPose) -> Frustum | None:
        """Largest part of the world in the picture from there; None of a parallel projection."""
        if self._span > 0.0:
            return None
        width, height = self._size
        up = np.tan(self._fov / 2.0)
        right = up * width / height
        corners = np.array([(x, 1.0, z) for x in (-right, right) for z in (-up, up)])
        return Frustum(pose.position, corners @ pose.rotation.T)

    def set_background(self, colour: Floats) -> None:
        """The colour (3,) sRGB in 0..1 of where nothing is drawn."""
        red, green, blue = colour.tolist()
        self.output.setClearColor(core.LColor(red, green, blue, 1.0))

    def set_active(self, is_active: bool) -> None:
        """Whether the next frame draws this view."""
        self.output.setActive(is_active)

    def picture(self) -> Pixels:
        """The picture of the last frame, (height, width, 4) uint8 RGBA, rows from the top.

        Raises:
            RendererError: nothing has been drawn, or the picture is not kept.
        """
        return read_pixels(self._texture)

    def keep_depths(self) -> None:
        """Keeps how deep in the picture things are, from the next frame on, for `depths`."""
        if self._depths is None:
            self._depths = core.Texture("depths")
            self._depths.setFormat(core.Texture.FDepthComponent)
            copied, what = core.GraphicsOutput.RTMCopyRam, core.GraphicsOutput.RTPDepth
            self.output.addRenderTexture(self._depths, copied, what)

    def depths(self) -> Depths | None:
        """Depths (height, width) [m] of the last frame, rows from the top; None: not kept."""
        values = read_depths(self._depths) if self._depths is not None else None
        return None if values is None else metres_of(values, near=NEAR, far=self._far)

    def close(self) -> None:
        """Takes the camera out of the scene; the output is the renderer's to remove."""
        self.camera.removeNode()

    def _fit_lens(self) -> None:
        width, height = max(self.output.getXSize(), 1), max(self.output.getYSize(), 1)
        if (width, height) != self._size:
            self._size = (width, height)
            self.eye.setLens(self._make_lens(width, height))

    def _make_lens(self, width: int, height: int) -> core.Lens:
        if self._span > 0.0:
            lens = core.OrthographicLens()
            lens.setFilmSize(self._span * width / height, self._span)
            lens.setNearFar(NEAR, self._far)
            return lens
        return make_lens(self._fov, width=width, height=height, far=self._far)


class FloatView(View):
    """Draws with a separate shader, which writes four floats a pixel.

    Args:
        output: a buffer of floats.
        root: the scene.
        fov: vertical field of view [rad].
        far: farthest distance [m] that is drawn.
        span: as of a `View`.
        program: its vertex and its fragment shader.
    """

    mask = LABEL_MASK

    def __init__(
        self,
        output: core.GraphicsOutput,
        *,
        root: core.NodePath,
        fov: float,
        far: float,
        span: float,
        program: tuple[str, str],
    ) -> None:
        super().__init__(output, root=root, fov=fov, far=far, is_kept=False, span=span)
        self._floats = core.Texture("floats")
        self._floats.setFormat(core.Texture.FRgba32)
        self._floats.setComponentType(core.Texture.TFloat)
        output.addRenderTexture(self._floats, core.GraphicsOutput.RTMCopyRam)
        output.setClearColor(core.LColor(0.0, 0.0, 0.0, 0.0))
        state = core.NodePath("floats")
        state.setShader(core.Shader.make(core.Shader.SLGLSL, *program), _ABOVE_ALL)
        state.setTransparency(core.TransparencyAttrib.MNone, _ABOVE_ALL)
        self.eye.setInitialState(state.getState())

    def floats(self) -> Floats32:
        """Content of the last frame: (height, width, 4), rows from the top.

        Raises:
            RendererError: nothing has been drawn, or the driver keeps no floats.
        """
        return read_floats(self._floats)


_ABOVE_ALL = 100
"""Number that no node gives the priority of its own program: the camera's wins."""


def make_lens(fov: float, *, width: int, height: int, far: float) -> core.Lens:
    """A lens with the vertical field of view `fov` [rad] for pictures of that size."""
    lens = core.PerspectiveLens()
    horizontal = 2 * atan(tan(fov / 2) * width / height)
    lens.setFov(degrees(horizontal), degrees(fov))
    lens.setNearFar(NEAR, far)
    return lens
