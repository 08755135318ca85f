"""A whole town as one glTF file that needs no extension."""

import numpy as np
import pytest

from autosim.client.gltf.town_file import town_file
from autosim.client.tiles.props import paints_of
from tests.client.gltf.glb import parsed
from tests.paths import ROOT


@pytest.fixture(scope="module")
def content(town):
    return town_file(town[1], (ROOT,))


def test_it_holds_the_town_where_it_is(town, content):
    compiled, glb = town[1], parsed(content)
    found = {}
    for node in glb.document["nodes"]:
        if node["name"].startswith("tile "):
            for name, corners in glb.triangles(node).items():
                found.setdefault(name, []).append(corners.reshape(-1, 3))
    points = np.concatenate([np.concatenate(each) for each in found.values()])
    expected = np.vstack([compiled.ground.vertices, compiled.buildings.vertices])
    assert points.min(axis=0)[:2] == pytest.approx(expected.min(axis=0)[:2], abs=0.01)
    assert points.max(axis=0) == pytest.approx(expected.max(axis=0), abs=0.01)
    walls = np.concatenate(found["wall"])
    assert walls[:, 2].max() == pytest.approx(compiled.buildings.vertices[:, 2].max(), abs=0.01)
    paint = np.concatenate(found["paint"])
    assert paint[:, 2].min() > compiled.markings.vertices[:, 2].min() + 0.005


def test_it_needs_no_extension_and_names_its_data(town, content):
    document = parsed(content).document
    assert not {"extensionsUsed", "extensionsRequired"} & set(document)
    assert document["asset"]["copyright"] == town[1].attribution
    assert document["asset"]["extras"]["latitude_longitude"] == list(town[1].origin)


def test_every_prop_is_a_node(town, content):
    glb = parsed(content)
    names = [node["name"] for node in glb.document["nodes"] if "rotation" in node]
    assert len(names) == len(town[1].props.kinds)
    lamps = [node for node in glb.document["nodes"] if node["name"].startswith("lamp ")]
    assert {node["mesh"] for node in lamps} == {lamps[0]["mesh"]}


def test_parked_cars_have_their_paints(town, content):
    glb = parsed(content)
    cars = [node for node in glb.document["nodes"] if node["name"].startswith("parked_car ")]
    paints = np.unique(paints_of(town[1].props.positions[town[1].props.kinds == 4]), axis=0)
    assert len(paints) > 2
    assert len({node["mesh"] for node in cars}) == len(paints)


def test_signals_have_posts_beside_the_streets(content):
    glb = parsed(content)
    corners = glb.triangles(glb.node("signal posts"))["body"].reshape(-1, 3)
    assert corners[:, 2].max() == pytest.approx(3.32, abs=0.1)


def test_surfaces_have_their_textures(content):
    document = parsed(content).document
    textured = {
        each["name"]
        for each in document["materials"]
        if "baseColorTexture" in each["pbrMetallicRoughness"]
    }
    assert {"carriageway", "wall", "roof", "ground"} <= textured
    assert all(image["mimeType"] == "image/png" for image in document["images"])


def test_panda3d_reads_it(content, tmp_path):
    core = pytest.importorskip("panda3d.core")
    path = tmp_path / "town.glb"
    path.write_bytes(content)
    model = core.Loader.getGlobalPtr().loadSync(core.Filename.fromOsSpecific(str(path)))
    assert model is not None
    # This reader keeps the axes of the file: y up.
    read = core.NodePath(model)
    beyond = read.find("**/surroundings")
    edge = np.array(beyond.getTightBounds()[0])
    assert (edge[[0, 2]] < -2000.0).all()
    beyond.removeNode()
    low, high = map(np.array, read.getTightBounds())
    assert low[[0, 2]] == pytest.approx([-500.0, -500.0], abs=0.1)
    assert high == pytest.approx([500.0, 32.0, 500.0], abs=0.1)
