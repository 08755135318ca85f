"""Panda3D nodes and textures from our arrays."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from autosim.client.geometry import DrawMesh, make_geom
from autosim.client.obj import ModelError
from autosim.client.panda import core


def make_node(name: str, meshes: Iterable[DrawMesh]) -> Any:
    """A `NodePath` with one geom for each mesh."""
    geometry = core.GeomNode(name)
    for mesh in meshes:
        geometry.addGeom(make_geom(mesh))
    return core.NodePath(geometry)


def make_chunk(mesh: DrawMesh, *, far: float | None) -> Any:
    """A node with a piece of the world that is drawn up to a distance of `far` [m], if given."""
    node = make_node("chunk", [mesh])
    if far is None:
        return node
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    levels = core.LODNode("chunk")
    levels.setCenter(core.LPoint3(*((low + high) / 2).tolist()))
    levels.addSwitch(far + float(np.linalg.norm(high - low)) / 2, 0.0)
    parent = core.NodePath(levels)
    node.reparentTo(parent)
    return parent


def make_texture(name: str, pixels: npt.NDArray[np.uint8], *, is_tiled: bool = True) -> Any:
    """A texture from (height, width, 4) uint8 RGBA, first row at the bottom, with mipmaps."""
    height, width = pixels.shape[:2]
    texture = core.Texture(name)
    texture.setup2dTexture(width, height, core.Texture.TUnsignedByte, core.Texture.FRgba8)
    bgra = np.ascontiguousarray(pixels[..., [2, 1, 0, 3]])
    texture.setRamImage(bgra.tobytes())
    texture.setMinfilter(core.SamplerState.FTLinearMipmapLinear)
    texture.setMagfilter(core.SamplerState.FTLinear)
    texture.setWrapU(core.SamplerState.WMRepeat)
    texture.setWrapV(core.SamplerState.WMRepeat if is_tiled else core.SamplerState.WMClamp)
    return texture


def load_texture(file: Path) -> Any:
    """A texture from a picture file, read by Pillow.

    Raises:
        ModelError: the file is no picture, or too large a one.
    """
    try:
        with Image.open(file) as picture:
            pixels = np.asarray(picture.convert("RGBA"))[::-1].copy()
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise ModelError(f"{file}: not a readable picture: {error}") from error
    pixels[..., 3] = 255
    return make_texture(file.name, pixels)
