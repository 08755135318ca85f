"""Progress of a car along its route, sample after sample."""

from dataclasses import dataclass, field

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.benchmark.parking import has_parked
from autosim.benchmark.routes import SPACING, Route
from autosim.benchmark.trace import Trace, X, Y

_BACK, _AHEAD = 10, 40
"""Number of points of the route behind and ahead of the last position that are searched: a car
covers less within a sample, and a route that crosses itself stays unambiguous."""


WAY_SHARE = 0.5
"""Share of a route that ends in a parking place which the way there counts."""


@dataclass(slots=True)
class RouteProgress:
    """Progress along a `route`: `row` of its nearest point, and the `farthest` row so far."""

    route: Route
    row: int = 0
    farthest: int = 0
    deviation: float = field(default=0.0)
    """Distance [m] from the route."""

    def update(self, x: float, y: float) -> None:
        """Moves to the point of the route nearest to a position [m] in W."""
        first = max(self.row - _BACK, 0)
        near = self.route.points[first : self.row + _AHEAD, :2]
        distances = portable.hypot(near[:, 0] - x, near[:, 1] - y)
        nearest = int(np.argmin(distances))
        self.row, self.deviation = first + nearest, float(distances[nearest])
        self.farthest = max(self.farthest, self.row)

    @property
    def has_arrived(self) -> bool:
        """Whether the car has reached the goal."""
        return self.farthest >= self.route.goal_row


@dataclass(frozen=True, slots=True)
class RouteCourse:
    """The course of a trace along its route.

    `rows` (n,) of the nearest point of the route at each sample, `deviations` (n,) [m] from it.
    `is_parked`: whether the car is parked at the end, on routes that end in a place.
    """

    rows: Integers
    deviations: Floats
    is_parked: bool = False

    @classmethod
    def of(cls, trace: Trace, route: Route) -> "RouteCourse":
        """The course of a trace."""
        progress = RouteProgress(route)
        rows, deviations = [], []
        for x, y in trace.car[:, [X, Y]].tolist():
            progress.update(x, y)
            rows.append(progress.row)
            deviations.append(progress.deviation)
        is_parked = route.place is not None and has_parked(trace, route.place)
        return cls(np.array(rows, dtype=np.int64), np.array(deviations), is_parked)

    @property
    def stations(self) -> Floats:
        """Distance (n,) [m] along the route."""
        found: Floats = self.rows.astype(np.float64) * SPACING
        return found

    def completion(self, route: Route) -> float:
        """Share of the route, 0 to 1, that was driven.

        Of a route that ends in a place, the way there is one half and parking the other.
        """
        driven = min(float(self.rows.max(initial=0)) / max(route.goal_row, 1), 1.0)
        if route.place is None:
            return driven
        return 1.0 if self.is_parked else WAY_SHARE * driven
