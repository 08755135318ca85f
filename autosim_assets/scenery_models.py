"""Draws the houses and the tree that worlds may place. Origins are the centres of undersides."""

from dataclasses import dataclass, replace

import numpy as np

from autosim.arrays import Floats
from autosim_assets.obj_sketch import Paint, Sketch

_WINDOW = Paint("window", (0.16, 0.20, 0.25), 0.2)
_FRAME = Paint("frame", (0.90, 0.90, 0.88))
_DOOR = Paint("door", (0.30, 0.17, 0.10), 0.8)
_STONE = Paint("stone", (0.55, 0.52, 0.48))
_BARK = Paint("bark", (0.33, 0.25, 0.18))
_LEAVES = (
    Paint("leaves_low", (0.26, 0.40, 0.16)),
    Paint("leaves", (0.36, 0.52, 0.21)),
    Paint("leaves_high", (0.46, 0.61, 0.26)),
)
_EAVES = 0.45
"""Distance [m] by which a roof juts out over the walls, as on usual houses."""

_WINDOW_SHARE = 0.13
"""Share of a wall that windows take: it mixes the colour of a distant wall."""


@dataclass(frozen=True, slots=True)
class HouseShape:
    """The sizes [m] of a house, and its paints.

    `length` is along x, `width` along y; `wall` and `ridge` are heights. The ridge runs along y,
    and the front with the door faces along x.

    Attributes:
        storeys: number of rows of windows.
        walls: paint of the walls.
        roof: paint of the roof.
    """

    length: float
    width: float
    wall: float
    ridge: float
    storeys: int
    walls: Paint
    roof: Paint


HOUSES = (
    HouseShape(
        length=9.0,
        width=11.0,
        wall=3.2,
        ridge=6.5,
        storeys=1,
        walls=Paint("brick", (0.66, 0.42, 0.33)),
        roof=Paint("tiles", (0.50, 0.26, 0.19)),
    ),
    HouseShape(
        length=10.0,
        width=13.0,
        wall=3.6,
        ridge=7.5,
        storeys=1,
        walls=Paint("plaster", (0.86, 0.82, 0.72)),
        roof=Paint("slate", (0.34, 0.35, 0.38)),
    ),
    HouseShape(
        length=9.0,
        width=9.0,
        wall=6.0,
        ridge=9.0,
        storeys=2,
        walls=Paint("plaster", (0.90, 0.87, 0.80)),
        roof=Paint("tiles", (0.62, 0.31, 0.22)),
    ),
)
"""The shapes of the models house0, house1 and house2."""


def house(shape: HouseShape) -> Sketch:
    """A house with a gabled roof."""
    sketch = Sketch()
    x, y = shape.length / 2 - _EAVES, shape.width / 2 - _EAVES
    _add_shell(sketch, shape, x, y)
    _add_roof(sketch, shape)
    for storey in range(shape.storeys):
        _add_storey(sketch, shape, storey, x, y)
    sketch.add_box((x, -0.5, 0.0), (x + 0.06, 0.5, 2.1), _DOOR)
    sketch.add_box((x, -0.9, 0.0), (x + 0.4, 0.9, 0.15), _STONE)
    sketch.add_box((-1.6, 0.30 * y, shape.wall), (-1.0, 0.30 * y + 0.6, shape.ridge + 0.5), _STONE)
    return sketch


def distant_house(shape: HouseShape) -> Sketch:
    """The coarse model of a house: its walls have the mean colour of plaster and windows."""
    plaster, glass = np.array(shape.walls.colour), np.array(_WINDOW.colour)
    red, green, blue = (plaster + _WINDOW_SHARE * (glass - plaster)).round(3).tolist()
    far = replace(shape, walls=Paint(f"{shape.walls.name}_far", (red, green, blue)))
    sketch = Sketch()
    _add_shell(sketch, far, shape.length / 2 - _EAVES, shape.width / 2 - _EAVES)
    _add_roof(sketch, far)
    return sketch


def _add_shell(sketch: Sketch, shape: HouseShape, x: float, y: float) -> None:
    top = shape.ridge - (shape.ridge - shape.wall) * 0.08
    for side in (-1, 1):
        wall = [(side * x, -side * y, 0.0), (side * x, side * y, 0.0)]
        wall += [(side * x, side * y, shape.wall), (side * x, -side * y, shape.wall)]
        sketch.add(wall, shape.walls)
        gable = [(side * x, side * y, 0.0), (-side * x, side * y, 0.0)]
        gable += [
            (-side * x, side * y, shape.wall),
            (0.0, side * y, top),
            (side * x, side * y, shape.wall),
        ]
        sketch.add(gable, shape.walls)


def _add_roof(sketch: Sketch, shape: HouseShape) -> None:
    x, y = shape.length / 2, shape.width / 2
    low = shape.wall - 0.25
    for side in (-1, 1):
        eave, ridge = (side * x, side * y, low), (0.0, side * y, shape.ridge)
        far_ridge, far_eave = (0.0, -side * y, shape.ridge), (side * x, -side * y, low)
        sketch.add([far_eave, eave, ridge, far_ridge], shape.roof)
        under = [
            np.array(point) - np.array([0.0, 0.0, 0.12])
            for point in (ridge, eave, far_eave, far_ridge)
        ]
        sketch.add(np.array(under), _FRAME)


def _add_storey(sketch: Sketch, shape: HouseShape, storey: int, x: float, y: float) -> None:
    """Adds windows on all four sides of one storey, except at the door."""
    low = 0.9 + storey * 2.8
    for across in np.linspace(-y, y, max(round(2 * y / 2.6), 2) * 2 + 1)[1::2]:
        for side in (-1, 1):
            if side == 1 and storey == 0 and abs(across) < 1.3:
                continue
            _add_window(sketch, np.array([side * x, across, low]), np.array([side, 0.0, 0.0]))
    for along in (-0.5 * x, 0.5 * x):
        for side in (-1, 1):
            _add_window(sketch, np.array([along, side * y, low]), np.array([0.0, side, 0.0]))


def _add_window(sketch: Sketch, foot: Floats, outwards: Floats) -> None:
    """Adds a window 1.2 m wide and 1.3 m high; `foot` is the middle of its lower edge."""
    up = np.array([0.0, 0.0, 1.0])
    right = np.cross(up, outwards)
    for half, low, high, out, paint in (
        (0.68, -0.08, 1.38, 0.04, _FRAME),
        (0.60, 0.0, 1.30, 0.07, _WINDOW),
        (0.03, 0.0, 1.30, 0.09, _FRAME),
    ):
        corners = ((-half, low), (half, low), (half, high), (-half, high))
        sketch.add(
            np.array([foot + outwards * out + right * a + up * b for a, b in corners]), paint
        )


def tree() -> Sketch:
    """A broad tree, 7.6 m high; its place is that of its trunk."""
    sketch = Sketch()
    _add_trunk(sketch)
    generator = np.random.default_rng(7)
    blobs = (
        ((0.0, 0.0, 5.1), 2.4),
        ((0.9, 0.7, 3.9), 1.7),
        ((-1.0, -0.5, 4.1), 1.8),
        ((0.2, -1.1, 3.8), 1.5),
    )
    for centre, radius in blobs:
        _add_blob(sketch, np.array(centre), radius, generator)
    return sketch


def distant_tree() -> Sketch:
    """The coarse model of the same tree: one ball on a stem."""
    sketch = Sketch()
    _add_trunk(sketch)
    _add_blob(sketch, np.array((0.0, 0.0, 4.7)), 2.7, np.random.default_rng(7))
    return sketch


def _add_trunk(sketch: Sketch) -> None:
    angles = np.arange(7) / 6 * 2 * np.pi
    rings = [(0.26, 0.0), (0.17, 1.2), (0.13, 4.2)]
    grid = np.array([[(r * np.cos(a), r * np.sin(a), z) for a in angles] for r, z in rings])
    sketch.add_grid(grid, [[_BARK] * 6] * 2)


def _add_blob(
    sketch: Sketch, centre: Floats, radius: float, generator: np.random.Generator
) -> None:
    """Adds a lumpy ball of 5 × 8 faces, darker below."""
    rise = np.linspace(-np.pi / 2, np.pi / 2, 6)
    turn = np.arange(9) / 8 * 2 * np.pi
    lumps = generator.uniform(0.82, 1.12, (6, 8))
    lumps[[0, -1]] = 1.0
    lumps = np.concatenate([lumps, lumps[:, :1]], axis=1)
    flat = np.cos(rise)[:, None]
    up = np.broadcast_to(np.sin(rise)[:, None] * 0.85, (6, 9))
    ball = np.stack([flat * np.cos(turn), flat * np.sin(turn), up], axis=2)
    paints = [[_LEAVES[min(i // 2, 2)]] * 8 for i in range(5)]
    sketch.add_grid(centre + ball * lumps[:, :, None] * radius, paints)
