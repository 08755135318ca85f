"""Each format of models: the same wedge in all of them, and what is broken."""

import os
import shutil
import sys

import numpy as np
import pytest

pytest.importorskip("panda3d")

from autosim.client.models import model_library
from autosim.client.models.model_files import ModelError, checked
from autosim.client.models.model_library import ModelLibrary, converted, load_model
from autosim.client.models.obj import read_obj
from tests.client import model_bytes
from tests.forked_commands import cold_starts
from tests.paths import ROOT

FILES = {
    "obj": model_bytes.obj(),
    "3ds": model_bytes.max_3ds(),
    "glb": model_bytes.glb(),
    "egg": model_bytes.egg(),
}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of models of each test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache/autosim/models"


def written(root, suffix, content, level=0):
    folder = root / f"wedge/LOD{level}"
    folder.mkdir(parents=True)
    file = folder / f"model.{suffix}"
    file.write_bytes(content)
    return file


@pytest.mark.parametrize("suffix", FILES)
def test_a_model_shows_the_same_in_each_format(tmp_path, suffix):
    model = load_model(written(tmp_path, suffix, FILES[suffix]))
    corners = np.concatenate([part.mesh.vertices for part in model.parts])
    for corner in model_bytes.WEDGE:
        assert np.abs(corners - corner).max(axis=1).min() < 1e-4, corner
    assert model.triangles == 4
    for part in model.parts:
        a, b, c = (part.mesh.vertices[part.mesh.triangles[:, k]] for k in range(3))
        faces = np.cross(b - a, c - a)
        middle = (a + b + c) / 3.0 - model_bytes.WEDGE.mean(axis=0)
        assert (np.sum(faces * middle, axis=1) > 0).all(), "faces look outwards"
        assert np.linalg.norm(part.mesh.normals, axis=1) == pytest.approx(1.0, abs=1e-4)
        normals = part.mesh.normals[part.mesh.triangles].sum(axis=1)
        assert (np.sum(normals * faces, axis=1) > 0).all()


@pytest.mark.parametrize("suffix", ["3ds", "glb"])
def test_the_colour_of_a_material_is_the_colour_of_the_mesh(tmp_path, suffix):
    model = load_model(written(tmp_path, suffix, FILES[suffix]))
    for part in model.parts:
        assert np.abs(part.mesh.colours[:, :3].astype(int) - (255, 0, 0)).max() <= 2
        assert (part.mesh.colours[:, 3] == 255).all()


@pytest.mark.parametrize("suffix", ["3ds", "glb", "egg", "gltf", "bam", "obj"])
@pytest.mark.parametrize("kind", ["empty", "garbage", "truncated"])
def test_a_broken_file_is_a_message_or_half_a_model(tmp_path, cache, suffix, kind):
    content = FILES.get(suffix, FILES["glb"])
    broken = {
        "empty": b"",
        "garbage": np.random.default_rng(3).bytes(400),
        "truncated": content[: len(content) * 3 // 5],
    }
    file = written(tmp_path, suffix, broken[kind])
    library = ModelLibrary((tmp_path,))
    levels = library.levels("wedge")
    if levels:
        assert kind == "truncated", "a reader may take what it has got of a file that is cut off"
        assert levels[0].triangles <= 4
        return
    (said,) = library.warnings
    assert said.startswith("model 'wedge' is not shown: ")
    assert str(file) in said
    assert not cache.is_dir() or not any(cache.iterdir())


def test_an_obj_file_without_normals_has_flat_faces(tmp_path):
    model = load_model(written(tmp_path, "obj", model_bytes.obj()))
    assert len(model.parts[0].mesh.vertices) == 12
    (tmp_path / "smooth").mkdir()
    smooth = load_model(written(tmp_path / "smooth", "obj", model_bytes.obj(has_normals=True)))
    assert smooth.parts[0].mesh.normals[:, 2] == pytest.approx(1.0)


def test_a_reader_that_hangs_is_ended(tmp_path, cache):
    file = written(tmp_path, "glb", FILES["glb"])
    with pytest.raises(ModelError, match=r"not read within 0.001 s: simplify it"):
        converted(file, cache, seconds=0.001)
    assert not any(cache.iterdir())


def test_a_reader_that_dies_is_a_message(tmp_path, cache, monkeypatch):
    file = written(tmp_path, "3ds", FILES["3ds"])
    deadly = tmp_path / "python"
    deadly.write_text("#!/bin/sh\nkill -FPE $$\n")
    os.chmod(deadly, 0o755)
    monkeypatch.setattr(sys, "executable", str(deadly))
    message = r"model.3ds: its reader was ended by SIGFPE: the file"
    with cold_starts(), pytest.raises(ModelError, match=message):
        converted(file, cache)


def test_a_model_of_too_many_triangles_is_refused(tmp_path, monkeypatch):
    model = load_model(written(tmp_path, "obj", FILES["obj"]))
    monkeypatch.setattr("autosim.client.models.model_files.MOST_TRIANGLES", 3)
    with pytest.raises(ModelError, match="it has 4 triangles, of which 3 can be drawn: simplify"):
        checked(model)


def test_another_content_is_converted_anew_and_a_damaged_cache_is_mended(tmp_path, cache):
    file = written(tmp_path, "egg", FILES["egg"])
    library = ModelLibrary((tmp_path,))
    assert library.levels("wedge")[0].size == pytest.approx(3.0)
    (kept,) = cache.iterdir()
    kept.write_bytes(b"nothing")
    assert load_model(file).size == pytest.approx(3.0)
    file.write_bytes(FILES["egg"].replace(b"3.0", b"5.0"))
    assert load_model(file).size == pytest.approx(5.0)
    assert len(list(cache.iterdir())) == 2


def test_a_large_obj_file_is_read_apart(tmp_path, cache, monkeypatch):
    monkeypatch.setattr(model_library, "_DIRECT_BYTES", 10)
    assert load_model(written(tmp_path, "obj", FILES["obj"])).triangles == 4
    assert len(list(cache.iterdir())) == 1


def test_levels_are_found_up_to_the_first_gap_and_a_broken_one_ends_them(tmp_path):
    written(tmp_path, "obj", FILES["obj"], level=0)
    written(tmp_path, "obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3", level=1)
    written(tmp_path, "obj", b"f 1 2 3", level=2)
    written(tmp_path, "obj", FILES["obj"], level=4)
    library = ModelLibrary((tmp_path,))
    assert [model.triangles for model in library.levels("wedge")] == [4, 1]
    (said,) = library.warnings
    assert said.startswith("level 2 of model 'wedge' is not shown: ")


def test_a_plain_obj_file_is_read_at_once_as_line_by_line(tmp_path):
    plain = ROOT / "models/traffic/hatchback/LOD0/model.obj"
    shutil.copy(plain.with_suffix(".mtl"), tmp_path)
    by_lines = tmp_path / "model.obj"
    by_lines.write_text("g all\n" + plain.read_text())
    [(first, _)], [(second, _)] = read_obj(plain), read_obj(by_lines)
    assert np.array_equal(first.vertices, second.vertices)
    assert np.array_equal(first.normals, second.normals)
    assert np.array_equal(first.colours, second.colours)
    assert np.array_equal(first.triangles, second.triangles)


@pytest.mark.parametrize(
    "face", ["1//1 2//1", "1//1 2//1 9//1", "1//1 2//1 x//1", "0//1 1//1 2//1"]
)
def test_a_broken_face_of_a_plain_obj_file_is_a_message_with_its_line(tmp_path, face):
    file = tmp_path / "model.obj"
    file.write_text(f"v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nusemtl a\nf 1//1 2//1 3//1\nf {face}\n")
    with pytest.raises(ModelError, match=":7: "):
        read_obj(file)
