"""The numbers of things in label pictures: robots and objects first, then what stands in the world.

A number follows from the world's files alone, so that it is the same at every client, from near and
from afar.
"""

from dataclasses import replace

import numpy as np

from autosim.arrays import Integers
from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.materials.surfaces import Coat, RoadPart
from autosim.config.semantic_classes import class_number
from autosim.model.instance_numbers import FIRST_STANDING
from autosim.world.compiled.compiled_world import CompiledWorld, PropKind
from autosim.world.geometry.meshes import Surface

_BOX_TRIANGLES = 12
"""Number of triangles of the box of a placed house."""

_MOST = 2**24
"""Numbers wrap around here: a float of four bytes holds no greater one exactly."""

_CLASSES: dict[Coat, str] = {
    Surface.GROUND: "terrain",
    Surface.CARRIAGEWAY: "road",
    Surface.PAVEMENT: "sidewalk",
    Surface.KERB: "curb",
    Surface.PARK: "vegetation",
    Surface.WATER: "water",
    Surface.WALL: "building",
    Surface.ROOF: "building",
    Surface.CONCRETE: "bridge",
    Surface.PAINT: "lane marking",
    Surface.PAINT_YELLOW: "lane marking",
    Surface.BALLAST: "rail track",
    Surface.RAIL: "rail track",
    Surface.MASONRY: "wall",
    Surface.TIMBER: "fence",
    Surface.HEDGE: "vegetation",
    Surface.STEM: "vegetation",
    Surface.PAVING: "sidewalk",
    Surface.SETT: "sidewalk",
    Surface.ASPHALT: "sidewalk",
    Surface.GRAVEL: "terrain",
    Surface.DOOR: "building",
    Surface.SHOP_WINDOW: "building",
    Surface.AWNING: "building",
    Surface.STEEL: "pole",
    Surface.SIGN: "pole",
    RoadPart.RIGHT_PAVEMENT: "sidewalk",
    RoadPart.RIGHT_KERB: "curb",
    RoadPart.INTERSECTION: "road",
}

CLASS_OF_SURFACE: dict[Coat, int] = {coat: class_number(name) for coat, name in _CLASSES.items()}
"""The semantic class of each surface, and of each part of a road that has its own look."""

CLASS_OF_PROP: dict[PropKind, int] = {
    PropKind.BROADLEAF: class_number("vegetation"),
    PropKind.CONIFER: class_number("vegetation"),
    PropKind.LAMP: class_number("pole"),
    PropKind.BENCH: class_number("bench"),
    PropKind.PARKED_CAR: class_number("car"),
    PropKind.PARKED_VAN: class_number("car"),
    PropKind.HEDGE: class_number("vegetation"),
}
"""The semantic class of each kind of prop."""


class StandingInstances:
    """The numbers of buildings, placed houses and props of a world.

    Args:
        compiled: the place.
    """

    def __init__(self, compiled: CompiledWorld) -> None:
        self._houses = FIRST_STANDING + len(compiled.buildings.triangles)
        self._props = self._houses + len(compiled.house_boxes.triangles) // _BOX_TRIANGLES

    def of_buildings(self, first_triangles: Integers) -> Integers:
        """Of buildings, by the first triangle of each in the mesh of all."""
        return _kept(FIRST_STANDING + first_triangles)

    def of_houses(self, rows: Integers) -> Integers:
        """Of placed houses, by their places in the list of all."""
        return _kept(self._houses + rows)

    def of_props(self, rows: Integers) -> Integers:
        """Of props, by their places in the list of all."""
        return _kept(self._props + rows)


def numbered(mesh: DrawMesh, number: int, instances: Integers) -> DrawMesh:
    """The mesh as things of the semantic class `number`; `instances` (n,) are those of vertices."""
    labels = np.empty((len(mesh.vertices), 2), dtype=np.float32)
    labels[:, 0] = number
    labels[:, 1] = instances
    return replace(mesh, labels=labels)


def _kept(numbers: Integers) -> Integers:
    return FIRST_STANDING + (numbers - FIRST_STANDING) % (_MOST - FIRST_STANDING)
