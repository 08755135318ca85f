"""From latitude and longitude to metres and back: local transverse Mercator about the origin.

A plain scaling of degrees is 0.1 m wrong at 1 km and 12 m at 14 km; transverse Mercator with
scale 1 at the origin is right to a millimetre over a city.

The projection is Krüger's series in the third flattening n of the ellipsoid, as C. F. F. Karney
gives it ("Transverse Mercator with an accuracy of a few nanometers", Journal of Geodesy 85, 2011):
a sphere is projected conformally, and a series of sines turns it into the ellipsoid. Up to the
fourth order, its error is 0.1 µm. A library of projections would take longer to import than a
town's map to read.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.jit import jitable
from autosim.portable import Number

_EQUATOR, _FLATTENING = 6_378_137.0, 1.0 / 298.257223563
"""Semi-major axis [m] and flattening (a ratio) of the ellipsoid of WGS 84 (NIMA TR8350.2)."""

_ECCENTRICITY = math.sqrt(_FLATTENING * (2.0 - _FLATTENING))
"""First eccentricity of the ellipsoid, a ratio."""

_N = _FLATTENING / (2.0 - _FLATTENING)
"""Third flattening n of the ellipsoid, a ratio; its powers follow."""

_N2, _N3, _N4 = _N * _N, _N * _N * _N, _N * _N * _N * _N

_RADIUS = _EQUATOR / (1.0 + _N) * (1.0 + _N2 / 4.0 + _N4 / 64.0)
"""Radius [m] of the circle with a meridian's circumference."""

_TO_ELLIPSOID = (
    _N / 2.0 - 2.0 * _N2 / 3.0 + 5.0 * _N3 / 16.0 + 41.0 * _N4 / 180.0,
    13.0 * _N2 / 48.0 - 3.0 * _N3 / 5.0 + 557.0 * _N4 / 1440.0,
    61.0 * _N3 / 240.0 - 103.0 * _N4 / 140.0,
    49561.0 * _N4 / 161280.0,
)
"""Coefficients of the series from sphere to ellipsoid, the first term first."""

_TO_SPHERE = (
    -_N / 2.0 + 2.0 * _N2 / 3.0 - 37.0 * _N3 / 96.0 + _N4 / 360.0,
    -_N2 / 48.0 - _N3 / 15.0 + 437.0 * _N4 / 1440.0,
    -17.0 * _N3 / 480.0 + 37.0 * _N4 / 840.0,
    -4397.0 * _N4 / 161280.0,
)
"""Coefficients of the series from ellipsoid to sphere, the first term first."""

_ROUNDS = 3
"""Number of Newton steps to a latitude: its error is squared in each, from 1e-3 to 1e-16."""

_FARTHEST = 2.5
"""Largest easting [Earth radii] that is projected. It is that of 80 degrees of longitude on the
equator, far beyond any map."""


def near_meridian(places: Floats, meridian: float) -> Floats:
    """Latitudes and longitudes (n, 2) [deg] with longitudes within 180 degrees of a meridian [deg].

    So longitudes on both sides of the 180th meridian can be compared and averaged. Those that are
    near are returned unchanged.
    """
    offsets = places[:, 1] - meridian
    turns = np.where(offsets > 180.0, -360.0, np.where(offsets < -180.0, 360.0, 0.0))
    return np.column_stack([places[:, 0], places[:, 1] + turns])


def wrapped_longitude(longitude: float) -> float:
    """A longitude [deg] from -180 to 180; one that is there is returned unchanged."""
    if -180.0 <= longitude <= 180.0:
        return longitude
    return (longitude + 180.0) % 360.0 - 180.0


@dataclass(frozen=True)
class MapProjection:
    """The projection between WGS 84 and W.

    `origin`: latitude and longitude [deg] of W's origin.
    """

    origin: tuple[float, float]

    @cached_property
    def north(self) -> float:
        """Northing [m] of W's origin from the equator."""
        return float(_projected(np.radians(np.array([self.origin[0]])), np.zeros(1))[0][0])

    def to_local(self, places: Floats) -> Floats:
        """Points (n, 2) in W [m], x east, y north, of (n, 2) latitudes and longitudes [deg].

        Places on the other side of the Earth are infinite: they have no projection.
        """
        latitudes, longitudes = np.radians(places - (0.0, self.origin[1])).T
        north, east = _projected(latitudes, longitudes)
        return np.column_stack([east, north - self.north])

    def to_geographic(self, points: Floats) -> Floats:
        """Latitudes and longitudes (n, 2) [deg] of points (n, 2) in W [m]."""
        north, east = (points[:, 1] + self.north) / _RADIUS, points[:, 0] / _RADIUS
        more_north, more_east = _sines(_TO_SPHERE, north, portable.exp(2.0 * east))
        grown = portable.exp(east + more_east)
        return np.column_stack(_geographic(north + more_north, grown, self.origin[1]))


@jitable
def geographic(x: float, y: float, north: float, longitude: float) -> tuple[float, float]:
    """Latitude and longitude [deg] of a point in W [m], in kernels.

    `north` and `longitude` are the projection's `north` [m] and that of its origin [deg].
    """
    up, east = (y + north) / _RADIUS, x / _RADIUS
    more_north, more_east = _sines(_TO_SPHERE, up, portable.exp_of(2.0 * east))
    return _geographic(up + more_north, portable.exp_of(east + more_east), longitude)


@jitable
def _geographic(north: Number, grown: Number, longitude: float) -> tuple[Number, Number]:
    """Latitudes and longitudes [deg] of places on the sphere.

    `north` [rad] are their northings; `grown` the powers of e by their eastings.
    """
    sine, cosine = portable.sin_cos(north)
    aside, _ = _hyperbolic(grown)
    slope = _slope_of(sine / portable.hypot(aside, cosine))
    longitudes = longitude + np.degrees(portable.arctan2(aside, cosine))
    return np.degrees(portable.arctan(slope)), (longitudes + 180.0) % 360.0 - 180.0


def _projected(latitudes: Floats, longitudes: Floats) -> tuple[Floats, Floats]:
    """Northing from the equator and easting (n,) [m]; longitudes [rad] are from the meridian."""
    conformal, (aside, ahead) = _conformal(portable.tan(latitudes)), portable.sin_cos(longitudes)
    slope = aside / portable.hypot(conformal, ahead)
    # The logarithm of the length, not of its difference from 1: exact to 2e-16 Earth radii.
    east = np.copysign(portable.log(np.abs(slope) + portable.hypot(1.0, slope)), slope)
    north = portable.arctan2(conformal, ahead)
    more_north, more_east = _sines(_TO_ELLIPSOID, north, portable.exp(2.0 * east))
    is_near = np.abs(east) < _FARTHEST
    return (
        np.where(is_near, _RADIUS * (north + more_north), np.inf),
        np.where(is_near, _RADIUS * (east + more_east), np.inf),
    )


@jitable
def _conformal(slope: Number) -> Number:
    """Tangents of latitudes on the conformal sphere, from those on the ellipsoid."""
    secant = portable.hypot(1.0, slope)
    sine = _ECCENTRICITY * slope / secant
    # Series of artanh and sinh: for numbers up to 0.082 their error is below 1e-17.
    square = sine * sine
    tail = 1 / 7 + square * (1 / 9 + square * (1 / 11 + square * (1 / 13 + square / 15)))
    turned = _ECCENTRICITY * sine * (1.0 + square * (1 / 3 + square * (1 / 5 + square * tail)))
    square = turned * turned
    sigma = turned * (1.0 + square / 6 * (1.0 + square / 20 * (1.0 + square / 42)))
    return slope * portable.hypot(1.0, sigma) - sigma * secant


@jitable
def _hyperbolic(grown: Number) -> tuple[Number, Number]:
    """Hyperbolic sines and cosines of numbers, from the powers of e by them.

    The sines are right to 2e-16 where they are small.
    """
    shrunk = 1.0 / grown
    return (grown - shrunk) / 2.0, (grown + shrunk) / 2.0


@jitable
def _slope_of(conformal: Number) -> Number:
    """The inverse of `_conformal`, by Newton's method."""
    squeezed = 1.0 - _ECCENTRICITY * _ECCENTRICITY
    slope = conformal / squeezed
    for _ in range(_ROUNDS):
        known = _conformal(slope)
        rise = (1.0 + squeezed * slope * slope) / (squeezed * portable.hypot(1.0, slope))
        slope = slope + (conformal - known) / portable.hypot(1.0, known) * rise
    return slope


@jitable
def _sines(
    coefficients: tuple[float, float, float, float], north: Number, grown: Number
) -> tuple[Number, Number]:
    """Real and imaginary parts of the sum of c_j sin(2 j (north + i east)), j from 1.

    By Clenshaw's recurrence, and without complex numbers: NumPy rounds their product once on one
    processor and twice on another. `grown` are the powers of e by 2 east.
    """
    (sine, cosine), (sinh, cosh) = portable.sin_cos(2.0 * north), _hyperbolic(grown)
    double, double_i = 2.0 * cosine * cosh, -2.0 * sine * sinh
    last, last_i, total, total_i = 0.0 * north, 0.0 * north, 0.0 * north, 0.0 * north
    for j in range(len(coefficients)):
        coefficient = coefficients[len(coefficients) - 1 - j]
        next_ = coefficient + (double * total - double_i * total_i) - last
        next_i = (double * total_i + double_i * total) - last_i
        last, last_i, total, total_i = total, total_i, next_, next_i
    first, first_i = sine * cosh, cosine * sinh
    return first * total - first_i * total_i, first * total_i + first_i * total
