"""The sky: a dome with a gradient, clouds and the sun, drawn by us, that follows the camera."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.ndimage import map_coordinates

from autosim.client.geometry import DrawMesh, make_geom
from autosim.client.nodes import make_texture
from autosim.client.palette import HORIZON, ZENITH
from autosim.client.panda import core
from autosim.client.textures import tileable_noise

Floats = npt.NDArray[np.float64]
_SEED = 20080301
_WIDTH, _HEIGHT = 1024, 256
_RINGS, _SEGMENTS = 12, 24
_LOWEST = -0.15
"""Elevation [rad] of the dome's lower edge, below which only the ground can be."""


def make_sky(sun_direction: Floats) -> Any:
    """A dome of radius 1 m, to be placed at the camera and scaled: it lies behind all it encloses.

    `sun_direction` (3,) points to the sun.
    """
    geometry = core.GeomNode("sky")
    geometry.addGeom(make_geom(_dome()))
    node = core.NodePath(geometry)
    node.setTexture(make_texture("sky", sky_picture(sun_direction), is_tiled=False))
    return behind_all(node)


def behind_all(node: Any) -> Any:
    """The node, drawn as it is, before and behind everything else, whatever it encloses."""
    node.setBin("fixed", 0)
    node.setDepthWrite(False)
    node.setLightOff(1)
    node.setShaderOff(1)
    node.setTwoSided(True)
    node.node().setBounds(core.OmniBoundingVolume())
    node.node().setFinal(True)
    return node


def sky_picture(sun_direction: Floats) -> npt.NDArray[np.uint8]:
    """The sky by azimuth (columns, from east counter-clockwise) and elevation (rows, upwards).

    Returns:
        (256, 1024, 4) uint8 RGBA, first row at the horizon's lower edge.
    """
    azimuth = np.arange(_WIDTH) / _WIDTH * 2 * np.pi
    elevation = _LOWEST + (np.arange(_HEIGHT) + 0.5) / _HEIGHT * (np.pi / 2 - _LOWEST)
    height = np.clip(np.sin(elevation), 0.0, 1.0)[:, None, None]
    colour = np.array(HORIZON) * (1 - height**0.55) + np.array(ZENITH) * height**0.55
    colour = np.repeat(colour, _WIDTH, axis=1)
    cover = _clouds(azimuth, elevation)[..., None]
    colour = colour * (1 - cover) + np.array([0.97, 0.97, 0.98]) * cover
    nearness = _directions(azimuth, elevation) @ sun_direction
    glow = np.clip(nearness, 0, 1)[..., None]
    colour = colour + np.array([0.30, 0.26, 0.18]) * glow**40 + 1.0 * (glow > 0.9994)
    rgba = np.concatenate([np.clip(colour, 0, 1), np.ones((_HEIGHT, _WIDTH, 1))], axis=2)
    return np.asarray(rgba * 255).astype(np.uint8)


def _directions(azimuth: Floats, elevation: Floats) -> Floats:
    flat = np.cos(elevation)[:, None]
    up = np.repeat(np.sin(elevation)[:, None], len(azimuth), axis=1)
    return np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth), up], axis=2)


def _clouds(azimuth: Floats, elevation: Floats) -> Floats:
    """Cover (h, w) in 0..1: noise on a plane high above, seen in perspective, none at the rim."""
    noise = tileable_noise(np.random.default_rng(_SEED), 256, 8, 5)
    distance = 1.0 / (np.maximum(np.sin(elevation), 0.02) + 0.12)
    x = np.cos(azimuth) * distance[:, None] * 45.0
    y = np.sin(azimuth) * distance[:, None] * 45.0
    cover = map_coordinates(noise, [y, x], order=1, mode="grid-wrap")
    rim = np.clip(np.sin(elevation) * 6.0, 0, 1)[:, None]
    return np.asarray(np.clip((cover - 0.02) * 1.3, 0, 0.75) * rim)


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


def _grid_triangles(rows: int, columns: int) -> npt.NDArray[np.int32]:
    row, column = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    corner = (row * (columns + 1) + column).ravel()
    above = corner + columns + 1
    lower = np.stack([corner, corner + 1, above + 1], axis=1)
    upper = np.stack([corner, above + 1, above], axis=1)
    return np.concatenate([lower, upper]).astype(np.int32)
