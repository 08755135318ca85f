"""Trees, lamps and benches: thousands of a few shapes, as one mesh for each place and distance."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Bytes, Floats, Integers
from autosim.client.geometry.draw_mesh import DrawMesh, joined
from autosim.client.materials.palette import PAINTS
from autosim.client.tiles.instance_labels import CLASS_OF_PROP, StandingInstances, numbered
from autosim.client.tiles.prop_shapes import PAINT, Shapes
from autosim.world.compiled.compiled_world import Props
from autosim.world.geometry.renumbering import unique_rows

CELL = 80.0
"""Edge [m] of the squares whose props are drawn together."""
NEAR, FAR = 45.0, 380.0
"""Distance [m] beyond a cell up to which its props are drawn in full, and in short."""


@dataclass(frozen=True, slots=True)
class PropCell:
    """The props of one cell in full and in short, None where nothing of them is left."""

    near: DrawMesh | None
    """All details."""
    far: DrawMesh | None
    """Simplified, for distant cells."""


def prop_cells(
    props: Props, rows: slice, shapes: Shapes, numbers: StandingInstances
) -> Iterator[PropCell]:
    """The props of `rows`, those of one cell together, with their `numbers`."""
    if rows.stop <= rows.start:
        return
    cells = np.floor(props.positions[rows, :2] / CELL).astype(np.int64)
    _, number = unique_rows(cells)
    order = np.argsort(number, kind="stable")
    starts = np.flatnonzero(np.diff(number[order], prepend=-1))
    for chosen in np.split(order + rows.start, starts[1:]):
        yield PropCell(
            *(_shown(props, chosen, shapes, numbers, is_near=near) for near in (True, False))
        )


def _shown(
    props: Props, rows: Integers, shapes: Shapes, numbers: StandingInstances, *, is_near: bool
) -> DrawMesh | None:
    meshes = [
        numbered(
            instances(shape, props, chosen),
            CLASS_OF_PROP[kind],
            np.repeat(numbers.of_props(chosen), len(shape.vertices)),
        )
        for (kind, near), shape in shapes.items()
        if near is is_near and len(chosen := rows[props.kinds[rows] == kind])
    ]
    return joined(meshes) if meshes else None


def instances(shape: DrawMesh, props: Props, rows: Integers) -> DrawMesh:
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
    is_painted = (shape.colours == PAINT).all(axis=1)
    colours[:, is_painted, :3] = paints_of(props.positions[rows])[:, None, :]
    offsets = corners * np.arange(count, dtype=np.int32)[:, None, None]
    return DrawMesh(
        vertices=points.reshape(-1, 3).astype(np.float32),
        normals=normals.reshape(-1, 3).astype(np.float32),
        colours=colours.reshape(-1, 4).astype(np.uint8),
        uvs=np.tile(shape.uvs, (count, 1)),
        triangles=(shape.triangles[None] + offsets).reshape(-1, 3).astype(np.int32),
    )


def paints_of(positions: Floats) -> Bytes:
    """The paints (n, 3) of cars at places: those of the cars that drive."""
    mixed = np.floor(positions[:, :2] * (7.0, 13.0)).sum(axis=1).astype(np.int64)
    return np.asarray(np.array(PAINTS, dtype=np.uint8)[mixed % len(PAINTS)])


def _shades(positions: Floats) -> Floats:
    """Factors (n, 4) on the colours of props that follow from their places."""
    wave = np.sin(positions[:, 0] * 0.71) + np.sin(positions[:, 1] * 0.93 + positions[:, 0] * 0.2)
    warm = np.sin(positions[:, 0] * 1.3 - positions[:, 1] * 0.6)
    light = 1.0 + 0.07 * wave
    ones = np.ones(len(positions))
    return np.column_stack([light * (1.0 + 0.08 * warm), light, light * (1.0 - 0.06 * warm), ones])
