"""Reads the values of OSM tags, which mappers write in many ways.

A function returns None for a value that it cannot read: the caller has a default, and no value is
guessed from half of a text.
"""

import re
from collections.abc import Mapping

from autosim.config.reading.attribute_values import whole_of

FOOT = 0.3048  # [m], exact: the international foot
INCH = 0.0254  # [m], exact: a twelfth of a foot
KMH = 1.0 / 3.6  # [m/s] in a kilometre per hour
_MPH = 1609.344 / 3600.0  # [m/s] in a mile per hour
_KNOT = 1852.0 / 3600.0  # [m/s] in a knot, a nautical mile per hour

_NUMBER = re.compile(r"^\s*([+-]?\d{1,15}(?:[.,]\d+)?)\s*(.*?)\s*$")
_FEET = re.compile(
    r"^\s*(\d{1,15}(?:\.\d+)?)\s*(?:'|ft|feet)\s*(?:(\d{1,15}(?:\.\d+)?)\s*(?:\"|in|''))?\s*$"
)
_METRES_PER_UNIT = {"": 1.0, "m": 1.0, "metres": 1.0, "meters": 1.0, "cm": 0.01, "km": 1000.0}
_SPEED_UNITS = {"": KMH, "km/h": KMH, "kmh": KMH, "kph": KMH, "mph": _MPH, "knots": _KNOT}
_NAMED_SPEEDS = {"walk": 7.0 * KMH, "none": 130.0 * KMH}

Tags = Mapping[str, str]


def first_value(text: str) -> str:
    """The first of several values: "2;3" gives "2"."""
    return text.split(";", 1)[0].strip()


def parse_length(text: str | None) -> float | None:
    """A length [m] from "7.5", "3,5 m", "12 ft", feet and inches; None if it is none of these."""
    if text is None:
        return None
    value = first_value(text)
    feet = _FEET.match(value)
    if feet:
        return float(feet[1]) * FOOT + float(feet[2] or 0.0) * INCH
    return _scaled(value, _METRES_PER_UNIT)


def parse_speed(text: str | None) -> float | None:
    """A speed [m/s] from "50", "30 mph", "walk", "none"; None if it is none of these."""
    if text is None:
        return None
    value = first_value(text).lower()
    if value in _NAMED_SPEEDS:
        return _NAMED_SPEEDS[value]
    return _scaled(value, _SPEED_UNITS)


def parse_count(text: str | None) -> int | None:
    """A whole number from "2", "2;3" (the first), "2.0"; None otherwise."""
    value = parse_number(text)
    return None if value is None or value < 0.0 else int(value)


def parse_number(text: str | None) -> float | None:
    """A plain number, with "." or "," before the fraction; None otherwise."""
    return None if text is None else _scaled(first_value(text), {"": 1.0})


def is_yes(text: str | None) -> bool:
    """Whether a yes/no tag means yes: any value but "no", "0" and "false" (`bridge=viaduct`)."""
    return text is not None and text not in ("no", "0", "false")


def _scaled(value: str, units: Mapping[str, float]) -> float | None:
    match = _NUMBER.match(value)
    if match is None or match[2].lower() not in units:
        return None
    return float(match[1].replace(",", ".")) * units[match[2].lower()]


def layer_of(tags: Tags) -> int:
    """Layer of a way: 0 is the ground.

    Only bridges and tunnels leave the ground: `layer` alone is an order of drawing. A passage
    through a building is on the ground.
    """
    layer = parse_layer(tags)
    if is_yes(tags.get("bridge")):
        return max(1, layer)
    if is_yes(tags.get("tunnel")) and tags["tunnel"] != "building_passage":
        return min(-1, layer)
    return min(0, layer) if is_yes(tags.get("covered")) else 0


def parse_layer(tags: Tags) -> int:
    """The first value of `layer`, 0 if there is none."""
    text = tags.get("layer", "0").split(";")[0].strip()
    return whole_of(text) or 0
