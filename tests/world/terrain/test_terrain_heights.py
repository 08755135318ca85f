"""Heights out of pictures, SRTM tiles and GeoTIFF."""

import sys
import zipfile

import numpy as np
import pytest
from PIL import Image

from autosim.config.descriptions import MapSetup
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.osm.osm_sniff import UnusableFileError
from autosim.world.terrain.srtm import tile_name
from autosim.world.terrain.terrain_heights import load_terrain
from tests.conftest import shared

SIDE = 1201
BOX = (-400.0, -400.0, 400.0, 400.0)
SETUP = MapSetup("test", height_data_per_area=10.0, height_division_coefficient=100.0)


def plane(latitude, longitude):
    """A tile whose height is 1000 m a degree to the north and 2000 m a degree to the east."""
    north = latitude + 1.0 - np.arange(SIDE)[:, None] / (SIDE - 1)
    east = longitude + np.arange(SIDE)[None, :] / (SIDE - 1)
    return np.round(1000.0 * (north - 40.0) + 2000.0 * (east - 7.0)).astype(">i2")


def write_tile(folder, latitude, longitude, heights=None):
    path = folder / f"{tile_name((latitude, longitude))}.hgt"
    tile = plane(latitude, longitude) if heights is None else heights
    path.write_bytes(tile.tobytes())
    return path


def load(source, origin=(40.5, 7.5), setup=SETUP):
    return load_terrain(source, setup=setup, projection=MapProjection(origin), box=BOX)


def expected(origin, points):
    places = MapProjection(origin).to_geographic(points)
    return 1000.0 * (places[:, 0] - 40.0) + 2000.0 * (places[:, 1] - 7.0)


POINTS = np.array([[0.0, 0.0], [333.0, -120.0], [-399.0, 399.0]])


def test_a_tile_gives_its_heights(tmp_path):
    terrain = load(write_tile(tmp_path, 40, 7))
    assert terrain(POINTS) == pytest.approx(expected((40.5, 7.5), POINTS), abs=0.6)


def test_a_zipped_tile_is_the_same(tmp_path):
    path = write_tile(tmp_path, 40, 7)
    with zipfile.ZipFile(tmp_path / "N40E007.hgt.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(path, path.name)
    plain, zipped = load(path), load(tmp_path / "N40E007.hgt.zip")
    assert (plain(POINTS) == zipped(POINTS)).all()


def test_neighbouring_tiles_are_stitched_without_a_cliff(tmp_path):
    for corner in ((40, 7), (41, 7), (40, 8), (41, 8)):
        write_tile(tmp_path, *corner)
    origin = (41.0, 8.0)
    terrain = load(tmp_path, origin)
    assert terrain(POINTS) == pytest.approx(expected(origin, POINTS), abs=0.6)
    across = np.column_stack([np.arange(-300.0, 300.0), np.arange(-300.0, 300.0)])
    assert np.abs(np.diff(terrain(across))).max() < 0.2


@pytest.mark.parametrize("origin", [(-16.5, 179.9995), (-16.5, -179.9995), (-16.5, 180.0)])
def test_tiles_on_both_sides_of_the_180th_meridian_are_stitched(tmp_path, origin):
    north = np.arange(SIDE)[::-1, None] / (SIDE - 1)
    east = np.arange(SIDE)[None, :] / (SIDE - 1)
    for longitude, shift in ((179, -1.0), (-180, 0.0)):
        heights = np.round(1000.0 * north + 5000.0 * (east + shift)).astype(">i2")
        write_tile(tmp_path, -17, longitude, heights)
    terrain = load(tmp_path, origin)
    latitudes, longitudes = MapProjection(origin).to_geographic(POINTS).T
    eastwards = (longitudes + 180.0 + 90.0) % 360.0 - 90.0
    assert terrain(POINTS) == pytest.approx(1000.0 * (latitudes + 17.0) + 5000.0 * eastwards, abs=1)
    with pytest.raises(UnusableFileError, match=r"are missing: .*S17W180"):
        load(tmp_path / "S17E179.hgt", origin)


def test_a_geotiff_on_the_other_side_of_the_180th_meridian_gives_its_heights(tmp_path):
    rasterio = pytest.importorskip("rasterio")
    step, size = 0.001, 100
    for name, west in (("east", 179.9), ("west", -180.0)):
        eastwards = west % 360.0 - 180.0 + step * (np.arange(size) + 0.5)
        heights = np.broadcast_to(5000.0 * eastwards, (size, size)).astype(np.float32)
        transform = rasterio.Affine(step, 0.0, west, 0.0, -step, -16.45)
        with rasterio.open(
            tmp_path / f"{name}.tif",
            "w",
            driver="GTiff",
            width=size,
            height=size,
            count=1,
            dtype="float32",
            crs="EPSG:4326",
            transform=transform,
        ) as dataset:
            dataset.write(heights, 1)
    origin = (-16.5, 179.9995)
    terrain = load(tmp_path, origin)
    _, longitudes = MapProjection(origin).to_geographic(POINTS).T
    assert terrain(POINTS) == pytest.approx(5000.0 * (longitudes % 360.0 - 180.0), abs=2.6)


def test_a_missing_tile_is_named(tmp_path):
    path = write_tile(tmp_path, 40, 7)
    with pytest.raises(UnusableFileError, match=r"missing: N41E007.*; give a folder"):
        load(path, (41.0, 7.5))
    write_tile(tmp_path, 41, 7)
    with pytest.raises(UnusableFileError, match="N40E008, N41E008"):
        load(tmp_path, (41.0, 8.0))


def test_voids_are_filled_smoothly(tmp_path):
    heights = np.full((SIDE, SIDE), 100, dtype=">i2")
    heights[580:620, 580:620] = -32768
    heights[:, :600] = np.where(heights[:, :600] == 100, 120, heights[:, :600])
    terrain = load(write_tile(tmp_path, 40, 7, heights))
    line = np.column_stack([np.arange(-390.0, 390.0, 5.0), np.zeros(156)])
    z = terrain(line)
    assert ((z > 95.0) & (z < 125.0)).all()
    assert np.abs(np.diff(z)).max() < 1.5


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("N40E007.hgt", b"short", "5 bytes are not a height tile"),
        ("hill.hgt", b"", "named by its south-west corner"),
        ("N40E007.hgt.zip", b"no archive", "not a readable archive"),
    ],
)
def test_a_damaged_tile_is_refused_with_a_reason(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UnusableFileError, match=message):
        load(tmp_path / name)


def test_a_folder_without_heights_is_refused(tmp_path):
    (tmp_path / "readme.txt").write_text("none")
    with pytest.raises(UnusableFileError, match="holds no height data"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("kind", "white", "suffix"),
    [
        (np.uint8, 255, ".png"),
        (np.uint16, 65535, ".png"),
        (np.uint16, 65535, ".tif"),
        (np.uint16, 65535, ".pgm"),
        (np.float32, 255, ".tif"),
    ],
)
def test_pictures_of_8_and_16_bits_and_of_floats_give_the_same_heights(
    tmp_path, kind, white, suffix
):
    scale = white // 255
    rows = (np.arange(101)[:, None] * np.ones((1, 101)) * scale).astype(kind)
    picture = tmp_path / f"heightmap{suffix}"
    Image.fromarray(rows).save(picture)
    terrain = load(picture)
    # 10 m a sample, 100 units a metre, the first row in the north.
    north, middle = terrain(np.array([[0.0, 300.0], [0.0, 0.0]]))
    assert (north, middle) == pytest.approx((20 / 100, 50 / 100), abs=1e-6)


def test_a_picture_of_32_bits_is_refused_with_what_to_do(tmp_path):
    Image.fromarray(np.arange(10_201, dtype=np.int32).reshape(101, 101)).save(tmp_path / "h.tif")
    with pytest.raises(UnusableFileError, match="8 or 16 bits without sign; save it as such"):
        load(tmp_path / "h.tif")


def test_monaco_rises_from_the_sea():
    source = shared("osm/dem/N43E007.hgt.zip")
    terrain = load(source, (43.7384, 7.4246))
    x, y = np.meshgrid(np.linspace(-400, 400, 41), np.linspace(-400, 400, 41))
    z = terrain(np.column_stack([x.ravel(), y.ravel()]))
    assert -15.0 < z.min() < 10.0
    assert 90.0 < z.max() < 400.0


def test_the_two_tiles_of_bayreuth_meet():
    folder = shared("osm/dem/N49E011.hgt.zip").parent
    terrain = load(folder, (50.0, 11.55))
    line = np.column_stack([np.zeros(801), np.arange(-400.0, 401.0)])
    z = terrain(line)
    assert np.abs(np.diff(z)).max() < 1.0
    assert ((z > 300.0) & (z < 600.0)).all()


def test_a_geotiff_gives_its_heights():
    pytest.importorskip("rasterio")
    source = shared("osm/dem/osmnx_elevation1.tif")
    import rasterio

    with rasterio.open(source) as dataset:
        west, south, east, north = dataset.bounds
        heights = dataset.read(1)
    origin = ((south + north) / 2.0, (west + east) / 2.0)
    box = (-100.0, -100.0, 100.0, 100.0)
    terrain = load_terrain(source, setup=SETUP, projection=MapProjection(origin), box=box)
    z = terrain(np.array([[0.0, 0.0], [90.0, 90.0]]))
    assert heights.min() - 1.0 <= z.min() <= z.max() <= heights.max() + 1.0
    middle = heights[heights.shape[0] // 2 - 1 : heights.shape[0] // 2 + 1].astype(float)
    assert abs(z[0] - middle[:, heights.shape[1] // 2].mean()) < 6.0
    with pytest.raises(UnusableFileError, match="there is no height data for"):
        load(source, (origin[0] + 0.5, origin[1]))


def test_without_rasterio_the_message_says_what_to_install(monkeypatch):
    source = shared("osm/dem/osmnx_elevation1.tif")
    monkeypatch.setitem(sys.modules, "rasterio", None)
    with pytest.raises(UnusableFileError, match=r"autosim\[terrain\]"):
        load(source)
