"""Places the nodes of a Lanelet2 file in W: by latitude and longitude, or by local x and y."""

from pathlib import Path

import numpy as np

from autosim.arrays import Booleans, Floats
from autosim.config.diagnostics import Diagnostics
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.lanelets.lanelet2_elements import Lanelet2Elements

_FAR = 10_000.0
"""Distance [m] of a map with local coordinates from their origin from which on it is moved to it:
coordinates in a grid of the country have too many digits for single precision."""


def placed_nodes(
    path: Path,
    elements: Lanelet2Elements,
    origin: tuple[float, float] | None,
    found: Diagnostics,
) -> tuple[Floats, tuple[float, float]]:
    """Places (n, 3) of the nodes [m], and the latitude and longitude [deg] of W's origin.

    Args:
        path: the file, for messages.
        elements: its content.
        origin: latitude and longitude [deg] of W's origin; None: the middle of the map. Maps with
            local coordinates keep theirs.
        found: receives an error where only some nodes have local coordinates.
    """
    local, places = elements.local, elements.places
    is_local: Booleans = np.asarray(~np.isnan(local).any(axis=1))
    is_placed: Booleans = np.asarray(~np.isnan(places).any(axis=1))
    if is_local.any() and not is_local.all():
        count = int((~is_local).sum())
        if not is_placed.all():
            message = f"{count} nodes have no local_x and local_y, and others have no lat and lon"
            found.error(path, 0, message)
            return np.zeros((len(local), 3)), (0.0, 0.0)
        message = f"{count} nodes have no local_x and local_y; lat and lon are used instead"
        found.warning(path, 0, message)
        is_local[:] = False
    if is_local.all() and len(local):
        points = _near_origin(local)
        return np.column_stack([points, elements.heights]), _origin_of(points, places, is_placed)
    if not len(places):
        return np.zeros((0, 3)), (0.0, 0.0)
    middle = origin or _middle(places)
    points = MapProjection(middle).to_local(places)
    if not np.isfinite(points).all():
        found.error(path, 0, "its nodes are too far from one another for a map")
        points = np.zeros_like(points)
    return np.column_stack([points, elements.heights]), middle


def _middle(places: Floats) -> tuple[float, float]:
    low, high = places.min(axis=0), places.max(axis=0)
    latitude, longitude = ((low + high) / 2.0).tolist()
    return round(latitude, 7), round(longitude, 7)


def _near_origin(local: Floats) -> Floats:
    """The points, moved by whole metres to the origin where they are far from it."""
    if float(np.abs(local).max()) <= _FAR:
        return local
    return np.asarray(local - np.round((local.min(axis=0) + local.max(axis=0)) / 2.0))


def _origin_of(points: Floats, places: Floats, is_placed: Booleans) -> tuple[float, float]:
    """Latitude and longitude [deg] of the origin of local coordinates; 0 and 0: unknown."""
    if not is_placed.any() or not np.abs(places[is_placed]).max() > 0.0:
        return 0.0, 0.0
    middle = places[is_placed].mean(axis=0)
    offset = -points[is_placed].mean(axis=0)
    found = MapProjection((float(middle[0]), float(middle[1]))).to_geographic(offset[None])[0]
    return round(float(found[0]), 9), round(float(found[1]), 9)
