"""The sun, its shadows, the light of the sky, the haze: for shaders, or without."""

import numpy as np

from autosim.arrays import Floats
from autosim.client.materials.picture_quality import PictureQuality
from autosim.client.materials.shader_kinds import Conditions, ShaderKinds
from autosim.client.panda.masks import LABEL_MASK, SHADOW_MASK
from autosim.client.panda.panda_imports import core
from autosim.client.panda.render_bins import start_early
from autosim.client.panda.renderer import Renderer
from autosim.client.sky_and_light.daylight import STANDARD_SKY, STANDARD_SUN, Daylight
from autosim.client.sky_and_light.headlight_beams import HeadlightBeams
from autosim.client.sky_and_light.shadows import BIAS, ShadowMap

_EVEN_HAZE_FAR = 1500.0
"""Haze that ends farther [m] differs by less than 2 % from linear within a triangle of a tile."""


class Sun:
    """Lights everything below `root`; where the renderer can, with shadows around the view.

    Args:
        renderer: draws the shadow map.
        root: the scene.
        standing: the node below it with what casts shadows and stands still.
        daylight: to begin with.
        has_shadows: whether shadows are wanted.
        far: distance [m] at which the haze of clear air has taken most of the contrast.
        quality: of shadows.
    """

    def __init__(
        self,
        renderer: Renderer,
        root: core.NodePath,
        *,
        standing: core.NodePath,
        daylight: Daylight,
        has_shadows: bool,
        far: float,
        quality: PictureQuality,
    ) -> None:
        self._root, self._far = root, far
        self._shadows: ShadowMap | None = None
        self._shader_kinds: ShaderKinds | None = None
        self._plain: PlainLights | None = None
        self._cones, self._has_lamps = 0, False
        if renderer.capabilities.has_shaders:
            self._shadows = ShadowMap(
                renderer,
                root,
                standing=standing,
                is_wanted=has_shadows,
                scale=quality.shadow_scale,
            )
            root.setShaderInput("shadow_map", self._shadows.texture)
            root.setShaderInput("sun", self._shadows.camera)
            self._shader_kinds = ShaderKinds(
                root,
                shadow_bias=BIAS,
                has_even_haze=far >= _EVEN_HAZE_FAR,
                softness=1.0 / self._shadows.pixels if quality.has_soft_shadows else 0.0,
            )
            if renderer.capabilities.is_software:
                start_early(root, hidden_from=SHADOW_MASK | LABEL_MASK)
        else:
            self._plain = PlainLights(root)
        self.show(daylight)

    def show(self, daylight: Daylight) -> None:
        """Lights everything as at that day time, in that weather."""
        self._daylight = daylight
        if self._plain is not None:
            self._plain.show(daylight)
            return
        for name, value in _inputs(daylight).items():
            self._root.setShaderInput(name, core.LVecBase3(*value.tolist()))
        clear_air = 1.5 / self._far**2
        self._root.setShaderInput("haze", daylight.fog if daylight.fog else clear_air)
        self._root.setShaderInput("wetness", daylight.wetness)
        self._root.setShaderInput("snow_cover", daylight.snow_cover)
        windows = core.LVecBase2(daylight.darkness, daylight.lit_windows)
        self._root.setShaderInput("windows", windows)
        self._choose_programs()

    def shine(self, cones: HeadlightBeams | None, *, has_lamps: bool) -> None:
        """Sets the head lights and street lamps that light the world.

        Args:
            cones: the head lights; their places are relative to the eye.
            has_lamps: whether there is a map of the light of street lamps.
        """
        if self._shader_kinds is None:
            return
        if cones is not None:
            self._root.setShaderInput("cone_place", _vectors(cones.places))
            self._root.setShaderInput("cone_axis", _vectors(cones.axes))
            self._root.setShaderInput("cone_light", _vectors(cones.lights))
        self._cones = 0 if cones is None else len(cones.places)
        self._has_lamps = has_lamps
        self._choose_programs()

    def equip(self, camera: core.Camera) -> None:
        """Tells a camera, before each of its pictures, how to draw what glosses or is wet."""
        if self._shader_kinds is not None:
            self._shader_kinds.equip(camera)

    def _choose_programs(self) -> None:
        assert self._shader_kinds is not None
        self._shader_kinds.choose(
            Conditions(
                is_wet=self._daylight.wetness > 0.0,
                is_snowy=self._daylight.snow_cover > 0.0,
                is_foggy=self._daylight.fog > 0.0,
                is_night=self._daylight.darkness > 0.3,
                cones=self._cones,
                has_lamps=self._has_lamps,
            )
        )

    def follow(self, eye: Floats, forward: Floats, *, changes: int) -> None:
        """Fits the shadow map to a camera; see `ShadowMap.follow`."""
        if self._shadows is not None:
            sun = self._daylight.direction
            self._shadows.follow(eye, forward, sun=sun, changes=changes)


def _inputs(daylight: Daylight) -> dict[str, Floats]:
    return {
        "sun_direction": daylight.direction,
        "sun_light": daylight.sun_light,
        "sky_light": daylight.sky_light,
        "ground_light": daylight.ground_light,
        "horizon": daylight.horizon**2,
        "zenith": daylight.zenith**2,
    }


def _vectors(rows: Floats) -> core.PTA_LVecBase4f:
    """An array of vec4 for a shader, of rows (n, 4)."""
    array = core.PTA_LVecBase4f()
    for row in rows.tolist():
        array.pushBack(core.LVecBase4f(*row))
    return array


class PlainLights:
    """Sun and sky for a renderer without shaders."""

    def __init__(self, root: core.NodePath) -> None:
        self._sun, self._sky = core.DirectionalLight("sun"), core.AmbientLight("sky")
        for light in (self._sun, self._sky):
            root.setLight(root.attachNewNode(light))
        # Without their own material, p3tinydisplay multiplies colours in twice.
        white = core.Material("white")
        white.setAmbient(core.LColor(1, 1, 1, 1))
        white.setDiffuse(core.LColor(1, 1, 1, 1))
        root.setMaterial(white)

    def show(self, daylight: Daylight) -> None:
        """Takes over the light of a day time."""
        self._sun.setDirection(core.LVector3(*(-daylight.direction).tolist()))
        self._sun.setColor(_plain_colour(_PLAIN_SUN, daylight.sun_light / STANDARD_SUN))
        self._sky.setColor(_plain_colour(_PLAIN_SKY, daylight.sky_light / STANDARD_SKY))


_PLAIN_SUN, _PLAIN_SKY = np.array([0.62, 0.60, 0.54]), np.array([0.50, 0.53, 0.58])
"""Colours (sRGB, 0..1) of these lights in the standard light of the sun and of the sky: chosen by
eye to look like the shaders' pictures."""


def _plain_colour(standard: Floats, share: Floats) -> core.LColor:
    """These lights add sRGB, not its squares: of half the light they show the root."""
    red, green, blue = (standard * np.sqrt(share)).tolist()
    return core.LColor(red, green, blue, 1.0)
