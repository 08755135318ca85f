"""Where the sun stands, by date, time and place."""

from datetime import datetime, timedelta

import numpy as np

from autosim.arrays import Floats

YEAR = 2025
"""Of all dates: from one year to the next the sun's place differs by less than half a degree."""

_EPOCH = datetime(2000, 1, 1, 12)


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
            -np.cos(declination) * np.sin(hour_angle),
            np.sin(declination) * np.cos(phi)
            - np.cos(declination) * np.cos(hour_angle) * np.sin(phi),
            np.sin(declination) * np.sin(phi)
            + np.cos(declination) * np.cos(hour_angle) * np.cos(phi),
        ]
    )


def _equatorial(days: float) -> tuple[float, float]:
    """Right ascension and declination [rad] of the sun, `days` after the epoch J2000."""
    anomaly = np.radians(357.529 + 0.98560028 * days)
    mean_longitude = 280.459 + 0.98564736 * days
    longitude = np.radians(mean_longitude + 1.915 * np.sin(anomaly) + 0.020 * np.sin(2 * anomaly))
    obliquity = np.radians(23.439 - 0.00000036 * days)
    ascension = np.arctan2(np.cos(obliquity) * np.sin(longitude), np.cos(longitude))
    return float(ascension), float(np.arcsin(np.sin(obliquity) * np.sin(longitude)))
