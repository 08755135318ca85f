"""Builds small models from polygons and writes them as Wavefront OBJ files.

Shapes are drawn in B's axes (x forward, y left, z up) in metres. The file has the axes of glTF 2.0
(x left, y up, z forward), which the client's reader turns back.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from autosim.arrays import Floats, Integers

Point = tuple[float, float, float]
_TO_FILE = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
"""Rows of the rotation from B's axes to those of the file: x is y, y is z, z is x."""

_PLACES, _DIRECTIONS = 4, 3
"""Number of decimals of points and of normals in a file: a tenth of a millimetre, and 0.06°."""

_SAME = 1e-6
"""Distance [m] up to which two corners of a polygon are one."""


@dataclass(frozen=True, slots=True)
class Paint:
    """A material: `colour` sRGB in 0..1; `roughness` 1 is matt, less reflects the sky."""

    name: str
    """Name of the material in the OBJ file."""
    colour: tuple[float, float, float]
    roughness: float = 1.0


class Sketch:
    """Polygons, each with its paint, counter-clockwise seen from outside."""

    def __init__(self) -> None:
        self._polygons: list[tuple[Floats, Paint]] = []

    def add(self, points: Sequence[Point] | Floats, paint: Paint) -> None:
        """Adds one convex polygon. Coinciding corners count once; two make no polygon."""
        corners = np.array(points, dtype=np.float64)
        apart = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1) > _SAME
        if apart.sum() >= 3:
            self._polygons.append((corners[apart], paint))

    def add_grid(self, grid: Floats, paints: Iterable[Sequence[Paint | None]]) -> None:
        """Adds the cells of a grid of points (rows, columns, 3).

        Args:
            grid: neighbours along both axes bound a cell, whose outside is along column × row.
            paints: a paint for each cell, row by row; None leaves a hole.
        """
        for i, row in enumerate(paints):
            for j, paint in enumerate(row):
                if paint is not None:
                    cell = [grid[i, j], grid[i, j + 1], grid[i + 1, j + 1], grid[i + 1, j]]
                    self.add(np.array(cell), paint)

    @property
    def polygons(self) -> list[tuple[Floats, Paint]]:
        """Corners (k, 3) [m] and paint of each polygon."""
        return self._polygons

    def add_box(self, low: Point, high: Point, paint: Paint) -> None:
        """Adds a box between two opposite corners."""
        (x0, y0, z0), (x1, y1, z1) = low, high
        self.add([(x0, y0, z0), (x0, y1, z0), (x1, y1, z0), (x1, y0, z0)], paint)
        self.add([(x0, y0, z1), (x1, y0, z1), (x1, y1, z1), (x0, y1, z1)], paint)
        self.add([(x0, y0, z0), (x1, y0, z0), (x1, y0, z1), (x0, y0, z1)], paint)
        self.add([(x0, y1, z0), (x0, y1, z1), (x1, y1, z1), (x1, y1, z0)], paint)
        self.add([(x0, y0, z0), (x0, y0, z1), (x0, y1, z1), (x0, y1, z0)], paint)
        self.add([(x1, y0, z0), (x1, y1, z0), (x1, y1, z1), (x1, y0, z1)], paint)

    def mirrored(self) -> "Sketch":
        """The mirror image at the plane y = 0."""
        other = Sketch()
        flip = np.array([1.0, -1.0, 1.0])
        other._polygons = [(points[::-1] * flip, paint) for points, paint in self._polygons]
        return other

    def include(self, other: "Sketch") -> None:
        """Adds all polygons of another sketch."""
        self._polygons += other._polygons

    def write(self, folder: Path, *, crease: float, level: int = 0) -> None:
        """Writes `folder/LOD0/model.obj` and `.mtl`, or those of another level of detail.

        Args:
            folder: the model's folder.
            crease: angle [rad] between two faces below which their edge looks round.
            level: 0 is the finest.
        """
        target = folder / f"LOD{level}"
        target.mkdir(parents=True, exist_ok=True)
        paints = list(dict.fromkeys(paint for _, paint in self._polygons))
        materials = [_material_text(paint) for paint in paints]
        (target / "model.mtl").write_text(_HEAD + "\n".join(materials))
        (target / "model.obj").write_text(_HEAD + self._obj_text(paints, crease))

    def _obj_text(self, paints: list[Paint], crease: float) -> str:
        corners = np.concatenate([points for points, _ in self._polygons])
        normals = self._corner_normals(crease)
        points, point_of = _shared(corners @ _TO_FILE.T, _PLACES)
        directions, direction_of = _shared(normals @ _TO_FILE.T, _DIRECTIONS)
        words = [f"{p + 1}//{n + 1}" for p, n in zip(point_of, direction_of, strict=True)]
        starts = np.cumsum([0, *(len(points) for points, _ in self._polygons)])
        lines = ["mtllib model.mtl", *_rows("v", points), *_rows("vn", directions)]
        for paint in paints:
            lines.append(f"usemtl {paint.name}")
            for index, (polygon, its) in enumerate(self._polygons):
                if its == paint:
                    first = starts[index]
                    lines.append("f " + " ".join(words[first : first + len(polygon)]))
        return "\n".join(lines) + "\n"

    def _corner_normals(self, crease: float) -> Floats:
        """Normals (corners, 3): the mean over faces at a point without a crease between."""
        faces = np.array([_area_vector(points) for points, _ in self._polygons])
        face_of = np.repeat(np.arange(len(faces)), [len(points) for points, _ in self._polygons])
        corners = np.concatenate([points for points, _ in self._polygons])
        _, place = _shared(corners, _PLACES)
        units = faces / np.maximum(np.linalg.norm(faces, axis=1, keepdims=True), 1e-12)
        normals = np.empty_like(corners)
        order = np.argsort(place, kind="stable")
        for group in np.split(order, np.flatnonzero(np.diff(place[order])) + 1):
            at = face_of[group]
            near = units[at] @ units[at].T > np.cos(crease)
            normals[group] = near @ faces[at]
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        return np.asarray(normals / np.maximum(lengths, 1e-12))


_HEAD = "# Made by autosim_assets.make_models: x left, y up, z forward, metres.\n"


def lathe(profile: Sequence[tuple[float, float]], segments: int) -> Floats:
    """Points (len(profile), segments + 1, 3) of (radius, y) pairs turned about the y axis [m].

    A profile that runs to larger y at a constant radius faces outwards (`Sketch.add_grid`).
    """
    angles = np.arange(segments + 1) / segments * 2 * np.pi
    radius, y = np.array(profile, dtype=np.float64).T
    sin, cos = np.sin(angles), np.cos(angles)
    x = radius[:, None] * sin
    return np.stack([x, np.broadcast_to(y[:, None], x.shape), radius[:, None] * cos], axis=2)


def _area_vector(points: Floats) -> Floats:
    """Normal (3,) of a polygon, as long as twice its area (Newell's method)."""
    return np.asarray(np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0))


def _shared(rows: Floats, decimals: int) -> tuple[Floats, Integers]:
    """The distinct rows after rounding, and the index into them of each row."""
    rounded = np.round(rows, decimals) + 0.0
    distinct, inverse = np.unique(rounded, axis=0, return_inverse=True)
    return distinct, inverse.reshape(-1)


def _rows(keyword: str, rows: Floats) -> list[str]:
    return [f"{keyword} " + " ".join(f"{number:g}" for number in row) for row in rows.tolist()]


def _material_text(paint: Paint) -> str:
    red, green, blue = paint.colour
    return f"newmtl {paint.name}\nKd {red:g} {green:g} {blue:g}\nPr {paint.roughness:g}\n"
