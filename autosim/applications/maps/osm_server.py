"""Asks OpenStreetMap's servers for a map: the editing API for data, Nominatim for places.

Both are run by volunteers for mappers, not for bulk downloads: one request at a time, with a name
that says who asks, and never again by itself when it fails. Policies: the OSM Foundation's "API
usage policy" and "Nominatim usage policy".
"""

import json
import math
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import Request, urlopen

from autosim.errors import UserError
from autosim.version import __version__

MAP_SERVER = "https://api.openstreetmap.org"
PLACE_SERVER = "https://nominatim.openstreetmap.org"
LARGEST_AREA = 0.25
"""Square degrees that the API gives at once; it also stops at 50 000 nodes."""

_USER_AGENT = f"AutoSim/{__version__} (driving simulator; autosim world fetch)"
_TIMEOUT = 180.0
"""Longest time [s] that the server may be silent: the API may work on a large box for minutes
before it answers."""

_LARGEST_ANSWER = 400 * 2**20
"""Number of bytes that are taken: far beyond what the API gives of its largest box."""

_METRES_PER_DEGREE = 111_195.0
"""Length [m] of a degree of latitude on a sphere with the Earth's mean radius, 6371.0 km."""

_ELSEWHERE = "larger maps come as extracts from providers of OpenStreetMap data"


@dataclass(frozen=True, slots=True)
class BoundingBox:
    """West, south, east, north [deg], WGS 84."""

    west: float
    """Longitude [deg], WGS 84."""
    south: float
    east: float
    north: float

    def __str__(self) -> str:
        edges = (self.west, self.south, self.east, self.north)
        return ",".join(f"{edge:.7f}".rstrip("0").rstrip(".") for edge in edges)

    @property
    def area(self) -> float:
        """Square degrees."""
        return (self.east - self.west) * (self.north - self.south)

    def require_fit(self) -> None:
        """Makes sure that the API would answer for this box.

        Raises:
            UserError: it is turned inside out, leaves the Earth, or is too large.
        """
        if -180.0 <= self.west < 180.0 < self.east or self.west < -180.0 < self.east <= 180.0:
            raise UserError(
                f"box {self} crosses the 180th meridian, which OpenStreetMap's server does not "
                f"take; {_ELSEWHERE}"
            )
        if not (-180.0 <= self.west < self.east <= 180.0):
            raise UserError(f"box {self}: expected west < east, between -180 and 180")
        if not (-90.0 <= self.south < self.north <= 90.0):
            raise UserError(f"box {self}: expected south < north, between -90 and 90")
        if self.area > LARGEST_AREA:
            raise UserError(
                f"box {self} has {self.area:.2f} square degrees, more than the {LARGEST_AREA} "
                f"that OpenStreetMap gives at once; {_ELSEWHERE}"
            )


@dataclass(frozen=True, slots=True)
class GeocodedPlace:
    """A place that was found by name: its full name, and its middle [deg]."""

    name: str
    latitude: float
    """Latitude of its middle [deg], WGS 84."""
    longitude: float
    """Longitude of its middle [deg], WGS 84."""


def box_about(place: GeocodedPlace, size: float) -> BoundingBox:
    """A square of `size` [m] about the middle of a place."""
    half = size / 2.0 / _METRES_PER_DEGREE
    across = half / max(math.cos(math.radians(place.latitude)), 0.01)
    latitude, longitude = place.latitude, place.longitude
    return BoundingBox(longitude - across, latitude - half, longitude + across, latitude + half)


def geocode(name: str, *, server: str = PLACE_SERVER) -> GeocodedPlace:
    """The place that a name means most likely.

    Raises:
        UserError: there is none, or the server cannot be asked.
    """
    query = urlencode({"q": name, "format": "jsonv2", "limit": 1})
    answer = _ask(f"{server.rstrip('/')}/search?{query}", server)
    try:
        found = json.loads(answer)
        if found == []:
            raise UserError(f"OpenStreetMap knows no place called '{name}'")
        return _place(found[0])
    except (ValueError, KeyError, TypeError, IndexError) as fault:
        raise UserError(f"{server} gave no answer about places: {fault!r}") from fault


def _place(record: dict[str, Any]) -> GeocodedPlace:
    return GeocodedPlace(str(record["display_name"]), float(record["lat"]), float(record["lon"]))


def download_map(box: BoundingBox, *, server: str = MAP_SERVER) -> bytes:
    """The map of a box as OSM XML, as the server sends it.

    Raises:
        UserError: the box does not fit, or the server cannot be asked or refuses.
    """
    box.require_fit()
    return _ask(f"{server.rstrip('/')}/api/0.6/map?bbox={quote(str(box), safe=',')}", server)


def _ask(url: str, server: str) -> bytes:
    if urlsplit(url).scheme not in ("http", "https"):
        raise UserError(f"expected the address of a server (https://…), not '{server}'")
    request = Request(url, headers={"User-Agent": _USER_AGENT, "Accept-Language": "en"})
    try:
        with urlopen(request, timeout=_TIMEOUT) as answer:
            content: bytes = answer.read(_LARGEST_ANSWER + 1)
    except HTTPError as fault:
        with fault:
            raise UserError(f"{server} refuses: {_refusal(fault)}") from fault
    except (URLError, HTTPException, OSError, ValueError) as fault:
        raise UserError(
            f"{server} cannot be reached ({getattr(fault, 'reason', fault) or fault}): is there a "
            "network? A map that is on the disk already needs none"
        ) from fault
    if len(content) > _LARGEST_ANSWER:
        raise UserError(f"{server} sent more than {_LARGEST_ANSWER} bytes")
    return content


def _refusal(fault: HTTPError) -> str:
    """Explanation of a status, with the server's own words."""
    words = fault.read(300).decode("utf-8", "replace").strip().splitlines()
    own = f" ({words[0][:200]})" if words and not words[0].startswith("<") else ""
    meanings = {
        400: f"the box holds too much; choose a smaller one, or {_ELSEWHERE}",
        429: "too many requests; wait a while",
        509: "you have downloaded too much; wait a while",
    }
    return f"{meanings.get(fault.code, f'status {fault.code}, {fault.reason}')}{own}"
