"""A sky box: six pictures on the inside of a cube that follows the camera."""

from pathlib import Path

import numpy as np

from autosim.arrays import Floats
from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.materials.texture_images import (
    TextureImage,
    TextureImageError,
    read_texture_image,
)
from autosim.client.panda.geometry import make_geom
from autosim.client.panda.panda_imports import core
from autosim.client.panda.panda_nodes import make_texture
from autosim.client.sky_and_light.sky import behind_all
from autosim.config.descriptions import ModelReference
from autosim.config.files.lookup import PathError, Roots, find_file

_EAST, _NORTH, _UP = np.eye(3)
_SIDES = {
    "1": (-_EAST, _UP),
    "2": (_NORTH, _UP),
    "3": (_EAST, _UP),
    "4": (-_NORTH, _UP),
    "5": (_UP, -_NORTH),
    "6": (-_UP, _NORTH),
}
"""Name of each picture (left, front, right, back, top, bottom; the front is north): the direction
of its middle, and the one in which its upper edge lies."""
_ENDINGS = ("jpg", "jpeg", "png", "bmp")


def make_sky_box(
    reference: ModelReference, *, roots: Roots, warnings: list[str]
) -> core.NodePath | None:
    """A cube in a ball of radius 1 m, to be placed and scaled like the dome of `Sky`.

    Args:
        reference: the folder of the pictures, and their ending ("": any).
        roots: where the folder is looked up.
        warnings: gets a sentence where a picture in the folder is missing or broken.

    Returns:
        The node, or None where the pictures are not all there.
    """
    try:
        folder = find_file(reference.path, roots)
        pictures = {side: _read(folder, side, reference.type) for side in _SIDES}
    except PathError:
        # The reader of the set-up has said so, with file and line.
        return None
    except TextureImageError as error:
        warnings.append(f"the sky is AutoSim's own: {error}")
        return None
    node = core.NodePath("sky")
    for side, (forward, up) in _SIDES.items():
        geometry = core.GeomNode("side")
        geometry.addGeom(make_geom(side_mesh(forward, up)))
        face = node.attachNewNode(geometry)
        texture = make_texture(side, pictures[side].pixels, is_tiled=False)
        texture.setWrapU(core.SamplerState.WMClamp)
        face.setTexture(texture)
    behind_all(node)
    # Unlike the dome, sides are nearer than what is to be seen before them: they are drawn first.
    node.setBin("background", 0)
    return node


def _read(folder: Path, side: str, ending: str) -> TextureImage:
    endings = (ending.lstrip("."),) if ending else _ENDINGS
    for each in endings:
        file = folder / f"{side}.{each}"
        if file.is_file():
            return read_texture_image(file)
    raise TextureImageError(f"{folder} holds no picture {side}.{' or .'.join(endings)}")


def side_mesh(forward: Floats, up: Floats) -> DrawMesh:
    """One side of the cube, seen from within: right of its picture is right of who looks at it."""
    right = np.cross(forward, up)
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    points = np.array([forward + x * right + y * up for x, y in corners]) / np.sqrt(3.0)
    return DrawMesh(
        vertices=points.astype(np.float32),
        normals=np.tile(-forward, (4, 1)).astype(np.float32),
        colours=np.full((4, 4), 255, dtype=np.uint8),
        uvs=((np.array(corners) + 1) / 2).astype(np.float32),
        triangles=np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32),
    )
