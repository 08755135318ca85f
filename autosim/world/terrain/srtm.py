"""Reads SRTM tiles: `.hgt`, plain or zipped, one degree each, named by their south-west corner.

A tile is a square of big-endian 16-bit metres, 1201 or 3601 samples a side, the first row in the
north; its border samples are those of its neighbours. -32768 marks a void.
Source: NASA, SRTM Topography (SRTM_Topo.pdf), sections 3.1 and 3.2.
"""

import math
import re
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from autosim.arrays import Floats
from autosim.world.osm.osm_sniff import error
from autosim.world.terrain.height_grid import Extent, Grid, GridFrame

_NAME = re.compile(r"^([NS])(\d{2})([EW])(\d{3})(?:\.SRTMGL[13])?\.hgt(?:\.zip)?$", re.IGNORECASE)
_SIDES = (1201, 3601)
"""Number of samples on a side of a tile: of 3 and of 1 seconds of arc."""

_VOID = -32768
"""The height [m] that marks a sample without one."""

_MARGIN = 100
"""Number of samples around the wanted extent: voids at its edge are filled from them."""

Corner = tuple[int, int]
"""Latitude and longitude [deg] of a tile's south-west corner."""


def is_srtm(path: Path) -> bool:
    """Whether a file is a tile by its name."""
    return path.name.lower().endswith((".hgt", ".hgt.zip"))


def read_srtm(tiles: Sequence[Path], frame: GridFrame, source: Path) -> Grid:
    """Reads the heights of a frame from the tiles that it touches.

    Args:
        tiles: all tiles.
        frame: the extents to read.
        source: the file or folder that the user gave, for messages.

    Raises:
        UnusableFileError: a tile is damaged, misnamed or missing; the message names it.
    """
    there = {_corner(path): path for path in tiles}
    needed = _corners(frame.needed)
    missing = [tile_name(_on_earth(corner)) for corner in needed if _on_earth(corner) not in there]
    if missing:
        message = f"these height tiles of the world are missing: {', '.join(missing)}"
        hint = "" if source.is_dir() else "; give a folder with all of them as HeightMap"
        raise error(source, message + hint)
    used = [corner for corner in _corners(frame.wanted) if _on_earth(corner) in there]
    tiles_read = {corner: _read_tile(there[_on_earth(corner)]) for corner in used}
    return _stitched(tiles_read, frame, source)


def _on_earth(corner: Corner) -> Corner:
    """A corner with a longitude from -180 to 179; one of a frame may lie beyond 180 degrees."""
    latitude, longitude = corner
    return latitude, (longitude + 180) % 360 - 180


def tile_name(corner: Corner) -> str:
    """The name of the tile with a south-west corner (latitude, longitude) [deg]."""
    latitude, longitude = corner
    north, east = "N" if latitude >= 0 else "S", "E" if longitude >= 0 else "W"
    return f"{north}{abs(latitude):02d}{east}{abs(longitude):03d}"


def _corner(path: Path) -> Corner:
    match = _NAME.match(path.name)
    if match is None:
        raise error(path, "a height tile is named by its south-west corner, like N43E007.hgt")
    latitude = int(match[2]) * (1 if match[1].upper() == "N" else -1)
    longitude = int(match[4]) * (1 if match[3].upper() == "E" else -1)
    return latitude, longitude


def _corners(extent: Extent) -> list[Corner]:
    return [
        (latitude, longitude)
        for latitude in range(math.floor(extent.south), math.floor(extent.north) + 1)
        for longitude in range(math.floor(extent.west), math.floor(extent.east) + 1)
    ]


def _read_tile(path: Path) -> Floats:
    content = _unpacked(path) if path.name.lower().endswith(".zip") else path.read_bytes()
    side = math.isqrt(len(content) // 2)
    if side not in _SIDES or len(content) != 2 * side * side:
        raise error(
            path, f"{len(content)} bytes are not a height tile of 1201 or 3601 samples per side"
        )
    heights = np.frombuffer(content, dtype=">i2").reshape(side, side).astype(np.float64)
    heights[heights == _VOID] = np.nan
    return heights


def _unpacked(path: Path) -> bytes:
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.lower().endswith(".hgt")]
            if len(names) != 1:
                raise error(path, "expected one .hgt file in the archive")
            if archive.getinfo(names[0]).file_size > 2 * _SIDES[-1] ** 2:
                raise error(path, "the file in the archive is too large for a height tile")
            return archive.read(names[0])
    except (zipfile.BadZipFile, zlib.error, EOFError) as fault:
        raise error(path, f"not a readable archive: {fault}") from fault


def _stitched(tiles: dict[Corner, Floats], frame: GridFrame, source: Path) -> Grid:
    """One grid of all tiles, cut to the frame."""
    sides = {len(tile) for tile in tiles.values()}
    if len(sides) > 1:
        raise error(source, "the height tiles have different resolutions")
    steps = sides.pop() - 1
    souths, wests = {corner[0] for corner in tiles}, {corner[1] for corner in tiles}
    north, west = max(souths) + 1, min(wests)
    rows, columns = north - min(souths), max(wests) + 1 - west
    whole = np.full((rows * steps + 1, columns * steps + 1), np.nan)
    for (latitude, longitude), tile in tiles.items():
        row, column = (north - 1 - latitude) * steps, (longitude - west) * steps
        part = whole[row : row + steps + 1, column : column + steps + 1]
        # On a border that two tiles share, a void of one is filled from the other.
        part[...] = np.where(np.isnan(tile), part, tile)
    return _cut(Grid(whole, float(north), float(west), (1.0 / steps, 1.0 / steps)), frame)


def _cut(grid: Grid, frame: GridFrame) -> Grid:
    wanted = frame.wanted
    corners = np.array([[wanted.north, wanted.west], [wanted.south, wanted.east]])
    (top, bottom), (left, right) = grid.place_of(corners).tolist()
    rows, columns = grid.heights.shape
    m = _MARGIN
    first, last = max(math.floor(top) - m, 0), min(math.ceil(bottom) + m + 1, rows)
    begin, end = max(math.floor(left) - m, 0), min(math.ceil(right) + m + 1, columns)
    return Grid(
        grid.heights[first:last, begin:end].copy(),
        grid.north - first * grid.step[0],
        grid.west + begin * grid.step[1],
        grid.step,
    )
