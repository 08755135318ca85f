"""Appearance of robots' lamps: bright glass, with a glow around it.

All lamps are two meshes whose vertices are rewritten for each state; the glow needs shaders.
"""

from typing import NamedTuple

import numpy as np

from autosim.arrays import Booleans, Bytes, Floats, Integers
from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.panda.geometry import make_geom, write_vertices
from autosim.client.panda.masks import LABEL_MASK, STANDING_MASK
from autosim.client.panda.panda_frames import unit_quaternions
from autosim.client.panda.panda_imports import core
from autosim.client.panda.panda_nodes import make_texture
from autosim.client.sky_and_light.daylight import Daylight
from autosim.client.sky_and_light.headlight_beams import HeadlightBeams, nearest_beams
from autosim.client.sky_and_light.rain_cover import RainCover
from autosim.config.descriptions import WorldDescription
from autosim.kinds.actuators.light import Brightness, HeadLightDevice, placed_lights
from autosim.model.bodies import rotate, rotation_matrices
from autosim.model.state import State
from autosim.model.tree import WORD, SimulationTree

GLOW_SIZE = 7.0
"""Diameter of the glow, in diameters of the glass."""

_CORNERS = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
"""Corners (4, 2) of a lamp's square, in shares of its radius."""

_QUAD = np.array([(0, 1, 2), (0, 2, 3)], dtype=np.int32)
"""Numbers of the corners of the square's two triangles."""

_PIXELS = 64
"""Edge [pixels] of the picture of a disc: a lamp is seldom larger in a picture."""

_AHEAD = 0.012
"""Distance [m] by which the bright glass stands before that of the model."""

_GLOW_VERTEX = """#version 120
uniform mat4 p3d_ModelViewMatrix;
uniform mat4 p3d_ProjectionMatrix;
uniform mat4 p3d_ViewMatrix;
uniform float strength;
uniform float haze;
uniform float is_foggy;
uniform float least_facing;
attribute vec4 p3d_Vertex;
attribute vec3 p3d_Normal;
attribute vec4 p3d_Color;
attribute vec2 p3d_MultiTexCoord0;
varying vec2 corner;
varying vec3 light;

void main() {
    vec4 middle = p3d_ModelViewMatrix * p3d_Vertex;
    float distance = length(middle.xyz);
    vec3 axis = mat3(p3d_ViewMatrix) * (p3d_Normal / max(length(p3d_Normal), 1e-6));
    float facing = clamp(-dot(axis, middle.xyz) / distance * 1.15 + 0.05, least_facing, 1.0);
    float radius = length(p3d_Normal);
    /* Far away a lamp is never smaller than a few thousandths of the view's angle, only fainter. */
    float shown = max(radius * (0.4 + 0.6 * facing), 0.006 * distance);
    float clear = mix(1.0 / (1.0 + distance * distance * haze), exp(-haze * distance), is_foggy);
    corner = p3d_MultiTexCoord0 * 2.0 - 1.0;
    light = p3d_Color.rgb * (strength * facing * clear);
    /* Its middle lies on the glass: it is drawn a little nearer, lest the body cuts it. */
    vec3 nearer = middle.xyz * (1.0 - min(0.5, 0.5 * distance) / distance);
    float scale = length(nearer) / distance;
    gl_Position = p3d_ProjectionMatrix * vec4(nearer + vec3(corner * shown * scale, 0.0), 1.0);
}
"""
_GLOW_FRAGMENT = """#version 120
varying vec2 corner;
varying vec3 light;

void main() {
    float r2 = dot(corner, corner);
    float falloff = max(1.0 - r2, 0.0);
    float shape = 0.35 * falloff * falloff + 1.6 * exp(-28.0 * r2);
    gl_FragColor = vec4(light * (shape * falloff), 1.0);
}
"""


class RobotLamps:
    """The lamps of all robots of a world.

    Args:
        root: the scene.
        world: the robots.
        tree: the tree of the states that `update` takes.
        roofs: below which it is dark by day.
        has_shaders: whether the renderer can draw glows.
    """

    def __init__(
        self,
        root: core.NodePath,
        *,
        world: WorldDescription,
        tree: SimulationTree,
        roofs: RainCover,
        has_shaders: bool,
    ) -> None:
        lights = placed_lights(world, tree)
        self._brightness = Brightness(lights, tree)
        parts = [each.part for each in lights]
        self._positions = _words([part.field_offset("position") for part in parts], 3)
        self._orientations = _words([part.field_offset("orientation") for part in parts], 4)
        self._mounts = np.array([each.light.position for each in lights]).reshape(-1, 3)
        self._axes = np.array([each.light.direction for each in lights]).reshape(-1, 3)
        self._radii = np.array([each.light.diameter / 2 for each in lights])
        self._colours = np.array([each.light.colour for each in lights]).reshape(-1, 3)
        heads = [
            (row, each.light.range, np.cos(each.light.cone_angle))
            for row, each in enumerate(lights)
            if isinstance(each.light, HeadLightDevice)
        ]
        self._heads = np.array([row for row, _, _ in heads], dtype=np.int64)
        self._reaches = np.array([reach for _, reach, _ in heads])
        self._edges = np.array([edge for _, _, edge in heads])
        self._automatic = np.array([each.light.automatic for each in lights])
        self._asked = np.union1d(self._heads, np.flatnonzero(self._automatic))
        self._roofs = roofs
        self._is_covered = np.zeros(len(lights), dtype=np.bool_)
        self._shining = np.zeros(len(lights))
        self._places, self._directions = self._mounts, self._axes
        self._node = root.attachNewNode("lamps")
        self._glass = _quads(self._node, "glass", len(lights))
        draw_as_glass(self._glass.node)
        self._glow: _Quads | None = None
        if has_shaders:
            self._glow = _quads(self._node, "glow", len(lights))
            draw_as_glow(self._glow.node)
        self._node.hide()
        self._darkness, self._needs_lights = 0.0, False

    def show(self, daylight: Daylight) -> None:
        """Fits the glows to a day time: by day they are faint."""
        self._darkness, self._needs_lights = daylight.darkness, daylight.needs_lights
        if self._glow is not None:
            self._glow.node.setShaderInput("strength", 0.30 + 0.70 * daylight.darkness)
            self._glow.node.setShaderInput("is_foggy", 1.0 if daylight.fog else 0.0)

    def update(self, state: State) -> None:
        """Lights the lamps, and moves them to where `state` has them."""
        brightness = self._brightness.of(state)
        may_be_lit = self._needs_lights or self._roofs.has_any
        if not brightness.any() and not (may_be_lit and self._automatic.any()):
            self._shining = brightness
            self._node.hide()
            return
        rotations = rotation_matrices(unit_quaternions(state.floats[self._orientations]))
        self._directions = rotate(rotations, self._axes)
        self._places = state.floats[self._positions] + rotate(rotations, self._mounts)
        self._is_covered = self._find_covered()
        is_dark = self._is_covered | self._needs_lights
        self._shining = np.maximum(brightness, self._automatic * is_dark)
        if not self._shining.any():
            self._node.hide()
            return
        self._node.show()
        self._write()

    def _find_covered(self) -> Booleans:
        """Whether each lamp that lights or switches itself is in a tunnel or under a bridge."""
        is_covered = np.zeros(len(self._places), dtype=np.bool_)
        is_covered[self._asked] = self._roofs.cover(self._places[self._asked])
        return is_covered

    def cones(self, eye: Floats) -> HeadlightBeams | None:
        """The head lights that light what is seen from `eye` (3,) [m]; None where it is day."""
        darkness = np.where(self._is_covered, 1.0, self._darkness)[self._heads]
        is_lit = (self._shining[self._heads] > 0.0) & (darkness > 0.05)
        rows = self._heads[is_lit]
        if not len(rows):
            return None
        brightness = (self._shining[rows] * darkness[is_lit])[:, None]
        return nearest_beams(
            eye,
            places=self._places[rows],
            axes=self._directions[rows],
            ranges=self._reaches[is_lit],
            edges=self._edges[is_lit],
            lights=self._colours[rows] ** 2 * brightness,
        )

    def _write(self) -> None:
        """The vertices of all lamps; those of dark ones fall together and are not drawn."""
        radii = np.where(self._shining > 0.0, self._radii, 0.0)
        side, up = across(self._directions)
        spread = _CORNERS[:, :1] * side[:, None] + _CORNERS[:, 1:] * up[:, None]
        middles = self._places + _AHEAD * self._directions
        glass = middles[:, None] + radii[:, None, None] * spread
        white = 0.25 * self._shining[:, None]
        shown = self._colours * (1.0 - white) + white
        share = np.sqrt(self._shining)[:, None]
        self._glass.write(glow_corners(glass, self._directions, shown, share))
        if self._glow is not None:
            centres = np.repeat(middles[:, None], 4, axis=1)
            reach = (GLOW_SIZE * radii)[:, None] * self._directions
            glow = self._colours * np.sqrt(self._shining)[:, None]
            self._glow.write(glow_corners(centres, reach, glow, np.ones((1, 1))))


def across(directions: Floats) -> tuple[Floats, Floats]:
    """Unit vectors (n, 3) to the right and upwards, as seen by one whom `directions` meet."""
    up = np.where(np.abs(directions[:, 2:]) > 0.9, (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    side = np.cross(up, directions)
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    return side, np.cross(directions, side)


def glow_corners(points: Floats, normals: Floats, colours: Floats, alpha: Floats) -> DrawMesh:
    """Quads (n, 4, 3) with one normal and one colour (n, 3) in 0..1 each."""
    count = len(points)
    rgba = np.column_stack([colours, np.broadcast_to(alpha, (count, 1))])
    return DrawMesh(
        vertices=points.reshape(-1, 3).astype(np.float32),
        normals=np.repeat(normals, 4, axis=0).astype(np.float32),
        colours=np.repeat(np.round(255 * np.clip(rgba, 0, 1)), 4, axis=0).astype(np.uint8),
        uvs=np.tile((_CORNERS + 1.0) / 2.0, (count, 1)).astype(np.float32),
        triangles=(_QUAD[None] + 4 * np.arange(count)[:, None, None]).reshape(-1, 3),
    )


class _Quads(NamedTuple):
    """One quad for each lamp, whose vertices are rewritten for each state."""

    node: core.NodePath
    geometry: core.GeomNode

    def write(self, mesh: DrawMesh) -> None:
        write_vertices(self.geometry.modifyGeom(0), mesh)


def _quads(parent: core.NodePath, name: str, count: int) -> _Quads:
    nothing = np.zeros((count, 4, 3))
    mesh = glow_corners(nothing, nothing[:, 0], nothing[:, 0], np.ones((1, 1)))
    geometry = core.GeomNode(name)
    if count:
        geometry.addGeom(make_geom(mesh, is_static=False))
    node = parent.attachNewNode(geometry)
    # The vertices move without Panda3D's knowing, so it must not judge by where they were.
    geometry.setBounds(core.OmniBoundingVolume())
    geometry.setFinal(True)
    node.setLightOff(1)
    node.setMaterialOff(1)
    node.setDepthWrite(False)
    node.hide(core.BitMask32(STANDING_MASK | LABEL_MASK))
    return _Quads(node, geometry)


def draw_as_glass(node: core.NodePath) -> None:
    """Draws quads below `node` as bright glass: discs in their colours."""
    node.setShaderOff(1)
    node.setTexture(make_texture("glass", _disc(), is_tiled=False), 1)
    node.setTransparency(core.TransparencyAttrib.MAlpha)
    node.setBin("fixed", 10)


def draw_as_glow(node: core.NodePath) -> None:
    """Draws quads below `node` as glows: their normals are as long as they are wide."""
    node.setShader(core.Shader.make(core.Shader.SLGLSL, _GLOW_VERTEX, _GLOW_FRAGMENT), 1)
    node.setTextureOff(1)
    node.setAttrib(core.ColorBlendAttrib.make(core.ColorBlendAttrib.MAdd), 1)
    node.setBin("fixed", 20)
    node.setShaderInput("strength", 1.0)
    node.setShaderInput("is_foggy", 0.0)
    node.setShaderInput("least_facing", 0.0)


def _disc() -> Bytes:
    """A white disc with a soft rim on nothing, RGBA."""
    along = (np.arange(_PIXELS) + 0.5) / _PIXELS * 2.0 - 1.0
    radius = np.hypot(along[:, None], along[None, :])
    picture = np.full((_PIXELS, _PIXELS, 4), 255, dtype=np.uint8)
    picture[..., 3] = np.round(255 * np.clip((1.0 - radius) * 6.0, 0.0, 1.0))
    return picture


def _words(offsets: list[int], count: int) -> Integers:
    first = np.array(offsets, dtype=np.int64) // WORD
    return first.reshape(-1, 1) + np.arange(count)
