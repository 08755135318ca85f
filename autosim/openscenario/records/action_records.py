"""Actions of the storyboard. Lengths in m, speeds in m/s, accelerations in m/s², times in s."""

from dataclasses import dataclass

from autosim.openscenario.records.entity_records import Controller, Environment, LightState
from autosim.openscenario.records.position_records import Position, XoscRoute, XoscTrajectory


@dataclass(frozen=True, slots=True)
class Dynamics:
    """Dynamics of a transition: `shape` linear, cubic, sinusoidal or step.

    `dimension`: time, distance or rate, of which `value` is the amount.
    """

    shape: str
    dimension: str
    value: float


@dataclass(frozen=True, slots=True)
class DynamicLimits:
    """Limits of a controlled motion; infinite where the file states none."""

    acceleration: float = float("inf")
    """Greatest acceleration [m/s²]."""
    deceleration: float = float("inf")
    """Greatest deceleration [m/s²]."""
    speed: float = float("inf")
    """Greatest speed [m/s]."""
    jerk: float = float("inf")
    """Greatest increase of acceleration [m/s³]."""
    lowering_jerk: float = float("inf")
    """Greatest decrease of acceleration [m/s³]."""


@dataclass(frozen=True, slots=True)
class SpeedTarget:
    """A speed, or one relative to an entity: `kind` absolute, delta or factor."""

    kind: str
    value: float
    """The value, in the unit of its kind."""
    entity: str = ""
    is_continuous: bool = False
    """Whether it is regulated without an end."""


@dataclass(frozen=True, slots=True)
class SpeedChange:
    """SpeedAction."""

    dynamics: Dynamics
    """Course of the change."""
    target: SpeedTarget
    """The speed to reach."""


@dataclass(frozen=True, slots=True)
class SpeedProfile:
    """SpeedProfileAction; `entries` are (speed, time or None)."""

    entries: tuple[tuple[float, float | None], ...]
    limits: DynamicLimits
    """Limits of the motion."""
    entity: str = ""
    """Name of the entity that it refers to."""
    is_smooth: bool = False
    """Whether the speed is to change smoothly."""


@dataclass(frozen=True, slots=True)
class KeepDistance:
    """LongitudinalDistanceAction: a distance or a time gap, ahead or behind or any."""

    entity: str
    """Name of the entity that it refers to."""
    distance: float | None
    time_gap: float | None
    """Gap [s], None where a distance is stated."""
    is_free: bool
    """Whether it is measured between boxes."""
    is_continuous: bool
    """Whether it is regulated without an end."""
    system: str
    """Coordinates in which it is measured."""
    side: str
    """Side of the other entity."""
    limits: DynamicLimits
    """Limits of the motion."""


@dataclass(frozen=True, slots=True)
class ReachDistance:
    """Reaches a place relative to another entity after a duration, of OpenSCENARIO DSL."""

    entity: str
    """Name of the other entity."""
    ahead: float
    """Distance [m] ahead of it along the road, negative behind it."""
    seconds: float
    """Duration [s]."""


@dataclass(frozen=True, slots=True)
class LaneChange:
    """LaneChangeAction: to an absolute lane, or a number of lanes to the left of an entity's."""

    dynamics: Dynamics
    """Course of the change."""
    lane: int
    entity: str | None
    offset: float = 0.0
    """Offset from the centre of the lane [m]."""
    is_counted: bool = False
    """Whether an absolute lane is counted from the left in driving direction, from 1."""


@dataclass(frozen=True, slots=True)
class SetLaneOffset:
    """LaneOffsetAction: absolute, or relative to an entity."""

    shape: str
    """Shape of the transition."""
    max_acceleration: float | None
    """Greatest acceleration [m/s²]."""
    value: float
    """Offset [m] to the left."""
    entity: str | None
    is_continuous: bool
    """Whether it is regulated without an end."""


@dataclass(frozen=True, slots=True)
class KeepLateralDistance:
    """LateralDistanceAction."""

    entity: str
    """Name of the entity that it refers to."""
    distance: float | None
    """Distance [m], None for the present one."""
    is_free: bool
    """Whether it is measured between boxes."""
    is_continuous: bool
    """Whether it is regulated without an end."""
    system: str
    """Coordinates in which it is measured."""
    side: str
    """Side of the other entity."""
    limits: DynamicLimits
    """Limits of the motion."""


@dataclass(frozen=True, slots=True)
class Teleport:
    """TeleportAction."""

    position: Position
    """The place."""


@dataclass(frozen=True, slots=True)
class Synchronize:
    """SynchronizeAction.

    `final` is the speed at the target, or relative to the master's; None where it is free.
    `steady` is a distance or a time before the target, by `steady_kind`.
    """

    master: str
    master_position: Position
    """Place at which the master arrives."""
    position: Position
    """The place."""
    master_tolerance: float
    """Distance [m] at which the master has arrived."""
    tolerance: float
    """Distance [m] at which it has arrived."""
    final: SpeedTarget | None = None
    steady_kind: str = ""
    steady: float = 0.0


@dataclass(frozen=True, slots=True)
class AssignRoute:
    """AssignRouteAction."""

    route: XoscRoute
    """The roads that it takes at junctions."""


@dataclass(frozen=True, slots=True)
class AcquirePosition:
    """AcquirePositionAction."""

    position: Position
    """The place."""


@dataclass(frozen=True, slots=True)
class RandomRoute:
    """RandomRouteAction."""


@dataclass(frozen=True, slots=True)
class FollowTrajectory:
    """FollowTrajectoryAction.

    `timing`: whether times hold as absolute ones, their scale and offset; None where the entity
    keeps its speed. `is_following`: steered along it instead of placed on it.
    """

    trajectory: XoscTrajectory
    """The trajectory."""
    is_following: bool
    timing: tuple[bool, float, float] | None
    initial_distance: float = 0.0
    """Arc length [m] at which it begins."""


@dataclass(frozen=True, slots=True)
class AssignController:
    """AssignControllerAction."""

    controllers: tuple[Controller, ...]
    """The controllers."""
    activates: tuple[bool | None, bool | None]
    """Whether they are activated: longitudinal, lateral; None for unchanged."""


@dataclass(frozen=True, slots=True)
class ActivateController:
    """ActivateControllerAction: longitudinal and lateral, None for unchanged."""

    name: str
    """Name of the controller, "" for all."""
    longitudinal: bool | None
    lateral: bool | None


@dataclass(frozen=True, slots=True)
class OverrideController:
    """OverrideControllerValueAction: (control, active, value)."""

    values: tuple[tuple[str, bool, float], ...]
    """Control, whether it is overridden, and its value."""


@dataclass(frozen=True, slots=True)
class SetVisibility:
    """VisibilityAction."""

    graphics: bool
    """Whether it is in pictures."""
    sensors: bool
    """Whether sensors see it."""
    traffic: bool
    """Whether traffic sees it."""


@dataclass(frozen=True, slots=True)
class SetLight:
    """LightStateAction."""

    state: LightState
    """The state."""
    transition: float
    """Duration of the change [s]."""


@dataclass(frozen=True, slots=True)
class Animate:
    """AnimationAction, without effect on motion; it ends after `duration`."""

    kind: str
    """Kind, as in the standard."""
    duration: float


@dataclass(frozen=True, slots=True)
class ConnectTrailer:
    """TrailerAction: connects a trailer, or disconnects where it is empty."""

    trailer: str


PrivateAction = (
    SpeedChange
    | SpeedProfile
    | KeepDistance
    | ReachDistance
    | LaneChange
    | SetLaneOffset
    | KeepLateralDistance
    | Teleport
    | Synchronize
    | AssignRoute
    | AcquirePosition
    | RandomRoute
    | FollowTrajectory
    | AssignController
    | ActivateController
    | OverrideController
    | SetVisibility
    | SetLight
    | Animate
    | ConnectTrailer
)


@dataclass(frozen=True, slots=True)
class SetValue:
    """ParameterAction or VariableAction: `kind` set, add or multiply."""

    name: str
    """Name in the file."""
    is_variable: bool
    """Whether it is a variable, not a parameter."""
    kind: str
    value: str
    """The value, in the unit of its kind."""


@dataclass(frozen=True, slots=True)
class SetEnvironment:
    """EnvironmentAction."""

    environment: Environment
    """Weather, time of day and road condition."""


@dataclass(frozen=True, slots=True)
class AddEntity:
    """AddEntityAction."""

    entity: str
    """Name of the entity that it refers to."""
    position: Position
    """The place."""


@dataclass(frozen=True, slots=True)
class DeleteEntity:
    """DeleteEntityAction."""

    entity: str
    """Name of the entity that it refers to."""


@dataclass(frozen=True, slots=True)
class SetSignal:
    """TrafficSignalStateAction."""

    signal: str
    """Name of the signal."""
    state: str
    """The state."""


@dataclass(frozen=True, slots=True)
class SetSignalPhase:
    """TrafficSignalControllerAction."""

    controller: str
    """Name of the signal controller."""
    phase: str
    """Name of the phase."""


@dataclass(frozen=True, slots=True)
class TrafficFlow:
    """TrafficAction: `kind` source, sink, swarm, area or stop; `amount` vehicles or per second.

    `radius`: of sources and sinks; of a swarm its inner radius and semi-axes. `speed` of arrivals.
    """

    kind: str
    name: str
    """Name in the file."""
    amount: float = 0.0
    position: Position | None = None
    """The place."""
    entity: str = ""
    """Name of the entity that it refers to."""
    radii: tuple[float, ...] = ()
    """Radii [m]."""
    speed: float | None = None
    categories: tuple[tuple[str, float], ...] = ()
    """Vehicle categories and their weights."""


@dataclass(frozen=True, slots=True)
class UserCommand:
    """CustomCommandAction: it is reported and has no effect."""

    kind: str
    """Type of the command."""
    text: str
    """Text of the command."""


GlobalAction = (
    SetValue
    | SetEnvironment
    | AddEntity
    | DeleteEntity
    | SetSignal
    | SetSignalPhase
    | TrafficFlow
    | UserCommand
)

ActionContent = PrivateAction | GlobalAction
