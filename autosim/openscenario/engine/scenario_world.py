"""The running scenario that actions and conditions work on."""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

from autosim import portable
from autosim.openscenario.engine.entity_state import EntityState
from autosim.openscenario.engine.scenario_placement import Placed, PositionFinder
from autosim.openscenario.records.action_records import TrafficFlow
from autosim.openscenario.records.entity_records import Controller, Entity, Environment
from autosim.openscenario.road_map.road_network import MapPose, ScenarioRoads
from autosim.openscenario.road_map.ways import advance

_ALIGNED = 2e-3
"""Angle [rad] to its lane up to which an entity follows the lane."""


class ControllerOrder(NamedTuple):
    """An order to the controller of an entity; None for what it leaves unchanged."""

    entity: str
    """Name of the entity."""
    controllers: tuple[Controller, ...] | None = None
    """Controllers to assign."""
    longitudinal: bool | None = None
    """Whether it becomes active along the lane."""
    lateral: bool | None = None
    """Whether it becomes active across the lane."""


@dataclass
class ScenarioWorld:
    """A running scenario: its entities, map, values and time.

    `removed` are entities that are not in the world; `values` are those of parameters and
    variables; `signals` the states of signals; `events` what has happened: (time [s], text).
    """

    roads: ScenarioRoads | None
    """The map; None for a plane."""
    entities: dict[str, EntityState]
    parameters: dict[str, str]
    variables: dict[str, str]
    time: float = 0.0
    dt: float = 0.0
    """Duration of the step [s]."""
    signals: dict[str, str] = field(default_factory=dict)
    phases: dict[str, str] = field(default_factory=dict)
    """Phases of signal controllers, by their names."""
    environment: Environment = field(default_factory=Environment)
    """Weather, time of day and road condition."""
    events: list[tuple[float, str]] = field(default_factory=list)
    flows: list[TrafficFlow] = field(default_factory=list)
    """Traffic actions that have not begun yet."""
    activations: list["ControllerOrder"] = field(default_factory=list)
    """Orders to controllers that have not been taken yet."""
    notes: list[str] = field(default_factory=list)
    """Remarks for the user."""

    def __post_init__(self) -> None:
        self.placement = PositionFinder(self.roads, self.entities)

    def active(self, name: str) -> EntityState | None:
        """An entity that is in the world, or None."""
        found = self.entities.get(name)
        return found if found is not None and found.is_active else None

    def add(self, record: Entity) -> EntityState:
        """Adds an entity to the scenario."""
        state = EntityState(record)
        self.entities[record.name] = state
        return state

    def log(self, text: str) -> None:
        """Adds an event at this time."""
        self.events.append((self.time, text))

    # ---- motion

    def put(self, entity: EntityState, placed: Placed) -> None:
        """Puts an entity somewhere at once."""
        entity.pose, entity.place, entity.forward = placed
        entity.is_teleported, entity.is_road_end = True, False
        entity.relative = 0.0
        if entity.place is not None:
            entity.relative = self.angle_to_lane(entity)

    def angle_to_lane(self, entity: EntityState) -> float:
        """The heading of an entity [rad] relative to its lane, in its direction."""
        place = entity.place
        if self.roads is None or place is None:
            return 0.0
        return float(portable.wrapped(entity.pose.heading - self.lane_heading(entity)))

    def lane_heading(self, entity: EntityState) -> float:
        """The heading [rad] of the lane of an entity, in the direction in which it heads."""
        place = entity.place
        if self.roads is None or place is None:
            return entity.pose.heading
        curve = self.roads.curve(place.road)
        drift = curve.center_slope(place.lane, place.s) if place.lane else 0.0
        heading = curve.reference(place.s).heading + float(portable.arctan(drift))
        return heading if entity.forward else heading + math.pi

    def show_on_lane(self, entity: EntityState) -> None:
        """Sets the pose of an entity from its place and its angle to its lane."""
        if self.roads is None or entity.place is None:
            return
        curve = self.roads.curve(entity.place.road)
        base = self.lane_heading(entity) + entity.relative
        reference = curve.reference(entity.place.s).heading
        entity.pose = self.roads.pose(entity.place, float(portable.wrapped(base - reference)))

    def locate(self, entity: EntityState) -> None:
        """Finds the place on the road of an entity that was moved freely."""
        if self.roads is None:
            return
        entity.place = self.roads.nearest(entity.pose.x, entity.pose.y, entity.place)
        if entity.place is not None:
            at = self.roads.curve(entity.place.road).reference(entity.place.s)
            turn = float(portable.cos(entity.pose.heading - at.heading))
            if abs(turn) > 1e-6:
                entity.forward = turn > 0.0

    def move_along_lane(self, entity: EntityState, distance: float) -> None:
        """Moves an entity along its lane, backward where the distance [m] is negative."""
        if self.roads is None or entity.place is None:
            self.move_freely(entity, distance)
            return
        forward = entity.forward == (distance >= 0.0)
        step = advance(self.roads, entity.place, forward, abs(distance), entity.route)
        entity.place = step.place
        entity.forward = step.forward == (distance >= 0.0)
        entity.is_road_end = step.is_end

    def move_freely(self, entity: EntityState, distance: float) -> None:
        """Moves an entity straight on where it heads."""
        sine, cosine = portable.sin_cos(entity.pose.heading)
        pose = entity.pose
        entity.pose = pose._replace(x=pose.x + distance * cosine, y=pose.y + distance * sine)
        self.locate(entity)

    def move(self, entity: EntityState) -> None:
        """Moves an entity by its speed: along its lane, or straight on across it.

        One whose lane ended in an earlier step stops there.
        """
        if entity.at_end > 0.0 and entity.place is not None:
            entity.speed = 0.0
        distance = entity.speed * self.dt
        if not distance:
            return
        if entity.place is None or self.roads is None or not self._follows_lane(entity):
            before = entity.relative
            self.move_freely(entity, distance)
            if entity.place is not None and self.roads is not None:
                z = self.roads.pose(entity.place).z
                entity.pose = entity.pose._replace(z=z)
            entity.relative = before
            return
        self.move_along_lane(entity, distance)
        self.show_on_lane(entity)

    def _follows_lane(self, entity: EntityState) -> bool:
        """Whether an entity moves along its lane: vehicles on a road, others that face along it."""
        place = entity.place
        if place is None or self.roads is None:
            return False
        if entity.record.kind != "vehicle":
            return abs(entity.relative) < _ALIGNED
        return self.roads.curve(place.road).is_on_road(place.s, place.t)

    def tow(self, entity: EntityState) -> None:
        """Pulls the trailers of an entity behind it."""
        seen = {entity.name}
        while entity.trailer and entity.trailer not in seen:
            seen.add(entity.trailer)
            trailer = self.active(entity.trailer)
            if trailer is None:
                return
            hitch = entity.record.hitch if entity.record.hitch is not None else -1.0
            coupler = trailer.record.coupler if trailer.record.coupler is not None else 3.0
            sine, cosine = portable.sin_cos(entity.pose.heading)
            x, y = entity.pose.x + cosine * hitch, entity.pose.y + sine * hitch
            dx, dy = x - trailer.pose.x, y - trailer.pose.y
            length = float(portable.hypot(dx, dy)) or 1.0
            trailer.pose = MapPose(
                x - dx / length * coupler,
                y - dy / length * coupler,
                entity.pose.z,
                float(portable.arctan2(dy, dx)),
            )
            trailer.speed, trailer.is_moved = entity.speed, True
            self.locate(trailer)
            entity = trailer
