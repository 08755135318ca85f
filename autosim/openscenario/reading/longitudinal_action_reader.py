"""Reads longitudinal actions, and the dynamics that they share with lateral ones."""

from autosim.openscenario.reading.xosc_elements import XoscElement
from autosim.openscenario.records.action_records import (
    DynamicLimits,
    Dynamics,
    KeepDistance,
    PrivateAction,
    SpeedChange,
    SpeedProfile,
    SpeedTarget,
)

SHAPES = ("linear", "cubic", "sinusoidal", "step")
"""Shapes of transitions."""

_INFINITE = float("inf")


def read_dynamics(element: XoscElement) -> Dynamics:
    """The dynamics of a transition."""
    shape = element.choice("dynamicsShape", SHAPES)
    dimension = element.choice("dynamicsDimension", ("time", "distance", "rate"), "time")
    return Dynamics(shape, dimension, abs(element.number("value", 0.0)))


def read_limits(element: XoscElement) -> DynamicLimits:
    """The <DynamicConstraints> of an element; without them a motion has no limits."""
    found = element.child("DynamicConstraints")
    if found is None:
        return DynamicLimits()
    jerk = found.number("maxAccelerationRate", _INFINITE)
    return DynamicLimits(
        found.number("maxAcceleration", _INFINITE),
        found.number("maxDeceleration", _INFINITE),
        found.number("maxSpeed", _INFINITE),
        jerk,
        found.number("maxDecelerationRate", jerk),
    )


def read_longitudinal(element: XoscElement) -> PrivateAction:
    """The action of a <LongitudinalAction>."""
    return element.pick(
        {
            "SpeedAction": _speed,
            "LongitudinalDistanceAction": _distance,
            "SpeedProfileAction": _profile,
        }
    )


def _speed(element: XoscElement) -> PrivateAction:
    dynamics = read_dynamics(element.need("SpeedActionDynamics"))
    return SpeedChange(dynamics, read_target(element.need("SpeedActionTarget")))


def read_target(element: XoscElement) -> SpeedTarget:
    """The speed of a <SpeedActionTarget>."""

    def absolute(each: XoscElement) -> SpeedTarget:
        return SpeedTarget("absolute", each.number("value"))

    def relative(each: XoscElement) -> SpeedTarget:
        kind = each.choice("speedTargetValueType", ("delta", "factor"), "delta")
        is_continuous = each.flag("continuous", default=False)
        return SpeedTarget(kind, each.number("value"), each.text("entityRef"), is_continuous)

    return element.pick({"AbsoluteTargetSpeed": absolute, "RelativeTargetSpeed": relative})


def _distance(element: XoscElement) -> PrivateAction:
    distance, gap = element.maybe("distance"), element.maybe("timeGap")
    if distance is None and gap is None:
        raise element.fail("expected the attribute distance or timeGap")
    sides = ("leadingReferencedEntity", "trailingReferencedEntity", "any")
    return KeepDistance(
        element.text("entityRef"),
        distance,
        gap,
        element.flag("freespace", default=False),
        element.flag("continuous", default=False),
        element.text("coordinateSystem", "entity"),
        element.choice("displacement", sides, sides[1]),
        read_limits(element),
    )


def _profile(element: XoscElement) -> PrivateAction:
    entries = element.children("SpeedProfileEntry")
    if not entries:
        raise element.fail("states no <SpeedProfileEntry>")
    return SpeedProfile(
        tuple((each.number("speed"), each.maybe("time")) for each in entries),
        read_limits(element),
        element.text("entityRef", ""),
        element.text("followingMode", "position") == "follow",
    )
