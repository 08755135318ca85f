"""Position of the sun by date, time and place."""

import math
from datetime import datetime, timedelta

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.config.world_settings import SkyDescription

STANDARD_HEIGHT = 48.0
"""Height of the sun [degrees] where no time of day is given: that of a late morning."""

_STANDARD_AZIMUTH = -60.0
"""Its direction then [degrees], counter-clockwise from east: south-east."""

YEAR = 2025
"""Of all dates: from one year to the next the sun's place differs by less than half a degree."""

_EPOCH = datetime(2000, 1, 1, 12)


def sun_direction(sky: SkyDescription, origin: tuple[float, float]) -> Floats:
    """Unit vector (3,) to the sun in W: without place and time, south-east and 48° high.

    Args:
        sky: with date and time, or the place of the sun.
        origin: latitude and longitude [degrees].
    """
    if sky.hours is None or sky.sun_elevation is not None:
        elevation, azimuth = np.radians(STANDARD_HEIGHT), np.radians(_STANDARD_AZIMUTH)
        if sky.sun_elevation is not None:
            elevation = np.radians(sky.sun_elevation)
            azimuth = np.radians(90.0 - (sky.sun_azimuth or 0.0))
        flat = portable.cos(elevation)
        return np.array(
            [flat * portable.cos(azimuth), flat * portable.sin(azimuth), portable.sin(elevation)]
        )
    latitude, longitude = origin
    offset = longitude / 15.0 if sky.utc_offset is None else sky.utc_offset
    return sun_towards(
        month=sky.month,
        day=sky.day,
        utc_hours=sky.hours - offset,
        latitude=latitude,
        longitude=longitude,
    )


def sun_towards(
    *, month: int, day: int, utc_hours: float, latitude: float, longitude: float
) -> Floats:
    """Unit vector (3,) to the sun in W: east, north, up.

    After the low-precision formulas of the Astronomical Almanac (U.S. Naval Observatory,
    "Computing approximate solar coordinates"), right to 0.01 degrees from 1950 to 2050; without
    refraction.

    Args:
        month: 1 to 12.
        day: of the month; one that the month does not have is counted on into the next.
        utc_hours: [h] UTC; may be below 0 or above 24.
        latitude: [degrees], north positive.
        longitude: [degrees], east positive.
    """
    time = datetime(YEAR, month, 1) + timedelta(days=day - 1, hours=utc_hours)
    days = (time - _EPOCH) / timedelta(days=1)
    ascension, declination = _equatorial(days)
    sidereal = np.radians(280.46061837 + 360.98564736629 * days + longitude)
    hour_angle, phi = sidereal - ascension, np.radians(latitude)
    return np.array(
        [
            -portable.cos(declination) * portable.sin(hour_angle),
            portable.sin(declination) * portable.cos(phi)
            - portable.cos(declination) * portable.cos(hour_angle) * portable.sin(phi),
            portable.sin(declination) * portable.sin(phi)
            + portable.cos(declination) * portable.cos(hour_angle) * portable.cos(phi),
        ]
    )


def _equatorial(days: float) -> tuple[float, float]:
    """Right ascension and declination [rad] of the sun, `days` after the epoch J2000."""
    anomaly = np.radians(357.529 + 0.98560028 * days)
    mean_longitude = 280.459 + 0.98564736 * days
    centre = 1.915 * portable.sin(anomaly) + 0.020 * portable.sin(2 * anomaly)
    longitude = np.radians(mean_longitude + centre)
    obliquity = np.radians(23.439 - 0.00000036 * days)
    east = portable.cos(obliquity) * portable.sin(longitude)
    ascension = portable.arctan2(east, portable.cos(longitude))
    height = portable.sin(obliquity) * portable.sin(longitude)
    return ascension, portable.arctan2(height, math.sqrt(1.0 - height * height))
