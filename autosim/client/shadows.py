"""The shadow map: how far the sun's light reaches, around what a camera looks at.

Most of what casts shadows stands. It is drawn into a map of its own, anew only when the sun, the
tiles or the place of the map change, and that goes in steps of some metres, by the camera's place
alone: a picture never depends on those before it. Each picture takes a copy of this map and draws
into it what moves.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from autosim.client.frames import look_rotation
from autosim.client.masks import MOVING_MASK, STANDING_MASK
from autosim.client.nodes import quaternion_of
from autosim.client.panda import core
from autosim.client.renderer import Renderer

Floats = npt.NDArray[np.float64]
PIXELS, FRUGAL_PIXELS = 1024, 768
"""Edge of the map, and the same where the processor draws: it costs a third less."""
METRES = 96.0
"""Edge of the square around the view that has shadows."""
_STEP_PIXELS = 48
"""The map moves by so many of its pixels, so that edges of shadows stand still."""
_DEPTH = 220.0
_AHEAD = 0.34
"""The middle of the square is so many of its edges ahead of the eye."""
BIAS = 0.6 / _DEPTH
"""Depth (of the map's 0..1) by which a surface may lie behind itself and still be in the sun."""


class ShadowMap:
    """Draws the shadow map before each picture.

    Args:
        renderer: draws it; if it cannot, or `is_wanted` is not, nothing is ever in shadow.
        root: the scene.
        standing: the node below it with all that stands still until `follow` is told otherwise.
        is_wanted: whether shadows are.

    `texture` is the map, and `camera` stands at the sun: what a shader needs.
    """

    def __init__(self, renderer: Renderer, root: Any, *, standing: Any, is_wanted: bool) -> None:
        is_frugal = renderer.capabilities.is_software
        self._pixels = FRUGAL_PIXELS if is_frugal else PIXELS
        self.texture = _depth_texture(self._pixels)
        self.camera = _make_camera(root, MOVING_MASK)
        self._standing_camera = _make_camera(root, STANDING_MASK)
        self._drawn: tuple[object, ...] = ()
        self._standing: Any = None
        self._region: Any = None
        if is_wanted and renderer.capabilities.has_shadows:
            self._draw_into_texture(renderer, standing)
        else:
            self.texture.setClearColor(core.LColor(1, 1, 1, 1))

    def follow(self, eye: Floats, forward: Floats, *, sun: Floats, changes: int) -> None:
        """Fits the map to the ground before a camera.

        Args:
            eye: (3,) [m] where it is.
            forward: (3,) where it looks.
            sun: (3,) unit vector towards the sun.
            changes: how many times what stands has changed so far.
        """
        rotation = look_rotation(-sun, np.array([0.0, 0.0, 1.0]))
        level = np.array([forward[0], forward[1], 0.0])
        centre = eye + _AHEAD * METRES * level / max(float(np.linalg.norm(level)), 1e-6)
        step = METRES / self._pixels * _STEP_PIXELS
        place = rotation @ (np.round(rotation.T @ centre / step) * step) + sun * (_DEPTH / 2)
        point, quaternion = core.LPoint3(*place), quaternion_of(rotation)
        for camera in (self.camera, self._standing_camera):
            camera.setPosQuat(point, quaternion)
        if self._standing is not None:
            wanted = (*place, *sun, changes)
            self._region.setActive(wanted != self._drawn)
            self._standing.setClearDepthActive(wanted != self._drawn)
            self._drawn = wanted

    def _draw_into_texture(self, renderer: Renderer, standing: Any) -> None:
        standing.hide(core.BitMask32(MOVING_MASK))
        self._standing_camera.node().setScene(standing)
        self._standing = _make_buffer(renderer, "standing shadows", self._pixels, sort=-20)
        # Of one format as the map, so that Mesa copies it as memory, and not pixel by pixel.
        self._standing.addRenderTexture(
            _depth_texture(self._pixels),
            core.GraphicsOutput.RTMBindOrCopy,
            core.GraphicsOutput.RTPDepth,
        )
        self._standing.addRenderTexture(
            self.texture, core.GraphicsOutput.RTMCopyTexture, core.GraphicsOutput.RTPDepth
        )
        self._region = self._standing.makeDisplayRegion()
        self._region.setCamera(self._standing_camera)
        moving = _make_buffer(renderer, "shadows", self._pixels, sort=-10)
        moving.addRenderTexture(
            self.texture, core.GraphicsOutput.RTMBindOrCopy, core.GraphicsOutput.RTPDepth
        )
        moving.setClearDepthActive(False)
        moving.makeDisplayRegion().setCamera(self.camera)


def _make_buffer(renderer: Renderer, name: str, pixels: int, *, sort: int) -> Any:
    buffer = renderer.make_buffer(name, pixels, pixels, is_depth=True)
    buffer.setSort(sort)
    # Drivers give it colours that nobody asked for; to clear and fill them costs a third.
    buffer.setClearColorActive(False)
    return buffer


def _make_camera(root: Any, mask: int) -> Any:
    lens = core.OrthographicLens()
    lens.setFilmSize(METRES, METRES)
    lens.setNearFar(1.0, _DEPTH)
    state = core.NodePath("shadow_state")
    state.setShaderOff(10)
    state.setTextureOff(10)
    state.setLightOff(10)
    state.setDepthOffset(-1)
    state.setAttrib(core.ColorWriteAttrib.make(core.ColorWriteAttrib.COff))
    node = core.Camera("shadow_camera", lens)
    node.setCameraMask(core.BitMask32(mask))
    node.setInitialState(state.getState())
    return root.attachNewNode(node)


def _depth_texture(pixels: int) -> Any:
    texture = core.Texture("shadow_map")
    texture.setup2dTexture(pixels, pixels, core.Texture.TFloat, core.Texture.FDepthComponent)
    texture.setMinfilter(core.SamplerState.FTShadow)
    texture.setMagfilter(core.SamplerState.FTShadow)
    texture.setWrapU(core.SamplerState.WMClamp)
    texture.setWrapV(core.SamplerState.WMClamp)
    return texture
