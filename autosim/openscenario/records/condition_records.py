"""Conditions. Lengths in m, speeds in m/s, angles in rad, times in s."""

from dataclasses import dataclass

from autosim.openscenario.records.position_records import Position


@dataclass(frozen=True, slots=True)
class Comparison:
    """A rule and the value to which it compares: greaterThan, lessThan, equalTo and so on."""

    rule: str
    value: float


@dataclass(frozen=True, slots=True)
class DistanceMeasure:
    """Way of measuring a distance.

    `system`: entity, lane, road or trajectory; `kind`: longitudinal, lateral, cartesian or
    euclidian; `is_free`: between boxes instead of reference points.
    """

    system: str
    kind: str
    is_free: bool
    is_along_route: bool = False
    """Whether the assigned route is followed."""


@dataclass(frozen=True, slots=True)
class SimulationTimeCondition:
    """SimulationTimeCondition."""

    comparison: Comparison
    """Rule and value."""


@dataclass(frozen=True, slots=True)
class TimeOfDayCondition:
    """TimeOfDayCondition; `time` is ISO 8601."""

    rule: str
    """Rule of the comparison."""
    time: str


@dataclass(frozen=True, slots=True)
class ValueCondition:
    """ParameterCondition, VariableCondition or UserDefinedValueCondition (`kind`)."""

    kind: str
    name: str
    """Name in the file."""
    rule: str
    """Rule of the comparison."""
    value: str
    """The value, in the unit of its kind."""


@dataclass(frozen=True, slots=True)
class StateCondition:
    """StoryboardElementStateCondition."""

    kind: str
    """Kind, as in the standard."""
    element: str
    """Name or path of the element."""
    state: str
    """State or transition."""


@dataclass(frozen=True, slots=True)
class Elapsed:
    """Whether an act has run for a duration, of OpenSCENARIO DSL."""

    act: str
    """Name of the act."""
    seconds: float
    """Duration [s] since it started."""


@dataclass(frozen=True, slots=True)
class HasStarted:
    """Whether an act has started, not before another one, of OpenSCENARIO DSL."""

    act: str
    """Name of the act."""
    since: str
    """Name of the other act, "" for any time."""


@dataclass(frozen=True, slots=True)
class SignalCondition:
    """TrafficSignalCondition or TrafficSignalControllerCondition (with a phase)."""

    name: str
    """Name in the file."""
    state: str
    """State or phase."""
    is_controller: bool
    """Whether it is a controller with a phase."""


@dataclass(frozen=True, slots=True)
class Lasting:
    """EndOfRoad, Offroad or StandStill (`kind`) for `duration`."""

    kind: str
    duration: float


@dataclass(frozen=True, slots=True)
class Collides:
    """CollisionCondition: with an entity, or with any of a kind."""

    entity: str
    kind: str


@dataclass(frozen=True, slots=True)
class Headway:
    """TimeHeadwayCondition."""

    entity: str
    """Name of the other entity."""
    comparison: Comparison
    """Rule and value."""
    measure: DistanceMeasure
    """Way of measuring."""


@dataclass(frozen=True, slots=True)
class TimeToCollision:
    """TimeToCollisionCondition, with an entity or a position."""

    entity: str
    position: Position | None
    comparison: Comparison
    """Rule and value."""
    measure: DistanceMeasure
    """Way of measuring."""


@dataclass(frozen=True, slots=True)
class Accelerates:
    """AccelerationCondition; `direction` "" for the magnitude."""

    comparison: Comparison
    """Rule and value."""
    direction: str


@dataclass(frozen=True, slots=True)
class HasSpeed:
    """SpeedCondition or, with an entity, RelativeSpeedCondition."""

    comparison: Comparison
    """Rule and value."""
    direction: str
    """Direction in its axes, "" for any."""
    entity: str = ""


@dataclass(frozen=True, slots=True)
class Travelled:
    """TraveledDistanceCondition."""

    value: float
    """Distance [m]."""


@dataclass(frozen=True, slots=True)
class Reaches:
    """ReachPositionCondition; `angle`: the orientation has to agree as well."""

    position: Position
    """The place."""
    tolerance: float
    """Distance [m] at which it has arrived."""
    angle: float | None = None


@dataclass(frozen=True, slots=True)
class Distance:
    """DistanceCondition or RelativeDistanceCondition."""

    entity: str
    """Name of the entity that it refers to."""
    position: Position | None
    """The place."""
    comparison: Comparison
    """Rule and value."""
    measure: DistanceMeasure
    """Way of measuring."""


@dataclass(frozen=True, slots=True)
class RelativeClearance:
    """RelativeClearanceCondition: no entity within distances and lanes (from, to)."""

    entities: tuple[str, ...]
    """Names of the entities."""
    ahead: float
    """Distance [m] ahead."""
    behind: float
    """Distance [m] behind."""
    is_free: bool
    """Whether it is measured between boxes."""
    is_opposite: bool
    """Whether oncoming entities count."""
    lanes: tuple[tuple[int | None, int | None], ...]


@dataclass(frozen=True, slots=True)
class HasAngle:
    """AngleCondition or, with an entity, RelativeAngleCondition."""

    kind: str
    """Kind, as in the standard."""
    angle: float
    """Angle [rad]."""
    tolerance: float
    """Greatest difference [rad]."""
    system: str
    """Coordinates in which it is measured."""
    entity: str = ""


EntityTest = (
    Lasting
    | Collides
    | Headway
    | TimeToCollision
    | Accelerates
    | HasSpeed
    | Travelled
    | Reaches
    | Distance
    | RelativeClearance
    | HasAngle
)


@dataclass(frozen=True, slots=True)
class EntityCondition:
    """A test of entities: `rule` any, all or none of them."""

    entities: tuple[str, ...]
    rule: str
    test: EntityTest


ConditionContent = (
    SimulationTimeCondition
    | TimeOfDayCondition
    | ValueCondition
    | StateCondition
    | Elapsed
    | HasStarted
    | SignalCondition
    | EntityCondition
)


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition: `edge` none, rising, falling or risingOrFalling; `delay` [s]."""

    name: str
    """Name in the file."""
    edge: str
    delay: float
    content: ConditionContent
    """The content, by its kind."""


Trigger = tuple[tuple[Condition, ...], ...]
"""Groups of conditions: one group has to hold, with all its conditions."""
