"""glTF: the file is well-formed, holds the whole mesh, and another program reads it."""

import json
import struct

import numpy as np
import pytest

from autosim.world.export.gltf import glb
from autosim.world.geometry.meshes import Surface
from tests.world.maps import TOWN


@pytest.fixture(scope="module")
def town(built):
    return built(TOWN)


def parsed(content):
    magic, version, total = struct.unpack_from("<4sII", content)
    assert (magic, version, total) == (b"glTF", 2, len(content))
    length, kind = struct.unpack_from("<I4s", content, 12)
    assert (kind, length % 4) == (b"JSON", 0)
    document = json.loads(content[20 : 20 + length])
    size, kind = struct.unpack_from("<I4s", content, 20 + length)
    data = content[28 + length :]
    assert kind == b"BIN\0"
    assert size == len(data) == document["buffers"][0]["byteLength"]
    return document, data


def accessed(document, data, number):
    accessor = document["accessors"][number]
    view = document["bufferViews"][accessor["bufferView"]]
    kind = {5126: "<f4", 5125: "<u4"}[accessor["componentType"]]
    values = np.frombuffer(data, kind, offset=view["byteOffset"], count=view["byteLength"] // 4)
    return values.reshape(accessor["count"], -1)


def test_it_holds_every_triangle_where_it_is(town):
    document, data = parsed(glb(town))
    expected_meshes = (
        town.ground,
        town.buildings,
        town.house_boxes,
        town.obstacles,
        town.markings,
    )
    for node, mesh in zip(document["meshes"], expected_meshes, strict=True):
        found = []
        for primitive in node["primitives"]:
            points = accessed(document, data, primitive["attributes"]["POSITION"])
            corners = accessed(document, data, primitive["indices"]).ravel()
            x, y, z = points[corners].T
            found.append(np.column_stack([x, -z, y]))
        order = np.argsort(mesh.surfaces, kind="stable")
        expected = mesh.vertices[mesh.triangles[order]].reshape(-1, 3)
        assert np.concatenate(found) == pytest.approx(expected, abs=1e-3)


def test_materials_are_named_and_coloured_by_surface(town):
    document, _ = parsed(glb(town))
    assert [each["name"] for each in document["materials"]] == [s.name.lower() for s in Surface]
    for each in document["materials"]:
        colour = each["pbrMetallicRoughness"]["baseColorFactor"]
        assert all(0.0 <= channel <= 1.0 for channel in colour)


def test_it_names_its_data(town):
    document, _ = parsed(glb(town))
    assert document["asset"]["copyright"] == town.attribution


def test_panda3d_reads_it(town, tmp_path):
    core = pytest.importorskip("panda3d.core")
    path = tmp_path / "town.glb"
    path.write_bytes(glb(town))
    model = core.Loader.getGlobalPtr().loadSync(core.Filename.fromOsSpecific(str(path)))
    assert model is not None
    # This reader keeps the axes of the file: y up.
    low, high = map(np.array, core.NodePath(model).getTightBounds())
    x, y, z = np.vstack([town.ground.vertices, town.buildings.vertices]).T
    turned = np.column_stack([x, z, -y])
    assert low == pytest.approx(turned.min(axis=0), abs=0.01)
    assert high == pytest.approx(turned.max(axis=0), abs=0.01)
