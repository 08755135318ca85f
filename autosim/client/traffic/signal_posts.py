"""Nodes of the posts and heads of signals: one for each place and distance."""

from collections.abc import Iterator

import numpy as np

from autosim.client.models.piece_nodes import level_node
from autosim.client.panda.panda_imports import core
from autosim.client.traffic.signal_shapes import post_mesh
from autosim.traffic.signals.signal_heads import SignalHeads
from autosim.world.geometry.renumbering import unique_rows

_CELL = 80.0
"""Edge [m] of the squares whose posts are one node: as of props."""

_NEAR, _FAR = 50.0, 220.0
"""Distances [m] beyond a cell up to which posts are drawn with lenses, and at all: farther away a
head is smaller than a pixel or two."""


def post_nodes(heads: SignalHeads, state: core.RenderState) -> Iterator[core.NodePath]:
    """The nodes of all posts with their heads."""
    if not len(heads.groups):
        return
    _, number = unique_rows(np.floor(heads.feet[:, :2] / _CELL).astype(np.int64))
    for cell in range(int(number.max()) + 1):
        rows = np.flatnonzero(number == cell)
        near = post_mesh(heads, rows, has_lenses=True)
        far = post_mesh(heads, rows, has_lenses=False)
        yield level_node([(near, _NEAR), (far, _FAR)], state=state, around=[near, far])
