"""The light of vehicles' lamps: glows around them, and by night a pool of light before each."""

import numpy as np

from autosim.arrays import Floats, Floats32, Integers
from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.panda.geometry import rows_of
from autosim.client.panda.masks import LABEL_MASK, SHADOW_MASK
from autosim.client.panda.panda_imports import core
from autosim.client.panda.panda_nodes import change_mesh, changing_node
from autosim.client.sky_and_light.daylight import Daylight
from autosim.client.sky_and_light.robot_lamps import GLOW_SIZE, draw_as_glow
from autosim.client.sky_and_light.streaks import Streaks
from autosim.client.traffic.appearance import has_light_on, is_blinking
from autosim.client.traffic.drawn_models import VEHICLE_MODELS, vehicle_kind
from autosim.client.traffic.posing import ROW, PosedModels, Words, is_inside
from autosim.jit import compiled, jitable
from autosim.traffic.traffic_node import V
from autosim.traffic.vehicle_kinds import FLEET, Light, VehicleClass

_FAR, _POOLS_FAR = 600.0, 110.0
"""Distances [m] up to which glows and pools of light are drawn: beyond they are hardly seen."""

_LAMPS = 8
"""Number of lamps of a vehicle: two before, two behind, four indicators."""

_HEAD_BIT, _BRAKE_BIT = int(Light.HEAD), int(Light.BRAKE)
_LEFT_BIT, _RIGHT_BIT = int(Light.LEFT_INDICATOR), int(Light.RIGHT_INDICATOR)
"""The bits of lights, as kernels know them."""

_WIDEST = 10.0
"""Radius [m] of a ball about the place of a vehicle that holds all its lamps and their glows."""

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

_GLOW = np.array([0, 1, 2, 0, 2, 3], dtype=np.uint32)
"""Numbers of the corners of the two triangles of a glow."""

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
    gl_FragColor = vec4(light * (strength * along * (1.0 - aside * aside)), 0.0);
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
        self._glows, self._streaks = root.attachNewNode("traffic glows"), Streaks(root)
        draw_as_glow(self._glows)
        self._glow = changing_node(self._glows, "traffic glow")
        for parent in (self._glows, self._streaks.node):
            parent.setDepthWrite(False)
            parent.hide(core.BitMask32(SHADOW_MASK | LABEL_MASK))
        self._pool = _changing(root, "traffic pools")
        self._streak = self._streaks.node.attachNewNode(self._glow.node())
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
        self._glows.setShaderInput("strength", 0.30 + 0.70 * daylight.darkness)
        self._glows.setShaderInput("is_foggy", 1.0 if daylight.fog else 0.0)
        self._streaks.show(daylight)
        self._pool.setShaderInput("strength", _POOL_LIGHT * daylight.darkness)

    def look(
        self, things: PosedModels, vehicles: Floats, *, time: float, eye: Floats, planes: Floats
    ) -> None:
        """Lights the lamps of vehicles (V, 12) that a camera sees.

        Args:
            things: the vehicles as models.
            vehicles: as in the state.
            time: [s] by which indicators blink.
            eye: (3,) [m] of the camera.
            planes: (p, 3) that bound what it sees, as for `see`.
        """
        rows, labels = lamp_rows(things, vehicles, time=time, eye=eye, planes=planes)
        change_mesh(self._glow, rows, labels, _corners(len(rows) // 4))
        if len(rows):
            self._streak.unstash()
        else:
            self._streak.stash()
        if self._darkness > 0.05:
            is_near = np.abs(things.places - eye).max(axis=1) < _POOLS_FAR
            is_lit = is_near & (things.kinds >= 0) & has_light_on(vehicles, Light.HEAD)
            self._write_pools(things, np.flatnonzero(is_lit))
        else:
            self._pool.stash()

    def _write_pools(self, things: PosedModels, rows: Integers) -> None:
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


def lamp_rows(
    things: PosedModels, vehicles: Floats, *, time: float, eye: Floats, planes: Floats
) -> tuple[Floats32, Floats32]:
    """The corners (4 n, ROW) of the glows of n lamps, and their labels; see `LampGlows.look`."""
    rows = np.empty((4 * _LAMPS * len(vehicles), ROW), np.float32)
    labels = np.zeros((len(rows), 2), np.float32)
    count = _glow_rows(
        vehicles,
        things.kinds,
        things.places,
        things.rotations,
        is_blinking(time),
        eye,
        planes,
        _MOUNTS,
        _AWAY,
        _REACHES,
        _WORDS,
        rows,
        rows.view(np.uint32),
        labels,
    )
    return rows[:count], labels[:count]


@jitable
def _share(lamp: int, lights: int, is_on: bool) -> float:
    """Brightness of a lamp of a vehicle with these lights, 0 to 1."""
    head = (lights & _HEAD_BIT) != 0
    if lamp < 2:
        return 1.0 if head else 0.0
    if lamp < 4:
        return 1.0 if (lights & _BRAKE_BIT) != 0 else _TAIL if head else 0.0
    bit = _LEFT_BIT if lamp < 6 else _RIGHT_BIT
    return 1.0 if (lights & bit) != 0 and is_on else 0.0


@compiled
def _glow_rows(
    vehicles: Floats,
    kinds: Integers,
    places: Floats,
    rotations: Floats,
    is_on: bool,
    eye: Floats,
    planes: Floats,
    mounts: Floats,
    away: Floats,
    reaches: Floats,
    words: Words,
    out: Floats32,
    out_words: Words,
    out_labels: Floats32,
) -> int:
    """Fills the corners of the glows of all lamps that shine before a camera; returns how many."""
    n = 0
    for i in range(len(vehicles)):
        lights = int(vehicles[i, V.lights])
        if lights == 0 or kinds[i] < 0:
            continue
        x, y, z = places[i, 0] - eye[0], places[i, 1] - eye[1], places[i, 2] - eye[2]
        if x * x + y * y + z * z > _FAR * _FAR or not is_inside(x, y, z, _WIDEST, planes):
            continue
        for lamp in range(_LAMPS):
            share = _share(lamp, lights, is_on)
            if share == 0.0:
                continue
            size = reaches[lamp] * np.sqrt(share)
            for corner in range(4):
                for axis in range(3):
                    total, ahead = places[i, axis], 0.0
                    for j in range(3):
                        total += rotations[i, axis, j] * mounts[kinds[i], lamp, j]
                        ahead += rotations[i, axis, j] * away[lamp, j]
                    out[n, axis], out[n, 3 + axis] = total, ahead * size
                out_labels[n, 0] = mounts[kinds[i], lamp, 2]
                out_words[n, 6] = words[lamp, int(share < 1.0)]
                out[n, 7] = 1.0 if corner in (1, 2) else 0.0
                out[n, 8] = 1.0 if corner >= 2 else 0.0
                n += 1
    return n


def _corners(count: int) -> Words:
    """The corners of the triangles of `count` quads."""
    return np.asarray(_GLOW[None] + 4 * np.arange(count, dtype=np.uint32)[:, None]).ravel()


def _mounts() -> Floats:
    """The places (models, _LAMPS, 3) [m] of lamps in the vehicles, as their models have them."""
    rows = []
    for kind in _DRAWN:
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


def _lamp_words() -> Words:
    """The colour of each lamp as a word (_LAMPS, 2): in full, and as a tail light."""
    shares = np.sqrt([1.0, _TAIL])[None, :, None]
    bytes_of = np.round(255.0 * _COLOURS[:, None] * shares).astype(np.uint32)
    red, green, blue = np.moveaxis(bytes_of, 2, 0)
    return np.asarray(red | green << 8 | blue << 16 | 255 << 24, dtype=np.uint32)


_DRAWN = [FLEET[vehicle_kind(model)] for model in range(len(VEHICLE_MODELS))]
_MOUNTS = _mounts()
_REACHES = GLOW_SIZE * _RADII
_WORDS = _lamp_words()
_NOSES = np.array([kind.length / 2.0 for kind in _DRAWN])
_BREADTHS = np.array([min(1.0, kind.width / 1.8) for kind in _DRAWN])


def _changing(root: core.NodePath, name: str) -> core.NodePath:
    node = changing_node(root, name)
    node.setDepthWrite(False)
    node.hide(core.BitMask32(SHADOW_MASK | LABEL_MASK))
    return node


def _write(node: core.NodePath, mesh: DrawMesh) -> None:
    corners = np.ascontiguousarray(mesh.triangles, dtype=np.uint32).ravel()
    change_mesh(node, rows_of(mesh), mesh.all_labels, corners)
