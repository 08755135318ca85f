"""Model files: ours, other formats, and broken ones."""

import numpy as np
import pytest

pytest.importorskip("panda3d")

from autosim.client.models.model_files import ModelError
from autosim.client.models.model_library import ModelLibrary, converted, find_levels
from autosim.client.models.obj import read_obj

ARROW = """
mtllib model.mtl
v 0 0 0
v 0 0 3
v 1 0 0
v 0 2 0
usemtl red
f 1 2 3
f 1 2 4
"""
RED = "newmtl red\nKd 1 0 0\nPr 0.5\n"
EGG = """<CoordinateSystem> { Z-up }
<Group> box { <VertexPool> v {
  <Vertex> 0 { 0 0 0 } <Vertex> 1 { 0 3 0 } <Vertex> 2 { 1 0 0 } <Vertex> 3 { 0 0 2 } }
  <Polygon> { <VertexRef> { 0 1 2 <Ref> { v } } }
  <Polygon> { <VertexRef> { 0 1 3 <Ref> { v } } } }
"""


def model_folder(root, name, **files):
    folder = root / name / "LOD0"
    folder.mkdir(parents=True)
    for suffix, content in files.items():
        (folder / f"model.{suffix}").write_text(content)
    return folder


def extent(model):
    corners = np.concatenate([part.mesh.vertices for part in model.parts])
    return [round(float(each), 3) for each in (*corners.min(axis=0), *corners.max(axis=0))]


def test_an_obj_file_looks_along_z_and_stands_along_y(tmp_path):
    folder = model_folder(tmp_path, "arrow", obj=ARROW, mtl=RED)
    ((mesh, texture),) = read_obj(folder / "model.obj")
    assert mesh.vertices.max(axis=0).tolist() == [3, 1, 2]
    assert mesh.colours[0].tolist() == [255, 0, 0, 128]
    assert texture is None
    assert np.linalg.norm(mesh.normals, axis=1) == pytest.approx(np.ones(6))


def test_a_model_in_another_format_shows_the_same_way(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    model_folder(tmp_path, "ours", obj=ARROW)
    folder = model_folder(tmp_path, "other", egg=EGG)
    library = ModelLibrary((tmp_path,))
    (one,), (other,) = library.levels("ours"), library.levels("other")
    assert library.warnings == []
    assert extent(one) == [0, 0, 0, 3, 1, 2]
    assert extent(other) == [0, -1, 0, 3, 0, 2]
    (kept,) = (tmp_path / "cache/autosim/models").iterdir()
    before = kept.stat().st_mtime_ns
    assert extent(converted(folder / "model.egg", kept.parent)) == extent(other)
    assert kept.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("v 0 0\n", "model.obj:1: 'v 0 0': expected 3 finite numbers"),
        ("v nan 0 0\n", "model.obj:1: .*finite"),
        ("v 0 0 0\nf 1 2 3\n", "model.obj:2: .*index 2 of 1"),
        ("v 0 0 0\nf 1 1\n", "model.obj:2: .*three corners"),
        ("v 0 0 0\nf x y z\n", "model.obj:2: "),
        ("hello\n", "holds no faces"),
        ("", "holds no faces"),
    ],
)
def test_a_broken_obj_file_says_its_line(tmp_path, text, said):
    folder = model_folder(tmp_path, "broken", obj=text)
    with pytest.raises(ModelError, match=said):
        read_obj(folder / "model.obj")


def test_a_folder_without_a_model_or_outside_the_roots_is_a_warning(tmp_path):
    (tmp_path / "empty/LOD0").mkdir(parents=True)
    library = ModelLibrary((tmp_path,))
    for path in ("empty", "missing", "../elsewhere", "/etc"):
        assert library.levels(path) == ()
    assert len(library.warnings) == 4


@pytest.mark.parametrize(
    ("path", "low", "high"),
    [
        ("models/impreza/chassis", (-2.25, -0.9, -0.62), (2.25, 0.9, 0.62)),
        ("models/impreza/wheels/rear_right", (-0.32, -0.11, -0.32), (0.32, 0.11, 0.32)),
        ("models/buildings/house1", (-5.0, -6.5, 0.0), (5.0, 6.5, 8.1)),
        ("models/nature/trees/tree0", (-3.0, -3.0, 0.0), (3.0, 3.0, 8.0)),
    ],
)
def test_shipped_models_have_their_origin_and_size(request, path, low, high):
    file = find_levels(path, (request.config.rootpath,))[0]
    ((mesh, _),) = read_obj(file)
    assert (mesh.vertices.min(axis=0) >= np.array(low) - 1e-3).all()
    assert (mesh.vertices.max(axis=0) <= np.array(high) + 1e-3).all()


def test_faces_of_shipped_models_look_outwards(request):
    files = find_levels("models/impreza/wheels/front_left", (request.config.rootpath,))
    ((mesh, _),) = read_obj(files[0])
    outer = mesh.vertices[:, 1] > 0.09
    assert (mesh.normals[outer, 1] > -0.2).all()
    tread = np.hypot(mesh.vertices[:, 0], mesh.vertices[:, 2]) > 0.31
    radial = mesh.vertices[tread] * np.array([1.0, 0.0, 1.0])
    assert (np.sum(radial * mesh.normals[tread], axis=1) > 0).all()
