"""The land beyond the map, in rings to the horizon: sea, meadows, fields and woods."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Booleans, Bytes, Floats, Integers, Integers32
from autosim.client.geometry.draw_mesh import DrawMesh, joined, labelled
from autosim.client.materials.palette import COLOURS, TEXTURE_METRES
from autosim.client.tiles.beyond.map_border import SAMPLES, Bounds, MapBorder, border_of
from autosim.client.tiles.beyond.woods import FIRST_RING_OF_WOODS, woods_in
from autosim.client.tiles.instance_labels import CLASS_OF_SURFACE
from autosim.world.geometry.meshes import Mesh, Surface

_RINGS = (0.0, 10.0, 35.0, 110.0, 260.0, 520.0, 1000.0, 2000.0, 6000.0)
"""Distances [m] of the rings from the border: cells grow as they do in perspective, and haze hides
the end of the last one."""

_CELL_LENGTHS = (0.0, 8.0, 16.0, 60.0, 120.0, 210.0, 380.0, 700.0, 1500.0)
"""Lengths [m] of cells along each ring: fields are about as long as wide."""

_FEWEST_CELLS = 16
"""Least number of cells of a ring: the end of the sea on one side stays on that side."""

_REPETITIONS = (6.0, 6.0, 14.0, 40.0, 90.0, 180.0, 350.0, 900.0)
"""Width [m] of one repetition of the texture between rings: about equally many pixels."""

_CONTINUED = 2
"""Number of rings up to which the surface at the border continues; beyond are fields."""

_WAVE = 0.25
"""Share by which the distance of a ring varies, so that no straight line shows it."""

_FIELDS: tuple[tuple[int, int, int, int], ...] = (
    *((126, 138, 82, 255), (118, 134, 76, 255), (134, 142, 84, 255), (112, 130, 72, 255)),
    *((150, 146, 92, 255), (142, 128, 88, 255), (168, 156, 98, 255)),
)
"""Colours (sRGB and matness) of meadows, crops, stubble and ploughed land: chosen by eye, most of
them near that of the ground on the map."""

_SEED = 31
"""Seed of fields and woods, together with that of the map."""

_DRY = (Surface.GROUND, Surface.PARK, Surface.PAVING, Surface.SETT, Surface.ASPHALT, Surface.GRAVEL)
"""Surfaces that continue as they are; streets and what belongs to them do not."""


@dataclass(frozen=True, slots=True)
class _Ring:
    """A ring of the surroundings: `places` (n,) on the border, and `points` (n, 3) [m] in W."""

    places: Floats
    points: Floats


def surroundings_of(
    ground: Mesh, bounds: Bounds, *, seed: Sequence[int] = ()
) -> dict[Surface, DrawMesh]:
    """The land beyond a map by surface, with class labels.

    Args:
        ground: the ground of the map, in W.
        bounds: (x_min, y_min, x_max, y_max) [m] in W; the surroundings begin there.
        seed: of fields and woods.
    """
    border = border_of(ground, bounds) or _level_border(ground, bounds)
    generator = np.random.default_rng([_SEED, *seed])
    rings = [_ring(border, number, generator) for number in range(len(_RINGS))]
    parts: dict[Surface, list[DrawMesh]] = {}
    for number in range(len(_RINGS) - 1):
        cells = max(int(border.perimeter / _CELL_LENGTHS[number + 1]), _FEWEST_CELLS)
        corners, middles = _between(rings[number], rings[number + 1])
        # Land beyond the first metres changes from cell to cell, not within one.
        cell = np.floor(middles * (cells / 4.0)) + 0.5 if number else None
        surfaces = _surfaces_between(
            border, number, middles if cell is None else cell * (4.0 / cells)
        )
        dry = generator.integers(0, len(_FIELDS), cells)
        for surface in np.unique(surfaces).tolist():
            rows = surfaces == surface
            colours = _colours(Surface(surface), number, middles[rows], dry)
            metres = _REPETITIONS[number]
            if surface == Surface.WATER:
                metres = TEXTURE_METRES[Surface.WATER] * metres / _REPETITIONS[0]
            elif number < _CONTINUED:
                metres = TEXTURE_METRES[Surface(surface)]
            parts.setdefault(Surface(surface), []).append(_mesh(corners[rows], colours, metres))
    is_dry = border.share(border.is_wet, _RINGS[FIRST_RING_OF_WOODS]) < 0.5
    woods = woods_in(
        [(ring.places, ring.points) for ring in rings],
        cell_lengths=_CELL_LENGTHS,
        perimeter=border.perimeter,
        is_dry=is_dry,
        generator=generator,
    )
    if woods is not None:
        parts[Surface.HEDGE] = [woods]
    return {
        surface: labelled(joined(meshes), CLASS_OF_SURFACE[surface])
        for surface, meshes in parts.items()
    }


def _level_border(ground: Mesh, bounds: Bounds) -> MapBorder:
    """The border of a map that fills no rectangle: level, below its lowest point."""
    z = float(ground.vertices[:, 2].min()) - 0.3 if len(ground.vertices) else 0.0
    surfaces = np.full(SAMPLES, Surface.GROUND, dtype=np.uint8)
    return MapBorder(bounds, np.arange(5.0), np.full(5, z), surfaces)


def _ring(border: MapBorder, number: int, generator: np.random.Generator) -> _Ring:
    """The vertices of a ring; the first one has those of the border itself."""
    distance = _RINGS[number]
    if number == 0:
        plan = border.points(border.places, np.zeros(len(border.places)))
        return _Ring(border.places, np.column_stack([plan, border.heights]))
    cells = max(int(border.perimeter / _CELL_LENGTHS[number]), _FEWEST_CELLS)
    # Corners of the map are vertices of every ring, lest a ring cuts across the map.
    places = np.unique(np.append(np.linspace(0.0, 4.0, cells + 1), np.arange(5.0)))
    waves = 1.0 + _WAVE * generator.uniform(-1.0, 1.0, len(places))
    waves[-1] = waves[0]
    plan = border.points(places, distance * waves)
    return _Ring(places, np.column_stack([plan, border.heights_at(places, 2.0 * distance)]))


def _between(inner: _Ring, outer: _Ring) -> tuple[Floats, Floats]:
    """Triangles (m, 3, 3) between two rings, and the place on the border (m,) of each."""
    steps = np.concatenate([_middles(inner.places), _middles(outer.places)])
    is_inner: Booleans = np.arange(len(steps)) < len(inner.places) - 1
    order = np.argsort(steps, kind="stable")
    is_inner = is_inner[order]
    # Numbers of the vertices before each step: one ring advances, the other one waits.
    i: Integers = np.cumsum(is_inner) - is_inner
    j: Integers = np.cumsum(~is_inner) - ~is_inner
    a, b = inner.points[i], outer.points[j]
    last = np.where(
        is_inner[:, None],
        inner.points[np.minimum(i + 1, len(inner.points) - 1)],
        outer.points[np.minimum(j + 1, len(outer.points) - 1)],
    )
    # The inner ring runs counter-clockwise around the map, with the outer one on its right.
    return np.stack([a, b, last], axis=1), 0.5 * (inner.places[i] + outer.places[j])


def _middles(places: Floats) -> Floats:
    """Means of neighbouring places (n - 1,)."""
    return np.asarray(0.5 * (places[:-1] + places[1:]))


def _surfaces_between(border: MapBorder, number: int, middles: Floats) -> Bytes:
    """The surface (m,) of triangles between two rings, by their places."""
    samples = np.minimum((middles * (SAMPLES / 4.0)).astype(np.int64), SAMPLES - 1)
    is_wet = border.share(border.is_wet, 2.0 * _RINGS[number])[samples] > 0.5
    dry = np.full(len(samples), Surface.GROUND, dtype=np.uint8)
    if number < _CONTINUED:
        own = border.surfaces[samples]
        dry = np.where(np.isin(own, _DRY), own, dry)
    return np.asarray(np.where(is_wet, np.uint8(Surface.WATER), dry), dtype=np.uint8)


def _colours(surface: Surface, number: int, middles: Floats, fields: Integers) -> Bytes:
    """The colour (m, 4) of triangles: of a field for each cell beyond the first rings."""
    if surface != Surface.GROUND or number < _CONTINUED:
        return np.tile(np.array(COLOURS[surface], dtype=np.uint8), (len(middles), 1))
    cells = np.minimum((middles * (len(fields) / 4.0)).astype(np.int64), len(fields) - 1)
    chosen = fields[cells] if number > _CONTINUED else fields[cells] % 4
    return np.asarray(np.array(_FIELDS, dtype=np.uint8)[chosen])


def _mesh(corners: Floats, colours: Bytes, metres: float) -> DrawMesh:
    """Triangles (m, 3, 3) with a colour for each, seen from above."""
    points = corners.reshape(-1, 3)
    up = np.broadcast_to(np.array([0, 0, 1], dtype=np.float32), (len(points), 3))
    triangles: Integers32 = np.arange(len(points), dtype=np.int32).reshape(-1, 3)
    return DrawMesh(
        vertices=points.astype(np.float32),
        normals=up.copy(),
        colours=np.repeat(colours, 3, axis=0),
        uvs=(points[:, :2] / metres).astype(np.float32),
        triangles=triangles,
    )
