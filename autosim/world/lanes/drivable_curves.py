"""The curves of connectors, and the least radius that a car needs on them.

The turning circle of a usual car is 10.5 m between kerbs. With the wheels hard over, the middle of
its rear axle follows a circle of about 4.0 m, and that of its front axle one of 4.8 m.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from autosim.arrays import Floats
from autosim.world.geometry.curves import heading_between, transition, unit
from autosim.world.geometry.dubins import dubins_curve
from autosim.world.geometry.polylines import Polylines
from autosim.world.geometry.turn_radii import turn_radii

STREET_RADIUS = 5.0
"""Least radius [m] of a connector between streets: a car takes it without full lock."""

WALKING_PACE_RADIUS = 4.0
"""Least radius [m] of a connector from or to a service way, a track or a living street: a car
takes it with its wheels hard over."""

WALKING_PACE = frozenset({"service", "track", "living_street", "unsurfaced"})
"""Values of `highway` of ways on which a car may turn at walking pace with full lock."""

MARGIN = 1.03
"""Factor of the radius of a curve that swings out: points and rounding take some of it."""

_STUB = 1.0
"""Length [m] of the lanes before and behind a curve that counts where its radius is measured."""

_USUAL_SWING = 1.0
"""Greatest distance [m] by which a vehicle swings out before a turn, as its driver does to take a
corner that is a little too tight."""

LAST_SWING = 9.0
"""As `_USUAL_SWING` [m], where nothing else leads on."""


@dataclass(frozen=True, slots=True)
class Pose:
    """A place (2,) [m] in W and a heading [rad]."""

    place: Floats
    heading: float

    @classmethod
    def at_end(cls, line: Floats) -> "Pose":
        """The pose at the end of a polyline (n, 2)."""
        return cls(line[-1], heading_between(line[-2], line[-1]))

    @classmethod
    def at_start(cls, line: Floats) -> "Pose":
        """The pose at the start of a polyline (n, 2)."""
        return cls(line[0], heading_between(line[0], line[1]))


def needed_radius(highway: str) -> float:
    """The least radius [m] of a connector whose slower street has this value of `highway`."""
    return WALKING_PACE_RADIUS if highway in WALKING_PACE else STREET_RADIUS


def radii_of(curves: Sequence[Floats], poses: Sequence[tuple[Pose, Pose]]) -> Floats:
    """The least radius [m] (n,) of each of some curves (k, 2), kinks at their ends included.

    Args:
        curves: from the first to the second pose of `poses` each.
        poses: of the lanes before and behind.
    """
    lines = [
        np.vstack(
            [
                start.place - _STUB * unit(start.heading),
                curve,
                end.place + _STUB * unit(end.heading),
            ]
        )
        for curve, (start, end) in zip(curves, poses, strict=True)
    ]
    return turn_radii(Polylines.of(lines))[0]


def connector_curve(
    start: Pose, end: Pose, radius: float, *, swing: float = _USUAL_SWING
) -> Floats:
    """A curve (n, 2) from one pose to another with the given radius or more, if possible.

    The smoothest curve is taken where it is wide enough. Otherwise the vehicle may swing out.

    Args:
        start: where the curve begins.
        end: where it ends.
        radius: the least radius wanted [m].
        swing: greatest distance [m] from the smoothest curve.
    """
    smooth = transition(start.place, start.heading, end.place, end.heading)
    if radii_of([smooth], [(start, end)])[0] >= radius:
        return smooth
    wide = dubins_curve(start.place, start.heading, end.place, end.heading, MARGIN * radius)
    if wide is None:
        return smooth
    away = shapely.hausdorff_distance(shapely.LineString(wide), shapely.LineString(smooth))
    return wide if away <= swing and radii_of([wide], [(start, end)])[0] >= radius else smooth
