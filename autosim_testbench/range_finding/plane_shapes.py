"""Shapes in the plane, and the distance to them from the origin in a direction.

A ray from the origin at an angle θ is x = r cos θ, y = r sin θ with r ≥ 0. Put into a shape's
equation, that is a r² + b r + c = 0; of its roots, the smallest counts that lies ahead and within
the shape's bounds.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

_ROUNDING = 1e-9
"""[m] by which a point may lie outside of bounds that it was computed to lie on."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The rectangle [m] that a shape is cut off at.

    Attributes:
        x_min: lower end along x [m].
        x_max: upper end along x [m].
        y_min: lower end along y [m].
        y_max: upper end along y [m].
    """

    x_min: float = -math.inf
    x_max: float = math.inf
    y_min: float = -math.inf
    y_max: float = math.inf

    def hold(self, x: float, y: float) -> bool:
        """Whether a point lies inside; the rim counts."""
        return (
            self.x_min - _ROUNDING <= x <= self.x_max + _ROUNDING
            and self.y_min - _ROUNDING <= y <= self.y_max + _ROUNDING
        )


class Shape(Protocol):
    """A curve of at most second order, with bounds."""

    bounds: Bounds

    def along(self, cosine: float, sine: float) -> tuple[float, float, float]:
        """a, b and c of a r² + b r + c = 0 for the ray in this direction."""


@dataclass(frozen=True, slots=True)
class Line:
    """a x + b y + c = 0."""

    a: float
    b: float
    c: float
    bounds: Bounds = Bounds()
    """Rectangle that contains its drawn part."""

    def along(self, cosine: float, sine: float) -> tuple[float, float, float]:
        """(a cos θ + b sin θ) r + c = 0."""
        return 0.0, self.a * cosine + self.b * sine, self.c


@dataclass(frozen=True, slots=True)
class Quadratic:
    """s x² + t x + u y + v = 0: a parabola whose axis is parallel to y."""

    s: float
    t: float
    u: float
    v: float
    bounds: Bounds = Bounds()
    """Rectangle that contains its drawn part."""

    def along(self, cosine: float, sine: float) -> tuple[float, float, float]:
        """S cos² θ r² + (t cos θ + u sin θ) r + v = 0."""
        return self.s * cosine * cosine, self.t * cosine + self.u * sine, self.v


@dataclass(frozen=True, slots=True)
class Ellipse:
    """((x − h)/a)² + ((y − k)/b)² = 1, with half axes a and b [m] and its centre at (h, k) [m]."""

    a: float
    b: float
    h: float
    k: float
    bounds: Bounds = Bounds()
    """Rectangle that contains its drawn part."""

    def along(self, cosine: float, sine: float) -> tuple[float, float, float]:
        """With p = cos θ / a, q = sin θ / b: (p² + q²) r² − 2 (p h/a + q k/b) r + … = 0."""
        p, q, x, y = cosine / self.a, sine / self.b, self.h / self.a, self.k / self.b
        return p * p + q * q, -2.0 * (p * x + q * y), x * x + y * y - 1.0


def distance(shapes: Iterable[Shape], angle: float) -> float:
    """Distance [m] from the origin to the nearest shape at `angle` [rad]; infinity if none."""
    cosine, sine = math.cos(angle), math.sin(angle)
    return min((_distance(each, cosine, sine) for each in shapes), default=math.inf)


def _distance(shape: Shape, cosine: float, sine: float) -> float:
    ahead = (r for r in _roots(*shape.along(cosine, sine)) if r >= 0.0)
    return min((r for r in ahead if shape.bounds.hold(r * cosine, r * sine)), default=math.inf)


def _roots(a: float, b: float, c: float) -> tuple[float, ...]:
    """The real roots of a r² + b r + c = 0, without the cancellation of the schoolbook's form."""
    if abs(a) <= _FLAT * max(abs(b), abs(c)):
        return () if b == 0.0 else (-c / b,)
    discriminant = b * b - 4.0 * a * c
    if discriminant < 0.0:
        return ()
    half = -0.5 * (b + math.copysign(math.sqrt(discriminant), b))
    return (half / a, c / half) if half else (0.0,)


_FLAT = 1e-14
"""Share of the other coefficients below which the one of r² is rounding."""
