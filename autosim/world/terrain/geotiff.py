"""Reads GeoTIFF height data by rasterio, which is an optional extra."""

import math
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Protocol

import numpy as np
from PIL import Image, UnidentifiedImageError

from autosim.arrays import Floats
from autosim.world.osm.osm_sniff import error
from autosim.world.terrain.height_grid import MOST_SAMPLES, Extent, Grid, GridFrame

_GEOGRAPHIC = "EPSG:4326"
_GEO_TAGS = (33550, 34264)
"""Numbers of the TIFF tags ModelPixelScale and ModelTransformation (OGC GeoTIFF 1.1, section
7.1.2): a file with one of them has a place on Earth."""

_TURNS = (0.0, 360.0, -360.0)
"""Degrees of longitude by which a file is moved to where a frame across the 180th meridian is."""

Bounds = tuple[float, float, float, float]
"""West, south, east, north [deg]."""


def is_geotiff(path: Path) -> bool:
    """Whether a file is a TIFF with a place on Earth, by its tags of scale or matrix."""
    if path.suffix.lower() not in (".tif", ".tiff"):
        return False
    try:
        with Image.open(path) as image:
            tags = getattr(image, "tag_v2", {})
            return any(tag in tags for tag in _GEO_TAGS)
    except UnidentifiedImageError:
        # Only rasterio knows this kind of TIFF, or it is none, which rasterio reports.
        return True


def read_geotiff(files: Sequence[Path], frame: GridFrame, source: Path) -> Grid:
    """Reads the heights of a frame from files in any projection.

    Args:
        files: all files.
        frame: the extents to read.
        source: the file or folder that the user gave, for messages.

    Raises:
        UnusableFileError: rasterio is not installed, or the files do not cover the frame.
        Exception: any that the libraries raise for a damaged file.
    """
    return _read(_rasterio(source), files, frame, source)


def _rasterio(source: Path) -> ModuleType:
    try:
        import rasterio
        import rasterio.warp
    except ImportError as fault:
        message = "GeoTIFF needs the optional package rasterio: pip install 'autosim[terrain]'"
        raise error(source, message) from fault
    module: ModuleType = rasterio
    return module


def _read(rasterio: ModuleType, files: Sequence[Path], frame: GridFrame, source: Path) -> Grid:
    near: list[tuple[Path, Bounds, float]] = []
    step = math.inf
    for path in files:
        with _opened(rasterio, path) as dataset:
            if dataset.crs is None:
                raise error(path, "the GeoTIFF does not say in which projection it is")
            own = rasterio.warp.transform_bounds(dataset.crs, _GEOGRAPHIC, *dataset.bounds)
            for turn in _TURNS:
                bounds = _turned(own, turn)
                if _touches(bounds, frame.wanted):
                    near.append((path, bounds, turn))
                    step = min(step, (bounds[3] - bounds[1]) / dataset.height)
    grid = _empty_grid(frame.wanted, step if near else 1.0, source)
    for path, _, turn in near:
        with _opened(rasterio, path) as dataset:
            _add(rasterio, dataset, grid, turn)
    _check_cover([bounds for _, bounds, _ in near], frame.needed, source)
    return grid


def _turned(bounds: Bounds, turn: float) -> Bounds:
    """Bounds moved by some degrees of longitude; those across the 180th meridian end beyond it."""
    west, south, east, north = bounds
    return (west + turn, south, east + turn + (360.0 if east < west else 0.0), north)


class _Dataset(Protocol):
    """The used part of rasterio's data sets."""

    crs: object
    bounds: Bounds
    height: int
    nodata: float | None

    def __enter__(self) -> "_Dataset": ...

    def __exit__(self, *exception: object) -> None: ...


def _opened(rasterio: ModuleType, path: Path) -> _Dataset:
    # Without a driver GDAL guesses a format by the content, and some formats name other files.
    dataset: _Dataset = rasterio.open(path, driver="GTiff")
    return dataset


def _touches(bounds: Bounds, frame: Extent) -> bool:
    west, south, east, north = bounds
    return west < frame.east and east > frame.west and south < frame.north and north > frame.south


def _empty_grid(frame: Extent, step: float, source: Path) -> Grid:
    rows = math.ceil((frame.north - frame.south) / step) + 1
    columns = math.ceil((frame.east - frame.west) / step) + 1
    if rows * columns > MOST_SAMPLES:
        raise error(source, f"more than {MOST_SAMPLES} samples of height")
    return Grid(np.full((rows, columns), np.nan), frame.north, frame.west, (step, step))


def _add(rasterio: ModuleType, dataset: _Dataset, grid: Grid, turn: float) -> None:
    """Fills the unknown cells of a grid from a file, whose longitudes are moved by `turn` [deg]."""
    step = grid.step[0]
    part: Floats = np.full(grid.heights.shape, np.nan)
    # rasterio's cells have their samples in the middle, the grid has them at the corners.
    transform = rasterio.Affine(
        step, 0.0, grid.west - turn - step / 2.0, 0.0, -step, grid.north + step / 2.0
    )
    rasterio.warp.reproject(
        source=rasterio.band(dataset, 1),
        destination=part,
        src_nodata=dataset.nodata,
        dst_transform=transform,
        dst_crs=_GEOGRAPHIC,
        dst_nodata=np.nan,
        resampling=rasterio.warp.Resampling.bilinear,
    )
    unknown = np.isnan(grid.heights)
    grid.heights[unknown] = part[unknown]


def _check_cover(bounds: Sequence[Bounds], needed: Extent, source: Path) -> None:
    """Raises if a corner or the middle of the needed extent lies in none of the files."""
    middle = ((needed.south + needed.north) / 2.0, (needed.west + needed.east) / 2.0)
    corners = [
        (lat, lon) for lat in (needed.south, needed.north) for lon in (needed.west, needed.east)
    ]
    for latitude, longitude in [*corners, middle]:
        if not any(b[0] <= longitude <= b[2] and b[1] <= latitude <= b[3] for b in bounds):
            raise error(source, f"there is no height data for {latitude:.4f} {longitude:.4f}")
