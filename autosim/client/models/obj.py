"""Wavefront OBJ and MTL files, read in Python: a broken file is a message, never a crash.

Read are `v` (also with a colour), `vt`, `vn`, `f`, `mtllib`, `usemtl`; of materials `Kd`, `Pr`
(roughness, of the common extension for physically based materials) and `map_Kd`. Everything else
is skipped. The axes are those of glTF 2.0: x left, y up, z forward; the body frame's come out.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.client.geometry.draw_mesh import DrawMesh, joined
from autosim.client.models.model_files import ModelError
from autosim.world.geometry.renumbering import unique_rows

MAXIMUM_BYTES = 64 << 20
"""Number of bytes of a file: more than the largest accepted model takes as text."""

TO_BODY = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Rotation (3, 3) from an OBJ file's axes to B's (x forward, y left, z up)."""


@dataclass(frozen=True, slots=True)
class ObjMaterial:
    """`colour` sRGB in 0..1, `roughness` 1 is matt; `texture` a file beside the model or None."""

    colour: tuple[float, float, float] = (0.7, 0.7, 0.7)
    roughness: float = 1.0
    texture: Path | None = None


@dataclass(slots=True)
class _Reading:
    """The content read so far. A corner is (vertex, uv, normal), -1 for none."""

    points: list[list[float]] = field(default_factory=list)
    uvs: list[list[float]] = field(default_factory=list)
    normals: list[list[float]] = field(default_factory=list)
    corners: dict[str, list[tuple[int, int, int]]] = field(default_factory=dict)
    materials: dict[str, ObjMaterial] = field(default_factory=dict)
    material: str = ""


class _Content(NamedTuple):
    """The content of a file, before it is turned into B's axes.

    `points` (n, 3), `normals` (m, 3), `uvs` (k, 2); of each material the `corners` (3 t, 3) of its
    triangles: indices of a point, a uv and a normal, -1 for none.
    """

    points: Floats
    normals: Floats
    uvs: Floats
    corners: dict[str, Integers]
    materials: dict[str, ObjMaterial]


def read_obj(path: Path) -> list[tuple[DrawMesh, Path | None]]:
    """The meshes of a file, one for each texture, in B's axes [m], with the texture's file.

    Raises:
        ModelError: unreadable, too large, or broken; says the line.
    """
    reading, folder = _Reading(), path.parent
    text = _text(path)
    plain = _plain_content(text, folder)
    if plain is not None:
        return _by_texture(plain)
    for number, words in _lines(text):
        try:
            _take(reading, words, folder)
        except (ValueError, IndexError) as error:
            raise ModelError(f"{path}:{number}: '{' '.join(words)[:60]}': {error}") from error
    if not any(reading.corners.values()):
        raise ModelError(f"{path}: holds no faces")
    corners = {name: np.array(own) for name, own in reading.corners.items()}
    points, normals = np.array(reading.points), np.array(reading.normals)
    uvs = np.array([*reading.uvs, [0.0, 0.0]])
    return _by_texture(_Content(points, normals, uvs, corners, reading.materials))


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAXIMUM_BYTES:
            raise ModelError(f"{path}: larger than {MAXIMUM_BYTES >> 20} MB")
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}") from error


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """(number, words) of each line that says something."""
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split("#", 1)[0].split()
        if words:
            yield number, words


def _plain_content(text: str, folder: Path) -> _Content | None:
    """The whole of a file at once, if it has points, normals and faces `a//b` alone; else None.

    That is several times as fast as line by line, which finds out what is wrong with other files.
    """
    materials: dict[str, ObjMaterial] = {}
    lines: dict[str, list[str]] = {"v": [], "vn": []}
    faces: dict[str, list[str]] = {}
    own: list[str] = []
    for line in text.splitlines():
        keyword, _, rest = line.partition(" ")
        if keyword == "f":
            own.append(rest)
        elif keyword in lines:
            lines[keyword].append(rest)
        elif keyword == "usemtl":
            own = faces.setdefault(rest.strip(), [])
        elif keyword == "mtllib":
            materials |= _read_materials(folder / Path(rest.strip()).name)
        elif line and keyword != "#":
            return None
    try:
        points, normals = (_table(rows, 3) for rows in lines.values())
        counts = len(points), len(normals)
        corners = {name: _fans(rows, counts) for name, rows in faces.items() if rows}
    except ValueError:
        return None
    return _Content(points, normals, np.zeros((1, 2)), corners, materials) if corners else None


def _table(rows: list[str], width: int) -> Floats:
    """Numbers (n, width) of lines, which must be finite."""
    table = np.array(" ".join(rows).split(), dtype=np.float64).reshape(len(rows), -1)
    if table.shape[1:] != (width,) or not np.isfinite(table).all():
        raise ValueError("other numbers")
    return table


def _fans(faces: list[str], counts: tuple[int, int]) -> Integers:
    """Corners (3 t, 3) of the triangles of polygons whose corners are `point//normal`."""
    text = " ".join(faces)
    sizes = np.array([face.count("//") for face in faces])
    pairs = np.array(text.replace("//", " ").split(), dtype=np.int64).reshape(-1, 2) - 1
    if len(pairs) != sizes.sum() or len(text.split()) != len(pairs) or sizes.min() < 3:
        raise ValueError("other corners")
    if (pairs < 0).any() or (pairs >= counts).any():
        raise ValueError("indices out of range")
    triangles = sizes - 2
    first = np.repeat(np.cumsum(sizes) - sizes, triangles)
    along = np.arange(triangles.sum()) - np.repeat(np.cumsum(triangles) - triangles, triangles)
    rows = np.stack([first, first + along + 1, first + along + 2], axis=1).ravel()
    return np.stack([pairs[rows, 0], np.full(len(rows), -1), pairs[rows, 1]], axis=1)


def _take(reading: _Reading, words: list[str], folder: Path) -> None:
    keyword, values = words[0], words[1:]
    if keyword == "v":
        reading.points.append(_numbers(values, 3))
    elif keyword == "vt":
        reading.uvs.append(_numbers(values, 2))
    elif keyword == "vn":
        reading.normals.append(_numbers(values, 3))
    elif keyword == "usemtl":
        reading.material = " ".join(values)
    elif keyword == "mtllib":
        reading.materials.update(_read_materials(folder / Path(" ".join(values)).name))
    elif keyword == "f":
        _take_face(reading, values)


def _numbers(words: list[str], count: int) -> list[float]:
    numbers = [float(word) for word in words[:count]]
    if len(numbers) < count or not all(map(isfinite, numbers)):
        raise ValueError(f"expected {count} finite numbers")
    return numbers


def _take_face(reading: _Reading, words: list[str]) -> None:
    """A polygon as a fan of triangles."""
    corners = [_corner(reading, word) for word in words]
    if len(corners) < 3:
        raise ValueError("expected three corners or more")
    triangles = reading.corners.setdefault(reading.material, [])
    for second, third in pairwise(corners[1:]):
        triangles += (corners[0], second, third)


def _corner(reading: _Reading, word: str) -> tuple[int, int, int]:
    parts = [*word.split("/"), "", ""][:3]
    counts = (len(reading.points), len(reading.uvs), len(reading.normals))
    place, uv, normal = (_index(text, n) for text, n in zip(parts, counts, strict=True))
    if place < 0:
        raise ValueError("a corner without a vertex")
    return place, uv, normal


def _index(text: str, count: int) -> int:
    """A number counted from 1, or backwards from -1, as an index; -1 for none."""
    if not text:
        return -1
    number = int(text)
    index = number - 1 if number > 0 else count + number
    if number == 0 or not 0 <= index < count:
        raise ValueError(f"index {number} of {count}")
    return index


def _read_materials(path: Path) -> dict[str, ObjMaterial]:
    """The materials of an MTL file by name; none where there is no such file."""
    materials: dict[str, ObjMaterial] = {}
    name = ""
    for number, words in _lines(_text(path)) if path.is_file() else ():
        try:
            if words[0] == "newmtl":
                name = " ".join(words[1:])
                materials[name] = ObjMaterial()
            elif name in materials:
                materials[name] = _with_property(materials[name], words, path.parent)
        except (ValueError, IndexError) as error:
            raise ModelError(f"{path}:{number}: {error}") from error
    return materials


def _with_property(material: ObjMaterial, words: list[str], folder: Path) -> ObjMaterial:
    if words[0] == "Kd":
        red, green, blue = np.clip(_numbers(words[1:], 3), 0, 1).tolist()
        return replace(material, colour=(red, green, blue))
    if words[0] == "Pr":
        return replace(material, roughness=min(max(_numbers(words[1:], 1)[0], 0.0), 1.0))
    if words[0] == "map_Kd":
        return replace(material, texture=folder / Path(words[-1].replace("\\", "/")).name)
    return material


def _by_texture(content: _Content) -> list[tuple[DrawMesh, Path | None]]:
    groups: dict[Path | None, list[DrawMesh]] = {}
    for name, corners in content.corners.items():
        material = content.materials.get(name, ObjMaterial())
        groups.setdefault(material.texture, []).append(_mesh(content, corners, material))
    return [(joined(meshes), texture) for texture, meshes in groups.items()]


def _mesh(content: _Content, corners: Integers, material: ObjMaterial) -> DrawMesh:
    points = content.points
    if (corners[:, 2] < 0).any():
        # Without normals of its own a face is flat, so no two faces may share a corner.
        keys, triangles = corners, np.arange(len(corners)).reshape(-1, 3)
        a, b, c = (points[keys[triangles[:, i], 0]] for i in range(3))
        normals = np.repeat(np.cross(b - a, c - a), 3, axis=0)
    else:
        first, number = unique_rows(corners)
        keys, triangles = corners[first], number.reshape(-1, 3)
        normals = content.normals[keys[:, 2]]
    lengths = np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    colour = np.array([*material.colour, material.roughness]) * 255
    return DrawMesh(
        vertices=(points[keys[:, 0]] @ TO_BODY.T).astype(np.float32),
        normals=(normals / lengths @ TO_BODY.T).astype(np.float32),
        colours=np.tile(np.round(colour).astype(np.uint8), (len(keys), 1)),
        uvs=content.uvs[keys[:, 1]].astype(np.float32),
        triangles=triangles.astype(np.int32),
    )
