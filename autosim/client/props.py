"""Trees, lamps and benches: thousands of a few shapes, as one mesh for each place and distance."""

from typing import Any

import numpy as np
import numpy.typing as npt

from autosim.client.geometry import DrawMesh, joined
from autosim.client.nodes import make_node, make_texture
from autosim.client.panda import core
from autosim.client.prop_shapes import prop_shape
from autosim.client.textures import surface_texture
from autosim.world.compiled import PropKind, Props, Surface

CELL = 80.0
"""Edge [m] of the squares whose props are drawn together."""
NEAR, FAR = 45.0, 380.0
"""Distance [m] beyond a cell up to which its props are drawn in full, and in short."""


def add_props(root: Any, props: Props) -> None:
    """Adds all props below `root`: two levels of detail, none beyond `FAR`."""
    if not len(props.kinds):
        return
    parent = root.attachNewNode("props")
    parent.setTexture(make_texture("leaves", surface_texture(Surface.PARK)))
    cells = np.floor(props.positions[:, :2] / CELL).astype(np.int64)
    _, number = np.unique(cells, axis=0, return_inverse=True)
    order = np.argsort(number.reshape(-1), kind="stable")
    starts = np.flatnonzero(np.diff(number.reshape(-1)[order], prepend=-1))
    for rows in np.split(order, starts[1:]):
        _add_cell(parent, props, rows)


def _add_cell(parent: Any, props: Props, rows: npt.NDArray[np.int64]) -> None:
    positions = props.positions[rows]
    low, high = positions.min(axis=0), positions.max(axis=0)
    reach = float(np.linalg.norm(high - low)) / 2.0
    levels = core.LODNode("props")
    levels.setCenter(core.LPoint3(*((low + high) / 2.0).tolist()))
    cell = parent.attachNewNode(levels)
    for is_near, switch in ((True, (NEAR + reach, 0.0)), (False, (FAR + reach, NEAR + reach))):
        meshes = [
            instances(shape, props, rows[props.kinds[rows] == kind])
            for kind in PropKind
            for shape in [prop_shape(kind, is_near=is_near)]
            if shape is not None and (props.kinds[rows] == kind).any()
        ]
        # The levels of an LOD node are its children, in order: an empty one must be there too.
        make_node("near" if is_near else "far", [joined(meshes)] if meshes else []).reparentTo(cell)
        levels.addSwitch(*switch)


def instances(shape: DrawMesh, props: Props, rows: npt.NDArray[np.int64]) -> DrawMesh:
    """A shape of 1 m at each prop of `rows`: turned, as high as the prop, each a little different.

    Vectorised: there are thousands.
    """
    count, corners = len(rows), len(shape.vertices)
    c, s = np.cos(props.yaws[rows])[:, None], np.sin(props.yaws[rows])[:, None]
    x, y, z = shape.vertices.T.astype(np.float64)
    points = np.stack([c * x - s * y, s * x + c * y, np.broadcast_to(z, (count, corners))], axis=2)
    points = points * props.heights[rows][:, None, None] + props.positions[rows][:, None]
    x, y, z = shape.normals.T.astype(np.float64)
    normals = np.stack([c * x - s * y, s * x + c * y, np.broadcast_to(z, (count, corners))], axis=2)
    shade = _shades(props.positions[rows])[:, None, :]
    colours = np.clip(shape.colours[None] * shade, 0, 255)
    offsets = corners * np.arange(count, dtype=np.int32)[:, None, None]
    return DrawMesh(
        vertices=points.reshape(-1, 3).astype(np.float32),
        normals=normals.reshape(-1, 3).astype(np.float32),
        colours=colours.reshape(-1, 4).astype(np.uint8),
        uvs=np.tile(shape.uvs, (count, 1)),
        triangles=(shape.triangles[None] + offsets).reshape(-1, 3).astype(np.int32),
    )


def _shades(positions: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Factors (n, 4) on the colours of props that follow from their places."""
    wave = np.sin(positions[:, 0] * 0.71) + np.sin(positions[:, 1] * 0.93 + positions[:, 0] * 0.2)
    warm = np.sin(positions[:, 0] * 1.3 - positions[:, 1] * 0.6)
    light = 1.0 + 0.07 * wave
    ones = np.ones(len(positions))
    return np.column_stack([light * (1.0 + 0.08 * warm), light, light * (1.0 - 0.06 * warm), ones])
