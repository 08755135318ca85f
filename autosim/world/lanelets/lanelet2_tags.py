"""The meaning of tags in Lanelet2 files: use, speed limits, painted lines, barriers, areas.

Source: the tagging documents of Lanelet2 1.2 and its traffic rules of Germany.
"""

import re
from collections.abc import Mapping

from autosim.world.geometry.meshes import Surface
from autosim.world.lanelets.lanelet2_elements import Tags
from autosim.world.lanelets.lanelet_records import LaneletUse

_KMH, _MPH = 1.0 / 3.6, 0.44704
"""Metres per second of a kilometre and of a mile per hour."""

_USES: Mapping[str, LaneletUse] = {
    "": LaneletUse.TRAFFIC,
    "road": LaneletUse.TRAFFIC,
    "highway": LaneletUse.TRAFFIC,
    "play_street": LaneletUse.TRAFFIC,
    "exit": LaneletUse.TRAFFIC,
    "bus_lane": LaneletUse.CARRIAGEWAY,
    "emergency_lane": LaneletUse.CARRIAGEWAY,
    "bicycle_lane": LaneletUse.CARRIAGEWAY,
    "road_shoulder": LaneletUse.CARRIAGEWAY,
    "pedestrian_lane": LaneletUse.CARRIAGEWAY,
    "walkway": LaneletUse.WALKWAY,
    "shared_walkway": LaneletUse.WALKWAY,
    "crosswalk": LaneletUse.CROSSWALK,
    "rail": LaneletUse.RAIL,
    "stairs": LaneletUse.STAIRS,
}

_LIMITS = {
    ("urban", "road"): 50.0 * _KMH,
    ("nonurban", "road"): 100.0 * _KMH,
    ("urban", "highway"): 130.0 * _KMH,
    ("nonurban", "highway"): 130.0 * _KMH,
    ("urban", "play_street"): 7.0 * _KMH,
    ("nonurban", "play_street"): 7.0 * _KMH,
    ("nonurban", "bus_lane"): 100.0 * _KMH,
}
"""Speed limits [m/s] by location and subtype; others are `_TOWN`."""

_TOWN = 50.0 * _KMH
"""Speed limit [m/s] in towns."""

_SPEED = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*(km/?h|kmh|kph|mph|m/?s|mps)?\s*$", re.IGNORECASE)
_SIGN = re.compile(r"^(?:de)?274(?:_1)?(?:-(\d+))?$|^(?:us)?r2-1[-_](\d+)$", re.IGNORECASE)

_ZONE = 30.0
"""Speed limit [km/h] of a sign 274 without a number."""

_FASTEST = 100.0
"""Greatest speed limit [m/s]: higher ones are errors."""

PARTS: Mapping[str, tuple[bool, ...]] = {
    "solid": (True,),
    "dashed": (False,),
    "solid_solid": (True, True),
    "solid_dashed": (True, False),
    "dashed_solid": (False, True),
    "dashed_dashed": (False, False),
}
"""Parallel lines of subtypes of painted lines, from left to right: whether each is solid."""

WIDTHS = {"line_thin": 0.12, "line_thick": 0.25, "stop_line": 0.5, "bike_marking": 0.12}
"""Widths [m] of types of painted lines."""

BARRIERS: Mapping[str, tuple[Surface, float, float]] = {
    "wall": (Surface.MASONRY, 2.0, 0.3),
    "fence": (Surface.TIMBER, 1.5, 0.1),
    "guard_rail": (Surface.STEEL, 0.8, 0.3),
    "jersey_barrier": (Surface.CONCRETE, 0.8, 0.5),
}
"""Material, height [m] and width [m] of types of lines that stand in the way."""

AREAS = {
    "parking": Surface.CARRIAGEWAY,
    "freespace": Surface.CARRIAGEWAY,
    "exit": Surface.CARRIAGEWAY,
    "road": Surface.CARRIAGEWAY,
    "walkway": Surface.PAVEMENT,
    "traffic_island": Surface.PAVEMENT,
    "vegetation": Surface.PARK,
    "building": Surface.WALL,
}
"""Surfaces of areas by their subtype."""

BUILDING_HEIGHT = 8.0
"""Height [m] of buildings without a tag for it."""


def use_of(tags: Tags) -> LaneletUse:
    """The use of a lanelet; the tags `participant:*` of traffic go before the subtype."""
    found = _USES.get(tags.get("subtype", ""), LaneletUse.CARRIAGEWAY)
    given = {key: value in _YES for key, value in tags.items() if key.startswith("participant")}
    if not given:
        return found
    drives = any(given.get(key, False) for key in _VEHICLES)
    if drives:
        return LaneletUse.TRAFFIC
    return LaneletUse.CARRIAGEWAY if found == LaneletUse.TRAFFIC else found


_YES = frozenset({"yes", "true", "1"})
_VEHICLES = ("participant", "participant:vehicle", "participant:vehicle:car")


def is_two_way(tags: Tags) -> bool:
    """Whether vehicles may drive in both directions of a lanelet."""
    stated = tags.get("one_way") or tags.get("one_way:vehicle") or tags.get("one_way:vehicle:car")
    return stated is not None and stated not in _YES


def highway_of(tags: Tags, limit: float) -> str:
    """The OSM value of `highway` that is most like a lanelet; `limit` [m/s] is its speed limit."""
    subtype = tags.get("subtype", "")
    if subtype == "highway":
        return "motorway"
    if subtype == "play_street":
        return "living_street"
    if tags.get("location") == "nonurban":
        return "secondary"
    return "residential" if limit <= 31.0 * _KMH else "tertiary"


def limit_of(tags: Tags, signs: list[Tags]) -> float:
    """The speed limit [m/s] of a lanelet; `signs` are the tags of speed limits and their signs."""
    for each in signs:
        for key in ("sign_type", "subtype", "value"):
            if (found := _limit_of_sign(each.get(key, ""))) is not None:
                return found
    for key in ("speed_limit", "speed_limit:vehicle", "speed_limit:vehicle:car"):
        if (found := _speed(tags.get(key, ""))) is not None:
            return found
    return _LIMITS.get((tags.get("location", "urban"), tags.get("subtype") or "road"), _TOWN)


def _limit_of_sign(text: str) -> float | None:
    sign = _SIGN.match(text)
    if sign is None:
        return _speed(text)
    if sign[2] is not None:
        return _bounded(float(sign[2]) * _MPH)
    return _bounded(float(sign[1] or _ZONE) * _KMH)


def _speed(text: str) -> float | None:
    """A speed [m/s] of a text such as `50 km/h`; without a unit it is in km/h."""
    found = _SPEED.match(text)
    if found is None:
        return None
    unit = (found[2] or "").lower()
    factor = _MPH if unit == "mph" else 1.0 if unit in ("m/s", "ms", "mps") else _KMH
    return _bounded(float(found[1]) * factor)


def _bounded(speed: float) -> float | None:
    return speed if 0.0 < speed <= _FASTEST else None
