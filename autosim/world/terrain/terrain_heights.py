"""The bare ground from height data: a grey picture, SRTM tiles, or GeoTIFF.

A picture lies about W's origin, as large as the map set-up says. SRTM and GeoTIFF files have a
place on Earth. A folder may hold many of them; only those that the world needs are read. The
libraries that read them can fail in any way on a damaged file, so they run in their own process.
"""

from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.ndimage import map_coordinates, spline_filter

from autosim.arrays import Floats
from autosim.config.descriptions import MapSetup
from autosim.config.diagnostics import printable
from autosim.isolated_reader import IsolatedReaderError, run_isolated
from autosim.world.geometry.extent import Box
from autosim.world.geometry.height_function import HeightFunction
from autosim.world.geometry.map_projection import MapProjection, near_meridian
from autosim.world.osm.osm_sniff import UnusableFileError, error
from autosim.world.terrain.geotiff import is_geotiff, read_geotiff
from autosim.world.terrain.height_grid import MOST_SAMPLES, Extent, Grid, GridFrame
from autosim.world.terrain.srtm import is_srtm, read_srtm

_MARGIN = 500.0
"""Width [m] of the terrain that is read around the ground, as far as there are data: cubic
interpolation needs samples beyond the edge, and those of the coarsest files are 90 m apart."""

_MAX_HEIGHT = 20_000.0
"""Largest height [m], above and below the sea: twice the highest mountain."""

_LEVELS_OF_16_BITS = 257.0
"""Samples of 16 bits for one of 8 bits: white is 65535 instead of 255."""

_SHOWN = 200
"""Number of characters of a library's message that are shown: two lines of a terminal."""


def load_terrain(
    source: Path, *, setup: MapSetup, projection: MapProjection, box: Box
) -> HeightFunction:
    """The height function of the bare ground; cubic between the samples.

    Args:
        source: a grey picture of 8 or 16 bits, `.hgt`, `.hgt.zip`, GeoTIFF, or a folder of the
            latter three.
        setup: `height_data_per_area` and `height_division_coefficient` of a picture.
        projection: W's place on Earth.
        box: of the ground in W [m], which the data must cover.

    Raises:
        UnusableFileError: the data cannot be read, or do not cover the box; the message names the
            part that is missing.
    """
    try:
        found = run_isolated(partial(_read, source, _frame(projection, box)))
    except UnusableFileError:
        raise
    except Exception as fault:
        reason = str(fault) if isinstance(fault, IsolatedReaderError) else _reason(fault)
        raise error(source, reason) from fault
    if isinstance(found, Grid):
        _check_heights(found.heights, source)
        return _geographic(found, projection)
    samples = found / setup.height_division_coefficient
    _check_heights(samples, source)
    return _picture(samples, setup)


def _read(source: Path, frame: GridFrame) -> Grid | Floats:
    """A grid of heights, or the samples (rows, columns) of a picture."""
    if source.is_dir() or is_srtm(source) or is_geotiff(source):
        return _read_grid(source, frame)
    return _load_samples(source)


def _reason(fault: Exception) -> str:
    if isinstance(fault, MemoryError):
        return "there is not enough memory to read this height map"
    said = fault.strerror if isinstance(fault, OSError) else None
    said = said or str(fault) or type(fault).__name__
    return f"not a readable height map: {printable(said, _SHOWN)}"


def _check_heights(heights: Floats, source: Path) -> None:
    """Rejects numbers that are not heights; unknown heights, NaN, are filled later."""
    known = heights[~np.isnan(heights)]
    if len(known) and not np.abs(known).max() <= _MAX_HEIGHT:
        raise error(source, f"its heights are from {known.min():g} m to {known.max():g} m")


def _frame(projection: MapProjection, box: Box) -> GridFrame:
    x_min, y_min, x_max, y_max = box
    m = _MARGIN
    rim = np.array([[x, y] for x in (x_min - m, x_max + m) for y in (y_min - m, y_max + m)])
    places = projection.to_geographic(rim)
    needed = projection.to_geographic(
        np.array([[x, y] for x in (x_min, x_max) for y in (y_min, y_max)])
    )
    meridian = projection.origin[1]
    return GridFrame(_extent(places, meridian), _extent(needed, meridian))


def _extent(places: Floats, meridian: float) -> Extent:
    """The box about places (n, 2) [deg]; beyond 180 degrees where it crosses that meridian."""
    places = near_meridian(places, meridian)
    (south, west), (north, east) = places.min(axis=0).tolist(), places.max(axis=0).tolist()
    return Extent(south, west, north, east)


def _read_grid(source: Path, frame: GridFrame) -> Grid:
    files = sorted(source.iterdir()) if source.is_dir() else [source]
    tiles = [path for path in files if is_srtm(path)]
    if tiles:
        return read_srtm(tiles, frame, source)
    pictures = [path for path in files if is_geotiff(path)]
    if not pictures:
        raise error(source, "the folder holds no height data (.hgt, .hgt.zip or GeoTIFF)")
    return read_geotiff(pictures, frame, source)


def _geographic(grid: Grid, projection: MapProjection) -> HeightFunction:
    coefficients = spline_filter(grid.filled(), order=3, mode="nearest")

    def terrain(points: Floats) -> Floats:
        places = near_meridian(projection.to_geographic(points), projection.origin[1])
        place = grid.place_of(places)
        heights = map_coordinates(coefficients, place, order=3, mode="nearest", prefilter=False)
        return np.asarray(heights, dtype=np.float64)

    return terrain


def _picture(samples: Floats, setup: MapSetup) -> HeightFunction:
    """The terrain of a picture whose middle is W's origin and whose top is north."""
    coefficients = spline_filter(samples, order=3, mode="nearest")
    spacing = setup.height_data_per_area
    rows, columns = samples.shape

    def terrain(points: Floats) -> Floats:
        row = (rows - 1) / 2.0 - points[:, 1] / spacing
        column = (columns - 1) / 2.0 + points[:, 0] / spacing
        place = np.vstack([row, column])
        heights = map_coordinates(coefficients, place, order=3, mode="nearest", prefilter=False)
        return np.asarray(heights, dtype=np.float64)

    return terrain


def _load_samples(picture: Path) -> Floats:
    """The samples (rows, columns) of a picture; black is 0 and white 255 for 8 and for 16 bits."""
    with Image.open(picture) as image:
        if image.width * image.height > MOST_SAMPLES:
            raise error(picture, f"a height map has at most {MOST_SAMPLES} samples")
        if image.mode == "F":
            return np.asarray(image, dtype=np.float64)
        if not image.mode.startswith("I"):
            return np.asarray(image.convert("L"), dtype=np.float64)
        # Pillow has 16 bits of PNG and PGM in `I` or `I;16`; `I` of a TIFF may be anything.
        if image.format == "TIFF" and not image.mode.startswith("I;16"):
            raise error(
                picture,
                "a grey picture of whole numbers has 8 or 16 bits without sign; save it as such, "
                "as floating-point numbers, or as a GeoTIFF",
            )
        return np.asarray(image, dtype=np.float64) / _LEVELS_OF_16_BITS
