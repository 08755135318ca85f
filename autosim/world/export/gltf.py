"""Writes a world's meshes as binary glTF 2.0 (.glb), with one material for each surface.

glTF's axes are x right, y up, z towards the viewer: a point (x, y, z) of W is (x, z, -y) there, so
that x stays east and north is -z. The file has no normals, so readers shade flat, which suits kerbs
and walls.

Source: Khronos glTF 2.0 specification.
"""

import json
import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats32
from autosim.world.compiled.compiled import CompiledWorld
from autosim.world.export.plan import COLOURS
from autosim.world.geometry.meshes import Mesh, Surface

_MAGIC, _VERSION = 0x46546C67, 2
"""Number with which a binary glTF file begins ("glTF"), and the version of the format."""

_JSON_CHUNK, _BINARY_CHUNK = 0x4E4F534A, 0x004E4942
"""Numbers of the types of chunks: "JSON" and "BIN"."""

_FLOAT, _UNSIGNED = 5126, 5125
"""Numbers of the component types float32 and uint32, as in OpenGL."""

_VERTICES, _INDICES = 34962, 34963
"""Numbers of the targets of buffer views for vertices and indices, as in OpenGL."""

_ROUGHNESS = {Surface.WATER: 0.1}
"""Roughness, a share, of surfaces that differ from the usual one: water reflects."""

_USUAL_ROUGHNESS = 0.9
"""Roughness, a share, of all other surfaces: they are dull."""


def glb(world: CompiledWorld) -> bytes:
    """Writes all meshes of a world as a binary glTF file."""
    writer = _Writer()
    for name, mesh in _parts(world):
        if len(mesh.triangles):
            writer.add_mesh(name, mesh)
    nodes = [{"name": mesh["name"], "mesh": k} for k, mesh in enumerate(writer.meshes)]
    document = {
        "asset": {
            "version": "2.0",
            "generator": "AutoSim",
            "copyright": world.attribution,
            "extras": {"name": world.name, "latitude_longitude": list(world.origin)},
        },
        "scene": 0,
        "scenes": [{"name": world.name, "nodes": list(range(len(nodes)))}],
        "nodes": nodes,
        "meshes": writer.meshes,
        "materials": [_material(surface) for surface in Surface],
        "accessors": writer.accessors,
        "bufferViews": writer.views,
        "buffers": [{"byteLength": len(writer.data)}],
    }
    return _container(document, bytes(writer.data))


def _parts(world: CompiledWorld) -> tuple[tuple[str, Mesh], ...]:
    return (
        ("ground", world.ground),
        ("structures", world.structures),
        ("buildings", world.buildings),
        ("houses", world.house_boxes),
        ("obstacles", world.obstacles),
        ("rails", world.rails),
        ("markings", world.markings),
    )


@dataclass(slots=True)
class _Writer:
    """Collects arrays in one buffer, with their views and accessors."""

    data: bytearray = field(default_factory=bytearray)
    views: list[dict[str, Any]] = field(default_factory=list)
    accessors: list[dict[str, Any]] = field(default_factory=list)
    meshes: list[dict[str, Any]] = field(default_factory=list)

    def add_mesh(self, name: str, mesh: Mesh) -> None:
        """Adds a mesh with a primitive for each of its surfaces."""
        primitives = []
        for surface in np.unique(mesh.surfaces).tolist():
            used, corners = np.unique(mesh.triangles[mesh.surfaces == surface], return_inverse=True)
            x, y, z = mesh.vertices[used].T
            positions = self._add_positions(np.column_stack([x, z, -y]).astype("<f4"))
            indices = self._add(corners.ravel().astype("<u4"), _INDICES, _UNSIGNED, "SCALAR")
            primitives.append(
                {"attributes": {"POSITION": positions}, "indices": indices, "material": surface}
            )
        self.meshes.append({"name": name, "primitives": primitives})

    def _add_positions(self, positions: Floats32) -> int:
        number = self._add(positions, _VERTICES, _FLOAT, "VEC3")
        bounds = {"min": positions.min(axis=0).tolist(), "max": positions.max(axis=0).tolist()}
        self.accessors[number] |= bounds
        return number

    def _add(self, array: npt.NDArray[Any], target: int, component: int, kind: str) -> int:
        """Adds an array of 4-byte elements, so all arrays are aligned; returns its accessor."""
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": array.nbytes}
        self.views.append(view | {"target": target})
        self.data += array.tobytes()
        self.accessors.append(
            {
                "bufferView": len(self.views) - 1,
                "componentType": component,
                "count": len(array),
                "type": kind,
            }
        )
        return len(self.accessors) - 1


def _material(surface: Surface) -> dict[str, Any]:
    colour = [_linear(channel / 255.0) for channel in COLOURS[surface]]
    return {
        "name": surface.name.lower(),
        "pbrMetallicRoughness": {
            "baseColorFactor": [*colour, 1.0],
            "metallicFactor": 0.0,
            "roughnessFactor": _ROUGHNESS.get(surface, _USUAL_ROUGHNESS),
        },
    }


def _linear(value: float) -> float:
    """Converts a value of sRGB to a linear share of light (IEC 61966-2-1)."""
    share = value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
    return round(share, 5)


def _container(document: dict[str, Any], data: bytes) -> bytes:
    text = json.dumps(document, ensure_ascii=False).encode()
    text += b" " * (-len(text) % 4)
    chunks = b"".join(
        struct.pack("<II", len(chunk), kind) + chunk
        for kind, chunk in ((_JSON_CHUNK, text), (_BINARY_CHUNK, data))
    )
    return struct.pack("<III", _MAGIC, _VERSION, 12 + len(chunks)) + chunks
