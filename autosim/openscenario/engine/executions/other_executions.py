"""Executes actions that move nothing by themselves, and global ones."""

from collections.abc import Callable

from autosim.openscenario.engine.entity_state import EntityState
from autosim.openscenario.engine.executions.action_execution import Execution
from autosim.openscenario.engine.executions.lateral_executions import (
    LaneChangeExecution,
    LaneOffsetExecution,
    LateralDistanceExecution,
)
from autosim.openscenario.engine.executions.longitudinal_executions import (
    DistanceExecution,
    ReachExecution,
    SpeedExecution,
    SpeedProfileExecution,
    SynchronizeExecution,
)
from autosim.openscenario.engine.executions.routing_executions import (
    AcquireExecution,
    RouteExecution,
    TeleportExecution,
    TrajectoryExecution,
)
from autosim.openscenario.engine.scenario_world import ControllerOrder, ScenarioWorld
from autosim.openscenario.records.action_records import (
    AcquirePosition,
    ActivateController,
    AddEntity,
    Animate,
    AssignController,
    AssignRoute,
    ConnectTrailer,
    DeleteEntity,
    FollowTrajectory,
    GlobalAction,
    KeepDistance,
    KeepLateralDistance,
    LaneChange,
    OverrideController,
    PrivateAction,
    RandomRoute,
    ReachDistance,
    SetEnvironment,
    SetLaneOffset,
    SetLight,
    SetSignal,
    SetSignalPhase,
    SetValue,
    SetVisibility,
    SpeedChange,
    SpeedProfile,
    Synchronize,
    Teleport,
    UserCommand,
)


class StateExecution(Execution):
    """Sets a state of an entity, as its lights."""

    def __init__(self, world: ScenarioWorld, entity: EntityState, action: PrivateAction) -> None:
        super().__init__(world, entity)
        self._action = action

    def start(self) -> None:
        """Sets the state."""
        action, entity = self._action, self.entity
        if isinstance(action, SetLight):
            entity.lights[action.state.light] = action.state.mode
        elif isinstance(action, SetVisibility):
            entity.visible = (action.graphics, action.sensors, action.traffic)
        elif isinstance(action, ConnectTrailer):
            towed = self.world.entities.get(action.trailer or entity.trailer)
            if towed is not None:
                towed.is_towed = bool(action.trailer)
            entity.trailer = action.trailer
        elif isinstance(action, RandomRoute):
            entity.route = ()


class ControllerExecution(Execution):
    """Assigns, activates or overrides the controller of an entity."""

    def __init__(self, world: ScenarioWorld, entity: EntityState, action: PrivateAction) -> None:
        super().__init__(world, entity)
        self._action = action

    def start(self) -> None:
        """Gives the order."""
        action, entity = self._action, self.entity
        if isinstance(action, AssignController):
            order = ControllerOrder(entity.name, action.controllers, *action.activates)
            self.world.activations.append(order)
        elif isinstance(action, ActivateController):
            flags = action.longitudinal, action.lateral
            self.world.activations.append(ControllerOrder(entity.name, None, *flags))
        elif isinstance(action, OverrideController):
            for control, is_active, value in action.values:
                if is_active:
                    entity.pedals[control] = value
                else:
                    entity.pedals.pop(control, None)


class AnimationExecution(Execution):
    """Waits for the duration of an animation."""

    def __init__(self, world: ScenarioWorld, entity: EntityState, action: Animate) -> None:
        super().__init__(world, entity)
        self._left = action.duration

    def step(self) -> None:
        """Waits until the duration has passed."""
        self._left -= self.world.dt
        self.is_done = self._left <= 0.0


_EXECUTIONS: dict[type, Callable[..., Execution]] = {
    SpeedChange: SpeedExecution,
    SpeedProfile: SpeedProfileExecution,
    KeepDistance: DistanceExecution,
    ReachDistance: ReachExecution,
    Synchronize: SynchronizeExecution,
    LaneChange: LaneChangeExecution,
    SetLaneOffset: LaneOffsetExecution,
    KeepLateralDistance: LateralDistanceExecution,
    Teleport: TeleportExecution,
    AssignRoute: RouteExecution,
    AcquirePosition: AcquireExecution,
    FollowTrajectory: TrajectoryExecution,
    Animate: AnimationExecution,
    AssignController: ControllerExecution,
    ActivateController: ControllerExecution,
    OverrideController: ControllerExecution,
}
"""Execution of each kind of action; all others set a state."""


def make_execution(world: ScenarioWorld, entity: EntityState, action: PrivateAction) -> Execution:
    """The execution of an action of an entity."""
    return _EXECUTIONS.get(type(action), StateExecution)(world, entity, action)


def execute_global(world: ScenarioWorld, action: GlobalAction) -> None:
    """Executes a global action, all of which end at once."""
    if isinstance(action, SetValue):
        _set_value(world, action)
    elif isinstance(action, SetEnvironment):
        world.environment = action.environment
    elif isinstance(action, AddEntity):
        entity = world.placement.entity(action.entity)
        if entity.is_active:
            world.notes.append(f"'{action.entity}' is in the world already")
            return
        entity.is_active = True
        world.put(entity, world.placement.find(action.position))
    elif isinstance(action, DeleteEntity):
        entity = world.placement.entity(action.entity)
        entity.is_active = False
    elif isinstance(action, SetSignal):
        world.signals[action.signal] = action.state
    elif isinstance(action, SetSignalPhase):
        world.phases[action.controller] = action.phase
    elif isinstance(action, UserCommand):
        if action.text or action.kind:
            world.log(f"command {action.kind}: {action.text}")
    else:
        world.flows.append(action)


def _set_value(world: ScenarioWorld, action: SetValue) -> None:
    values = world.variables if action.is_variable else world.parameters
    if action.kind == "set":
        values[action.name] = action.value
        return
    try:
        now, amount = float(values.get(action.name, "0") or 0.0), float(action.value)
    except ValueError:
        world.notes.append(f"'{action.name}' is not a number")
        return
    values[action.name] = repr(now + amount if action.kind == "add" else now * amount)
