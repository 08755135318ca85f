"""Rain and snow: drops in a box around the camera, moved by the graphics card.

The positions of the drops repeat with the box's edge, in space and in time. So the drops stay in
place while the camera passes through them, and depend on the simulated time alone. Below a roof
it stays dry: the shader knows the highest roof over each square metre.
"""

from dataclasses import dataclass
from math import fmod

import numpy as np

from autosim.arrays import Floats
from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.panda.geometry import make_geom
from autosim.client.panda.masks import LABEL_MASK, STANDING_MASK
from autosim.client.panda.panda_imports import core
from autosim.client.sky_and_light.daylight import Daylight
from autosim.client.sky_and_light.rain_cover import CELL, RainCover

DROPS = 6000
"""Number of drops in the box in the heaviest rain: chosen by eye, dense but for a clear view."""

EDGE = 14.0
"""Edge of the box [m]: farther away a drop is smaller than a pixel."""

_CELLS = round(EDGE / CELL) + 1
"""Number of cells of the cover along the box's edge, wherever the box lies over them."""

_SEED = 20080302
"""Seed of the drops' places: every client draws the same rain."""


@dataclass(frozen=True, slots=True)
class Falling:
    """Motion of drops or flakes: what they do in still air, with a light wind from the south-west.

    velocity: (3,) [m/s] in W; streak: [s] for which an eye sees one of them as one stroke; width:
    [m] of that stroke, wider than a drop so that it covers a share of a pixel.
    """

    velocity: Floats
    streak: float
    width: float


_RAIN = Falling(np.array([0.8, 0.3, -9.0]), streak=0.05, width=0.006)
_SNOW = Falling(np.array([0.6, 0.3, -1.3]), streak=0.030, width=0.022)

_BY_LAMPS = 0.16
"""Light of lamps (squares of sRGB, without unit) that shines through what falls by night: chosen by
eye, so that flakes before lit walls are not dark."""

_VERTEX = """#version 120
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ViewMatrixInverse;
uniform vec3 fallen;
uniform vec3 streak;
uniform float width;
uniform float share;
uniform float tops[CELLS * CELLS];
uniform vec2 tops_corner;
attribute vec4 p3d_Vertex;
attribute vec4 p3d_Color;
attribute vec2 p3d_MultiTexCoord0;
varying float alpha;
varying vec2 corner;

void main() {
    vec3 eye = p3d_ViewMatrixInverse[3].xyz;
    vec3 middle = mod(p3d_Vertex.xyz + fallen - eye, EDGE) - EDGE * 0.5;
    float distance = length(middle);
    vec3 side = cross(streak, middle);
    /* A streak thinner than a pixel is drawn wider, and fainter by as much. */
    float shown = max(width, 0.0012 * distance);
    side *= shown / max(length(side), 1e-6);
    corner = p3d_MultiTexCoord0 * 2.0 - 1.0;
    vec3 along = streak * max(1.0, shown / length(streak));
    vec3 place = eye + middle + side * corner.x + along * (0.5 * corner.y);
    alpha = (width / shown) * (1.0 - smoothstep(EDGE * 0.35, EDGE * 0.5, distance))
        * smoothstep(0.3, 1.2, distance);
    gl_Position = p3d_ModelViewProjectionMatrix * vec4(place, 1.0);
    vec2 cell = clamp(floor(place.xy - tops_corner), 0.0, float(CELLS - 1));
    bool is_sheltered = place.z < tops[int(cell.y) * CELLS + int(cell.x)];
    if (p3d_Color.a > share || is_sheltered) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
"""
_FRAGMENT = """#version 120
uniform vec4 drop_colour;
varying float alpha;
varying vec2 corner;

void main() {
    vec2 shape = 1.0 - corner * corner;
    gl_FragColor = vec4(drop_colour.rgb, drop_colour.a * alpha * shape.x * shape.y);
}
"""


class Precipitation:
    """Rain or snow around the camera.

    Args:
        root: the scene.
        roofs: below which nothing falls.
    """

    def __init__(self, root: core.NodePath, roofs: RainCover) -> None:
        self._roofs = roofs
        self._corner: tuple[int, int] | None = None
        geometry = core.GeomNode("precipitation")
        geometry.addGeom(make_geom(_drops()))
        self._node = root.attachNewNode(geometry)
        node = self._node.node()
        node.setBounds(core.OmniBoundingVolume())
        node.setFinal(True)
        vertex = _VERTEX.replace("EDGE", f"{EDGE:.1f}").replace("CELLS", str(_CELLS))
        sources = (vertex, _FRAGMENT)
        self._node.setShader(core.Shader.make(core.Shader.SLGLSL, *sources), 1)
        self._node.setTextureOff(1)
        self._node.setTransparency(core.TransparencyAttrib.MAlpha)
        self._node.setBin("fixed", 30)
        self._node.setDepthWrite(False)
        self._node.setTwoSided(True)
        self._node.hide(core.BitMask32(STANDING_MASK | LABEL_MASK))
        self._falling = _RAIN
        self.show_nothing()

    def show_nothing(self) -> None:
        """Stops the precipitation."""
        self._is_shown = False
        self._node.hide()

    def show(self, daylight: Daylight) -> None:
        """Sets the precipitation of the weather: snow where there is more of it than rain."""
        share = max(daylight.rain, daylight.snow)
        if share <= 0.0:
            self.show_nothing()
            return
        self._is_shown = True
        self._node.show()
        is_snow = daylight.snow > daylight.rain
        self._falling = _SNOW if is_snow else _RAIN
        streak = self._falling.velocity * self._falling.streak
        lamps = _BY_LAMPS * daylight.darkness
        light = np.sqrt(daylight.sky_light + 0.3 * daylight.sun_light + lamps)
        colour = np.clip(light * 1.1 if is_snow else 0.5 * light + 0.5 * daylight.horizon, 0, 1)
        self._node.setShaderInput("streak", core.LVecBase3(*streak.tolist()))
        self._node.setShaderInput("width", self._falling.width)
        self._node.setShaderInput("share", share)
        alpha = 0.95 if is_snow else 0.55
        red, green, blue = colour.tolist()
        self._node.setShaderInput("drop_colour", core.LVecBase4(red, green, blue, alpha))
        self.update(0.0)

    def update(self, time: float) -> None:
        """Moves the drops to where they are at `time` [s]."""
        if self._is_shown:
            fallen = [fmod(each * time, EDGE) for each in self._falling.velocity.tolist()]
            self._node.setShaderInput("fallen", core.LVecBase3(*fallen))

    def follow(self, eye: Floats) -> None:
        """Keeps dry what is below the roofs around a camera at `eye` (3,) [m]."""
        x, y = np.floor((eye[:2] - EDGE / 2.0) / CELL).astype(int).tolist()
        if not self._is_shown or self._corner == (x, y):
            return
        self._corner = (x, y)
        tops = core.PTA_float(self._roofs.tops((x, y), _CELLS).ravel().tolist())
        self._node.setShaderInput("tops", tops)
        self._node.setShaderInput("tops_corner", core.LVecBase2(CELL * x, CELL * y))


def _drops() -> DrawMesh:
    """Quads whose corners lie together; the shader pulls them apart. Alpha is the drop's rank."""
    places = np.random.default_rng(_SEED).uniform(0.0, EDGE, (DROPS, 3))
    ranks = np.arange(DROPS) / DROPS
    colours = np.full((DROPS, 4), 255.0)
    colours[:, 3] = np.floor(255 * ranks)
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], dtype=np.float32)
    quad = np.array([(0, 1, 2), (0, 2, 3)], dtype=np.int32)
    return DrawMesh(
        vertices=np.repeat(places, 4, axis=0).astype(np.float32),
        normals=np.zeros((4 * DROPS, 3), dtype=np.float32),
        colours=np.repeat(colours, 4, axis=0).astype(np.uint8),
        uvs=np.tile(corners, (DROPS, 1)),
        triangles=(quad[None] + 4 * np.arange(DROPS)[:, None, None]).reshape(-1, 3),
    )
