"""Streaks of light on wet streets: where lamps are mirrored between them and the eye.

They are the glows of the lamps once more, laid onto the street; what is wet has left in the
picture's alpha how much it mirrors (`materials.shaders`). How high above the street each lamp is
stands in the first of its two labels, which glows do not need.
"""

import numpy as np

from autosim.arrays import Floats, Floats32
from autosim.client.panda.geometry import LABEL_COLUMN
from autosim.client.panda.masks import LABEL_MASK, SHADOW_MASK
from autosim.client.panda.panda_imports import core
from autosim.client.sky_and_light.daylight import Daylight

_LEAST_WETNESS = 0.15
"""Wetness of streets (0..1, without unit) from which on they mirror lamps: chosen by eye."""

_LIGHT = 1.1
"""Light of a streak (without unit), as a factor of that of the glow: chosen by eye."""

_VERTEX = """#version 120
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ViewMatrixInverse;
uniform float strength;
uniform float haze;
uniform float is_foggy;
uniform float least_facing;
attribute vec4 p3d_Vertex;
attribute vec3 p3d_Normal;
attribute vec4 p3d_Color;
attribute vec2 p3d_MultiTexCoord0;
attribute vec2 LABEL;
varying vec2 corner;
varying vec3 light;

void main() {
    vec3 eye = p3d_ViewMatrixInverse[3].xyz;
    vec3 way = p3d_Vertex.xyz - eye;
    float level = max(length(way.xy), 0.01);
    vec2 along = way.xy / level;
    /* The way from the eye to where the street mirrors the lamp. */
    float street = p3d_Vertex.z - LABEL.x;
    float above = eye.z - street;
    float mirrored = level * above / (above + LABEL.x);
    float distance = length(way);
    float facing = clamp(-dot(p3d_Normal, way) / (length(p3d_Normal) * distance + 1e-6) * 1.15
                         + 0.05, least_facing, 1.0);
    float clear = mix(1.0 / (1.0 + distance * distance * haze), exp(-haze * distance), is_foggy);
    float grazing = mirrored / length(vec2(mirrored, above));
    grazing *= grazing;
    /* From farther away there are houses between. */
    float nearby = exp(-distance * 0.014);
    light = p3d_Color.rgb * (strength * facing * clear * nearby * grazing * grazing);
    corner = p3d_MultiTexCoord0 * 2.0 - 1.0;
    float ahead = mix(0.70 * mirrored, min(1.5 * mirrored, 0.97 * level), p3d_MultiTexCoord0.y);
    float aside = corner.x * (0.12 + 0.25 * length(p3d_Normal) + 0.010 * mirrored);
    vec2 place = eye.xy + along * ahead + vec2(-along.y, along.x) * aside;
    gl_Position = p3d_ModelViewProjectionMatrix * vec4(place, street + 0.05, 1.0);
    if (above < 0.4 || level < 1.5) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
""".replace("LABEL", LABEL_COLUMN)
_FRAGMENT = """#version 120
varying vec2 corner;
varying vec3 light;

void main() {
    float across = max(1.0 - corner.x * corner.x, 0.0);
    float along = smoothstep(-1.0, -0.3, corner.y) * (1.0 - smoothstep(0.0, 1.0, corner.y));
    gl_FragColor = vec4(light * (across * across * along), 0.0);
}
"""


class Streaks:
    """A node below which glows are drawn as streaks; a renderer must have shaders for it.

    Args:
        root: the scene.
        least_facing: share of its light that each lamp sends to all sides.
    """

    def __init__(self, root: core.NodePath, *, least_facing: float = 0.0) -> None:
        self.node = root.attachNewNode("streaks")
        self.node.setShader(core.Shader.make(core.Shader.SLGLSL, _VERTEX, _FRAGMENT), 2)
        self.node.setTextureOff(2)
        blend = core.ColorBlendAttrib
        where_wet = blend.make(blend.MAdd, blend.OOneMinusFbufferAlpha, blend.OOne)
        self.node.setAttrib(where_wet, 2)
        self.node.setBin("fixed", 18)
        self.node.setDepthWrite(False)
        self.node.setDepthTest(False)
        self.node.setTwoSided(True)
        self.node.hide(core.BitMask32(SHADOW_MASK | LABEL_MASK))
        self.node.setShaderInput("least_facing", least_facing)
        self.node.stash()

    def show(self, daylight: Daylight, *, light: float = 1.0) -> None:
        """Fits them to a day time and a weather.

        Args:
            daylight: of both.
            light: by which the lamps are brighter than others.
        """
        share = light * _LIGHT * daylight.wetness * daylight.darkness
        if daylight.wetness < _LEAST_WETNESS or share < 0.02:
            self.node.stash()
            return
        self.node.unstash()
        self.node.setShaderInput("strength", share)
        self.node.setShaderInput("is_foggy", 1.0 if daylight.fog else 0.0)


def heights_as_labels(heights: Floats) -> Floats32:
    """The labels (4 n, 2) of glows of lamps that are so high (n,) [m] above their street."""
    labels = np.zeros((4 * len(heights), 2), np.float32)
    labels[:, 0] = np.repeat(heights, 4)
    return labels
