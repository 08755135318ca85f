"""Wavefront OBJ and MTL files, read in Python: a broken file is a message, never a crash.

Read are `v` (also with a colour), `vt`, `vn`, `f`, `mtllib`, `usemtl`; of materials `Kd`, `Pr`
(roughness, of the common extension for physically based materials) and `map_Kd`. Everything else
is skipped. The axes are those of glTF 2.0: x left, y up, z forward; the body frame's come out.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from autosim.client.geometry.draw_mesh import DrawMesh, joined
from autosim.client.models.model_files import ModelError

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


def read_obj(path: Path) -> list[tuple[DrawMesh, Path | None]]:
    """The meshes of a file, one for each texture, in B's axes [m], with the texture's file.

    Raises:
        ModelError: unreadable, too large, or broken; says the line.
    """
    reading = _Reading()
    for number, words in _lines(path):
        try:
            _take(reading, words, path.parent)
        except (ValueError, IndexError) as error:
            raise ModelError(f"{path}:{number}: '{' '.join(words)[:60]}': {error}") from error
    if not any(reading.corners.values()):
        raise ModelError(f"{path}: holds no faces")
    return _by_texture(reading)


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """(number, words) of each line that says something."""
    try:
        if path.stat().st_size > MAXIMUM_BYTES:
            raise ModelError(f"{path}: larger than {MAXIMUM_BYTES >> 20} MB")
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}") from error
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split("#", 1)[0].split()
        if words:
            yield number, words


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
    if len(numbers) < count or not np.isfinite(numbers).all():
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
    for number, words in _lines(path) if path.is_file() else ():
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


def _by_texture(reading: _Reading) -> list[tuple[DrawMesh, Path | None]]:
    groups: dict[Path | None, list[DrawMesh]] = {}
    for name, corners in reading.corners.items():
        material = reading.materials.get(name, ObjMaterial())
        groups.setdefault(material.texture, []).append(_mesh(reading, corners, material))
    return [(joined(meshes), texture) for texture, meshes in groups.items()]


def _mesh(
    reading: _Reading, corners: list[tuple[int, int, int]], material: ObjMaterial
) -> DrawMesh:
    keys, indices = np.unique(np.array(corners), axis=0, return_inverse=True)
    triangles = indices.reshape(-1, 3)
    points = np.array(reading.points)
    if (keys[:, 2] < 0).any():
        # Without normals of its own a face is flat, so no two faces may share a corner.
        keys, triangles = np.array(corners), np.arange(len(corners)).reshape(-1, 3)
        a, b, c = (points[keys[triangles[:, i], 0]] for i in range(3))
        normals = np.repeat(np.cross(b - a, c - a), 3, axis=0)
    else:
        normals = np.array(reading.normals)[keys[:, 2]]
    lengths = np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    uvs = np.array([*reading.uvs, [0.0, 0.0]])[keys[:, 1]]
    colour = np.array([*material.colour, material.roughness]) * 255
    return DrawMesh(
        vertices=(points[keys[:, 0]] @ TO_BODY.T).astype(np.float32),
        normals=(normals / lengths @ TO_BODY.T).astype(np.float32),
        colours=np.tile(np.round(colour).astype(np.uint8), (len(keys), 1)),
        uvs=uvs.astype(np.float32),
        triangles=triangles.astype(np.int32),
    )
