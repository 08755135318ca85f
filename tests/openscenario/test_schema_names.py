"""Elements of the schema: each is executed, has no effect, or is refused by name and line."""

import ast
from pathlib import Path

import pytest

from autosim.errors import UserError
from autosim.openscenario.reading.distribution_reader import read_distribution
from autosim.openscenario.reading.scenario_reader import read_scenario
from tests.openscenario.scenario_texts import after, scenario_text, write_scenario
from tests.paths import ROOT

NAMES = [
    "AbsoluteSpeed",
    "AbsoluteTargetLane",
    "AbsoluteTargetLaneOffset",
    "AbsoluteTargetSpeed",
    "AccelerationCondition",
    "AcquirePositionAction",
    "Act",
    "Action",
    "Actions",
    "ActivateControllerAction",
    "Actors",
    "AddEntityAction",
    "AddValue",
    "AdditionalAxle",
    "AngleCondition",
    "AnimationAction",
    "AnimationFile",
    "AnimationState",
    "AnimationStateAction",
    "AnimationType",
    "AppearanceAction",
    "AreaDistribution",
    "AssignControllerAction",
    "AssignRouteAction",
    "AutomaticGear",
    "Axles",
    "Bin",
    "BoundingBox",
    "Brake",
    "BrakeForce",
    "BrakePercent",
    "ByEntityCondition",
    "ByType",
    "ByValueCondition",
    "Catalog",
    "CatalogLocations",
    "CatalogReference",
    "Center",
    "CentralObject",
    "Clothoid",
    "ClothoidSpline",
    "ClothoidSplineSegment",
    "Clutch",
    "CollisionCondition",
    "Color",
    "ColorCmyk",
    "ColorRgb",
    "ComponentAnimation",
    "Condition",
    "ConditionGroup",
    "ConnectTrailerAction",
    "ConstraintGroup",
    "ControlPoint",
    "Controller",
    "ControllerAction",
    "ControllerCatalog",
    "ControllerDistribution",
    "ControllerDistributionEntry",
    "CustomCommandAction",
    "CustomContent",
    "DeleteEntityAction",
    "Deterministic",
    "DeterministicMultiParameterDistribution",
    "DeterministicSingleParameterDistribution",
    "Dimensions",
    "DirectionOfTravelDistribution",
    "Directory",
    "DisconnectTrailerAction",
    "DistanceCondition",
    "DistributionRange",
    "DistributionSet",
    "DomeFile",
    "DomeImage",
    "DynamicConstraints",
    "Element",
    "EndOfRoadCondition",
    "Entities",
    "EntityAction",
    "EntityCondition",
    "EntityDistribution",
    "EntityDistributionEntry",
    "EntityRef",
    "EntitySelection",
    "Environment",
    "EnvironmentAction",
    "EnvironmentCatalog",
    "Event",
    "ExternalObjectReference",
    "File",
    "FileHeader",
    "FinalSpeed",
    "Fog",
    "FollowTrajectoryAction",
    "FromCurrentEntity",
    "FromLaneCoordinates",
    "FromRoadCoordinates",
    "FrontAxle",
    "Gear",
    "GeoPosition",
    "GlobalAction",
    "Histogram",
    "InRoutePosition",
    "InfrastructureAction",
    "Init",
    "InitialSpeedRange",
    "Knot",
    "Lane",
    "LaneChangeAction",
    "LaneChangeActionDynamics",
    "LaneChangeTarget",
    "LaneOffsetAction",
    "LaneOffsetActionDynamics",
    "LaneOffsetTarget",
    "LanePosition",
    "LateralAction",
    "LateralDistanceAction",
    "License",
    "LightState",
    "LightStateAction",
    "LightType",
    "LogNormalDistribution",
    "LogicFile",
    "LongitudinalAction",
    "LongitudinalDistanceAction",
    "Maneuver",
    "ManeuverCatalog",
    "ManeuverGroup",
    "ManualGear",
    "Members",
    "MiscObject",
    "MiscObjectCatalog",
    "ModifyAction",
    "MonitorDeclaration",
    "MonitorDeclarations",
    "MountingPosition",
    "MultiplyByValue",
    "None",
    "NormalDistribution",
    "Nurbs",
    "ObjectController",
    "OffroadCondition",
    "OpenSCENARIO",
    "Orientation",
    "OverrideControllerValueAction",
    "ParameterAction",
    "ParameterAssignment",
    "ParameterAssignments",
    "ParameterCondition",
    "ParameterDeclaration",
    "ParameterDeclarations",
    "ParameterValueDistribution",
    "ParameterValueSet",
    "ParkingBrake",
    "Pedestrian",
    "PedestrianAnimation",
    "PedestrianCatalog",
    "PedestrianGesture",
    "Performance",
    "Phase",
    "PoissonDistribution",
    "Polygon",
    "Polyline",
    "Position",
    "PositionStart",
    "Precipitation",
    "Private",
    "PrivateAction",
    "ProbabilityDistributionSet",
    "Properties",
    "Property",
    "RandomRouteAction",
    "Range",
    "ReachPositionCondition",
    "RearAxle",
    "RelativeAngleCondition",
    "RelativeClearanceCondition",
    "RelativeDistanceCondition",
    "RelativeLanePosition",
    "RelativeLaneRange",
    "RelativeObjectPosition",
    "RelativeRoadPosition",
    "RelativeSpeedCondition",
    "RelativeSpeedToMaster",
    "RelativeTargetLane",
    "RelativeTargetLaneOffset",
    "RelativeTargetSpeed",
    "RelativeWorldPosition",
    "RoadCondition",
    "RoadCursor",
    "RoadNetwork",
    "RoadPosition",
    "RoadRange",
    "Route",
    "RouteCatalog",
    "RoutePosition",
    "RouteRef",
    "RoutingAction",
    "Rule",
    "ScenarioFile",
    "ScenarioObject",
    "ScenarioObjectTemplate",
    "SceneGraphFile",
    "Sensor",
    "SensorAttachment",
    "SensorAttachments",
    "SensorCatalog",
    "SensorReference",
    "SensorReferenceSet",
    "SetAction",
    "SetMonitorAction",
    "Shape",
    "SimulationTimeCondition",
    "SpeedAction",
    "SpeedActionDynamics",
    "SpeedActionTarget",
    "SpeedCondition",
    "SpeedProfileAction",
    "SpeedProfileEntry",
    "SpeedRange",
    "StandStillCondition",
    "StartTrigger",
    "SteeringWheel",
    "Stochastic",
    "StochasticDistribution",
    "StopTrigger",
    "Story",
    "Storyboard",
    "StoryboardElementStateCondition",
    "Sun",
    "SynchronizeAction",
    "TargetDistanceSteadyState",
    "TargetPosition",
    "TargetPositionMaster",
    "TargetTimeSteadyState",
    "TeleportAction",
    "Throttle",
    "TimeHeadwayCondition",
    "TimeOfDay",
    "TimeOfDayCondition",
    "TimeReference",
    "TimeToCollisionCondition",
    "TimeToCollisionConditionTarget",
    "Timing",
    "TrafficAction",
    "TrafficArea",
    "TrafficAreaAction",
    "TrafficDefinition",
    "TrafficDistribution",
    "TrafficDistributionEntry",
    "TrafficSignalAction",
    "TrafficSignalCondition",
    "TrafficSignalController",
    "TrafficSignalControllerAction",
    "TrafficSignalControllerCondition",
    "TrafficSignalGroupState",
    "TrafficSignalState",
    "TrafficSignalStateAction",
    "TrafficSignals",
    "TrafficSinkAction",
    "TrafficSourceAction",
    "TrafficStopAction",
    "TrafficSwarmAction",
    "TrafficeSignalGroupState",
    "Trailer",
    "TrailerAction",
    "TrailerCoupler",
    "TrailerHitch",
    "TrailerRef",
    "Trajectory",
    "TrajectoryCatalog",
    "TrajectoryFollowingMode",
    "TrajectoryPosition",
    "TrajectoryRef",
    "TraveledDistanceCondition",
    "TriggeringEntities",
    "UniformDistribution",
    "UsedArea",
    "UserDefinedAction",
    "UserDefinedAnimation",
    "UserDefinedComponent",
    "UserDefinedDistribution",
    "UserDefinedLight",
    "UserDefinedValueCondition",
    "ValueConstraint",
    "ValueSetDistribution",
    "VariableAction",
    "VariableCondition",
    "VariableDeclaration",
    "VariableDeclarations",
    "Vehicle",
    "VehicleCatalog",
    "VehicleCategoryDistribution",
    "VehicleCategoryDistributionEntry",
    "VehicleComponent",
    "VehicleLight",
    "VehicleRoleDistribution",
    "VehicleRoleDistributionEntry",
    "Vertex",
    "VisibilityAction",
    "Waypoint",
    "Weather",
    "Wind",
    "WorldPosition",
]
"""Names of all elements of the schemas of OpenSCENARIO XML 1.0 to 1.3."""

WITHOUT_EFFECT = {
    "colours and files of looks": {
        "AnimationFile",
        "AnimationStateAction",
        "ColorCmyk",
        "ColorRgb",
        "ComponentAnimation",
        "DomeFile",
        "PedestrianAnimation",
        "PedestrianGesture",
        "UserDefinedAnimation",
        "UserDefinedComponent",
        "VehicleComponent",
    },
    "wheels, which kinematic entities do not have": {"AdditionalAxle", "RearAxle"},
    "sensors, which are those of robots": {
        "MountingPosition",
        "Sensor",
        "SensorAttachment",
        "SensorAttachments",
        "SensorReference",
    },
    "controllers and roles of traffic, whose vehicles have the built-in driver": {
        "ControllerDistributionEntry",
        "VehicleRoleDistributionEntry",
    },
    "groups of signals": {"TrafficeSignalGroupState"},
}
"""Elements that are read as parts of others and change nothing, by the reason."""

CATALOGS = {
    "ControllerCatalog",
    "EnvironmentCatalog",
    "ManeuverCatalog",
    "MiscObjectCatalog",
    "PedestrianCatalog",
    "RouteCatalog",
    "SensorCatalog",
    "TrajectoryCatalog",
    "VehicleCatalog",
}
"""Kinds of <CatalogLocations>, all read alike."""

OF_AREAS = {
    "AreaDistribution",
    "EntityDistribution",
    "EntityDistributionEntry",
    "Lane",
    "Polygon",
    "RoadCursor",
    "RoadRange",
    "ScenarioObjectTemplate",
    "SpeedRange",
    "TrafficArea",
    "TrafficDistribution",
    "TrafficDistributionEntry",
}
"""Parts of <TrafficAreaAction>, which is refused as a whole."""

REFUSED = {"TrafficAreaAction", "UserDefinedDistribution"}


def named_by_readers() -> set[str]:
    """The texts in the source of the readers."""
    folder = ROOT / "autosim" / "openscenario" / "reading"
    return {
        node.value
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def test_each_element_of_the_schema_is_executed_has_no_effect_or_is_refused() -> None:
    known = named_by_readers().union(*WITHOUT_EFFECT.values(), CATALOGS, OF_AREAS, REFUSED)

    assert [each for each in NAMES if each not in known] == []


def test_what_is_said_to_be_refused_is_not_read() -> None:
    assert not REFUSED & named_by_readers()
    assert not OF_AREAS & named_by_readers()


def test_a_traffic_area_is_refused_by_name_and_line(tmp_path: Path) -> None:
    action = (
        "<GlobalAction><TrafficAction>\n<TrafficAreaAction continuous='true' numberOfEntities='2'>"
        "<TrafficArea/></TrafficAreaAction></TrafficAction></GlobalAction>"
    )
    event = (
        f"<Event name='e' priority='parallel'><Action name='a'>{action}</Action>"
        f"<StartTrigger>{after(0.0)}</StartTrigger></Event>"
    )
    path = write_scenario(tmp_path, scenario_text(event))
    _, findings = read_scenario(path)

    (refusal,) = findings.refusals
    assert refusal.element == "TrafficAreaAction"
    line = path.read_text().splitlines()[refusal.line - 1]
    assert line.startswith("<TrafficAreaAction")


def test_a_user_defined_distribution_is_refused_by_name_and_line(tmp_path: Path) -> None:
    write_scenario(tmp_path, scenario_text(""))
    path = tmp_path / "variants.xosc"
    path.write_text(
        '<OpenSCENARIO><FileHeader revMajor="1" revMinor="2"/><ParameterValueDistribution>'
        '<ScenarioFile filepath="scenario.xosc"/><Deterministic>\n'
        '<DeterministicSingleParameterDistribution parameterName="v"><UserDefinedDistribution '
        'type="x"/></DeterministicSingleParameterDistribution></Deterministic>'
        "</ParameterValueDistribution></OpenSCENARIO>"
    )
    with pytest.raises(UserError, match=r"variants\.xosc:2: .*UserDefinedDistribution"):
        read_distribution(path)


def test_a_value_outside_the_constraints_of_its_parameter_is_refused(tmp_path: Path) -> None:
    declared = (
        '<ParameterDeclaration name="v" parameterType="double" value="5"><ConstraintGroup>'
        '<ValueConstraint rule="greaterThan" value="0"/><ValueConstraint rule="lessThan" '
        'value="${2 * $w}"/></ConstraintGroup></ParameterDeclaration>'
        '<ParameterDeclaration name="w" parameterType="double" value="5"/>'
    )
    path = write_scenario(tmp_path, scenario_text("", parameters=declared))

    assert read_scenario(path)[0] is not None
    found, findings = read_scenario(path, {"v": "12"})
    assert found is None
    assert "v = 12 violates" in findings.refusals[0].reason
