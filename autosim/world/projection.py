"""From latitude and longitude to metres and back: local transverse Mercator about the origin.

A plain scaling of degrees is 0.1 m wrong at 1 km and 12 m at 14 km; transverse Mercator with
scale 1 at the origin is right to a millimetre over a city.

The projection is Krüger's series in the third flattening n of the ellipsoid, as C. F. F. Karney
gives it ("Transverse Mercator with an accuracy of a few nanometers", Journal of Geodesy 85, 2011):
a sphere is projected conformally, and a series of sines turns it into the ellipsoid. What the
fourth order leaves out is 0.1 µm. A library of projections takes longer to import than a town's map
to read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Complex = npt.NDArray[np.complex128]

_EQUATOR, _FLATTENING = 6_378_137.0, 1.0 / 298.257223563
_ECCENTRICITY = (_FLATTENING * (2.0 - _FLATTENING)) ** 0.5
_N = _FLATTENING / (2.0 - _FLATTENING)
_RADIUS = _EQUATOR / (1.0 + _N) * (1.0 + _N**2 / 4.0 + _N**4 / 64.0)
_TO_ELLIPSOID = (
    _N / 2.0 - 2.0 * _N**2 / 3.0 + 5.0 * _N**3 / 16.0 + 41.0 * _N**4 / 180.0,
    13.0 * _N**2 / 48.0 - 3.0 * _N**3 / 5.0 + 557.0 * _N**4 / 1440.0,
    61.0 * _N**3 / 240.0 - 103.0 * _N**4 / 140.0,
    49561.0 * _N**4 / 161280.0,
)
_TO_SPHERE = (
    -_N / 2.0 + 2.0 * _N**2 / 3.0 - 37.0 * _N**3 / 96.0 + _N**4 / 360.0,
    -(_N**2) / 48.0 - _N**3 / 15.0 + 437.0 * _N**4 / 1440.0,
    -17.0 * _N**3 / 480.0 + 37.0 * _N**4 / 840.0,
    -4397.0 * _N**4 / 161280.0,
)
_ROUNDS = 3
_FARTHEST = 2.5


@dataclass(frozen=True)
class Projection:
    """The map between WGS 84 and W; `origin` is (latitude, longitude) [deg] of W's origin."""

    origin: tuple[float, float]

    @cached_property
    def _north(self) -> float:
        """How far [m] W's origin is from the equator."""
        return float(_projected(np.radians(np.array([self.origin[0]])), np.zeros(1))[0].real)

    def to_local(self, places: Floats) -> Floats:
        """Points (n, 2) in W [m], x east, y north, of (n, 2) latitudes and longitudes [deg].

        Infinite on the other side of the Earth, of which the projection knows nothing.
        """
        latitudes, longitudes = np.radians(places - (0.0, self.origin[1])).T
        found = _projected(latitudes, longitudes)
        return np.column_stack([found.imag, found.real - self._north])

    def to_geographic(self, points: Floats) -> Floats:
        """Latitudes and longitudes (n, 2) [deg] of points (n, 2) in W [m]."""
        at = np.asarray(points[:, ::-1] @ (1.0, 1j) + self._north, dtype=np.complex128) / _RADIUS
        sphere = at + _sines(_TO_SPHERE, at)
        east = np.sinh(sphere.imag)
        conformal = np.sin(sphere.real) / np.hypot(east, np.cos(sphere.real))
        longitudes = self.origin[1] + np.degrees(np.arctan2(east, np.cos(sphere.real)))
        latitudes = np.degrees(np.arctan(_slope_of(conformal)))
        return np.column_stack([latitudes, (longitudes + 180.0) % 360.0 - 180.0])


def _projected(latitudes: Floats, longitudes: Floats) -> Complex:
    """Northing from the equator + i easting (n,) [m]; longitudes [rad] are from the meridian."""
    conformal, ahead = _conformal(np.tan(latitudes)), np.cos(longitudes)
    east = np.arcsinh(np.sin(longitudes) / np.hypot(conformal, ahead))
    sphere = np.arctan2(conformal, ahead) + 1j * east
    found = _RADIUS * (sphere + _sines(_TO_ELLIPSOID, sphere))
    return np.where(np.abs(east) < _FARTHEST, found, complex(np.inf, np.inf))


def _conformal(slope: Floats) -> Floats:
    """Tangents of latitudes on the conformal sphere, of those on the ellipsoid."""
    secant = np.hypot(1.0, slope)
    sigma = np.sinh(_ECCENTRICITY * np.arctanh(_ECCENTRICITY * slope / secant))
    return np.asarray(slope * np.hypot(1.0, sigma) - sigma * secant)


def _slope_of(conformal: Floats) -> Floats:
    """The inverse of `_conformal`, by Newton's method."""
    squeezed = 1.0 - _ECCENTRICITY**2
    slope = conformal / squeezed
    for _ in range(_ROUNDS):
        known = _conformal(slope)
        rise = (1.0 + squeezed * slope**2) / (squeezed * np.hypot(1.0, slope))
        slope = slope + (conformal - known) / np.hypot(1.0, known) * rise
    return np.asarray(slope)


def _sines(coefficients: Sequence[float], at: Complex) -> Complex:
    """The sum of c_j sin(2 j z), j from 1, by Clenshaw's recurrence."""
    turned = np.exp(2j * at)
    turned_back = 1.0 / turned
    double = turned + turned_back
    last, total = np.zeros_like(at), np.zeros_like(at)
    for coefficient in reversed(coefficients):
        last, total = total, coefficient + double * total - last
    return np.asarray((turned - turned_back) / 2j * total)
