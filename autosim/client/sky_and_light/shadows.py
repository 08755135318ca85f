"""The shadow map: depths of the sun's light around the point that a camera looks at.

Most objects that cast shadows do not move. They are drawn into a separate map for each sun, set of
tiles and position of the map, which moves in steps of some metres with the camera alone: a picture
never depends on earlier ones. The last few such maps are cached, so that several cameras in turn
each find theirs. Each picture copies one and draws the moving objects into it.
"""

from collections.abc import Callable

import numpy as np

from autosim.arrays import Floats
from autosim.client.panda.masks import MOVING_MASK, STANDING_MASK
from autosim.client.panda.panda_frames import look_rotation
from autosim.client.panda.panda_imports import core
from autosim.client.panda.panda_nodes import panda_quaternion
from autosim.client.panda.renderer import Renderer

PIXELS, FRUGAL_PIXELS = 1024, 768
"""Edge of the map, and the same where the processor draws: it costs a third less."""
METRES = 96.0
"""Edge of the square around the view that has shadows."""
_STEP_PIXELS = 48
"""Step [pixels] in which the map moves, so that edges of shadows do not crawl."""
_DEPTH = 220.0
"""[m] The map's depth along the sun's rays: it holds the tallest houses around the view."""

_AHEAD = 0.34
"""Distance of the square's middle ahead of the eye, in edges of the square."""
_MOST_KEPT = 8
"""Number of kept maps of what stands: with more cameras in turn, they are drawn for each
picture."""
BIAS = 0.6 / _DEPTH
"""Depth (of the map's 0..1) by which a surface may lie behind itself and still be in the sun."""


class ShadowMap:
    """Draws the shadow map before each picture.

    Args:
        renderer: draws it; if it cannot, or if not `is_wanted`, there are no shadows.
        root: the scene.
        standing: the node below it with all stationary objects until `follow` changes it.
        is_wanted: whether shadows are.
        scale: factor on the edge [pixels] of the map.

    `texture` is the map, and `camera` is at the sun, as a shader needs it.
    """

    def __init__(
        self,
        renderer: Renderer,
        root: core.NodePath,
        *,
        standing: core.NodePath,
        is_wanted: bool,
        scale: int = 1,
    ) -> None:
        is_frugal = renderer.capabilities.is_software
        self._pixels = scale * (FRUGAL_PIXELS if is_frugal else PIXELS)
        self.texture = _depth_texture(self._pixels)
        self.camera = _make_camera(root, MOVING_MASK)
        self._standing_camera = _make_camera(root, STANDING_MASK)
        self._standing: _KeptMaps | None = None
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
        point, quaternion = core.LPoint3(*place), panda_quaternion(rotation)
        for camera in (self.camera, self._standing_camera):
            camera.setPosQuat(point, quaternion)
        if self._standing is not None:
            self._standing.choose((*place, *sun, changes))

    @property
    def pixels(self) -> int:
        """Edge [pixels] of the map."""
        return self._pixels

    @property
    def draws_standing(self) -> bool:
        """Whether the picture that is drawn next finds no map of what stands."""
        return self._standing is not None and self._standing.draws

    def _draw_into_texture(self, renderer: Renderer, standing: core.NodePath) -> None:
        standing.hide(core.BitMask32(MOVING_MASK))
        eye = self._standing_camera.node()
        assert isinstance(eye, core.Camera)
        eye.setScene(standing)
        self._standing = _KeptMaps(
            lambda: _KeptMap(renderer, self._standing_camera, onto=self.texture)
        )
        moving = _make_buffer(renderer, "shadows", self._pixels, sort=-10)
        moving.addRenderTexture(
            self.texture, core.GraphicsOutput.RTMBindOrCopy, core.GraphicsOutput.RTPDepth
        )
        moving.setClearDepthActive(False)
        moving.makeDisplayRegion().setCamera(self.camera)


class _KeptMap:
    """A map of what stands. When it is active, the next picture begins with a copy of it.

    `shows` is what it was drawn for, `used` the number of the picture that it was active for last.

    Args:
        renderer: draws it.
        camera: that looks from the sun at what stands.
        onto: the texture that takes the copy.
    """

    def __init__(self, renderer: Renderer, camera: core.NodePath, *, onto: core.Texture) -> None:
        self.shows: tuple[object, ...] = ()
        self.used = 0
        pixels = onto.getXSize()
        self._buffer = _make_buffer(renderer, "standing shadows", pixels, sort=-20)
        # Of one format as the other, so that Mesa copies it as memory, and not pixel by pixel.
        for texture, mode in (
            (_depth_texture(pixels), core.GraphicsOutput.RTMBindOrCopy),
            (onto, core.GraphicsOutput.RTMCopyTexture),
        ):
            self._buffer.addRenderTexture(texture, mode, core.GraphicsOutput.RTPDepth)
        self._region = self._buffer.makeDisplayRegion()
        self._region.setCamera(camera)

    def set_active(self, is_active: bool, *, is_drawn: bool = False) -> None:
        """Whether the next picture takes a copy, and whether the map is redrawn before."""
        self._buffer.setActive(is_active)
        self._buffer.setClearDepthActive(is_drawn)
        self._region.setActive(is_drawn)


class _KeptMaps:
    """The last few maps of what stands, by what they show.

    `draws`: whether the next picture draws one.

    Args:
        make: one more map.
    """

    def __init__(self, make: Callable[[], _KeptMap]) -> None:
        self._make = make
        self._maps: list[_KeptMap] = []
        self._pictures = 0
        self.draws = False

    def choose(self, wanted: tuple[object, ...]) -> None:
        """Has the next picture take a copy of the map that shows `wanted`, or draw it first."""
        self._pictures += 1
        found = next((each for each in self._maps if each.shows == wanted), None)
        self.draws = found is None
        chosen = found or self._spare()
        for each in self._maps:
            each.set_active(each is chosen, is_drawn=each is chosen and self.draws)
        chosen.shows, chosen.used = wanted, self._pictures

    def _spare(self) -> _KeptMap:
        """The map that was not used for longest, if that is long enough; else one more."""
        oldest = min(self._maps, key=lambda each: each.used, default=None)
        if oldest is not None:
            is_forgotten = oldest.used < self._pictures - _MOST_KEPT
            if is_forgotten or len(self._maps) == _MOST_KEPT:
                return oldest
        self._maps.append(self._make())
        return self._maps[-1]


def _make_buffer(renderer: Renderer, name: str, pixels: int, *, sort: int) -> core.GraphicsOutput:
    buffer = renderer.make_buffer(name, pixels, pixels, is_depth=True)
    buffer.setSort(sort)
    # Drivers give it unneeded colours; clearing and filling them costs a third.
    buffer.setClearColorActive(False)
    return buffer


def _make_camera(root: core.NodePath, mask: int) -> core.NodePath:
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


def _depth_texture(pixels: int) -> core.Texture:
    texture = core.Texture("shadow_map")
    texture.setup2dTexture(pixels, pixels, core.Texture.TFloat, core.Texture.FDepthComponent)
    texture.setMinfilter(core.SamplerState.FTShadow)
    texture.setMagfilter(core.SamplerState.FTShadow)
    texture.setWrapU(core.SamplerState.WMClamp)
    texture.setWrapV(core.SamplerState.WMClamp)
    return texture
