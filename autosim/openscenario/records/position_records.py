"""Positions, routes and trajectories. Lengths in m, angles in rad, times in s."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Orientation:
    """An orientation; None where the file states no angle."""

    heading: float | None = None
    """Heading [rad]."""
    pitch: float | None = None
    """Pitch [rad]."""
    roll: float | None = None
    """Roll [rad]."""
    is_relative: bool = False
    """Whether the angles are relative."""


@dataclass(frozen=True, slots=True)
class WorldPoint:
    """A position in the coordinates of the map file; None for what is taken from the road."""

    x: float
    """Coordinate to the east [m]."""
    y: float
    """Coordinate to the north [m]."""
    z: float | None = None
    """Height [m]."""
    orientation: Orientation = Orientation()
    """Orientation."""


@dataclass(frozen=True, slots=True)
class GeoPoint:
    """A position on Earth: latitude and longitude [rad], height [m]."""

    latitude: float
    longitude: float
    height: float
    orientation: Orientation = Orientation()
    """Orientation."""


@dataclass(frozen=True, slots=True)
class RoadPoint:
    """A position at (s, t) of a road."""

    road: str
    s: float
    t: float
    orientation: Orientation = Orientation()
    """Orientation."""


@dataclass(frozen=True, slots=True)
class LanePoint:
    """A position on a lane, `offset` to the left of its centre."""

    road: str
    """Id of the road."""
    lane: int
    s: float
    """Station [m]."""
    offset: float = 0.0
    orientation: Orientation = Orientation()
    """Orientation."""


@dataclass(frozen=True, slots=True)
class RelativePoint:
    """A position relative to an entity: `kind` world, object, road or lane.

    `dx`, `dy`, `dz`: of the axes of world or object; of `road` ds and dt; of `lane` ds and offset,
    with `lanes` to the left. `is_along_lane`: ds is measured along the lane (dsLane).
    """

    kind: str
    entity: str
    dx: float = 0.0
    dy: float = 0.0
    dz: float = 0.0
    lanes: int = 0
    is_along_lane: bool = False
    orientation: Orientation = Orientation()
    """Orientation."""


@dataclass(frozen=True, slots=True)
class XoscRoute:
    """A route: waypoints, and whether it is closed. `shortest`: strategy for each waypoint."""

    name: str
    """Name in the file."""
    waypoints: tuple["Position", ...]
    shortest: tuple[bool, ...] = ()
    is_closed: bool = False
    """Whether it ends where it begins."""


@dataclass(frozen=True, slots=True)
class RoutePoint:
    """A position on a route: `kind` entity, road or lane; `lane` is None where it is kept."""

    route: XoscRoute
    kind: str
    entity: str = ""
    s: float = 0.0
    """Station [m]."""
    t: float = 0.0
    """Distance to the left [m]."""
    lane: int | None = None
    orientation: Orientation = Orientation()
    """Orientation."""


@dataclass(frozen=True, slots=True)
class XoscTrajectory:
    """A trajectory: `kind` polyline, clothoid, spline or nurbs.

    `positions`: vertices, control points, or the start. `times`: of vertices, None where missing.
    `segments`: of clothoids, curvature at start and end [1/m], length, start and end time (or None)
    and the start pose of the segment (or None). `order`, `weights`, `knots`: of NURBS.
    """

    name: str
    """Name in the file."""
    kind: str
    is_closed: bool
    """Whether it ends where it begins."""
    positions: tuple["Position", ...]
    times: tuple[float | None, ...] = ()
    segments: tuple["ClothoidSegment", ...] = ()
    order: int = 0
    weights: tuple[float, ...] = ()
    knots: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class ClothoidSegment:
    """A piece of linear curvature [1/m] over `length` [m], with times [s] where they are given."""

    curvature_start: float
    """Curvature at the start [1/m]."""
    curvature_end: float
    """Curvature at the end [1/m]."""
    length: float
    start: "Position | None" = None
    """Start pose, None where it continues."""
    time_start: float | None = None
    """Time at the start [s]."""
    time_end: float | None = None
    """Time at the end [s]."""


@dataclass(frozen=True, slots=True)
class TrajectoryPoint:
    """A position on a trajectory at arc length `s`, `t` to its left."""

    trajectory: XoscTrajectory
    s: float
    t: float
    orientation: Orientation = Orientation()
    """Orientation."""


@dataclass(frozen=True, slots=True)
class PathPoint:
    """A position on the path of a scenario of OpenSCENARIO DSL, which states no road.

    The path is a way with at least `lanes` driving lanes over `length` [m], or the longest one.
    """

    lanes: int
    length: float
    lane: int
    """Number of the lane, from 1, counted from the left in driving direction."""
    distance: float
    """Distance [m] from the start of the path."""
    orientation: Orientation = Orientation()
    """Orientation."""


Position = (
    WorldPoint
    | GeoPoint
    | RoadPoint
    | LanePoint
    | RelativePoint
    | RoutePoint
    | TrajectoryPoint
    | PathPoint
)
