"""All that is drawn beyond the map: land, sea, woods, houses, and streets that lead there."""

import numpy as np

from autosim.client.geometry.draw_mesh import DrawMesh, labelled
from autosim.client.tiles.beyond.houses_beyond import houses_beyond
from autosim.client.tiles.beyond.leaving_streets import leaving_streets
from autosim.client.tiles.beyond.map_border import border_of
from autosim.client.tiles.beyond.surrounding_land import surroundings_of
from autosim.client.tiles.instance_labels import CLASS_OF_SURFACE
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.geometry.meshes import Surface

_DEGREES = 1e4
"""Steps of a degree in which the place of a map gives its seed: about 10 m."""

_HOUSES_SEED = 47
"""Seed of the houses, together with that of the map."""


def land_beyond(compiled: CompiledWorld) -> dict[Surface, DrawMesh]:
    """The surroundings of the map, by surface, with class labels.

    Its fields, woods and houses follow from the place of the map, so that each map has its own.
    """
    seed = [int(each) for each in np.rint(_DEGREES * (np.array(compiled.origin) + 360.0))]
    meshes = surroundings_of(compiled.ground, compiled.bounds, seed=seed)
    flat = [mesh for surface, mesh in meshes.items() if surface is not Surface.HEDGE]
    streets = leaving_streets(compiled, flat)
    if streets is not None:
        surface = Surface.CARRIAGEWAY
        meshes[surface] = labelled(streets, CLASS_OF_SURFACE[surface])
    border = border_of(compiled.ground, compiled.bounds)
    if border is not None and len(compiled.buildings.triangles):
        drawn = streets.vertices[:, :2] if streets is not None else np.zeros((0, 2))
        points = drawn.astype(np.float64)
        generator = np.random.default_rng([_HOUSES_SEED, *seed])
        meshes |= houses_beyond(compiled.buildings, border, points, generator)
    return meshes
