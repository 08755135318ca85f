"""The tracks of wheels in the snow: they darken what they lie on, along the lanes around an eye."""

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.panda.geometry import make_geom
from autosim.client.panda.masks import LABEL_MASK, SHADOW_MASK
from autosim.client.panda.panda_imports import core
from autosim.client.sky_and_light.daylight import Daylight
from autosim.client.sky_and_light.rain_cover import RainCover
from autosim.world.lanes.roads import RoadNetwork

_CELL = 60.0
"""Edge [m] of the squares whose tracks are drawn together."""

_AROUND = 2
"""Number of squares on each side of the one with the eye: tracks farther away are too thin."""

_MOST_KEPT = 100
"""Number of squares that are kept: those around four cameras."""

_WHEELS = (-0.74, 0.74)
"""Distances [m] of the tracks from the middle of a lane: half the track width of cars."""

_PROFILE = np.array([(-0.46, 0.0), (-0.17, 1.0), (0.17, 1.0), (0.46, 0.0)])
"""Across a track, from its middle [m], and how dark it is there (0..1)."""

_LIFT = 0.03
"""Height [m] of a track above the road, lest the road covers it."""

_DARKEST = 0.62
"""Share of the light (squares of sRGB: its root) that is left in a track: of wet slush on
asphalt."""

_VERTEX = """#version 120
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelViewMatrix;
uniform float haze;
uniform float is_foggy;
uniform float strength;
attribute vec4 p3d_Vertex;
attribute vec4 p3d_Color;
varying float dark;

void main() {
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    float distance = length((p3d_ModelViewMatrix * p3d_Vertex).xyz);
    float clear = mix(1.0 / (1.0 + distance * distance * haze), exp(-haze * distance), is_foggy);
    dark = p3d_Color.a * strength * clear;
}
"""
_FRAGMENT = """#version 120
varying float dark;

void main() {
    gl_FragColor = vec4(vec3(1.0 - dark), 1.0);
}
"""


class SnowTracks:
    """The tracks on all lanes of a world; a renderer must have shaders for them.

    Args:
        root: the scene.
        roads: its lanes.
        roofs: below which no snow lies.
    """

    def __init__(self, root: core.NodePath, roads: RoadNetwork, roofs: RainCover) -> None:
        self._roads, self._roofs = roads, roofs
        self._cells: dict[tuple[int, int], core.GeomNode] = {}
        self._middle: tuple[int, int] | None = None
        self._numbers = np.zeros((0, 2), dtype=np.int64)
        self._node = root.attachNewNode("snow tracks")
        self._node.setShader(core.Shader.make(core.Shader.SLGLSL, _VERTEX, _FRAGMENT), 1)
        self._node.setTextureOff(1)
        blend = core.ColorBlendAttrib
        self._node.setAttrib(blend.make(blend.MAdd, blend.OFbufferColor, blend.OZero), 1)
        self._node.setBin("fixed", 5)
        self._node.setDepthWrite(False)
        self._node.setDepthOffset(2)
        self._node.hide(core.BitMask32(SHADOW_MASK | LABEL_MASK))
        self._node.stash()
        self._is_shown = False

    def show(self, daylight: Daylight) -> None:
        """Fits them to how much snow lies."""
        self._is_shown = daylight.snow_cover > 0.0 and len(self._roads.points) > 1
        if not self._is_shown:
            self._node.stash()
            return
        self._node.unstash()
        self._node.setShaderInput("strength", (1.0 - _DARKEST) * daylight.snow_cover)
        self._node.setShaderInput("is_foggy", 1.0 if daylight.fog else 0.0)

    def follow(self, eye: Floats) -> None:
        """Draws those around a camera at `eye` (3,) [m] that is drawn next."""
        x, y = np.floor(eye[:2] / _CELL).astype(int).tolist()
        if not self._is_shown or self._middle == (x, y):
            return
        self._middle = (x, y)
        self._node.getChildren().detach()
        for column in range(x - _AROUND, x + _AROUND + 1):
            for row in range(y - _AROUND, y + _AROUND + 1):
                self._node.attachNewNode(self._cell((column, row)))

    def _cell(self, number: tuple[int, int]) -> core.GeomNode:
        if number not in self._cells:
            if len(self._cells) >= _MOST_KEPT:
                del self._cells[next(iter(self._cells))]
            geometry = core.GeomNode("tracks")
            rows = self._segments_in(number)
            if len(rows):
                geometry.addGeom(make_geom(track_mesh(self._roads, rows)))
            self._cells[number] = geometry
        return self._cells[number]

    def _segments_in(self, number: tuple[int, int]) -> Integers:
        """The first points of the segments of lanes in a square that lie in the open."""
        points, starts = self._roads.points, self._roads.starts
        if not len(self._numbers):
            middles = (points[:-1] + points[1:]) / 2.0
            self._numbers = np.floor(middles[:, :2] / _CELL).astype(np.int64)
            # From the last point of a lane to the first of the next there is none.
            self._numbers[starts[1:-1] - 1] = np.iinfo(np.int64).min
        rows = np.flatnonzero((self._numbers == number).all(axis=1))
        return rows[~self._roofs.cover(points[rows])]


def track_mesh(roads: RoadNetwork, rows: Integers) -> DrawMesh:
    """Two tracks along each of the segments of lanes that begin at these points (k,)."""
    ends = np.stack([rows, rows + 1], axis=1)
    points, yaws = roads.points[ends], roads.tangents[ends]
    left = np.stack([-np.sin(yaws), np.cos(yaws), np.zeros(yaws.shape)], axis=2)
    offsets = (np.array(_WHEELS)[:, None] + _PROFILE[:, 0]).ravel()
    across = len(offsets)
    places = points[:, :, None] + offsets[:, None] * left[:, :, None]
    places[..., 2] += _LIFT
    count = places.shape[0] * 2 * across
    colours = np.full((count, 4), 255, dtype=np.uint8)
    colours[:, 3] = np.tile(np.round(255.0 * _PROFILE[:, 1]), count // len(_PROFILE))
    # Of each segment: corners from right to left at its begin, then at its end.
    first = np.array([k for k in range(across - 1) if (k + 1) % len(_PROFILE)])
    right, ahead = first, first + across
    quads = [(right, ahead, ahead + 1), (right, ahead + 1, right + 1)]
    triangles = np.concatenate([np.column_stack(each) for each in quads])
    starts = 2 * across * np.arange(len(rows))[:, None, None]
    return DrawMesh(
        vertices=places.reshape(-1, 3).astype(np.float32),
        normals=np.tile(np.array([0.0, 0.0, 1.0], dtype=np.float32), (count, 1)),
        colours=colours,
        uvs=np.zeros((count, 2), dtype=np.float32),
        triangles=(triangles[None] + starts).reshape(-1, 3).astype(np.int32),
    )
