"""Reads private actions."""

from autosim.openscenario.reading.entity_reader import read_controllers
from autosim.openscenario.reading.lateral_action_reader import read_lateral
from autosim.openscenario.reading.longitudinal_action_reader import read_longitudinal
from autosim.openscenario.reading.position_reader import (
    read_position,
    read_route_ref,
    read_trajectory_ref,
)
from autosim.openscenario.reading.xosc_elements import XoscElement
from autosim.openscenario.records.action_records import (
    AcquirePosition,
    ActivateController,
    Animate,
    AssignController,
    AssignRoute,
    ConnectTrailer,
    FollowTrajectory,
    OverrideController,
    PrivateAction,
    RandomRoute,
    SetLight,
    SetVisibility,
    SpeedTarget,
    Synchronize,
    Teleport,
)
from autosim.openscenario.records.entity_records import LightState

_CONTROLS = ("Throttle", "Brake", "Clutch", "ParkingBrake", "SteeringWheel", "Gear")


def read_private_action(element: XoscElement) -> PrivateAction:
    """The action of a <PrivateAction>."""
    return element.pick(
        {
            "LongitudinalAction": read_longitudinal,
            "LateralAction": read_lateral,
            "TeleportAction": lambda each: Teleport(read_position(each.need("Position"))),
            "RoutingAction": _routing,
            "SynchronizeAction": _synchronize,
            "ControllerAction": _controller,
            "ActivateControllerAction": _activate,
            "VisibilityAction": _visibility,
            "AppearanceAction": _appearance,
            "TrailerAction": _trailer,
        }
    )


def _routing(element: XoscElement) -> PrivateAction:
    def acquire(each: XoscElement) -> PrivateAction:
        return AcquirePosition(read_position(each.need("Position")))

    return element.pick(
        {
            "AssignRouteAction": lambda each: AssignRoute(read_route_ref(each)),
            "AcquirePositionAction": acquire,
            "FollowTrajectoryAction": _follow,
            "RandomRouteAction": lambda _: RandomRoute(),
        }
    )


def _follow(element: XoscElement) -> PrivateAction:
    mode = element.child("TrajectoryFollowingMode")
    is_following = mode is not None and mode.text("followingMode", "position") == "follow"
    reference = element.child("TrajectoryRef") or element
    trajectory = read_trajectory_ref(reference)
    times = element.child("TimeReference")
    timing = None
    if times is not None:
        times.child("None")
        scale = times.child("Timing")
        if scale is not None:
            is_absolute = scale.text("domainAbsoluteRelative", "relative") == "absolute"
            timing = is_absolute, scale.number("scale", 1.0), scale.number("offset", 0.0)
    distance = element.number("initialDistanceOffset", 0.0)
    return FollowTrajectory(trajectory, is_following, timing, distance)


def _synchronize(element: XoscElement) -> PrivateAction:
    final = element.child("FinalSpeed")
    target, steady_kind, steady = None, "", 0.0
    if final is not None:
        speed = final.need("AbsoluteSpeed", "RelativeSpeedToMaster")
        if speed.tag == "AbsoluteSpeed":
            target = SpeedTarget("absolute", speed.number("value"))
        else:
            kind = speed.choice("speedTargetValueType", ("delta", "factor"), "delta")
            target = SpeedTarget(kind, speed.number("value"), element.text("masterEntityRef"))
        state = speed.child("TargetDistanceSteadyState", "TargetTimeSteadyState")
        if state is not None:
            is_distance = state.tag == "TargetDistanceSteadyState"
            steady_kind = "distance" if is_distance else "time"
            steady = state.number("distance" if is_distance else "time")
    return Synchronize(
        element.text("masterEntityRef"),
        read_position(element.need("TargetPositionMaster")),
        read_position(element.need("TargetPosition")),
        element.number("targetToleranceMaster", 0.0),
        element.number("targetTolerance", 0.0),
        target,
        steady_kind,
        steady,
    )


def _controller(element: XoscElement) -> PrivateAction:
    """An assignment, with what the same element overrides or activates."""
    assign = element.child("AssignControllerAction")
    override, activate = (
        element.child("OverrideControllerValueAction"),
        element.child("ActivateControllerAction"),
    )
    overridden = None if override is None else _override(override)
    activated = None if activate is None else _activate(activate)
    if assign is not None:
        controllers = tuple(read_controllers(assign))
        activates = _flags(assign, "activateLongitudinal", "activateLateral")
        return AssignController(controllers, activates)
    found = activated or overridden
    if found is None:
        raise element.fail("assigns, overrides and activates nothing")
    return found


def _flags(element: XoscElement, *names: str) -> tuple[bool | None, bool | None]:
    values = [None if element.find(name) is None else element.flag(name) for name in names]
    return values[0], values[1]


def _activate(element: XoscElement) -> PrivateAction:
    name = element.text("controllerRef", element.text("objectControllerRef", ""))
    element.accept("Animation", "Lighting")
    return ActivateController(name, *_flags(element, "longitudinal", "lateral"))


def _override(element: XoscElement) -> PrivateAction:
    values = []
    for each in element.children(*_CONTROLS):
        value = each.number("value", each.number("number", 0.0))
        for amount in each.children("BrakePercent", "BrakeForce", "BrakeInput"):
            value = amount.number("value")
        for gear in each.children("ManualGear"):
            value = float(gear.whole("number"))
        for gear in each.children("AutomaticGear"):
            gear.skip()
        values.append((each.tag, each.flag("active"), value))
    return OverrideController(tuple(values))


def _visibility(element: XoscElement) -> PrivateAction:
    element.accept("SensorReferenceSet")
    names = ("graphics", "sensors", "traffic")
    return SetVisibility(*(element.flag(name, default=True) for name in names))


def _appearance(element: XoscElement) -> PrivateAction:
    def light(each: XoscElement) -> PrivateAction:
        kind = each.need("LightType").need("VehicleLight", "UserDefinedLight")
        name = kind.text("vehicleLightType", kind.text("userDefinedLightType", ""))
        state = each.need("LightState")
        state.accept("Color")
        mode = state.choice("mode", ("on", "off", "flashing"))
        seconds = state.number("flashingOnDuration", 0.0)
        return SetLight(LightState(name, mode, seconds), each.number("transitionTime", 0.0))

    def animation(each: XoscElement) -> PrivateAction:
        each.accept("AnimationType", "AnimationState")
        return Animate("animation", each.number("animationDuration", 0.0))

    return element.pick({"LightStateAction": light, "AnimationAction": animation})


def _trailer(element: XoscElement) -> PrivateAction:
    return element.pick(
        {
            "ConnectTrailerAction": lambda each: ConnectTrailer(each.text("trailerRef")),
            "DisconnectTrailerAction": lambda _: ConnectTrailer(""),
        }
    )
