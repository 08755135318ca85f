"""Panda3D nodes and textures from our arrays."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from autosim.arrays import Bytes, Floats, Floats32
from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.panda.geometry import changing_geom, make_geom, write_mesh
from autosim.client.panda.panda_imports import core


def make_node(name: str, meshes: Iterable[DrawMesh]) -> core.NodePath:
    """A `NodePath` with one geom for each mesh."""
    geometry = core.GeomNode(name)
    for mesh in meshes:
        geometry.addGeom(make_geom(mesh))
    return core.NodePath(geometry)


def changing_node(parent: core.NodePath, name: str) -> core.NodePath:
    """A node below `parent` with a mesh that each picture may change, see `change_mesh`."""
    geometry = core.GeomNode(name)
    geometry.addGeom(changing_geom())
    # The vertices move without Panda3D's knowing, so it must not judge by where they were.
    geometry.setBounds(core.OmniBoundingVolume())
    geometry.setFinal(True)
    node = parent.attachNewNode(geometry)
    node.stash()
    return node


def change_mesh(
    node: core.NodePath,
    rows: npt.NDArray[np.generic],
    labels: Floats32,
    corners: npt.NDArray[np.uint32],
) -> None:
    """Gives a `changing_node` another mesh, see `write_mesh`; without vertices nothing is drawn."""
    if not len(rows):
        node.stash()
        return
    node.unstash()
    geometry = node.node()
    assert isinstance(geometry, core.GeomNode)
    write_mesh(geometry.modifyGeom(0), rows, labels, corners)


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


def panda_quaternion(rotation: Floats) -> core.LQuaternion:
    """Panda3D's quaternion of a rotation matrix (3, 3); its own matrices are transposed."""
    quaternion = core.LQuaternion()
    quaternion.setFromMatrix(core.LMatrix3(*rotation.T.ravel().tolist()))
    return quaternion
