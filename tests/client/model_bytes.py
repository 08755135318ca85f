"""Model files made by code: a wedge that is 3 m long, 1 m wide and 2 m high in each format."""

import json
import struct

import numpy as np

WEDGE = np.array([[0, 0, 0], [3, 0, 0], [0, 1, 0], [0, 0, 2]], dtype="<f4")
"""Corners in B (x forward, y left, z up) [m]: of a point ahead, one left, one above."""
FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3))


def obj(has_normals: bool = False) -> bytes:
    """x left, y up, z forward."""
    lines = [f"v {y} {z} {x}" for x, y, z in WEDGE.tolist()]
    lines += ["vn 0 1 0"] if has_normals else []
    end = "//1" if has_normals else ""
    lines += ["f " + " ".join(f"{corner + 1}{end}" for corner in face) for face in FACES]
    return "\n".join(lines).encode()


def max_3ds() -> bytes:
    """x right, y forward, z up, with a red material."""
    points = WEDGE[:, [1, 0, 2]] * np.array([-1, 1, 1], dtype="<f4")
    vertices = struct.pack("<H", len(points)) + points.astype("<f4").tobytes()
    faces = b"".join(struct.pack("<4H", *face, 7) for face in FACES)
    red = _chunk(0x0011, bytes([255, 0, 0]))
    material = _chunk(0xAFFF, _chunk(0xA000, b"red\0") + _chunk(0xA020, red))
    use = _chunk(0x4130, b"red\0" + struct.pack(f"<H{len(FACES)}H", len(FACES), *range(len(FACES))))
    mesh = _chunk(
        0x4100,
        _chunk(0x4110, vertices) + _chunk(0x4120, struct.pack("<H", len(FACES)) + faces + use),
    )
    editor = _chunk(0x3D3D, material + _chunk(0x4000, b"wedge\0" + mesh))
    return _chunk(0x4D4D, _chunk(0x0002, struct.pack("<I", 3)) + editor)


def _chunk(number: int, content: bytes) -> bytes:
    return struct.pack("<HI", number, len(content) + 6) + content


def glb() -> bytes:
    """x left, y up, z forward, with a red material and no normals."""
    points = np.ascontiguousarray(WEDGE[:, [1, 2, 0]])
    corners = np.array(FACES, dtype="<u4")
    data = points.tobytes() + corners.tobytes()
    views = [
        {"buffer": 0, "byteOffset": 0, "byteLength": points.nbytes},
        {"buffer": 0, "byteOffset": points.nbytes, "byteLength": corners.nbytes},
    ]
    low, high = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1]}}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
        "accessors": [
            {
                "bufferView": 0,
                "componentType": 5126,
                "count": len(points),
                "type": "VEC3",
                "min": low,
                "max": high,
            },
            {"bufferView": 1, "componentType": 5125, "count": corners.size, "type": "SCALAR"},
        ],
        "bufferViews": views,
        "buffers": [{"byteLength": len(data)}],
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text
    body += struct.pack("<II", len(data), 0x004E4942) + data
    return struct.pack("<III", 0x46546C67, 2, 12 + len(body)) + body


def egg() -> bytes:
    """x right, y forward, z up."""
    points = "".join(
        f"<Vertex> {k} {{ {-y} {x} {z} }}\n" for k, (x, y, z) in enumerate(WEDGE.tolist())
    )
    polygon = "<Polygon> {{ <VertexRef> {{ {} {} {} <Ref> {{ v }} }} }}\n"
    faces = "".join(polygon.format(*face) for face in FACES)
    head = "<CoordinateSystem> { Z-up }\n<Group> wedge { <VertexPool> v {\n"
    return f"{head}{points}}}\n{faces}}}\n".encode()
