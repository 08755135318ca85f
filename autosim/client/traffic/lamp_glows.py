"""The light of vehicles' lamps: glows around them, and by night a pool of light before each."""

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.client.panda.geometry import DrawMesh, rows_of
from autosim.client.panda.masks import LABEL_MASK, SHADOW_MASK
from autosim.client.panda.nodes import change_mesh, changing_node
from autosim.client.panda.panda import core
from autosim.client.sky_and_light.daylight import Daylight
from autosim.client.sky_and_light.lamps import GLOW_SIZE, draw_as_glow, glow_corners
from autosim.client.traffic.looks import is_blinking, lit
from autosim.client.traffic.posing import Things
from autosim.traffic.fleet import FLEET, Light, VehicleClass
from autosim.traffic.node import V

_FAR, _POOLS_FAR = 600.0, 110.0
"""Distances [m] up to which glows and pools of light are drawn: beyond they are hardly seen."""

_LAMPS = 8
"""Number of lamps of a vehicle: two before, two behind, four indicators."""

_HEAD, _REAR, _LEFT, _RIGHT = slice(0, 2), slice(2, 4), slice(4, 6), slice(6, 8)

_RADII = np.array([0.085, 0.085, 0.06, 0.06, 0.05, 0.05, 0.05, 0.05])
"""Radii [m] of the lamps, chosen by eye; those behind are larger while they brake."""

_COLOURS = np.array([(1.0, 0.96, 0.86)] * 2 + [(1.0, 0.10, 0.06)] * 2 + [(1.0, 0.55, 0.08)] * 4)
"""Colours (sRGB, 0..1, without unit) of the light of each lamp."""

_AWAY = np.array([(1.0, 0.0, 0.0)] * 2 + [(-1.0, 0.0, 0.0)] * 2 + [(1.0, 0, 0), (-1.0, 0, 0)] * 2)
"""Directions (vectors without unit) in which each lamp shines."""

_TAIL = 0.45
"""Brightness of tail lights, as a share of that of brake lights."""

_POOL = np.array([(1.2, -0.9), (1.2, 0.9), (19.0, 3.6), (19.0, -3.6)])
"""Corners (4, 2) [m] of a pool of light, from the middle of the nose: as far as dipped lights of
cars light a street well."""

_LIFT = 0.07
"""Height [m] of a pool of light above the ground, lest the road covers it."""

_POOL_UVS = np.array([(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)])
"""The same corners as shares of its length and its width, as the program takes them."""

_QUAD = np.array([(0, 2, 1), (0, 3, 2)], dtype=np.int32)
"""Numbers of the corners of the two triangles of a pool, counter-clockwise from above."""

_POOL_VERTEX = """#version 120
uniform mat4 p3d_ModelViewProjectionMatrix;
attribute vec4 p3d_Vertex;
attribute vec4 p3d_Color;
attribute vec2 p3d_MultiTexCoord0;
varying vec2 place;
varying vec3 light;

void main() {
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    place = p3d_MultiTexCoord0;
    light = p3d_Color.rgb;
}
"""
_POOL_FRAGMENT = """#version 120
varying vec2 place;
varying vec3 light;
uniform float strength;

void main() {
    float aside = 2.0 * place.y - 1.0;
    float along = smoothstep(0.0, 0.12, place.x) * (1.0 - place.x) * (1.0 - place.x);
    gl_FragColor = vec4(light * (strength * along * (1.0 - aside * aside)), 1.0);
}
"""
_POOL_LIGHT = 0.42
"""Light (sRGB, 0..1, without unit) of a pool on a road by night, chosen by eye."""


class LampGlows:
    """The light of all lamps of traffic; a renderer must have shaders for it.

    Args:
        root: the scene.
    """

    def __init__(self, root: core.NodePath) -> None:
        self._glow, self._pool = _changing(root, "traffic glow"), _changing(root, "traffic pools")
        draw_as_glow(self._glow)
        shader = core.Shader.make(core.Shader.SLGLSL, _POOL_VERTEX, _POOL_FRAGMENT)
        self._pool.setShader(shader, 1)
        self._pool.setTextureOff(1)
        self._pool.setAttrib(core.ColorBlendAttrib.make(core.ColorBlendAttrib.MAdd), 1)
        self._pool.setBin("fixed", 15)
        self._pool.setShaderInput("strength", 0.0)
        self._darkness = 0.0

    def show(self, daylight: Daylight) -> None:
        """Fits them to a day time: by day glows are faint, and there are no pools."""
        self._darkness = daylight.darkness
        self._glow.setShaderInput("strength", 0.30 + 0.70 * daylight.darkness)
        self._glow.setShaderInput("is_foggy", 1.0 if daylight.fog else 0.0)
        self._pool.setShaderInput("strength", _POOL_LIGHT * daylight.darkness)

    def look(self, things: Things, vehicles: Floats, time: float, eye: Floats) -> None:
        """Lights the lamps of vehicles (V, 12) near an eye (3,) [m] at `time` [s]."""
        is_near = (things.kinds >= 0) & (np.abs(things.places - eye).max(axis=1) < _FAR)
        rows = np.flatnonzero(is_near & (vehicles[:, V.lights] > 0.0))
        self._write_glows(things, vehicles, rows, time)
        is_near = np.abs(things.places[rows] - eye).max(axis=1) < _POOLS_FAR
        if self._darkness > 0.05:
            self._write_pools(things, rows[is_near & lit(vehicles[rows], Light.HEAD)])
        else:
            self._pool.stash()

    def _write_glows(self, things: Things, vehicles: Floats, rows: Integers, time: float) -> None:
        shares = _shares(vehicles[rows], time)
        owner, lamp = np.nonzero(shares)
        if not len(owner):
            self._glow.stash()
            return
        turned = things.rotations[rows[owner]]
        mounts = _MOUNTS[things.kinds[rows[owner]], lamp]
        places = things.places[rows[owner]] + np.einsum("nij,nj->ni", turned, mounts)
        share = shares[owner, lamp]
        reach = GLOW_SIZE * _RADII[lamp] * np.sqrt(share)
        away = np.einsum("nij,nj->ni", turned, _AWAY[lamp]) * reach[:, None]
        colours = _COLOURS[lamp] * np.sqrt(share)[:, None]
        quads = np.repeat(places[:, None], 4, axis=1)
        _write(self._glow, glow_corners(quads, away, colours, np.ones((1, 1))))

    def _write_pools(self, things: Things, rows: Integers) -> None:
        if not len(rows):
            self._pool.stash()
            return
        corners = np.zeros((len(rows), 4, 3))
        corners[:, :, :2] = _POOL
        corners[:, :, 0] += _NOSES[things.kinds[rows], None]
        corners[:, :, 1] *= _BREADTHS[things.kinds[rows], None]
        corners[:, :, 2] = _LIFT
        points = np.einsum("nij,nkj->nki", things.rotations[rows], corners)
        points += things.places[rows][:, None]
        count = 4 * len(rows)
        mesh = DrawMesh(
            vertices=points.reshape(-1, 3).astype(np.float32),
            normals=np.zeros((count, 3), dtype=np.float32),
            colours=np.tile(np.array([[255, 246, 224, 255]], dtype=np.uint8), (count, 1)),
            uvs=np.tile(_POOL_UVS, (len(rows), 1)).astype(np.float32),
            triangles=(_QUAD[None] + 4 * np.arange(len(rows))[:, None, None]).reshape(-1, 3),
        )
        _write(self._pool, mesh)


def _shares(vehicles: Floats, time: float) -> Floats:
    """How bright (n, _LAMPS) each lamp of vehicles (n, 12) is, 0 to 1."""
    shares = np.zeros((len(vehicles), _LAMPS))
    is_on = is_blinking(time)
    head, brake = lit(vehicles, Light.HEAD), lit(vehicles, Light.BRAKE)
    shares[:, _HEAD] = head[:, None]
    shares[:, _REAR] = np.where(brake, 1.0, _TAIL * head)[:, None]
    shares[:, _LEFT] = _column(lit(vehicles, Light.LEFT_INDICATOR) & is_on)
    shares[:, _RIGHT] = _column(lit(vehicles, Light.RIGHT_INDICATOR) & is_on)
    return shares


def _column(values: Booleans) -> Floats:
    return values[:, None].astype(np.float64)


def _mounts() -> Floats:
    """The places (kinds, _LAMPS, 3) [m] of lamps in the vehicles, as their models have them."""
    rows = []
    for kind in FLEET:
        end, half = kind.length / 2.0, kind.width / 2.0
        is_single = kind.vehicle_class in (VehicleClass.MOTORCYCLE, VehicleClass.BICYCLE)
        is_tall = kind.height > 2.5
        head, tail = (0.88, 0.76) if is_single else (0.72, 0.88) if is_tall else (0.62, 0.74)
        aside = 0.02 if is_single else 0.68 * half
        outer = 0.25 if is_single else 0.88 * half
        nose = 0.62 if is_single else end
        rows.append(
            [
                *[(nose, side * aside, head) for side in (1, -1)],
                *[(-end, side * aside, tail) for side in (1, -1)],
                *[(x, y, z) for y in (outer, -outer) for x, z in ((nose, head), (-end, tail))],
            ]
        )
    return np.array(rows)


_MOUNTS = _mounts()
_NOSES = np.array([kind.length / 2.0 for kind in FLEET])
_BREADTHS = np.array([min(1.0, kind.width / 1.8) for kind in FLEET])


def _changing(root: core.NodePath, name: str) -> core.NodePath:
    node = changing_node(root, name)
    node.setDepthWrite(False)
    node.hide(core.BitMask32(SHADOW_MASK | LABEL_MASK))
    return node


def _write(node: core.NodePath, mesh: DrawMesh) -> None:
    corners = np.ascontiguousarray(mesh.triangles, dtype=np.uint32).ravel()
    change_mesh(node, rows_of(mesh), mesh.all_labels, corners)
