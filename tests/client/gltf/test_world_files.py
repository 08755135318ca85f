"""Files of a world by address: what is in the manifest, made once, and kept as a whole."""

import gzip
import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from autosim.client.gltf.instance_files import lamp_places
from autosim.client.gltf.world_files import MAX_WORLDS, WorldFiles
from autosim.world.compiled.compiled_world import PropKind, no_props
from tests.client.gltf.glb import parsed
from tests.paths import ROOT


def all_uris(manifest):
    models = manifest["models"]
    rows = [*models["vehicles"], *models["people"]]
    return {
        *(level["uri"] for tile in manifest["tiles"] for level in tile["lods"]),
        manifest["instances"]["uri"],
        manifest["beyond"]["uri"],
        *(each["uri"] for each in (*models["robots"].values(), *models["objects"].values())),
        *(level["uri"] for row in rows for level in row["levels"]),
    }


def content(files, uri):
    return gzip.decompress(files.file(uri).content)


def test_every_address_of_the_manifest_is_a_file(town_files):
    manifest = json.loads(gzip.decompress(town_files.manifest_file().content))
    for uri in all_uris(manifest):
        assert parsed(content(town_files, uri)).document["asset"]["version"] == "2.0"


@pytest.mark.parametrize(
    "uri",
    ["/world/x/tile-5-near.glb", "/models/../../etc/passwd", "/world/../x.glb", "/", "", "tile"],
)
def test_there_is_nothing_at_other_addresses(town_files, uri):
    assert town_files.file(uri) is None


def test_there_is_no_tile_beyond_the_last(town_files):
    folder = town_files.manifest["instances"]["uri"].rpartition("/")[0]
    assert town_files.file(f"{folder}/tile-999-near.glb") is None
    assert town_files.file(f"{folder}/../tile-0-near.glb") is None


def test_tiles_are_where_the_manifest_has_them(town_files):
    for tile in town_files.manifest["tiles"]:
        glb = parsed(content(town_files, tile["lods"][0]["uri"]))
        corners = np.concatenate(
            [each.reshape(-1, 3) for each in glb.triangles(glb.node("tile")).values()]
        )
        apart = np.linalg.norm(corners - tile["center"], axis=1)
        # Placed houses overhang their boxes, and kerbs the ground that they stand on.
        assert apart.max() < tile["radius"] + 3.0, tile["id"]
        bounds = np.array(town_files.manifest["bounds"])
        assert (corners[:, :2].min(axis=0) > bounds[:2] - 0.1).all()
        assert (corners[:, :2].max(axis=0) < bounds[3:5] + 0.1).all()


def test_props_are_instances_at_their_places(town, town_files):
    props = town[1].props
    glb = parsed(content(town_files, town_files.manifest["instances"]["uri"]))
    for kind in PropKind:
        rows = props.kinds == kind
        node = glb.node(kind.name.lower())
        attributes = node["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]
        x, y, z = glb.accessed(attributes["TRANSLATION"]).T
        assert np.column_stack([x, -z, y]) == pytest.approx(props.positions[rows], abs=1e-3)
        assert glb.accessed(attributes["SCALE"])[:, 1] == pytest.approx(props.heights[rows])
        assert ("_COLOR_0" in attributes) == kind.name.startswith("PARKED")


def test_the_land_beyond_the_map_begins_where_the_tiles_end(town, town_files):
    glb = parsed(content(town_files, town_files.manifest["beyond"]["uri"]))
    corners = np.concatenate(
        [each.reshape(-1, 3) for each in glb.triangles(glb.node("surroundings")).values()]
    )
    x_min, y_min, x_max, y_max = town[1].bounds
    inside = (corners[:, 0] > x_min + 0.01) & (corners[:, 0] < x_max - 0.01)
    inside &= (corners[:, 1] > y_min + 0.01) & (corners[:, 1] < y_max - 0.01)
    assert not inside.any()
    away = np.maximum(corners[:, 0] - x_max, x_min - corners[:, 0])
    assert np.abs(away).min() < 0.01
    assert away.max() > 3000.0
    ground = town[1].ground.vertices[:, 2]
    near = corners[np.abs(away) < 0.01, 2]
    assert near.min() > ground.min() - 1.0
    assert near.max() < ground.max() + 1.0


def test_lamps_shine_from_above_the_street(town, town_files):
    places = np.array(town_files.manifest["lamps"])
    feet = town[1].props.positions[town[1].props.kinds == PropKind.LAMP]
    assert len(places) == len(feet) > 0
    assert (places[:, 2] - feet[:, 2] > 3.0).all()
    assert places == pytest.approx(lamp_places(town[1].props), abs=0.01)


def test_signals_have_their_heads(town_files):
    signals = town_files.manifest["signals"]
    assert signals
    for signal in signals:
        assert signal["heads"]
        assert all(len(head) == 5 for head in signal["heads"])


def test_files_are_made_once_and_read_from_the_cache_after(town, tmp_path):
    first = WorldFiles(*town, folder=tmp_path)
    uri = first.manifest["tiles"][0]["lods"][0]["uri"]
    made = first.file(uri)
    [kept] = tmp_path.rglob("tile-*")
    assert kept.read_bytes() == made.content
    assert WorldFiles(*town, folder=tmp_path).file(uri) == made


def test_the_manifest_is_the_same_out_of_the_cache(town, tmp_path):
    made = WorldFiles(*town, folder=tmp_path).manifest_file()
    [kept] = tmp_path.rglob("world.json.gz")
    assert WorldFiles(*town, folder=tmp_path).manifest_file() == made
    kept.write_bytes(kept.read_bytes()[:100])
    assert WorldFiles(*town, folder=tmp_path).manifest_file() == made


def test_a_cut_off_file_in_the_cache_is_made_again(town, tmp_path):
    files = WorldFiles(*town, folder=tmp_path)
    uri = files.manifest["tiles"][0]["lods"][0]["uri"]
    made = files.file(uri)
    [kept] = tmp_path.rglob("tile-*")
    kept.write_bytes(made.content[:-40])
    assert WorldFiles(*town, folder=tmp_path).file(uri) == made


def test_a_cache_that_cannot_be_written_costs_only_time(town, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    files = WorldFiles(*town, folder=blocked)
    assert files.file(files.manifest["tiles"][0]["lods"][0]["uri"]) is not None


def test_many_threads_get_the_same_bytes(town, town_files, tmp_path):
    files = WorldFiles(*town, folder=tmp_path)
    uris = sorted(all_uris(files.manifest))[:12] * 3
    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(files.file, uris))
    assert found == [town_files.file(uri) for uri in uris]
    assert not list(tmp_path.rglob("*.part"))


def test_a_place_without_props_has_files_too(town, tmp_path):
    world, compiled = town
    files = WorldFiles(world, replace(compiled, props=no_props()), folder=tmp_path)
    assert files.manifest["lamps"] == []
    instances = content(files, files.manifest["instances"]["uri"])
    assert instances[:4] == b"glTF"
    assert b"nodes" not in instances


def test_another_model_of_a_house_makes_other_addresses(town, tmp_path):
    world, compiled = town
    model = next(house.model for house in compiled.houses)
    shutil.copytree(ROOT / "models", tmp_path / "models")
    file = tmp_path / "world.xml"
    file.write_text("")
    own = replace(world, source=file)
    before = WorldFiles(own, compiled, folder=tmp_path / "gltf").manifest["instances"]["uri"]
    obj = tmp_path / model / "LOD0" / "model.obj"
    obj.write_text(obj.read_text() + "v 0 0 0\n")
    after = WorldFiles(own, compiled, folder=tmp_path / "gltf").manifest["instances"]["uri"]
    assert before != after


def test_the_worlds_used_longest_ago_leave_the_cache(town, tmp_path):
    for number in range(MAX_WORLDS + 5):
        folder = tmp_path / f"old{number}"
        folder.mkdir()
        os.utime(folder, (number, number))
    files = WorldFiles(*town, folder=tmp_path)
    files.file(files.manifest["instances"]["uri"])
    WorldFiles(*town, folder=tmp_path).manifest_file()
    left = sorted(path.name for path in tmp_path.iterdir())
    assert len(left) == MAX_WORLDS
    assert "old0" not in left
    assert f"old{MAX_WORLDS + 4}" in left
    assert files.manifest["instances"]["uri"].split("/")[2] in left
