"""The sky: a dome with a gradient, clouds and the sun, drawn by us, that follows the camera."""

import numpy as np

from autosim.arrays import Bytes, Floats, Floats32, Integers32
from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.materials.textures import tileable_noise
from autosim.client.panda.geometry import make_geom
from autosim.client.panda.masks import LABEL_MASK, SHADOW_MASK
from autosim.client.panda.panda_imports import core
from autosim.client.panda.panda_nodes import make_texture
from autosim.client.sky_and_light.daylight import STANDARD_SUN, Daylight
from autosim.config.world_settings import SkyDescription

_SEED = 20080301
"""Seed of the clouds' and the stars' noise: every sky has the same ones."""

_WIDTH, _HEIGHT = 1024, 256
"""Size [pixels] of the picture of the sky: a third of a degree each, and clouds are soft."""

_RINGS, _SEGMENTS = 12, 24
"""Number of rings and of segments of the dome: its edges are not seen, since it has no shading."""

_LOWEST = -0.15
"""Elevation [rad] of the dome's lower edge, below which only the ground can be."""
_MOST_KEPT = 4
"""Pictures of the sky: the world's, and those between which a person goes to and fro."""


class Sky:
    """A dome around the camera, which lies behind all it encloses.

    Args:
        root: the scene.
        radius: [m] of the dome, within what the cameras draw.
        box: a node to take instead of the dome (`make_sky_box`); it looks the same all day.
    """

    def __init__(
        self, root: core.NodePath, *, radius: float, box: core.NodePath | None = None
    ) -> None:
        self._has_dome = box is None
        self._node = _dome_node() if box is None else box
        self._node.reparentTo(root)
        self._node.setScale(radius)
        self._textures: dict[SkyDescription, core.Texture] = {}

    def show(self, sky: SkyDescription, daylight: Daylight) -> None:
        """Shows the sky in that light; the last few are kept."""
        if not self._has_dome:
            return
        if sky not in self._textures:
            if len(self._textures) >= _MOST_KEPT:
                del self._textures[next(iter(self._textures))]
            texture = make_texture("sky", sky_picture(daylight), is_tiled=False)
            # Its pixels are larger than a picture's: smaller copies would only have to be chosen.
            texture.setMinfilter(core.SamplerState.FTLinear)
            self._textures[sky] = texture
        self._node.setTexture(self._textures[sky], 1)

    def follow(self, eye: Floats) -> None:
        """Places it around a camera at `eye` (3,)."""
        self._node.setPos(*eye)


def _dome_node() -> core.NodePath:
    geometry = core.GeomNode("sky")
    geometry.addGeom(make_geom(_dome()))
    node = core.NodePath(geometry)
    behind_all(node)
    return node


def behind_all(node: core.NodePath) -> None:
    """Draws a node as it is, behind everything else, whatever it encloses."""
    node.setBin("fixed", 0)
    node.setDepthWrite(False)
    node.setLightOff(1)
    node.setShaderOff(1)
    node.setTwoSided(True)
    node.hide(core.BitMask32(SHADOW_MASK | LABEL_MASK))
    node.node().setBounds(core.OmniBoundingVolume())
    node.node().setFinal(True)


def sky_picture(daylight: Daylight) -> Bytes:
    """The sky by azimuth (columns, from east counter-clockwise) and elevation (rows, upwards).

    Returns:
        (256, 1024, 4) uint8 RGBA, first row at the horizon's lower edge.
    """
    azimuth = np.arange(_WIDTH) / _WIDTH * 2 * np.pi
    elevation = _LOWEST + (np.arange(_HEIGHT) + 0.5) / _HEIGHT * (np.pi / 2 - _LOWEST)
    height = np.clip(np.sin(elevation), 0.0, 1.0)[:, None, None]
    colour = daylight.horizon * (1 - height**0.55) + daylight.zenith * height**0.55
    colour = np.repeat(colour, _WIDTH, axis=1)
    cover = _clouds(azimuth, elevation, daylight.cover)[..., None]
    colour = colour + _stars(daylight.darkness) * np.clip(3 * height - 0.3, 0, 1)
    colour = colour * (1 - cover) + daylight.clouds * cover
    nearness = _directions(azimuth, elevation) @ daylight.direction
    glow = np.clip(nearness, 0, 1)[..., None]
    bright = np.sqrt(daylight.sun_light / STANDARD_SUN)
    colour = colour + np.array([0.30, 0.26, 0.18]) * bright * glow**40 + bright * (glow > 0.9994)
    through_fog = np.exp(-daylight.fog * 250.0 / np.maximum(height, 0.02))
    colour = colour * through_fog + daylight.horizon * (1.0 - through_fog)
    rgba = np.concatenate([np.clip(colour, 0, 1), np.ones((_HEIGHT, _WIDTH, 1))], axis=2)
    return np.asarray(rgba * 255).astype(np.uint8)


def sampled_between(values: Floats | Floats32, rows: Floats, columns: Floats) -> Floats:
    """Values (h, w) at places between those of a picture that is repeated; linear in both.

    SciPy gives the same within 1e-14, but takes a fifth of a second to import.
    """
    height, width = values.shape
    row, column = np.floor(rows), np.floor(columns)
    down, right = rows - row, columns - column
    top, left = row.astype(np.int64) % height, column.astype(np.int64) % width
    bottom, far = (top + 1) % height, (left + 1) % width
    total = values[top, left] * (1.0 - down) * (1.0 - right)
    total += values[top, far] * (1.0 - down) * right
    total += values[bottom, left] * down * (1.0 - right)
    total += values[bottom, far] * down * right
    return np.asarray(total)


def _stars(darkness: float) -> Floats:
    """Light of stars, added to the colours (h, w, 1): few bright ones, many faint ones."""
    random = np.random.default_rng(_SEED)
    is_star = random.random((_HEIGHT, _WIDTH, 1)) > 0.9975
    magnitude = random.random((_HEIGHT, _WIDTH, 1)) ** 3
    return np.asarray(is_star * (0.08 + 0.5 * magnitude) * max(2.0 * darkness - 1.0, 0.0))


def _directions(azimuth: Floats, elevation: Floats) -> Floats:
    flat = np.cos(elevation)[:, None]
    up = np.repeat(np.sin(elevation)[:, None], len(azimuth), axis=1)
    return np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth), up], axis=2)


def _clouds(azimuth: Floats, elevation: Floats, share: float) -> Floats:
    """Opacity (h, w) of clouds, in 0..1, where they cover a `share` of the sky.

    They are noise on a plane high above, seen in perspective; there are none at the rim.
    """
    noise = tileable_noise(np.random.default_rng(_SEED), 256, 8, 5)
    distance = 1.0 / (np.maximum(np.sin(elevation), 0.02) + 0.12)
    x = np.cos(azimuth) * distance[:, None] * 45.0
    y = np.sin(azimuth) * distance[:, None] * 45.0
    cover = sampled_between(noise, y, x)
    rim = np.clip(np.sin(elevation) * 6.0, 0, 1)[:, None]
    threshold, thickest = 0.02 + 1.2 * (0.3 - share), max(0.75, share)
    return np.asarray(np.clip((cover - threshold) * 1.3, 0, thickest) * rim)


def _dome() -> DrawMesh:
    rise = np.linspace(0.0, 1.0, _RINGS + 1)
    turn = np.linspace(0.0, 1.0, _SEGMENTS + 1)
    v, u = np.meshgrid(rise, turn, indexing="ij")
    elevation = _LOWEST + v.ravel() * (np.pi / 2 - _LOWEST)
    azimuth = u.ravel() * 2 * np.pi
    flat = np.cos(elevation)
    points = np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)], axis=1)
    return DrawMesh(
        vertices=(points).astype(np.float32),
        normals=(-points).astype(np.float32),
        colours=np.full((len(points), 4), 255, dtype=np.uint8),
        uvs=np.stack([u.ravel(), v.ravel()], axis=1).astype(np.float32),
        triangles=_grid_triangles(_RINGS, _SEGMENTS),
    )


def _grid_triangles(rows: int, columns: int) -> Integers32:
    row, column = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    corner = (row * (columns + 1) + column).ravel()
    above = corner + columns + 1
    lower = np.stack([corner, corner + 1, above + 1], axis=1)
    upper = np.stack([corner, above + 1, above], axis=1)
    return np.concatenate([lower, upper]).astype(np.int32)
