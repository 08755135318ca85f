"""Placed houses and trees: their models, joined in chunks so that thousands stay cheap."""

from math import degrees
from typing import Any

import numpy as np

from autosim.client.meshes import chunk_indices
from autosim.client.models import ModelLibrary
from autosim.world.compiled import Building, CompiledWorld


def add_houses(root: Any, compiled: CompiledWorld, *, library: ModelLibrary) -> None:
    """Adds the model of every house that has one below `root`.

    A house whose model cannot be shown keeps the box that the world's mesh has for it.
    """
    houses = [house for house in compiled.houses if house.model]
    if not houses:
        return
    places = np.array([house.position[:2] for house in houses])
    parent = root.attachNewNode("houses")
    chunks: dict[int, Any] = {}
    for house, index in zip(houses, chunk_indices(places, compiled.bounds).tolist(), strict=True):
        model = library.node(house.model)
        if model is not None:
            chunk = chunks.get(index) or chunks.setdefault(index, parent.attachNewNode("chunk"))
            _place(model, house)
            model.reparentTo(chunk)
    for chunk in chunks.values():
        chunk.flattenStrong()


def _place(model: Any, house: Building) -> None:
    """Puts the model's underside at the house's place, scaled to its size."""
    low, high = model.getTightBounds()
    scale = [
        wanted / max(is_now, 1e-6) for wanted, is_now in zip(house.size, high - low, strict=True)
    ]
    model.setScale(*scale)
    model.setPos(*house.position)
    model.setH(degrees(house.yaw))
