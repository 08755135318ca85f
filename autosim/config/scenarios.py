"""Scenarios: what actors do at which moment, and what must hold for a test to pass.

Scenario files, OpenSCENARIO files and Python programs all make these records. Metres, seconds and
radians in W; yaw counter-clockwise from east. Names are those of actors and of robots.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class WorldPosition:
    """A place in W; without `yaw`, along the lane there."""

    x: float
    y: float
    yaw: float | None = None


@dataclass(frozen=True, slots=True)
class LanePosition:
    """A place on a lane of `get_roads()`: `station` along it, `left` of its middle."""

    lane: int
    station: float
    left: float = 0.0


@dataclass(frozen=True, slots=True)
class RoadPosition:
    """A place on a lane by the numbers of the OpenDRIVE export: `lane` is -1, -2 and so on."""

    road: int
    lane: int
    station: float
    left: float = 0.0


@dataclass(frozen=True, slots=True)
class RelativePosition:
    """A position relative to an actor: `ahead` along the lanes, `lanes` to the left, then `left`.

    It counts from the middle of the lane on which the actor is, or from the actor itself where it
    is off the lanes.
    """

    of: str
    ahead: float = 0.0
    lanes: int = 0
    left: float = 0.0


Position = WorldPosition | LanePosition | RoadPosition | RelativePosition


@dataclass(frozen=True, slots=True)
class Actor:
    """An actor of a scenario.

    `kind` is a vehicle of the fleet, or `person`. An actor without `place` is absent until it is
    moved. `is_opposite`: it drives against the direction of its lane. `looks`: a vehicle brakes for
    others in its way; without it, it follows the scenario alone.
    """

    name: str
    kind: str
    place: Position | None = None
    speed: float = 0.0
    is_opposite: bool = False
    looks: bool = True


@dataclass(frozen=True, slots=True)
class Move:
    """Puts an actor elsewhere at once; it keeps its speed."""

    actor: str
    place: Position


@dataclass(frozen=True, slots=True)
class SetSpeed:
    """Brings an actor to a speed, evenly within `seconds`; or by `rate` [m/s²] if that is given."""

    actor: str
    speed: float
    seconds: float = 0.0
    rate: float = 0.0


@dataclass(frozen=True, slots=True)
class ChangeLane:
    """Brings a vehicle `lanes` to the left (negative: to the right).

    It takes `seconds`, or the way `metres` where that is given.
    """

    actor: str
    lanes: int
    seconds: float = 3.0
    metres: float = 0.0


@dataclass(frozen=True, slots=True)
class FollowPath:
    """Leads an actor along places; with `times` [s] from now, else at the speed that it has."""

    actor: str
    places: tuple[Position, ...]
    times: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class DriveTo:
    """Routes a vehicle by the shortest way through positions, one after the other."""

    actor: str
    places: tuple[Position, ...]


@dataclass(frozen=True, slots=True)
class Remove:
    """Takes an actor away."""

    actor: str


Action = Move | SetSpeed | ChangeLane | FollowPath | DriveTo | Remove


@dataclass(frozen=True, slots=True)
class ValueRange:
    """Numbers from `least` to `most`; none holds for NaN."""

    least: float = float("-inf")
    most: float = float("inf")


@dataclass(frozen=True, slots=True)
class TimeCondition:
    """The time since the scenario began."""

    bounds: ValueRange


@dataclass(frozen=True, slots=True)
class SpeedCondition:
    """The speed of an actor."""

    of: str
    bounds: ValueRange


@dataclass(frozen=True, slots=True)
class DistanceCondition:
    """The gap between two actors.

    `measure`: `metres` between their outlines; `headway`: how long [s] `of` takes to the place
    where `to` is now; `collision`: after how long [s] they meet if both keep their velocities.
    """

    of: str
    to: str
    bounds: ValueRange
    measure: Literal["metres", "headway", "collision"] = "metres"


@dataclass(frozen=True, slots=True)
class ReachPositionCondition:
    """Whether an actor is within a distance of a position."""

    of: str
    place: Position
    within: float


@dataclass(frozen=True, slots=True)
class CollisionCondition:
    """Whether an actor touches another one; `to` "": any participant."""

    of: str
    to: str = ""


@dataclass(frozen=True, slots=True)
class EventCondition:
    """Whether an event has happened, `seconds` ago at least."""

    event: str
    seconds: float = 0.0


Condition = (
    TimeCondition
    | SpeedCondition
    | DistanceCondition
    | ReachPositionCondition
    | CollisionCondition
    | EventCondition
)


@dataclass(frozen=True, slots=True)
class ScenarioEvent:
    """An event: actions that are taken once, as soon as all conditions of any set hold."""

    name: str
    when: tuple[tuple[Condition, ...], ...]
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Criterion:
    """A criterion for the scenario to pass: a condition, `never`, `once` or `always`."""

    name: str
    must: Literal["never", "once", "always"]
    condition: Condition


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario.

    `starts` are where robots of the world begin, by name; `seconds` how long it lasts at most; it
    ends earlier where all conditions of any set in `ends` hold. `source`: its file, where it has
    one.
    """

    name: str
    seconds: float
    actors: tuple[Actor, ...] = ()
    events: tuple[ScenarioEvent, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    starts: tuple[tuple[str, Position], ...] = ()
    ends: tuple[tuple[Condition, ...], ...] = ()
    source: Path | None = field(default=None, compare=False)

    @property
    def vehicles(self) -> tuple[Actor, ...]:
        """The actors that are vehicles."""
        return tuple(each for each in self.actors if each.kind != PERSON)

    @property
    def people(self) -> tuple[Actor, ...]:
        """The actors that are people."""
        return tuple(each for each in self.actors if each.kind == PERSON)


PERSON = "person"
"""The kind of actors who walk."""
