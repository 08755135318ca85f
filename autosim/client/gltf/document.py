"""Binary glTF 2.0 (.glb) out of meshes in AutoSim's axes.

glTF's axes are x right, y up, z towards the viewer: a point (x, y, z) of W is (x, z, -y) there, so
that x stays east and north is -z; of a model's frame x stays forward. Normals are signed bytes, and
positions that are quantized are signed shorts on a grid (KHR_mesh_quantization). Colours of
vertices are linear, as the specification says.

Source: Khronos glTF 2.0 specification.
"""

import io
import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from PIL import Image

from autosim.arrays import Bytes, Floats, Floats32, Integers32
from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.gltf.material_values import Json
from autosim.client.materials.texture_images import TextureImage

_MAGIC, _VERSION = 0x46546C67, 2
"""Number with which a binary glTF file begins ("glTF"), and the version of the format."""

_JSON_CHUNK, _BINARY_CHUNK = 0x4E4F534A, 0x004E4942
"""Numbers of the types of chunks: "JSON" and "BIN"."""

_VERTICES, _INDICES = 34962, 34963
"""Numbers of the targets of buffer views for vertices and indices, as in OpenGL."""

_COMPONENTS = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
"""Number of each type of components, as in OpenGL."""

_KINDS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}

_QUANTIZATION = "KHR_mesh_quantization"
_INSTANCING = "EXT_mesh_gpu_instancing"

FINEST_STEP = 1.0 / 128.0
"""Finest step [m] of quantized positions: a tile of 250 m and what overhangs it fit signed
shorts, and 4 mm of error are less than a pixel from anywhere."""

_MAX_SHORT = 32767
"""Largest number of steps from the middle of a grid."""

_FEW_VERTICES = 65535
"""Number of vertices up to which indices have two bytes; the last number is reserved."""


@dataclass(frozen=True, slots=True)
class PositionGrid:
    """The grid of quantized positions: a middle (3,) [m] in glTF's axes, and a step [m].

    Middles are multiples of the step, so that grids with one step have the same points in W and
    meshes that touch still do.
    """

    middle: tuple[float, float, float]
    step: float

    @classmethod
    def around(cls, meshes: Sequence[DrawMesh]) -> "PositionGrid":
        """The finest grid that holds all of these meshes in W, at least one."""
        low = np.min([mesh.vertices.min(axis=0) for mesh in meshes], axis=0)
        high = np.max([mesh.vertices.max(axis=0) for mesh in meshes], axis=0)
        step = FINEST_STEP
        while float((high - low).max()) / 2.0 > (_MAX_SHORT - 1) * step:
            step *= 2.0
        middle = np.round(turned((low + high)[None] / 2.0)[0] / step) * step
        x, y, z = (middle + 0.0).tolist()
        return cls((x, y, z), step)

    def quantized(self, points: Floats) -> npt.NDArray[np.int16]:
        """Points (n, 3) [m] in glTF's axes as numbers of steps from the middle."""
        return np.round((points - self.middle) / self.step).astype(np.int16)


def turned(vectors: npt.NDArray[np.floating]) -> Floats:
    """Vectors (n, 3) of W or B in glTF's axes."""
    x, y, z = np.asarray(vectors, dtype=np.float64).T
    return np.column_stack([x, z, -y]) + 0.0


@dataclass(slots=True)
class Document:
    """A glTF file that is being filled.

    `copyright` is what the licence of the map asks for, `extras` are further facts for programs.
    Without `is_quantized` it needs no extension that readers may lack: normals are float32.
    """

    copyright: str = ""
    is_quantized: bool = True
    extras: Json = field(default_factory=dict)
    _data: bytearray = field(default_factory=bytearray)
    _parts: dict[str, list[Json]] = field(default_factory=dict)
    _materials: dict[str, int] = field(default_factory=dict)
    _textures: dict[int, int] = field(default_factory=dict)
    _used: set[str] = field(default_factory=set)
    _required: set[str] = field(default_factory=set)
    _roots: list[int] = field(default_factory=list)

    def material(self, name: str, values: Json) -> int:
        """The material of that name; the first call with a name decides its values."""
        if name not in self._materials:
            self._materials[name] = self._add("materials", {"name": name} | values)
        return self._materials[name]

    def texture(self, picture: TextureImage) -> int:
        """The texture with that picture, as PNG in the file."""
        if id(picture) not in self._textures:
            image = Image.fromarray(np.ascontiguousarray(picture.pixels[::-1, :, :3]), "RGB")
            stream = io.BytesIO()
            image.save(stream, "PNG", optimize=True)
            source = self._add(
                "images",
                {"bufferView": self._view(stream.getvalue()), "mimeType": "image/png"},
            )
            sampler = self._sampler()
            number = self._add("textures", {"source": source, "sampler": sampler})
            self._textures[id(picture)] = number
        return self._textures[id(picture)]

    def primitive(
        self,
        mesh: DrawMesh,
        material: int,
        *,
        grid: PositionGrid | None = None,
        uvs: Floats32 | None = None,
        has_alpha: bool = False,
    ) -> Json | None:
        """The mesh as a primitive, without repeated vertices; None where nothing is left of it.

        Args:
            mesh: in W or B.
            material: its number.
            grid: that positions are quantized on; None: they stay float32.
            has_alpha: whether the fourth channel of its colours is written; it is 255 otherwise.
            uvs: (n, 2) texture coordinates to write, v downwards where there is a texture.
        """
        points = turned(mesh.vertices)
        colours = linear_bytes(mesh.colours)
        if has_alpha:
            colours[:, 3] = mesh.colours[:, 3]
        positions = grid.quantized(points) if grid is not None else points.astype(np.float32)
        columns: dict[str, npt.NDArray[np.generic]] = {
            "POSITION": positions,
            "NORMAL": self._normals(mesh),
            "COLOR_0": colours,
        }
        if uvs is not None:
            columns["TEXCOORD_0"] = uvs.astype(np.float32)
        kept, triangles = _deduplicated(columns, mesh.triangles)
        if not len(triangles):
            return None
        attributes = {
            name: self._vertices(values[kept], is_position=name == "POSITION", name=name)
            for name, values in columns.items()
        }
        return {
            "attributes": attributes,
            "indices": self._indices(triangles, len(kept)),
            "material": material,
        }

    def mesh(self, name: str, primitives: Sequence[Json]) -> int:
        """A mesh of primitives, at least one."""
        return self._add("meshes", {"name": name, "primitives": list(primitives)})

    def node(self, name: str, values: Json, *, parent: int | None = None) -> int:
        """A node, below a parent or below the scene."""
        number = self._add("nodes", {"name": name} | values)
        if parent is None:
            self._roots.append(number)
        else:
            self._parts["nodes"][parent].setdefault("children", []).append(number)
        return number

    def instanced(self, name: str, mesh: int, instances: Mapping[str, Floats32]) -> int:
        """A node that shows a mesh many times (EXT_mesh_gpu_instancing).

        Args:
            name: of the node.
            mesh: its number.
            instances: (n, k) of each attribute, in glTF's axes; `_COLOR_0` (n, 3) is linear.
        """
        self._used.add(_INSTANCING)
        attributes = {key: self._accessor(values) for key, values in instances.items()}
        return self.node(
            name, {"mesh": mesh, "extensions": {_INSTANCING: {"attributes": attributes}}}
        )

    def animation(self, name: str, times: Floats32, rotations: Mapping[int, Floats32]) -> None:
        """A clip (t,) [s] of rotations (t, 4) of nodes."""
        clock = self._accessor(times[:, None], bounds=True)
        samplers, channels = [], []
        for node, values in rotations.items():
            samplers.append({"input": clock, "output": self._accessor(values)})
            target = {"node": node, "path": "rotation"}
            channels.append({"sampler": len(samplers) - 1, "target": target})
        self._add("animations", {"name": name, "samplers": samplers, "channels": channels})

    def content(self) -> bytes:
        """The whole file."""
        asset: Json = {"version": "2.0", "generator": "AutoSim"}
        if self.copyright:
            asset["copyright"] = self.copyright
        if self.extras:
            asset["extras"] = self.extras
        document: Json = {"asset": asset}
        for key, names in (("extensionsUsed", self._used), ("extensionsRequired", self._required)):
            if names:
                document[key] = sorted(names)
        scene: Json = {"nodes": self._roots} if self._roots else {}
        document |= {"scene": 0, "scenes": [scene]} | self._parts
        if self._data:
            document["buffers"] = [{"byteLength": len(self._data)}]
        return _container(document, bytes(self._data))

    def _normals(self, mesh: DrawMesh) -> npt.NDArray[np.generic]:
        normals = turned(mesh.normals)
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        normals = np.where(lengths > 1e-6, normals / np.maximum(lengths, 1e-6), (0.0, 1.0, 0.0))
        if not self.is_quantized:
            return normals.astype(np.float32)
        return np.round(127.0 * normals).astype(np.int8)

    def _add(self, key: str, part: Json) -> int:
        parts = self._parts.setdefault(key, [])
        parts.append(part)
        return len(parts) - 1

    def _sampler(self) -> int:
        if not self._parts.get("samplers"):
            # Linear between pixels and between levels of detail; repeated.
            self._add(
                "samplers", {"magFilter": 9729, "minFilter": 9987, "wrapS": 10497, "wrapT": 10497}
            )
        return 0

    def _view(self, content: bytes, **values: int) -> int:
        self._data += bytes(-len(self._data) % 4)
        view = {"buffer": 0, "byteOffset": len(self._data), "byteLength": len(content)}
        self._data += content
        return self._add("bufferViews", view | values)

    def _vertices(self, values: npt.NDArray[np.generic], *, is_position: bool, name: str) -> int:
        """An accessor of an attribute (n, k), each row of which begins at a multiple of 4."""
        count, width = values.shape
        size = values.itemsize * width
        stride = size + -size % 4
        rows = np.zeros((count, stride), dtype=np.uint8)
        rows[:, :size] = np.ascontiguousarray(values).view(np.uint8).reshape(count, size)
        view = self._view(rows.tobytes(), byteStride=stride, target=_VERTICES)
        accessor = self._described(values, view)
        if is_position:
            accessor |= _bounds(values)
            if values.dtype != np.float32:
                self._quantize()
        elif values.dtype.kind in "iu":
            accessor["normalized"] = True
            if name == "NORMAL":
                self._quantize()
        return self._add("accessors", accessor)

    def _quantize(self) -> None:
        self._used.add(_QUANTIZATION)
        self._required.add(_QUANTIZATION)

    def _indices(self, triangles: Integers32, vertices: int) -> int:
        kind = np.uint16 if vertices <= _FEW_VERTICES else np.uint32
        values = triangles.reshape(-1, 1).astype(kind)
        view = self._view(values.tobytes(), target=_INDICES)
        return self._add("accessors", self._described(values, view))

    def _accessor(self, values: npt.NDArray[np.generic], *, bounds: bool = False) -> int:
        """An accessor of what is neither a vertex nor an index."""
        accessor = self._described(values, self._view(np.ascontiguousarray(values).tobytes()))
        if bounds:
            accessor |= _bounds(values)
        return self._add("accessors", accessor)

    @staticmethod
    def _described(values: npt.NDArray[np.generic], view: int) -> Json:
        return {
            "bufferView": view,
            "componentType": _COMPONENTS[values.dtype.str[1:]],
            "count": len(values),
            "type": _KINDS[values.shape[1]],
        }


def _bounds(values: npt.NDArray[np.generic]) -> Json:
    return {"min": values.min(axis=0).tolist(), "max": values.max(axis=0).tolist()}


def linear_bytes(colours: Bytes) -> Bytes:
    """Colours (n, 3 or 4) of sRGB as bytes (n, 4) of linear light, opaque."""
    linear = np.full((len(colours), 4), 255, dtype=np.uint8)
    linear[:, :3] = _LINEAR_BYTES[colours[:, :3]]
    return linear


def linear(values: npt.NDArray[np.floating]) -> Floats:
    """Shares of sRGB as shares of linear light (IEC 61966-2-1)."""
    shares = np.asarray(values, dtype=np.float64)
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


_LINEAR_BYTES = np.round(255.0 * linear(np.arange(256) / 255.0)).astype(np.uint8)
"""The linear value of each value of sRGB."""


def _deduplicated(
    columns: Mapping[str, npt.NDArray[np.generic]], triangles: Integers32
) -> tuple[npt.NDArray[np.int64], Integers32]:
    """Rows of vertices in the order of their first use, each once, and triangles of them.

    Triangles that have lost an edge are gone.
    """
    count = len(next(iter(columns.values())))
    rows = np.hstack(
        [np.ascontiguousarray(each).view(np.uint8).reshape(count, -1) for each in columns.values()]
    )
    used = triangles.ravel()
    keys = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1]))).ravel()
    _, number = np.unique(keys, return_inverse=True)
    corners = number[triangles]
    places = np.ascontiguousarray(columns["POSITION"]).view(np.uint8).reshape(count, -1)
    _, place = np.unique(
        places.view(np.dtype((np.void, places.shape[1]))).ravel(), return_inverse=True
    )
    at = place[triangles]
    is_left = (at != np.roll(at, 1, axis=1)).all(axis=1)
    corners, used = corners[is_left], triangles[is_left].ravel()
    _, first, inverse = np.unique(corners.ravel(), return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return used[first[order]].astype(np.int64), rank[inverse].reshape(-1, 3).astype(np.int32)


def _container(document: Json, data: bytes) -> bytes:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    data += bytes(-len(data) % 4)
    parts = [(text, _JSON_CHUNK), *([(data, _BINARY_CHUNK)] if data else [])]
    chunks = b"".join(struct.pack("<II", len(chunk), kind) + chunk for chunk, kind in parts)
    return struct.pack("<III", _MAGIC, _VERSION, 12 + len(chunks)) + chunks
