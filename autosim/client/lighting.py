"""The sun, its shadows, the light of the sky, the haze: for shaders, or without."""

from typing import Any

import numpy as np
import numpy.typing as npt

from autosim.client.frames import look_rotation
from autosim.client.palette import HORIZON, ZENITH
from autosim.client.panda import core
from autosim.client.renderer import Renderer
from autosim.client.shaders import world_shader

Floats = npt.NDArray[np.float64]
EYE_MASK = 1
"""Bit of the cameras that make pictures."""
SHADOW_MASK = 2
"""Bit of the camera that makes the shadow map: the ground, which casts none, hides from it."""
SHADOW_PIXELS = 1024
SHADOW_METRES = 90.0
"""Edge of the square around the view that has shadows."""
SHADOW_BIAS = 0.6
"""Depth [m] by which a surface may lie behind itself in the map and still be in the sun."""
_SHADOW_DEPTH = 220.0


def sun_direction() -> Floats:
    """Unit vector (3,) to the sun: south-east, 48 degrees high."""
    elevation, azimuth = np.radians(48.0), np.radians(-60.0)
    flat = np.cos(elevation)
    return np.array([flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)])


class Sun:
    """Lights everything below `root`; where the renderer can, with shadows around the view.

    Args:
        renderer: draws the shadow map.
        root: the scene.
        has_shadows: whether shadows are wanted.
        far: distance [m] at which the haze has taken most of the contrast.
    """

    def __init__(self, renderer: Renderer, root: Any, *, has_shadows: bool, far: float) -> None:
        self._direction = sun_direction()
        self._rotation = look_rotation(-self._direction, np.array([0.0, 0.0, 1.0]))
        self._camera: Any = None
        self._glossy: Any = None
        if not renderer.capabilities.has_shaders:
            _light_without_shaders(root, self._direction)
            return
        shadow_map = _shadow_map()
        self._camera = self._make_camera(root)
        if has_shadows and renderer.capabilities.has_shadows:
            self._draw_map_into(renderer, shadow_map)
        else:
            shadow_map.setClearColor(core.LColor(1, 1, 1, 1))
        _light_with_shader(root, self._direction, far)
        self._glossy = _make_shader(is_glossy=True)
        root.setShaderInput("shadow_map", shadow_map)
        root.setShaderInput("sun", self._camera)

    def make_glossy(self, node: Any) -> None:
        """Lets `node` and all below it reflect the sky where its colours say so."""
        if self._glossy is not None:
            node.setShader(self._glossy)

    def follow(self, eye: Floats, forward: Floats) -> None:
        """Fits the shadow map to the ground before a camera at `eye` (3,) looking `forward` (3,).

        It moves in whole pixels of the map, so that edges of shadows stand still.
        """
        if self._camera is None:
            return
        level = np.array([forward[0], forward[1], 0.0])
        centre = eye + 0.36 * SHADOW_METRES * level / max(float(np.linalg.norm(level)), 1e-6)
        pixel = SHADOW_METRES / SHADOW_PIXELS
        local = self._rotation.T @ centre
        local[[0, 2]] = np.round(local[[0, 2]] / pixel) * pixel
        x, y, z = self._rotation @ local + self._direction * (_SHADOW_DEPTH / 2)
        self._camera.setPos(x, y, z)

    def _make_camera(self, root: Any) -> Any:
        lens = core.OrthographicLens()
        lens.setFilmSize(SHADOW_METRES, SHADOW_METRES)
        lens.setNearFar(1.0, _SHADOW_DEPTH)
        node = core.Camera("shadow_camera", lens)
        node.setCameraMask(core.BitMask32(SHADOW_MASK))
        camera = root.attachNewNode(node)
        camera.setQuat(quaternion_of(self._rotation))
        return camera

    def _draw_map_into(self, renderer: Renderer, shadow_map: Any) -> None:
        buffer = renderer.make_buffer("shadows", SHADOW_PIXELS, SHADOW_PIXELS, is_depth=True)
        buffer.addRenderTexture(
            shadow_map, core.GraphicsOutput.RTMBindOrCopy, core.GraphicsOutput.RTPDepth
        )
        buffer.setSort(-10)
        buffer.makeDisplayRegion().setCamera(self._camera)
        state = core.NodePath("shadow_state")
        state.setShaderOff(10)
        state.setTextureOff(10)
        state.setLightOff(10)
        state.setDepthOffset(-1)
        self._camera.node().setInitialState(state.getState())


def quaternion_of(rotation: Floats) -> Any:
    """Panda3D's quaternion of a rotation matrix (3, 3); its own matrices are transposed."""
    quaternion = core.LQuaternion()
    quaternion.setFromMatrix(core.LMatrix3(*rotation.T.ravel().tolist()))
    return quaternion


def _shadow_map() -> Any:
    texture = core.Texture("shadow_map")
    texture.setup2dTexture(
        SHADOW_PIXELS, SHADOW_PIXELS, core.Texture.TFloat, core.Texture.FDepthComponent
    )
    texture.setMinfilter(core.SamplerState.FTShadow)
    texture.setMagfilter(core.SamplerState.FTShadow)
    texture.setWrapU(core.SamplerState.WMClamp)
    texture.setWrapV(core.SamplerState.WMClamp)
    return texture


def _light_with_shader(root: Any, direction: Floats, far: float) -> None:
    root.setShader(_make_shader(is_glossy=False))
    inputs = {
        "sun_direction": tuple(direction),
        "sun_light": (1.28, 1.20, 1.02),
        "sky_light": (0.46, 0.54, 0.68),
        "ground_light": (0.26, 0.25, 0.21),
        "horizon": tuple(channel**2 for channel in HORIZON),
        "zenith": tuple(channel**2 for channel in ZENITH),
    }
    for name, value in inputs.items():
        root.setShaderInput(name, core.LVecBase3(*value))
    root.setShaderInput("haze", 1.5 / far**2)


def _make_shader(*, is_glossy: bool) -> Any:
    sources = world_shader(is_glossy=is_glossy, shadow_bias=SHADOW_BIAS / _SHADOW_DEPTH)
    return core.Shader.make(core.Shader.SLGLSL, *sources)


def _light_without_shaders(root: Any, direction: Floats) -> None:
    sun = core.DirectionalLight("sun")
    sun.setColor(core.LColor(0.62, 0.60, 0.54, 1.0))
    sun.setDirection(core.LVector3(*(-direction)))
    sky = core.AmbientLight("sky")
    sky.setColor(core.LColor(0.50, 0.53, 0.58, 1.0))
    for light in (sun, sky):
        root.setLight(root.attachNewNode(light))
    # Without a material of their own, p3tinydisplay multiplies colours in twice.
    white = core.Material("white")
    white.setAmbient(core.LColor(1, 1, 1, 1))
    white.setDiffuse(core.LColor(1, 1, 1, 1))
    root.setMaterial(white)
