"""Guesses the side of the road on which a place drives, for world files that do not name it.

OpenStreetMap does not have it. The boxes are coarse on purpose: each guess is reported, and a world
file that names the side needs none.
"""

from autosim.config.descriptions import DrivingSide

_LEFT_HAND_BOXES: tuple[tuple[str, float, float, float, float], ...] = (
    ("Great Britain and Ireland", 49.85, -11.0, 61.0, 1.8),
    ("Malta", 35.7, 14.1, 36.2, 14.7),
    ("Cyprus", 34.5, 32.2, 35.8, 34.7),
    ("Japan", 30.0, 128.5, 45.7, 146.0),
    ("Okinawa", 24.0, 122.9, 30.0, 132.0),
    ("Hong Kong and Macau", 22.1, 113.5, 22.58, 114.5),
    ("India and Sri Lanka", 5.8, 68.0, 26.0, 92.0),
    ("Pakistan", 24.5, 62.0, 34.0, 75.0),
    ("North India and Nepal", 26.0, 74.0, 31.5, 88.2),
    ("Thailand", 5.6, 97.5, 17.5, 102.2),
    ("Malaysia, Singapore, Indonesia", -11.0, 95.0, 5.6, 141.0),
    ("Australia", -44.0, 112.5, -10.0, 154.0),
    ("New Zealand", -47.5, 166.0, -34.0, 179.0),
    ("Southern Africa", -35.0, 14.0, -8.5, 36.0),
    ("Mozambique to Kenya", -12.0, 29.5, 4.5, 42.0),
    ("Jamaica", 17.6, -78.5, 18.6, -76.1),
    ("Bahamas", 20.9, -79.4, 27.3, -72.7),
    ("Leeward and Windward Islands", 10.0, -63.0, 18.8, -59.3),
    ("Guyana and Suriname", 1.2, -61.4, 8.6, -54.0),
)


def guess_driving_side(latitude: float, longitude: float) -> tuple[DrivingSide, str]:
    """The side and the reason for it, for a place [deg]."""
    for name, south, west, north, east in _LEFT_HAND_BOXES:
        if south <= latitude <= north and west <= longitude <= east:
            return "left", name
    return "right", "no left-hand country is known there"
