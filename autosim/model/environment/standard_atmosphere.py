"""The air of the International Standard Atmosphere (ISO 2533), up to 11 km; for kernels."""

from autosim.jit import jitable
from autosim.portable import exp_of, log_of

AIR_DENSITY = 1.2041
"""Density of dry air at 20 °C and 101.325 kPa [kg/m^3]."""

SEA_LEVEL_PRESSURE = 101_325.0
"""Pressure [Pa] at the sea."""

_COOLING = 0.0065 / 288.15
"""Share of the temperature at the sea that is lost per metre upwards."""

_POWER = 9.80665 * 0.0289644 / (8.31446 * 0.0065)
"""Exponent, without unit, by which the pressure falls with the temperature: weight of a mole of air
over the gas constant times the fall of temperature."""

_HIGHEST = 44_000.0
"""Height [m] from which the formula, which ends at 11 km, would find no air."""


@jitable
def pressure_ratio(height: float) -> float:
    """The pressure at `height` [m] as a share of that at the sea."""
    return exp_of(_POWER * log_of(1.0 - _COOLING * min(height, _HIGHEST)))


@jitable
def pressure_ratio_slope(height: float) -> float:
    """By how much that share changes upwards [1/m]: it falls."""
    slope = _POWER * _COOLING / (1.0 - _COOLING * min(height, _HIGHEST))
    return -slope * pressure_ratio(height)
