"""A reader of binary glTF files for tests: meshes in W, as the file's nodes place them."""

import json
import struct
from dataclasses import dataclass

import numpy as np

COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


@dataclass
class Glb:
    """A parsed file."""

    document: dict
    data: bytes

    def accessed(self, number):
        """The values (n, k) of an accessor."""
        accessor = self.document["accessors"][number]
        view = self.document["bufferViews"][accessor["bufferView"]]
        kind = np.dtype(COMPONENTS[accessor["componentType"]])
        width = WIDTHS[accessor["type"]]
        stride = view.get("byteStride", kind.itemsize * width)
        rows = np.ndarray(
            (accessor["count"], width),
            kind,
            self.data,
            view["byteOffset"],
            (stride, kind.itemsize),
        )
        return rows.copy()

    def material(self, primitive):
        """The name of a primitive's material."""
        return self.document["materials"][primitive["material"]]["name"]

    def node(self, name):
        """The node of that name."""
        return next(each for each in self.document["nodes"] if each["name"] == name)

    def triangles(self, node):
        """The corners (m, 3, 3) of the triangles of a node's mesh in W [m], by material."""
        found = {}
        place = np.array(node.get("translation", (0.0, 0.0, 0.0)))
        scale = np.array(node.get("scale", (1.0, 1.0, 1.0)))
        for primitive in self.document["meshes"][node["mesh"]]["primitives"]:
            points = self.accessed(primitive["attributes"]["POSITION"]) * scale + place
            x, y, z = points.T
            corners = self.accessed(primitive["indices"]).reshape(-1, 3)
            found[self.material(primitive)] = np.column_stack([x, -z, y])[corners]
        return found


def parsed(content):
    """The file with that content, which is checked to be whole."""
    magic, version, total = struct.unpack_from("<4sII", content)
    assert (magic, version, total) == (b"glTF", 2, len(content))
    length, kind = struct.unpack_from("<I4s", content, 12)
    assert (kind, length % 4) == (b"JSON", 0)
    document = json.loads(content[20 : 20 + length])
    size, kind = struct.unpack_from("<I4s", content, 20 + length)
    assert (kind, size % 4) == (b"BIN\0", 0)
    return Glb(document, content[28 + length :])
