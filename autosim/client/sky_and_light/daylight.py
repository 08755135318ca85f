"""The light of a day time and a weather: colours of the sun and the sky, haze, wetness.

Light is in squares of the sRGB values, as in `shaders`. What the colours are at each height of the
sun is drawn from photographs, not computed; only the reddening of the sun follows the air mass.
"""

from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats
from autosim.client.materials.palette import HORIZON, ZENITH
from autosim.config.world_settings import SkyDescription
from autosim.model.environment.sun_position import STANDARD_HEIGHT, sun_direction

STANDARD_SUN = np.array([1.28, 1.20, 1.02])
"""Light of the sun at `STANDARD_HEIGHT` in clear air (squares of sRGB, without unit): chosen by
eye, together with the colours of the town."""

STANDARD_SKY = np.array([0.46, 0.54, 0.68])
"""Light of the sky at that height (squares of sRGB, without unit): chosen by eye, bluish
shadows."""

_GROUND_SHARE = np.array([0.26, 0.25, 0.21]) / STANDARD_SKY
"""Share of the sky's light that the ground reflects."""

_OPTICAL_DEPTH = np.array([0.09, 0.16, 0.30])
"""Of clear air overhead, for red, green and blue; on top of what the standard colours hold."""

_HEIGHTS = (-18.0, -9.0, -4.0, 0.0, 6.0, 20.0, STANDARD_HEIGHT)
"""Heights of the sun [degrees] of the rows of the tables below."""

_ZENITHS = np.array(
    [
        (0.020, 0.028, 0.060),
        (0.040, 0.060, 0.140),
        (0.100, 0.160, 0.340),
        (0.190, 0.300, 0.560),
        (0.250, 0.420, 0.700),
        (0.265, 0.460, 0.740),
        ZENITH,
    ]
)
_HORIZONS = np.array(
    [
        (0.060, 0.065, 0.090),
        (0.130, 0.130, 0.200),
        (0.420, 0.370, 0.400),
        (0.780, 0.600, 0.480),
        (0.810, 0.740, 0.660),
        (0.760, 0.810, 0.840),
        HORIZON,
    ]
)
_SKY_LIGHTS = np.array(
    [
        (0.030, 0.036, 0.054),
        (0.040, 0.048, 0.076),
        (0.085, 0.100, 0.150),
        (0.190, 0.215, 0.300),
        (0.310, 0.360, 0.460),
        (0.420, 0.490, 0.620),
        STANDARD_SKY,
    ]
)
"""Light of the sky (squares of sRGB, without unit), a row for each of `_HEIGHTS`."""

_MOON = np.array([0.034, 0.042, 0.062])
"""Light of the full moon (squares of sRGB, without unit): chosen by eye, far brighter than the real
one, so that streets without lamps are still seen."""

_MOON_DIRECTION = np.array([0.40, -0.62, 0.67])
"""Direction of the moon, always: a vector (3,) in W, without unit, to the south-east, 42° high."""

_MOON_BELOW = -4.0
"""Height of the sun [degrees] from which on the moon casts the shadows."""

_CLOUDS_LIT = np.array([0.97, 0.97, 0.98])
"""Colour (sRGB, 0..1) of clouds in full sun: chosen by eye, just short of white."""

_FOG_HEIGHT = 250.0
"""Thickness [m] of the layer of fog that the sky is seen through."""

_LIT_WINDOWS = np.array(
    [
        *((0.0, 0.25), (1.0, 0.14), (3.0, 0.05), (5.0, 0.07), (6.5, 0.30), (9.0, 0.22)),
        *((16.0, 0.26), (18.0, 0.40), (21.0, 0.44), (22.5, 0.36), (24.0, 0.25)),
    ]
)
"""Hours [h] of the day, and the share of windows that are lit then if it is dark: chosen by eye, as
in streets with dwellings."""

_SWITCHING = 0.3
"""Darkness (0..1, without unit) from which on lights that switch themselves are on: at sunset."""

_MURKY = 0.003
"""Extinction coefficient [1/m] of fog from which on they are: through it one sees 1 km."""

_DARK, _BRIGHT = 0.06, 0.5
"""Light on level ground below which it is night for lamps, and above which it is day."""


@dataclass(frozen=True, slots=True)
class Daylight:
    """Light of the world.

    `direction` (3,) points to the sun, or by night to the moon; `sun_light` is its light,
    `sky_light` and `ground_light` come from above and below (all (3,), squares of sRGB).
    `horizon`, `zenith`, `clouds` (3,) are sRGB; `cover` is the share of the sky with clouds.
    `fog` [1/m] is the extinction coefficient, 0 in clear air. `rain`, `snow`, `wetness`,
    `snow_cover`, `darkness` (0 by day, 1 by night) and `lit_windows` (the share of windows behind
    which there is light when it is dark) are in 0..1.
    """

    direction: Floats
    sun_light: Floats
    sky_light: Floats
    ground_light: Floats
    horizon: Floats
    zenith: Floats
    clouds: Floats
    cover: float
    fog: float
    rain: float
    snow: float
    wetness: float
    snow_cover: float
    darkness: float
    lit_windows: float

    @property
    def needs_lights(self) -> bool:
        """Whether lights that switch themselves are on everywhere: at dusk, by night, in fog."""
        return self.darkness > _SWITCHING or self.fog > _MURKY


def make_daylight(sky: SkyDescription, origin: tuple[float, float]) -> Daylight:
    """The light of `sky` at `origin`, latitude and longitude [degrees]."""
    sun = sun_direction(sky, origin)
    height = float(np.degrees(np.arcsin(np.clip(sun[2], -1.0, 1.0))))
    overcast = _smooth(sky.clouds, 0.5, 1.0)
    fog = _extinction(sky.visibility)
    through_fog = float(np.exp(-fog * _FOG_HEIGHT / max(sun[2], 0.1)))
    beam = _sun_light(height) * (1.0 - 0.97 * overcast) * through_fog
    scattered = 0.25 * (_sun_light(height) - beam) * max(float(sun[2]), 0.0)
    sky_light = _grey(_row(_SKY_LIGHTS, height), overcast) * (1.0 - 0.35 * overcast) + scattered
    is_night = height < _MOON_BELOW
    if is_night:
        # The sun's own light has ended by then, and the moon's begins slowly: nothing jumps.
        moonlight = _MOON * _smooth(-height, -_MOON_BELOW, 9.0)
        beam = moonlight * (1.0 - 0.97 * overcast) * through_fog
    greyness = max(0.9 * overcast, 1.0 - through_fog)
    return Daylight(
        direction=_MOON_DIRECTION / np.linalg.norm(_MOON_DIRECTION) if is_night else sun,
        sun_light=beam,
        sky_light=sky_light,
        ground_light=sky_light * _GROUND_SHARE,
        horizon=_grey(_row(_HORIZONS, height), greyness) * (1.0 - 0.12 * overcast),
        zenith=_veiled(height, greyness, overcast),
        clouds=_clouds(height, overcast),
        cover=sky.clouds,
        fog=fog,
        rain=sky.rain,
        snow=sky.snow,
        wetness=sky.wetness,
        snow_cover=sky.snow_cover,
        darkness=1.0 - _smooth(_luminance(beam) * max(sun[2], 0.0) + _luminance(sky_light)),
        lit_windows=float(np.interp((sky.hours or 0.0) % 24.0, *_LIT_WINDOWS.T)),
    )


def _sun_light(height: float) -> Floats:
    """Light of a sun `height` [degrees] high, redder and weaker through more air."""
    excess = air_mass(height) - air_mass(STANDARD_HEIGHT)
    light = STANDARD_SUN * np.exp(-_OPTICAL_DEPTH * max(excess, 0.0))
    return np.asarray(light * _smooth(height, -1.5, 4.0))


def air_mass(height: float) -> float:
    """Air mass: how much more air a ray `height` [degrees] high passes than one from the zenith.

    After Kasten and Young (1989), Revised optical air mass tables and approximation formula.
    """
    height = max(height, 0.0)
    return float(1.0 / (np.sin(np.radians(height)) + 0.50572 * (height + 6.07995) ** -1.6364))


def _extinction(visibility: float) -> float:
    """Extinction coefficient [1/m] at which 5 % is left (Koschmieder); clear beyond 20 km."""
    return float(-np.log(0.05) / visibility) if visibility < 20_000.0 else 0.0


def _veiled(height: float, greyness: float, overcast: float) -> Floats:
    """The zenith, which turns into the horizon's grey behind clouds and fog."""
    zenith, horizon = _row(_ZENITHS, height), _grey(_row(_HORIZONS, height), 1.0)
    return np.asarray((zenith * (1 - greyness) + horizon * greyness) * (1.0 - 0.12 * overcast))


def _clouds(height: float, overcast: float) -> Floats:
    """Colour of the clouds: as bright as what lights them."""
    light = _sun_light(height) + 0.6 * _row(_SKY_LIGHTS, height)
    full = _sun_light(STANDARD_HEIGHT) + 0.6 * _SKY_LIGHTS[-1]
    return np.asarray(_CLOUDS_LIT * np.sqrt(light / full) * (1.0 - 0.25 * overcast))


def _row(table: Floats, height: float) -> Floats:
    return np.array([np.interp(height, _HEIGHTS, column) for column in table.T])


def _grey(colour: Floats, share: float) -> Floats:
    return np.asarray(colour * (1.0 - share) + _luminance(colour) * share)


def _luminance(colour: Floats) -> float:
    return float(colour @ np.array([0.2126, 0.7152, 0.0722]))


def _smooth(value: float, low: float = _DARK, high: float = _BRIGHT) -> float:
    share = float(np.clip((value - low) / (high - low), 0.0, 1.0))
    return share * share * (3.0 - 2.0 * share)
