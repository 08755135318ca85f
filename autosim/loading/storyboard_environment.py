"""Day time, weather and road friction that a storyboard states in its init phase, for its world."""

import math
from dataclasses import replace
from datetime import datetime

from autosim.config.descriptions import WorldDescription
from autosim.config.scenarios import Storyboard
from autosim.config.world_settings import CLEAR, SkyDescription
from autosim.openscenario.reading.scenario_reader import read_scenario
from autosim.openscenario.records.action_records import SetEnvironment
from autosim.openscenario.records.entity_records import Environment

_HEAVY_RAIN, _HEAVY_SNOW = 50.0, 5.0
"""Precipitation [mm/h] of `Rain` and `Snow` of 1; snow in the height of its water."""

_NEAREST = 10.0
"""Least visibility [m] of a world's sky."""

_OKTAS = {
    f"{name}Oktas": min(number, 8) / 8.0
    for number, name in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    )
}
_CLOUDS = {**_OKTAS, "free": 0.0, "cloudy": 0.6, "overcast": 1.0, "rainy": 1.0}
"""Shares of the sky under clouds, by words of the standard's versions 1.0 to 1.3."""


def with_storyboard_environment(
    world: WorldDescription, storyboard: Storyboard
) -> WorldDescription:
    """The world with the environment of a storyboard's init phase; what it leaves open stays."""
    found = _environment_of(storyboard)
    if found is None:
        return world
    sky = _sky(found, world.graphics.sky)
    physics = world.physics
    if found.friction is not None:
        # The factor is for the road as it is: dry grip times the factor.
        physics = replace(physics, friction=found.friction, wetness=0.0, snow_cover=0.0)
    elif found.rain is not None:
        physics = replace(physics, wetness=sky.wetness, snow_cover=sky.snow_cover)
    return replace(world, graphics=replace(world.graphics, sky=sky), physics=physics)


def _environment_of(storyboard: Storyboard) -> Environment | None:
    """The last environment of the init phase; None without one."""
    record, _ = read_scenario(storyboard.file, dict(storyboard.values))
    if record is None:
        return None
    contents = [each.content for each in record.init]
    stated = [each.environment for each in contents if isinstance(each, SetEnvironment)]
    return stated[-1] if stated else None


def _sky(found: Environment, sky: SkyDescription) -> SkyDescription:
    """The sky with what an environment states."""
    if found.time is not None:
        sky = _at_time(sky, found.time)
    if found.sun is not None:
        elevation, azimuth, _ = found.sun
        height = min(max(math.degrees(elevation), -90.0), 90.0)
        sky = replace(sky, sun_elevation=height, sun_azimuth=math.degrees(azimuth) % 360.0)
    if found.fog is not None:
        sky = replace(sky, visibility=min(max(found.fog, _NEAREST), CLEAR))
    if found.clouds in _CLOUDS:
        sky = replace(sky, clouds=_CLOUDS[found.clouds])
    if found.rain is None:
        return sky
    is_snow = found.precipitation == "snow"
    heavy = _HEAVY_SNOW if is_snow else _HEAVY_RAIN
    share = 0.0 if found.precipitation == "dry" else min(max(found.rain / heavy, 0.0), 1.0)
    rain, snow = (0.0, share) if is_snow else (share, 0.0)
    return replace(sky, rain=rain, wetness=rain, snow=snow, snow_cover=snow)


def _at_time(sky: SkyDescription, text: str) -> SkyDescription:
    """The sky at a date and time of ISO 8601; as before for another text."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return sky
    offset = when.utcoffset()
    return replace(
        sky,
        hours=when.hour + when.minute / 60.0 + when.second / 3600.0,
        month=when.month,
        day=when.day,
        utc_offset=None if offset is None else offset.total_seconds() / 3600.0,
    )
