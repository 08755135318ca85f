"""Panda3D nodes and textures from our arrays."""

from collections.abc import Iterable

import numpy as np

from autosim.arrays import Bytes, Floats
from autosim.client.panda.geometry import DrawMesh, make_geom
from autosim.client.panda.panda import core


def make_node(name: str, meshes: Iterable[DrawMesh]) -> core.NodePath:
    """A `NodePath` with one geom for each mesh."""
    geometry = core.GeomNode(name)
    for mesh in meshes:
        geometry.addGeom(make_geom(mesh))
    return core.NodePath(geometry)


def make_texture(name: str, pixels: Bytes, *, is_tiled: bool = True) -> core.Texture:
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


def quaternion_of(rotation: Floats) -> core.LQuaternion:
    """Panda3D's quaternion of a rotation matrix (3, 3); its own matrices are transposed."""
    quaternion = core.LQuaternion()
    quaternion.setFromMatrix(core.LMatrix3(*rotation.T.ravel().tolist()))
    return quaternion
