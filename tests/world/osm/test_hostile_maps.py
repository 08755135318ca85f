"""Maps that libraries cannot cope with: a world, or an error of the file, and nothing else."""

import random
from contextlib import suppress
from functools import partial

import numpy as np
import osmium
import pytest
from PIL import Image

from autosim.config.descriptions import MapSetup
from autosim.config.diagnostics import ConfigError
from autosim.isolated_reader import run_isolated
from autosim.tools.osm_manipulator.manipulator_errors import ManipulatorError
from autosim.tools.osm_manipulator.packing import open_as_xml
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.osm.osm_reader import check_osm
from autosim.world.osm.osm_sniff import UnusableFileError
from autosim.world.pipeline import world_pipeline
from autosim.world.pipeline.forked_helpers import WorkerLostError
from autosim.world.pipeline.recipe import Recipe
from autosim.world.pipeline.world_pipeline import build_world
from autosim.world.pipeline.world_recipe import INPUTS
from autosim.world.terrain.terrain_heights import load_terrain
from tests.conftest import shared
from tests.world.maps import CROSSING, build_map, write_map

PACKED = "pbf,pbf_compression=none"
"""So that each changed byte changes what is read."""

DAMAGED = "osm/crashes/damaged.osm.pbf"


def test_a_map_of_which_its_reader_dies_is_an_error_of_the_map():
    path = shared(DAMAGED)
    (found,) = check_osm(path)
    assert found.file == path
    assert found.level == "error"
    assert (
        "its reader was ended by SIGSEGV: the file is damaged; save or download it again"
        in found.message
    )
    with pytest.raises(ConfigError, match=r"damaged\.osm\.pbf: error: its reader was ended by"):
        build_world(path)


def test_a_map_of_which_its_reader_dies_is_refused_by_the_manipulator():
    path = shared(DAMAGED)
    with (
        pytest.raises(ManipulatorError, match=r"damaged\.osm\.pbf: its reader was ended"),
        open_as_xml(path),
    ):
        pass


def test_a_street_wider_than_a_turning_head_ends_without_one(tmp_path):
    world = build_map(tmp_path, [([(0.0, 0.0), (120.0, 0.0)], {"highway": "trunk", "width": "60"})])
    assert dict(world.invariants)["missed_lane_rays"] == 0.0


def test_a_way_that_turns_back_upon_itself_in_a_tunnel_makes_a_world(tmp_path):
    ends = (40.0, -35.0), (35.0, -30.0), (0.0, 60.0)
    tunnel = [ends[0], ends[1], ends[0], ends[2]]
    over = [(-80.0, 30.0), (-60.0, 50.0), (60.0, 50.0), ends[0]]
    residential = {"highway": "residential"}
    world = build_map(tmp_path, [(tunnel, {**residential, "tunnel": "yes"}), (over, residential)])
    assert dict(world.invariants)["open_edges"] == 0.0


@pytest.mark.parametrize("number", [RuntimeError("Duplicate\x1b vertex"), ZeroDivisionError()])
def test_what_a_step_cannot_cope_with_is_an_error_of_the_map(tmp_path, monkeypatch, number):
    def fail(inputs):
        raise number

    recipe = Recipe()
    recipe.step("find heights", fail)(INPUTS)
    monkeypatch.setattr(world_pipeline, "IN_PLAN", recipe)
    path = write_map(tmp_path, CROSSING)
    with pytest.raises(ConfigError) as found:
        build_world(path)
    (fault,) = found.value.diagnostics
    assert fault.file == path
    assert f"failed to find heights ({type(number).__name__}: " in fault.message
    assert "\x1b" not in fault.message


@pytest.mark.parametrize("lost", [MemoryError(), WorkerLostError("a process was killed")])
def test_a_step_that_is_lost_names_the_map(tmp_path, monkeypatch, lost):
    def fail(inputs):
        raise lost

    recipe = Recipe()
    recipe.step("find heights", fail)(INPUTS)
    monkeypatch.setattr(world_pipeline, "IN_PLAN", recipe)
    path = write_map(tmp_path, CROSSING)
    with pytest.raises(WorkerLostError, match=f"{path}: error: "):
        build_world(path)


def load(path):
    setup = MapSetup("test", height_data_per_area=10.0, height_division_coefficient=100.0)
    box = (-400.0, -400.0, 400.0, 400.0)
    return load_terrain(path, setup=setup, projection=MapProjection((40.5, 7.5)), box=box)


def test_heights_in_an_unknown_projection_are_an_error_of_the_file():
    pytest.importorskip("rasterio")
    path = shared("osm/crashes/bad_CPLE_NotSupportedError.tif")
    with pytest.raises(
        UnusableFileError, match="not a readable height map: Cannot find coordinate"
    ):
        load(path)


def test_a_height_file_is_not_taken_for_what_names_other_files(tmp_path):
    pytest.importorskip("rasterio")
    path = tmp_path / "heights.tif"
    path.write_text('<VRTDataset rasterXSize="3" rasterYSize="3"></VRTDataset>')
    with pytest.raises(UnusableFileError, match="not recognized as being in a supported"):
        load(path)


def mutated(content, chance):
    """The content with some bytes changed, taken out or repeated."""
    data = bytearray(content)
    for _ in range(chance.choice([1, 2, 5])):
        place, length = chance.randrange(len(data)), chance.choice([1, 4, 40])
        data[place : place + chance.choice([0, length])] = chance.choice(
            [b"", b"\xff", chance.randbytes(1), data[place : place + length]]
        )
    return bytes(data)


def packed(source, target):
    with osmium.SimpleWriter(osmium.io.File(str(target), PACKED)) as writer:
        for item in osmium.FileProcessor(str(source)):
            writer.add(item)


@pytest.mark.parametrize("name", ["map.osm", "map.osm.pbf"])
def test_a_map_with_changed_bytes_has_findings_or_is_read(tmp_path, name):
    path = write_map(tmp_path, CROSSING)
    if name.endswith(".pbf"):
        run_isolated(partial(packed, path, tmp_path / name))
    content, chance = (tmp_path / name).read_bytes(), random.Random(5)
    for _ in range(25):
        (tmp_path / name).write_bytes(mutated(content, chance))
        check_osm(tmp_path / name)


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("name", ["heights.png", "heights.tif"])
def test_heights_with_changed_bytes_are_refused_or_finite(tmp_path, name):
    rasterio = pytest.importorskip("rasterio")
    heights = np.linspace(0.0, 90.0, 1600).reshape(40, 40).astype(np.float32)
    if name.endswith(".png"):
        Image.fromarray(heights.astype(np.uint8)).save(tmp_path / name)
    else:
        form = {"driver": "GTiff", "height": 40, "width": 40, "count": 1, "dtype": "float32"}
        place = rasterio.transform.from_origin(7.49, 40.51, 0.0005, 0.0005)
        with rasterio.open(tmp_path / name, "w", crs="EPSG:4326", transform=place, **form) as file:
            file.write(heights, 1)
    content, chance = (tmp_path / name).read_bytes(), random.Random(6)
    for _ in range(20):
        (tmp_path / name).write_bytes(mutated(content, chance))
        with suppress(UnusableFileError):
            assert np.isfinite(load(tmp_path / name)(np.zeros((1, 2)))).all()
