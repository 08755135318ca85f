"""Placed houses and trees: their models, joined in chunks so that thousands stay cheap."""

from math import degrees
from typing import Any

import numpy as np

from autosim.client.meshes import chunk_indices
from autosim.client.models import ModelLibrary
from autosim.world.compiled import Building, CompiledWorld


def add_houses(
    root: Any, compiled: CompiledWorld, *, library: ModelLibrary
) -> tuple[Building, ...]:
    """Adds the models of houses and trees below `root`, in their own size.

    Returns:
        The houses whose model is shown: the box that the mesh has for them is not to be drawn.
    """
    shown: list[Building] = []
    places = np.array([house.position[:2] for house in compiled.houses]).reshape(-1, 2)
    indices = chunk_indices(places, compiled.bounds).tolist()
    parent = root.attachNewNode("houses")
    chunks: dict[int, Any] = {}
    for house, index in zip(compiled.houses, indices, strict=True):
        model = library.node(house.model) if house.model else None
        if model is not None:
            chunk = chunks.get(index) or chunks.setdefault(index, parent.attachNewNode("chunk"))
            model.setPos(*house.position)
            model.setH(degrees(house.yaw))
            model.reparentTo(chunk)
            shown.append(house)
    for chunk in chunks.values():
        chunk.flattenStrong()
    return tuple(shown)
