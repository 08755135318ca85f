"""Appearance of the ground's surfaces: our own textures, or the pictures of a map set-up."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats32
from autosim.client.materials.material_kinds import ShaderKind
from autosim.client.materials.palette import COLOURS, TEXTURE_METRES, Colour
from autosim.client.materials.texture_images import (
    TextureImage,
    TextureImageError,
    read_texture_image,
)
from autosim.client.materials.textures import surface_texture
from autosim.config.descriptions import MapSetup
from autosim.config.files.lookup import PathError, Roots, find_file
from autosim.world.geometry.meshes import Surface


class RoadPart(IntEnum):
    """Parts of roads that can have their own look in a map set-up.

    The numbers are those of no `Surface`.
    """

    RIGHT_PAVEMENT = 64
    RIGHT_KERB = 65
    INTERSECTION = 66


class Facade(IntEnum):
    """Facades of walls other than the usual one; a client may draw them all as `Surface.WALL`.

    The numbers are those of no `Surface` and no `RoadPart`.
    """

    BRICK = 80
    SHUTTERS = 81
    PANELS = 82
    TALL = 83


Coat = Surface | RoadPart | Facade
Bounds = tuple[float, float, float, float]
_WHITE: Colour = (255, 255, 255, 255)
"""Colour (sRGB and matness, 0..255) that leaves a picture as it is."""
_SHADER_KINDS = {
    Surface.WALL: ShaderKind.WALL,
    Surface.WATER: ShaderKind.GLOSSY,
    Surface.GROUND: ShaderKind.MEADOW,
    Surface.PARK: ShaderKind.MEADOW,
    Surface.SHOP_WINDOW: ShaderKind.GLOSSY,
    Surface.CARRIAGEWAY: ShaderKind.ROAD,
    Surface.PAVEMENT: ShaderKind.PATH,
    Surface.PAVING: ShaderKind.PATH,
    Surface.SETT: ShaderKind.PATH,
    Surface.ASPHALT: ShaderKind.PATH,
    RoadPart.RIGHT_PAVEMENT: ShaderKind.PATH,
    RoadPart.INTERSECTION: ShaderKind.ROAD,
}
_ROAD_TEXTURES: Mapping[str, tuple[Coat, Surface]] = {
    "Road": (Surface.CARRIAGEWAY, Surface.CARRIAGEWAY),
    "LeftPavement": (Surface.PAVEMENT, Surface.PAVEMENT),
    "RightPavement": (RoadPart.RIGHT_PAVEMENT, Surface.PAVEMENT),
    "LeftCurb": (Surface.KERB, Surface.KERB),
    "RightCurb": (RoadPart.RIGHT_KERB, Surface.KERB),
    "Intersection": (RoadPart.INTERSECTION, Surface.CARRIAGEWAY),
}
"""Target of each picture, and the surface whose scale it has."""


@dataclass(frozen=True, slots=True)
class SurfaceLook:
    """A picture and how it lies.

    `colour` tints the picture; one repetition of it begins at `corner` [m] in W and covers
    `metres` [m] east and north. `is_living`: waves of light and dark hide the repetition.
    """

    picture: TextureImage
    colour: Colour
    metres: tuple[float, float]
    corner: tuple[float, float] = (0.0, 0.0)
    shader_kind: ShaderKind = ShaderKind.MATT
    """Kind of shader that draws it."""
    is_living: bool = False

    def uvs(self, points: npt.NDArray[np.floating]) -> Floats32:
        """Texture coordinates (n, 2) of points (n, 2 or 3) [m] in W, seen from above."""
        return ((points[:, :2] - self.corner) / self.metres).astype(np.float32)


Looks = Mapping[Coat, SurfaceLook]


def surface_looks() -> dict[Coat, SurfaceLook]:
    """The look of every surface, from textures drawn by code."""
    return {surface: _own_look(surface) for surface in Surface}


def _own_look(surface: Surface) -> SurfaceLook:
    metres = TEXTURE_METRES.get(surface, 1.0)
    return SurfaceLook(
        TextureImage(surface.name.lower(), surface_texture(surface)),
        COLOURS.get(surface, _WHITE),
        (metres, metres),
        shader_kind=_SHADER_KINDS.get(surface, ShaderKind.MATT),
        is_living=surface in (Surface.GROUND, Surface.PARK),
    )


def looks_of_setup(
    setup: MapSetup, *, bounds: Bounds, roots: Roots, warnings: list[str]
) -> dict[Coat, SurfaceLook]:
    """The looks of all surfaces and parts of roads, with the pictures that the set-up names.

    Args:
        setup: its road textures and the terrain's, with `TextureRepeat`.
        bounds: (x_min, y_min, x_max, y_max) [m] of the terrain.
        roots: where the pictures are looked up.
        warnings: receives a message for each file that is not a picture; ours replaces it.
    """
    looks = surface_looks()
    for surface, name, metres, corner in _pictures(setup, bounds):
        try:
            picture = read_texture_image(find_file(name, roots))
        except PathError:
            # The reader of the set-up has said so, with file and line.
            continue
        except TextureImageError as error:
            warnings.append(f"{surface.name.lower()} has AutoSim's own texture: {error}")
            continue
        looks[surface] = SurfaceLook(
            picture, _WHITE, metres, corner, shader_kind=_kind_of_picture(surface)
        )
    return looks


def _kind_of_picture(surface: Coat) -> ShaderKind:
    """Kind of shader of a surface with a picture of the user's own, which has its own patches."""
    found = _SHADER_KINDS.get(surface, ShaderKind.MATT)
    return ShaderKind.MATT if found is ShaderKind.MEADOW else found


def _pictures(
    setup: MapSetup, bounds: Bounds
) -> Iterator[tuple[Coat, str, tuple[float, float], tuple[float, float]]]:
    """(coat, file, metres of a repetition, corner) of each picture that is wanted."""
    for tag, name in setup.road_textures:
        if tag in _ROAD_TEXTURES:
            coat, surface = _ROAD_TEXTURES[tag]
            yield coat, name, (TEXTURE_METRES[surface],) * 2, (0.0, 0.0)
    if setup.terrain_texture:
        x_min, y_min, x_max, y_max = bounds
        repeat = setup.texture_repeat
        metres = ((x_max - x_min) / repeat, (y_max - y_min) / repeat)
        yield Surface.GROUND, setup.terrain_texture, metres, (x_min, y_min)
