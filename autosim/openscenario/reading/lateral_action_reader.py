"""Reads lateral actions."""

from autosim.openscenario.reading.longitudinal_action_reader import (
    SHAPES,
    read_dynamics,
    read_limits,
)
from autosim.openscenario.reading.xosc_elements import XoscElement
from autosim.openscenario.records.action_records import (
    KeepLateralDistance,
    LaneChange,
    PrivateAction,
    SetLaneOffset,
)


def read_lateral(element: XoscElement) -> PrivateAction:
    """The action of a <LateralAction>."""
    return element.pick(
        {
            "LaneChangeAction": _change,
            "LaneOffsetAction": _offset,
            "LateralDistanceAction": _distance,
        }
    )


def _change(element: XoscElement) -> PrivateAction:
    dynamics = read_dynamics(element.need("LaneChangeActionDynamics"))
    target = element.need("LaneChangeTarget").need("AbsoluteTargetLane", "RelativeTargetLane")
    is_relative = target.tag == "RelativeTargetLane"
    entity = target.text("entityRef") if is_relative else None
    offset = element.number("targetLaneOffset", 0.0)
    return LaneChange(dynamics, target.whole("value"), entity, offset)


def _offset(element: XoscElement) -> PrivateAction:
    dynamics = element.need("LaneOffsetActionDynamics")
    target = element.need("LaneOffsetTarget").need(
        "AbsoluteTargetLaneOffset", "RelativeTargetLaneOffset"
    )
    is_relative = target.tag == "RelativeTargetLaneOffset"
    return SetLaneOffset(
        dynamics.choice("dynamicsShape", SHAPES),
        dynamics.maybe("maxLateralAcc"),
        target.number("value"),
        target.text("entityRef") if is_relative else None,
        element.flag("continuous", default=False),
    )


def _distance(element: XoscElement) -> PrivateAction:
    sides = ("leftToReferencedEntity", "rightToReferencedEntity", "any")
    return KeepLateralDistance(
        element.text("entityRef"),
        element.maybe("distance"),
        element.flag("freespace", default=False),
        element.flag("continuous", default=False),
        element.text("coordinateSystem", "entity"),
        element.choice("displacement", sides, "any"),
        read_limits(element),
    )
