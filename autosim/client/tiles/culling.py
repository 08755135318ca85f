"""Leaves what houses hide out of pictures: drawn or not, they are the same."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.client.panda.masks import EYE_MASK
from autosim.client.panda.panda_imports import core
from autosim.client.tiles.occlusion import (
    REACH,
    AxisAlignedBoxes,
    Frustum,
    Walls,
    concatenate_walls,
    occluded,
)

_STEP = 16.0
"""Distance [m] that the eye moves before walls and parts around it are gathered again."""
_TOLERANCE = 1.0
"""[m] by which Panda3D may find the eye nearer to a tile, or farther."""


class CullableParts:
    """Parts below a node that is drawn within some distance of the eye, each in a box.

    Args:
        node: its children are the parts, without those that no eye sees.
        centre: (3,) [m] from where the distance counts.
        near: least distance [m].
        far: greatest.
    """

    def __init__(
        self, node: core.NodePath, *, centre: Sequence[float], near: float, far: float
    ) -> None:
        eyes = core.BitMask32(EYE_MASK)
        seen = [child for child in node.getChildren() if not child.isHidden(eyes)]
        bounds = [(child, child.getTightBounds()) for child in seen]
        boxes = [(child, *box) for child, box in bounds if box is not None]
        self.nodes = [child for child, _, _ in boxes]
        self.low = np.array([tuple(low) for _, low, _ in boxes]).reshape(-1, 3)
        self.high = np.array([tuple(high) for _, _, high in boxes]).reshape(-1, 3)
        self.range = np.tile([*centre, near, far], (len(boxes), 1))


@dataclass(frozen=True, slots=True)
class _Around:
    """The walls around a place (3,) [m] in W, and the parts (n,) drawn there, with their boxes."""

    place: Floats
    parts: Integers
    boxes: AxisAlignedBoxes
    walls: Walls


class OcclusionCulling:
    """Hides, before each picture, the parts that the eye does not see, and shows all others."""

    def __init__(self) -> None:
        self._nodes: list[core.NodePath] = []
        self._is_hidden = np.zeros(0, dtype=bool)
        self._low, self._high = np.zeros((2, 0, 3))
        self._range = np.zeros((0, 5))
        self._all_walls = concatenate_walls([])
        self._around: _Around | None = None

    def take(self, parts: Iterable[CullableParts], walls: Iterable[Walls]) -> None:
        """Takes other parts, and the walls that may hide them, from now on."""
        self._apply(np.flatnonzero(self._is_hidden), is_hidden=False)
        parts = list(parts)
        self._nodes = [node for each in parts for node in each.nodes]
        self._low = np.concatenate([np.zeros((0, 3)), *(each.low for each in parts)])
        self._high = np.concatenate([np.zeros((0, 3)), *(each.high for each in parts)])
        self._range = np.concatenate([np.zeros((0, 5)), *(each.range for each in parts)])
        self._is_hidden = np.zeros(len(self._nodes), dtype=bool)
        self._all_walls = concatenate_walls(list(walls))
        self._around = None

    def apply(self, frustum: Frustum | None) -> None:
        """Hides what this eye does not see; nothing if there is none."""
        if frustum is None:
            self._apply(np.flatnonzero(self._is_hidden), is_hidden=False)
            return
        if self._around is None or math.dist(frustum.eye, self._around.place) > _STEP:
            self._around = self._gathered(frustum.eye)
        parts = self._around.parts
        is_hidden = occluded(self._around.boxes, self._around.walls, frustum)
        is_new = is_hidden != self._is_hidden[parts]
        self._apply(parts[is_new & is_hidden], is_hidden=True)
        self._apply(parts[is_new & ~is_hidden], is_hidden=False)

    def _gathered(self, eye: Floats) -> "_Around":
        distances = np.sqrt(np.sum((self._range[:, :3] - eye) ** 2, axis=1))
        slack = _STEP + _TOLERANCE
        near, far = self._range[:, 3] - slack, self._range[:, 4] + slack
        parts = np.flatnonzero((distances >= near) & (distances <= far))
        return _Around(
            place=np.array(eye),
            parts=parts,
            boxes=AxisAlignedBoxes.between(self._low[parts], self._high[parts]),
            walls=self._all_walls.within(REACH + _STEP, eye[:2]),
        )

    def _apply(self, numbers: Integers, *, is_hidden: bool) -> None:
        eyes = core.BitMask32(EYE_MASK)
        for number in numbers.tolist():
            node = self._nodes[number]
            node.hide(eyes) if is_hidden else node.show(eyes)
        self._is_hidden[numbers] = is_hidden
