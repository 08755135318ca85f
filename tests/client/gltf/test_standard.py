"""The files keep to the standard: the Khronos validator and three.js read them.

Skipped where Node.js or the packages of the page are missing (`sh scripts/build_page.sh`).
"""

import gzip
import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autosim.client.gltf.gltf_models import robot_model
from autosim.client.gltf.town_file import town_file
from autosim.client.gltf.world_files import WorldFiles
from autosim.client.models.model_library import ModelLibrary
from autosim.config.diagnostics import Diagnostics
from autosim.loading.loader import load_world, world_for_osm
from autosim.world.compiled.compiled_world import PropKind, no_props
from autosim.world.geometry.extent import Window
from autosim.world.pipeline.cache import compile_world
from tests.client.gltf.test_world_files import all_uris
from tests.paths import ROOT
from tests.world.maps import MAPS

WEB = ROOT / "web"
NODE = shutil.which("node")
SCRIPT = Path(__file__).with_name("check_gltf.mjs")

pytestmark = pytest.mark.skipif(
    NODE is None or not (WEB / "node_modules" / "gltf-validator").is_dir(),
    reason="needs Node.js and the packages of web/",
)


def checked(contents, folder):
    """What both programs say of files by name."""
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    paths = [str(folder / name) for name in contents]
    done = subprocess.run(
        [NODE, SCRIPT, WEB, *paths], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    found = {Path(path).name: said for path, said in json.loads(done.stdout).items()}
    for name, said in found.items():
        assert (said["errors"], said["warnings"]) == (0, 0), (name, said["messages"])
    return found


def all_files(files):
    return {
        uri.replace("/", "_"): gzip.decompress(files.file(uri).content)
        for uri in sorted(all_uris(files.manifest))
    }


def check_world(files, folder):
    found = checked(all_files(files), folder)
    bounds = np.array(files.manifest["bounds"])
    for tile in files.manifest["tiles"]:
        for level in tile["lods"]:
            said = found[level["uri"].replace("/", "_")]
            x, y, z = (np.array([said["low"][k], said["high"][k]]) for k in range(3))
            assert bounds[0] - 0.1 < x[0] < x[1] < bounds[3] + 0.1
            assert bounds[1] - 0.1 < -z[1] < -z[0] < bounds[4] + 0.1
            apart = np.abs(np.mean([x, -z, y], axis=1) - tile["center"])
            assert (apart < 60.0).all(), tile["id"]
    return found


def test_every_file_of_the_shipped_town_is_valid(town, town_files, tmp_path):
    found = check_world(town_files, tmp_path)
    instances = found[town_files.manifest["instances"]["uri"].replace("/", "_")]
    # Parked cars have four materials each: paint, glass, rubber and the rest.
    kinds = np.bincount(town[1].props.kinds, minlength=len(PropKind))
    cars = kinds[[PropKind.PARKED_CAR, PropKind.PARKED_VAN]].sum()
    assert instances["instances"] == kinds.sum() + 3 * cars > 700
    people = town_files.manifest["models"]["people"]
    assert all(found[each["uri"].replace("/", "_")]["animations"] for each in people)


def test_a_place_without_props_is_valid(town, tmp_path):
    world, compiled = town
    files = WorldFiles(world, replace(compiled, props=no_props()), folder=tmp_path / "gltf")
    uri = files.manifest["instances"]["uri"]
    checked({"instances.glb": gzip.decompress(files.file(uri).content)}, tmp_path)


def test_all_shipped_robots_are_valid(tmp_path):
    library = ModelLibrary((ROOT,))
    contents = {}
    for file in sorted((ROOT / "worlds").glob("*.xml")):
        for placed in load_world(file).robots:
            contents[f"{placed.robot.source.stem}.glb"] = robot_model(placed.robot, library).content
    assert len(contents) >= 8
    found = checked(contents, tmp_path)
    assert all(said["triangles"] > 0 for said in found.values())
    assert not library.warnings


def test_the_town_in_one_file_is_valid(town, tmp_path):
    found = checked({"town.glb": town_file(town[1], (ROOT,))}, tmp_path)["town.glb"]
    assert found["low"] == pytest.approx([-500.0, -0.5, -500.0], abs=0.1)
    assert found["high"] == pytest.approx([500.0, 32.0, 500.0], abs=0.1)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "window"),
    [
        ("pbf/helsinki.osm.pbf", (60.1702, 24.9454, 800.0)),
        ("city/monaco.osm.gz", (43.7397, 7.4273, 800.0)),
    ],
)
def test_real_towns_are_valid(name, window, tmp_path):
    path = MAPS / name
    if not path.exists():
        pytest.skip("the shared OSM extracts are not there")
    world = world_for_osm(path)
    compiled = compile_world(
        world.terrain,
        window=Window(*window),
        diagnostics=Diagnostics(),
        directory=tmp_path / "worlds",
    )
    check_world(WorldFiles(world, compiled, folder=tmp_path / "gltf"), tmp_path)
