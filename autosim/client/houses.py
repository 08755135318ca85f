"""Placed houses and trees: their models, joined in chunks so that thousands stay cheap."""

from math import degrees
from typing import Any

import numpy as np

from autosim.client.meshes import chunk_indices
from autosim.client.models import ModelLibrary
from autosim.world.compiled import CompiledWorld, Mesh


def add_houses(root: Any, compiled: CompiledWorld, *, library: ModelLibrary) -> Mesh:
    """Adds the models of houses and trees below `root`, in their own size.

    Returns:
        The boxes of the houses that have no model to be shown.
    """
    is_shown = np.zeros(len(compiled.houses), dtype=bool)
    places = np.array([house.position[:2] for house in compiled.houses]).reshape(-1, 2)
    indices = chunk_indices(places, compiled.bounds).tolist()
    parent = root.attachNewNode("houses")
    chunks: dict[int, Any] = {}
    for row, (house, index) in enumerate(zip(compiled.houses, indices, strict=True)):
        model = library.node(house.model) if house.model else None
        if model is not None:
            chunk = chunks.get(index) or chunks.setdefault(index, parent.attachNewNode("chunk"))
            model.setPos(*house.position)
            model.setH(degrees(house.yaw))
            model.reparentTo(chunk)
            is_shown[row] = True
    for chunk in chunks.values():
        chunk.flattenStrong()
    boxes = compiled.house_boxes
    stays = np.repeat(~is_shown, len(boxes.triangles) // max(1, len(compiled.houses)))
    return Mesh(boxes.vertices, boxes.triangles[stays], boxes.surfaces[stays])
