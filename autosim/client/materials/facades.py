"""Facades: how walls of buildings differ in more than colour. A building has one by its colour."""

from collections.abc import Iterator

import numpy as np

from autosim.arrays import Bytes, Integers
from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.materials.material_kinds import ShaderKind
from autosim.client.materials.surfaces import Coat, Facade, SurfaceLook
from autosim.client.materials.texture_images import TextureImage
from autosim.client.materials.textures import Pixels, facade_texture
from autosim.world.geometry.meshes import Surface

_WHITE = (255, 255, 255, 255)
"""Colour (sRGB and matness, 0..255) that leaves a picture as it is."""

_REDNESS = 55
"""Red less blue [sRGB, 0..255] above which a wall is drawn as bricks: chosen by eye."""

_MIX = np.array([7, 13, 29])
"""Factors on red, green and blue, by which colours are scattered over facades."""

_PLASTERED: tuple[Coat, ...] = (Surface.WALL, Facade.SHUTTERS, Facade.PANELS, Facade.TALL)
"""Facades of walls that are not of bricks, in equal shares of their colours."""


def facade_looks() -> dict[Coat, SurfaceLook]:
    """The looks of all facades but the usual one."""
    return {facade: _look(facade.name.lower(), facade_texture(facade.name)) for facade in Facade}


def _look(name: str, pixels: Pixels) -> SurfaceLook:
    return SurfaceLook(TextureImage(name, pixels), _WHITE, (3.0, 3.0), shader_kind=ShaderKind.WALL)


def by_facade(walls: DrawMesh) -> Iterator[tuple[Coat, DrawMesh]]:
    """The walls of each facade, which follows from the colour of a building."""
    numbers = facade_numbers(walls.colours[walls.triangles[:, 0]])
    for number in np.unique(numbers).tolist():
        coat: Coat = Facade.BRICK if number == len(_PLASTERED) else _PLASTERED[number]
        yield coat, walls.select(walls.triangles[numbers == number])


def facade_numbers(colours: Bytes) -> Integers:
    """Facade (n,) of each colour (n, 4): an index into `_PLASTERED`, or the next one for bricks.

    So 0 is the usual one, 1 has shutters, 2 panels, 3 tall windows, and 4 is of bricks.
    """
    values = colours[:, :3].astype(np.int64)
    is_brick = values[:, 0] - values[:, 2] > _REDNESS
    return np.where(is_brick, len(_PLASTERED), (values * _MIX).sum(axis=1) % len(_PLASTERED))
