"""Reads global actions and actions defined by users."""

from autosim.openscenario.reading.entity_reader import read_environment_ref
from autosim.openscenario.reading.position_reader import read_position
from autosim.openscenario.reading.xosc_elements import XoscElement
from autosim.openscenario.records.action_records import (
    AddEntity,
    DeleteEntity,
    GlobalAction,
    SetEnvironment,
    SetSignal,
    SetSignalPhase,
    SetValue,
    TrafficFlow,
    UserCommand,
)


def read_global_action(element: XoscElement) -> GlobalAction:
    """The action of a <GlobalAction>."""
    return element.pick(
        {
            "EnvironmentAction": lambda each: SetEnvironment(read_environment_ref(each)),
            "EntityAction": _entity,
            "ParameterAction": lambda each: _value(each, is_variable=False),
            "VariableAction": lambda each: _value(each, is_variable=True),
            "SetMonitorAction": _monitor,
            "InfrastructureAction": _infrastructure,
            "TrafficAction": _traffic,
        }
    )


def read_user_action(element: XoscElement) -> GlobalAction:
    """The action of a <UserDefinedAction>."""
    command = element.need("CustomCommandAction")
    return UserCommand(command.text("type", ""), command.content())


def _monitor(element: XoscElement) -> GlobalAction:
    return SetValue(element.text("monitorRef"), True, "set", element.text("value"))


def _entity(element: XoscElement) -> GlobalAction:
    name = element.text("entityRef")

    def add(each: XoscElement) -> GlobalAction:
        return AddEntity(name, read_position(each.need("Position")))

    def delete(_: XoscElement) -> GlobalAction:
        return DeleteEntity(name)

    return element.pick({"AddEntityAction": add, "DeleteEntityAction": delete})


def _value(element: XoscElement, *, is_variable: bool) -> GlobalAction:
    name = element.reference("variableRef" if is_variable else "parameterRef")

    def modify(each: XoscElement) -> GlobalAction:
        by = each.need("Rule").need("AddValue", "MultiplyByValue")
        kind = "add" if by.tag == "AddValue" else "multiply"
        return SetValue(name, is_variable, kind, repr(by.number("value")))

    def assign(each: XoscElement) -> GlobalAction:
        return SetValue(name, is_variable, "set", each.text("value", ""))

    return element.pick({"SetAction": assign, "ModifyAction": modify})


def _infrastructure(element: XoscElement) -> GlobalAction:
    def state(each: XoscElement) -> GlobalAction:
        return SetSignal(each.text("name"), each.text("state"))

    def phase(each: XoscElement) -> GlobalAction:
        each.accept("Phase")
        return SetSignalPhase(each.text("trafficSignalControllerRef"), each.text("phase"))

    action = element.need("TrafficSignalAction")
    return action.pick({"TrafficSignalStateAction": state, "TrafficSignalControllerAction": phase})


def _traffic(element: XoscElement) -> GlobalAction:
    name = element.text("trafficName", "")
    return element.pick(
        {
            "TrafficSourceAction": lambda each: _source(each, name, "source"),
            "TrafficSinkAction": lambda each: _source(each, name, "sink"),
            "TrafficSwarmAction": lambda each: _swarm(each, name),
            "TrafficStopAction": lambda _: TrafficFlow("stop", name),
        }
    )


def _definition(element: XoscElement) -> tuple[tuple[str, float], ...]:
    """The vehicle categories of a <TrafficDefinition> and their weights."""
    definition = element.child("TrafficDefinition")
    if definition is None:
        return ()
    definition.accept("ControllerDistribution")
    distribution = definition.child("VehicleCategoryDistribution")
    if distribution is None:
        return ()
    definition.accept("VehicleRoleDistribution")
    return tuple(
        (each.text("category"), each.number("weight"))
        for each in distribution.children("VehicleCategoryDistributionEntry")
    )


def _source(element: XoscElement, name: str, kind: str) -> GlobalAction:
    return TrafficFlow(
        kind,
        name,
        element.number("rate", 0.0),
        read_position(element.need("Position")),
        radii=(element.number("radius"),),
        speed=element.maybe("speed") or element.maybe("velocity"),
        categories=_definition(element),
    )


def _swarm(element: XoscElement, name: str) -> GlobalAction:
    center = element.need("CentralObject", "CentralSwarmObject")
    radii = tuple(
        element.number(each) for each in ("innerRadius", "semiMajorAxis", "semiMinorAxis")
    )
    speeds = element.child("InitialSpeedRange")
    speed = element.maybe("velocity")
    if speeds is not None:
        speed = 0.5 * (speeds.number("lowerLimit") + speeds.number("upperLimit"))
    element.accept("DirectionOfTravelDistribution")
    return TrafficFlow(
        "swarm",
        name,
        element.number("numberOfVehicles"),
        entity=center.text("entityRef"),
        radii=radii,
        speed=speed,
        categories=_definition(element),
    )
