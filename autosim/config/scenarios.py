"""Scenarios: what actors do at which moment, and what must hold for a test to pass.

Scenario files, OpenSCENARIO files and Python programs all make these records. Metres, seconds and
radians in W; yaw counter-clockwise from east. Names are those of actors and of robots.
"""

from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Literal

from autosim.config.schema import EVERYDAY, Interval
from autosim.config.xml_parameters import Metadata, ValueForm, attribute, name_of

_TIME = Interval(0.0, 1e5)
"""Times [s]: up to more than a day."""

_SPEED = Interval(0.0, 100.0)
"""Speeds [m/s]: up to that of a racing car."""

_FARTHEST = EVERYDAY.high
"""Magnitude of a bound [SI units] from which on it counts as none: the largest in a file."""

_DURATION = attribute("seconds", "Duration.", unit="s", interval=_TIME)


def _reference(name: str, text: str) -> Metadata:
    """Metadata of a field that names something of the scenario or the world."""
    return attribute(name, text, is_required=True)


@dataclass(frozen=True, slots=True)
class WorldPosition:
    """A place in W; without `yaw`, along the lane there."""

    x: float = field(metadata=attribute("x", "To the east.", unit="m", is_required=True))
    """East [m]."""
    y: float = field(metadata=attribute("z", "To the north.", unit="m", is_required=True))
    """North [m]."""
    yaw: float | None = None


@dataclass(frozen=True, slots=True)
class LanePosition:
    """A place on a lane of `get_roads()`: `station` along it, `left` of its middle."""

    lane: int = field(
        metadata=attribute("lane", "Index of the lane in `get_roads()`.", is_required=True)
    )
    station: float = field(
        metadata=attribute("station", "Distance along the lane.", unit="m", is_required=True)
    )
    left: float = field(
        default=0.0, metadata=attribute("left", "Offset to the left of its middle.", unit="m")
    )


@dataclass(frozen=True, slots=True)
class RelativePosition:
    """A position relative to an actor: `ahead` along the lanes, `lanes` to the left, then `left`.

    It counts from the middle of the lane on which the actor is, or from the actor itself where it
    is off the lanes.
    """

    of: str = field(metadata=_reference("of", "Name of the actor or robot."))
    ahead: float = field(
        default=0.0,
        metadata=attribute("ahead", "Distance ahead along the lanes; negative: behind.", unit="m"),
    )
    lanes: int = field(
        default=0,
        metadata=attribute("lanes", "Lanes to the left; negative: to the right."),
    )
    left: float = field(
        default=0.0, metadata=attribute("left", "Offset to the left of that.", unit="m")
    )


Position = WorldPosition | LanePosition | RelativePosition


@dataclass(frozen=True, slots=True)
class Track:
    """The recorded motion of an actor.

    `poses` are x, y [m] of its middle and yaw [rad] in W at `times`; it is absent before the first
    time and after the last one. One with a single time stays.
    """

    times: tuple[float, ...]
    """Ascending times [s]."""
    poses: tuple[tuple[float, float, float], ...]


@dataclass(frozen=True, slots=True)
class Actor:
    """An actor of a scenario.

    `kind` is a vehicle of the fleet, or `person`. An actor without `place` is absent until it is
    moved. `is_opposite`: it drives against the direction of its lane. `brakes_for_others`: a
    vehicle brakes for others in its way; without it, it follows the scenario alone. One with a
    `track` moves as it was recorded; if it `is_reactive`, it only keeps to the way and brakes for
    others.
    """

    name: str = field(metadata=name_of("the actor"))
    """Name, unique in the scenario."""
    kind: str = field(metadata=attribute("kind", "A kind of vehicle of traffic.", default="saloon"))
    place: Position | None = None
    speed: float = field(
        default=0.0,
        metadata=attribute("speed", "Initial speed.", unit="m/s", interval=_SPEED),
    )
    is_opposite: bool = field(
        default=False,
        metadata=attribute("opposite", "Whether it drives against the direction of its lane."),
    )
    brakes_for_others: bool = field(
        default=True,
        metadata=attribute("brakesForOthers", "Whether it brakes for others in its way."),
    )
    track: Track | None = None
    is_reactive: bool = False


@dataclass(frozen=True, slots=True)
class Move:
    """Puts an actor elsewhere at once; it keeps its speed."""

    actor: str = field(metadata=_reference("actor", "Name of the actor."))
    place: Position
    """New position."""


@dataclass(frozen=True, slots=True)
class SetSpeed:
    """Brings an actor to a speed, evenly within `seconds`; or by `rate` [m/s²] if that is given."""

    actor: str = field(metadata=_reference("actor", "Name of the actor."))
    speed: float = field(
        metadata=attribute("value", "The speed.", unit="m/s", interval=_SPEED, is_required=True)
    )
    seconds: float = field(default=0.0, metadata=_DURATION)
    rate: float = 0.0


@dataclass(frozen=True, slots=True)
class ChangeLane:
    """Brings a vehicle `lanes` to the left (negative: to the right).

    It takes `seconds`, or the way `metres` where that is given.
    """

    actor: str = field(metadata=_reference("actor", "Name of the actor."))
    """Name of the vehicle."""
    lanes: int = field(
        metadata=attribute(
            "lanes",
            "To the left; negative: to the right.",
            interval=Interval(-8, 8),
            is_required=True,
        )
    )
    seconds: float = field(default=3.0, metadata=_DURATION)
    metres: float = 0.0


@dataclass(frozen=True, slots=True)
class FollowPath:
    """Leads an actor along places; with `times` [s] from now, else at the speed that it has."""

    actor: str = field(metadata=_reference("actor", "Name of the actor."))
    places: tuple[Position, ...]
    times: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class DriveTo:
    """Routes a vehicle by the shortest way through positions, one after the other."""

    actor: str = field(metadata=_reference("actor", "Name of the actor."))
    """Name of the vehicle."""
    places: tuple[Position, ...]
    """Positions, in order."""


@dataclass(frozen=True, slots=True)
class Remove:
    """Takes an actor away."""

    actor: str = field(metadata=_reference("actor", "Name of the actor."))


Action = Move | SetSpeed | ChangeLane | FollowPath | DriveTo | Remove


@dataclass(frozen=True, slots=True)
class ValueRange:
    """Numbers from `least` to `most`; none holds for NaN."""

    least: float = field(
        default=-inf,
        metadata=attribute(
            "min",
            "Lower bound, included.",
            default=-_FARTHEST,
            form=ValueForm(
                read=lambda least: -inf if least <= -_FARTHEST else least,
                write=lambda least: max(least, -_FARTHEST),
            ),
        ),
    )
    most: float = field(
        default=inf,
        metadata=attribute(
            "max",
            "Upper bound, included.",
            default=_FARTHEST,
            form=ValueForm(
                read=lambda most: inf if most >= _FARTHEST else most,
                write=lambda most: min(most, _FARTHEST),
            ),
        ),
    )


@dataclass(frozen=True, slots=True)
class TimeCondition:
    """The time since the scenario began."""

    bounds: ValueRange
    """Bounds [s]."""


@dataclass(frozen=True, slots=True)
class SpeedCondition:
    """The speed of an actor."""

    of: str = field(metadata=_reference("of", "Name of the actor or robot."))
    bounds: ValueRange
    """Bounds [m/s]."""


@dataclass(frozen=True, slots=True)
class DistanceCondition:
    """The gap between two actors.

    `measure`: `metres` between their outlines; `headway`: how long [s] `of` takes to the place
    where `to` is now; `collision`: after how long [s] they meet if both keep their velocities.
    """

    of: str = field(metadata=_reference("of", "Name of the actor or robot."))
    to: str = field(metadata=_reference("to", "Name of the other one."))
    bounds: ValueRange
    """Bounds [m] or [s], by `measure`."""
    measure: Literal["metres", "headway", "collision"] = "metres"


@dataclass(frozen=True, slots=True)
class ReachPositionCondition:
    """Whether an actor is within a distance of a position."""

    of: str = field(metadata=_reference("of", "Name of the actor or robot."))
    place: Position
    """The position."""
    within: float = field(
        metadata=attribute("within", "Distance from the position.", unit="m", is_required=True)
    )


@dataclass(frozen=True, slots=True)
class ReachAreaCondition:
    """Whether the middle of an actor is in one of several areas, each the corners of a polygon."""

    of: str
    """Name of the actor."""
    areas: tuple[tuple[tuple[float, float], ...], ...]
    """Corners x, y [m] in W, in order."""


@dataclass(frozen=True, slots=True)
class CollisionCondition:
    """Whether an actor touches another one; `to` "": any participant."""

    of: str = field(metadata=_reference("of", "Name of the actor or robot."))
    """Name of the actor."""
    to: str = field(default="", metadata=attribute("with", "Name of the other one. Default: any."))


@dataclass(frozen=True, slots=True)
class EventCondition:
    """Whether an event has happened, `seconds` ago at least."""

    event: str = field(metadata=_reference("event", "Name of the event."))
    seconds: float = field(
        default=0.0,
        metadata=attribute("seconds", "Least time since the event.", unit="s", interval=_TIME),
    )


Condition = (
    TimeCondition
    | SpeedCondition
    | DistanceCondition
    | ReachPositionCondition
    | ReachAreaCondition
    | CollisionCondition
    | EventCondition
)


@dataclass(frozen=True, slots=True)
class ScenarioEvent:
    """An event: actions that are taken once, as soon as all conditions of any set hold."""

    name: str
    """Name, unique in the scenario."""
    when: tuple[tuple[Condition, ...], ...]
    """Sets of conditions."""
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Criterion:
    """A criterion for the scenario to pass: a condition, `never`, `once` or `always`."""

    name: str
    """Name, unique in the scenario."""
    must: Literal["never", "once", "always"]
    """When the condition has to hold."""
    condition: Condition


@dataclass(frozen=True, slots=True)
class Storyboard:
    """The storyboard of an OpenSCENARIO file."""

    file: Path
    """The file."""
    egos: tuple[tuple[str, str], ...] = ()
    """Entities that robots play: name of the entity and of the robot."""
    values: tuple[tuple[str, str], ...] = ()
    """Values of parameters, by name, instead of those that the file declares."""
    map: Path | None = None
    """OpenDRIVE file of the world; None for a world of another kind of map."""
    places: tuple[Path, ...] = ()
    """Catalog files that it reads."""
    spare: int = 0
    """Number of actors at the end of the vehicles that its traffic actions use."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario.

    `starts` are where robots of the world begin, by name, and `start_speeds` [m/s] how fast, where
    they do not begin at rest; `seconds` how long it lasts at most; it
    ends earlier where all conditions of any set in `ends` hold. `source`: its file, where it has
    one.
    """

    name: str = field(metadata=_reference("name", "Name of the scenario in reports."))
    seconds: float = field(
        metadata=attribute(
            "seconds",
            "Longest duration.",
            unit="s",
            interval=Interval(0.1, 1e5),
            is_required=True,
        )
    )
    actors: tuple[Actor, ...] = ()
    """The actors."""
    events: tuple[ScenarioEvent, ...] = ()
    """The events."""
    criteria: tuple[Criterion, ...] = ()
    """The criteria; all have to be met."""
    starts: tuple[tuple[str, Position], ...] = ()
    start_speeds: tuple[tuple[str, float], ...] = ()
    ends: tuple[tuple[Condition, ...], ...] = ()
    source: Path | None = field(default=None, compare=False)
    storyboard: Storyboard | None = None
    """Storyboard that decides the actors' motion and the end, of a scenario of OpenSCENARIO."""

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
