"""The state of an entity of a scenario."""

from dataclasses import dataclass, field

from autosim import portable
from autosim.openscenario.engine.executions.trajectory_curves import TrajectoryCurve
from autosim.openscenario.records.entity_records import Controller, Entity
from autosim.openscenario.road_map.road_network import MapPose, RoadPlace
from autosim.openscenario.road_map.ways import Leg

_ORIGIN = MapPose(0.0, 0.0, 0.0, 0.0)

_STANDS = 0.1
"""Speed [m/s] below which an entity stands still."""


@dataclass(slots=True)
class EntityState:
    """An entity while a scenario runs.

    pose: in the coordinates of the map; place: on the road, None without a map; `forward`: it heads
    along the reference line; `relative` [rad]: its heading relative to its lane. speed [m/s], also
    negative; velocity and acceleration (2,) in the map's axes; travelled [m]. `is_external`: its
    motion comes from outside, as from physics. `is_moved`: an action moved it in this step.
    `standing`, `off_road`, `at_end`: duration [s] so far, -1 while it is not so.
    """

    record: Entity
    """Its description in the file."""
    pose: MapPose = _ORIGIN
    place: RoadPlace | None = None
    forward: bool = True
    relative: float = 0.0
    speed: float = 0.0
    velocity: tuple[float, float] = (0.0, 0.0)
    acceleration: tuple[float, float] = (0.0, 0.0)
    travelled: float = 0.0
    is_active: bool = True
    """Whether it is in the world."""
    is_external: bool = False
    is_moved: bool = False
    is_teleported: bool = True
    """Whether it was moved at once in this step."""
    is_road_end: bool = False
    """Whether its lane ends where it is."""
    standing: float = -1.0
    off_road: float = -1.0
    at_end: float = -1.0
    is_traffic: bool = False
    """Whether a traffic source or swarm has made it."""
    ordered_speed: float = 0.0
    """Speed [m/s] of the last action on it, 0 without one."""
    controllers: tuple[Controller, ...] = ()
    """The controllers that are assigned to it."""
    pedals: dict[str, float] = field(default_factory=dict)
    """Values of overridden controls, by their names."""
    followed: tuple[TrajectoryCurve, float] | None = None
    """The trajectory that it follows, and its arc length [m] there."""
    route: tuple[Leg, ...] = ()
    """The roads that it takes at junctions."""
    touches: set[str] = field(default_factory=set)
    """Names of the entities that it touches."""
    trailer: str = ""
    """Name of the entity that it pulls."""
    is_towed: bool = False
    """Whether another entity pulls it."""
    lights: dict[str, str] = field(default_factory=dict)
    """Modes of its lights, by their names."""
    visible: tuple[bool, bool, bool] = (True, True, True)
    """Whether pictures, sensors and traffic see it."""

    @property
    def name(self) -> str:
        """Name of the entity."""
        return self.record.name

    def corners(self) -> list[tuple[float, float]]:
        """The corners (4) of its box, x and y [m]."""
        box = self.record.box
        sine, cosine = portable.sin_cos(self.pose.heading)
        found = []
        for u, v in ((0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)):
            ahead, left = box.center[0] + u * box.length, box.center[1] + v * box.width
            found.append(
                (
                    self.pose.x + cosine * ahead - sine * left,
                    self.pose.y + sine * ahead + cosine * left,
                )
            )
        return found

    def finish_step(self, last: MapPose, dt: float, *, is_off_road: bool) -> None:
        """Derives velocity, acceleration and durations after a step of dt [s]."""
        if self.is_external and dt > 0.0:
            self.is_teleported = False
        elif dt <= 0.0:
            sine, cosine = portable.sin_cos(self.pose.heading)
            self.velocity = self.speed * cosine, self.speed * sine
            self.is_teleported = False
        else:
            velocity = (self.pose.x - last.x) / dt, (self.pose.y - last.y) / dt
            if self.is_teleported:
                sine, cosine = portable.sin_cos(self.pose.heading)
                velocity = self.speed * cosine, self.speed * sine
                self.acceleration = 0.0, 0.0
            else:
                self.acceleration = (
                    (velocity[0] - self.velocity[0]) / dt,
                    (velocity[1] - self.velocity[1]) / dt,
                )
                self.travelled += float(portable.hypot(self.pose.x - last.x, self.pose.y - last.y))
            self.velocity, self.is_teleported = velocity, False
        self.standing = _lasting(self.standing, abs(self.speed) < _STANDS, dt)
        self.off_road = _lasting(self.off_road, is_off_road, dt)
        self.at_end = _lasting(self.at_end, self.is_road_end, dt)


def _lasting(duration: float, is_so: bool, dt: float) -> float:
    if not is_so:
        return -1.0
    return 0.0 if duration < 0.0 else duration + dt
