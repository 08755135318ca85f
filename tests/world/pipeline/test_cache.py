import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from autosim.config.descriptions import (
    HighwayDimension,
    MapSetup,
    ModelReference,
    TerrainDescription,
)
from autosim.config.diagnostics import Diagnostics
from autosim.world.compiled import compiled_file as world_file
from autosim.world.pipeline import cache
from autosim.world.pipeline.world_inputs import WorldInputs
from tests.world.maps import CROSSING, ORIGIN, RESIDENTIAL, write_map

SETUP = MapSetup("test", origin=ORIGIN)
FROM_CACHE = [("read from the cache", 1.0)]


@pytest.fixture
def terrain(tmp_path):
    tags = {"filePath": "m", "sizeX": "8", "sizeY": "5", "sizeZ": "12"}
    path = write_map(tmp_path, CROSSING, nodes=[((40.0, 40.0), tags)])
    return TerrainDescription(path, SETUP, driving_side="left")


def compile_seen(terrain, directory, diagnostics=None):
    seen = []
    world = cache.compile_world(
        terrain,
        directory=directory,
        progress=lambda name, share: seen.append((name, share)),
        diagnostics=diagnostics,
    )
    return world, seen


def test_the_second_time_a_world_is_read_and_is_the_same(terrain, tmp_path):
    built, first = compile_seen(terrain, tmp_path / "cache")
    read, second = compile_seen(terrain, tmp_path / "cache")
    assert first != FROM_CACHE
    assert second == FROM_CACHE
    for part in ("ground", "buildings"):
        ours, theirs = getattr(built, part), getattr(read, part)
        assert np.array_equal(ours.vertices, theirs.vertices)
        assert np.array_equal(ours.triangles, theirs.triangles)
        assert np.array_equal(ours.surfaces, theirs.surfaces)
    others = ("name", "digest", "origin", "bounds", "houses", "invariants", "left_out")
    assert all(getattr(built, name) == getattr(read, name) for name in others)
    assert np.array_equal(built.roads.points, read.roads.points)


def test_the_second_time_the_warnings_of_the_build_are_repeated(terrain, tmp_path):
    near_border = (22.501, 114.128)
    write_map(tmp_path, CROSSING, origin=near_border)
    setup = MapSetup("test", origin=near_border)
    silent = replace(terrain, setup=setup, driving_side=None)
    told = []
    for _ in range(2):
        diagnostics = Diagnostics()
        compile_seen(silent, tmp_path / "cache", diagnostics)
        told.append(diagnostics.warnings)
    assert told[0] == told[1]
    assert "driving side is not stated" in told[1][0].message
    assert told[1][0].file == terrain.osm


def test_what_was_known_before_is_no_warning_of_the_build(terrain, tmp_path):
    diagnostics = Diagnostics()
    diagnostics.warning(tmp_path / "world.xml", 3, "something else")
    built, _ = compile_seen(terrain, tmp_path / "cache", diagnostics)
    assert built.warnings == ()


def test_reading_from_the_cache_needs_nothing_that_compiling_needs():
    code = "import sys, autosim.world.pipeline.cache; print(*sys.modules)"
    command = [sys.executable, "-c", code]
    modules = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert not {"shapely", "scipy", "osmium", "pythoncdt"} & set(modules)


def test_another_map_is_another_world(terrain, tmp_path):
    first, _ = compile_seen(terrain, tmp_path / "cache")
    write_map(tmp_path, [*CROSSING, (((50.0, 0.0), (50.0, 50.0)), RESIDENTIAL)])
    second, seen = compile_seen(terrain, tmp_path / "cache")
    assert seen != FROM_CACHE
    assert first.digest != second.digest


def test_a_set_up_that_only_looks_otherwise_is_the_same_world(terrain, tmp_path):
    changes = {
        "road_levels_of_detail": 1,
        "road_textures": (("Road", "road.png"),),
        "terrain_texture": "grass.png",
        "texture_repeat": 7.0,
        "sky_box": ModelReference("sky", "jpg"),
        "tile_size": 32.0,
        "maximum_lod": 3,
        "terrain_levels_of_detail": 1,
        "layers_of_each_lod": 2,
        "camera_steps_per_tile": -1.0,
    }
    setup = MapSetup(name="town")
    assert all(getattr(setup, name) != value for name, value in changes.items())
    first, _ = compile_seen(replace(terrain, setup=setup), tmp_path / "cache")
    drawn_otherwise = replace(terrain, setup=replace(setup, **changes))
    assert compile_seen(drawn_otherwise, tmp_path / "cache")[1] == FROM_CACHE
    anew, seen = compile_seen(drawn_otherwise, tmp_path / "other")
    assert seen != FROM_CACHE
    np.testing.assert_array_equal(anew.ground.vertices, first.ground.vertices)


@pytest.mark.parametrize(
    "change",
    [
        {"origin": (49.0, 11.0)},
        {"height_above_terrain": 0.03},
        {"kerb_height": 0.1},
        {"highways": (("residential", HighwayDimension(5.0, 1.0, 1.0)),)},
        {"size": (300.0, 300.0)},
        {"height_data_per_area": 4.0},
        {"height_division_coefficient": 5.0},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_set_up_of_another_shape_is_another_world(terrain, change):
    setup = MapSetup(name="town")
    digests = {
        WorldInputs(terrain.osm, each).digest() for each in (setup, replace(setup, **change))
    }
    assert len(digests) == 2


@pytest.mark.parametrize("damage", [lambda b: b[: len(b) // 2], lambda b: b"", lambda b: b"x" * 99])
def test_a_damaged_file_is_made_anew(terrain, tmp_path, damage):
    compile_seen(terrain, tmp_path / "cache")
    path = cache.compiled_path(terrain, tmp_path / "cache")
    path.write_bytes(damage(path.read_bytes()))
    _, seen = compile_seen(terrain, tmp_path / "cache")
    assert seen != FROM_CACHE
    assert compile_seen(terrain, tmp_path / "cache")[1] == FROM_CACHE


def test_a_bit_that_flipped_is_noticed(terrain, tmp_path):
    compile_seen(terrain, tmp_path / "cache")
    path = cache.compiled_path(terrain, tmp_path / "cache")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x10
    path.write_bytes(content)
    assert compile_seen(terrain, tmp_path / "cache")[1] != FROM_CACHE


def test_without_a_place_for_the_cache_the_world_is_built_with_a_warning(terrain, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    diagnostics = Diagnostics()
    world, _ = compile_seen(terrain, blocked / "cache", diagnostics)
    assert len(world.roads.lanes)
    assert "no cache" in diagnostics.warnings[0].message


def test_without_a_home_the_world_is_built_with_a_warning(terrain, monkeypatch):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(cache.Path, "home", no_home)
    diagnostics = Diagnostics()
    world, _ = compile_seen(terrain, None, diagnostics)
    assert "no home" in diagnostics.warnings[0].message
    assert cache.compiled_file(world.digest) is None


def test_programs_get_a_file_of_the_world_with_and_without_a_cache(terrain, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    world = cache.compile_world(terrain)
    kept = cache.file_of(world)
    assert kept == cache.compiled_path(terrain)
    kept.unlink()
    in_memory = cache.file_of(world)
    command = "import sys; print(open(sys.argv[1], 'rb').read(2).decode())"
    read = subprocess.check_output([sys.executable, "-c", command, in_memory], text=True)
    assert read.strip() == "Au"
    assert world_file.load_compiled_world(in_memory).digest == world.digest


def test_a_disk_that_is_full_leaves_nothing_behind(terrain, tmp_path, monkeypatch):
    def full(*arguments, **others):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(world_file.os, "replace", full)
    diagnostics = Diagnostics()
    compile_seen(terrain, tmp_path / "cache", diagnostics)
    assert "No space left" in diagnostics.warnings[0].message
    assert os.listdir(tmp_path / "cache") == []


def test_the_cache_lies_where_the_desktop_keeps_caches(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.cache_directory() == tmp_path / "autosim" / "worlds"


def test_what_is_no_compiled_world_is_refused(tmp_path):
    path = tmp_path / "a.world"
    path.write_bytes(b"PK" + bytes(100))
    with pytest.raises(world_file.WorldFileError, match="not a compiled world"):
        world_file.load_compiled_world(path)
