"""The place on Earth of an OpenDRIVE file's coordinates, by its geoReference (a PROJ string)."""

import re

import numpy as np

from autosim.world.geometry.map_projection import MapProjection
from autosim.world.opendrive.xodr_records import XodrFile

_PARAMETER = re.compile(r"\+([a-zA-Z_0-9]+)(?:=([^\s+]+))?")

_UTM_EASTING = 500_000.0
"""False easting [m] of UTM."""

_UTM_SOUTH = 10_000_000.0
"""False northing [m] of UTM south of the equator."""


def origin_of(content: XodrFile, shift: tuple[float, float, float]) -> tuple[float, float]:
    """Latitude and longitude [deg] of the origin of W; of a file that states none, 0 and 0.

    `shift` [m] was added to the file's coordinates. Transverse Mercator projections and UTM are
    known; the small turn of the grid against north away from the meridian is not taken out.
    """
    text = dict(_PARAMETER.findall(content.projection))
    east, north = -shift[0] + content.offset[0], -shift[1] + content.offset[1]
    kind = text.get("proj", "")
    if kind == "utm":
        zone = _number(text.get("zone"), 31.0)
        meridian, latitude, scale = 6.0 * zone - 183.0, 0.0, 0.9996
        east -= _UTM_EASTING
        north -= _UTM_SOUTH if "south" in text else 0.0
    elif kind in ("tmerc", "etmerc"):
        latitude, meridian = _number(text.get("lat_0"), 0.0), _number(text.get("lon_0"), 0.0)
        scale = _number(text.get("k") or text.get("k_0"), 1.0) or 1.0
        east -= _number(text.get("x_0"), 0.0)
        north -= _number(text.get("y_0"), 0.0)
    else:
        return (0.0, 0.0)
    if not east and not north:
        return (latitude, meridian)
    place = np.array([[east / scale, north / scale]])
    found = MapProjection((latitude, meridian)).to_geographic(place)[0].tolist()
    return (round(found[0], 9), round(found[1], 9))


def _number(text: str | None, default: float) -> float:
    try:
        return float(text) if text else default
    except ValueError:
        return default
