"""Day time and weather as a person chooses them, in place of what the world file says."""

from dataclasses import dataclass, replace

from autosim.config.world_settings import SkyDescription

WEATHERS = {
    "clear": SkyDescription(clouds=0.1),
    "cloudy": SkyDescription(clouds=0.5),
    "overcast": SkyDescription(clouds=1.0, visibility=15_000.0),
    "fog": SkyDescription(clouds=0.8, visibility=120.0, wetness=0.2),
    "rain": SkyDescription(clouds=1.0, visibility=2500.0, rain=0.7, wetness=0.9),
    "snow": SkyDescription(clouds=1.0, visibility=1200.0, snow=0.7, wetness=0.4, snow_cover=1.0),
}
"""The weathers to choose from, by name; their day time does not count."""

NOON = 12.0
"""[h] Time of day to count from in a world that gives none."""


@dataclass(frozen=True, slots=True)
class SkyChoice:
    """The user's choice: the time of day [h] and a weather; None: the world's own."""

    hours: float | None = None
    """Time of day [h]."""
    weather: str | None = None

    def of(self, sky: SkyDescription) -> SkyDescription:
        """The world's sky with what was chosen in place of its own."""
        weather = sky if self.weather is None else WEATHERS[self.weather]
        is_own = self.hours is None
        return replace(
            weather,
            sun_elevation=sky.sun_elevation if is_own else None,
            sun_azimuth=sky.sun_azimuth if is_own else None,
            hours=sky.hours if self.hours is None else self.hours,
            utc_offset=sky.utc_offset,
            month=sky.month,
            day=sky.day,
        )

    def later(self, hours: float, sky: SkyDescription) -> "SkyChoice":
        """The choice moved on by `hours`, through midnight if need be."""
        now = self.of(sky).hours
        return replace(self, hours=((NOON if now is None else now) + hours) % 24.0)

    def with_next_weather(self) -> "SkyChoice":
        """The next weather of the list, after the last the world's own."""
        names = (None, *WEATHERS)
        return replace(self, weather=names[(names.index(self.weather) + 1) % len(names)])
