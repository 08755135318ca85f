"""Actions of the standard library that one modifier of `drive` expresses, such as change_lane."""

from collections.abc import Callable

from autosim.openscenario.dsl.parsing.dsl_expressions import (
    DslArgument,
    DslExpression,
    DslLiteral,
    DslName,
    DslQuantity,
)
from autosim.openscenario.dsl.parsing.dsl_tree import DslInvocation, DslModifier
from autosim.openscenario.dsl.values.dsl_values import DslError, not_executed

ASSIGNED = frozenset(("assign_speed", "remain_stationary"))
"""Actions that state a speed at once, so that an actor may begin with it."""

_Arguments = dict[str, DslExpression]


def modifier_of(action: DslInvocation) -> DslModifier | None:
    """The modifier of `drive` that does what an action does; None where it is not one of these.

    Raises:
        DslError: an argument is missing, or not executed.
    """
    make = _ACTIONS.get(action.name)
    if make is None:
        return None
    names, build = make
    found: _Arguments = {}
    for number, each in enumerate(action.arguments):
        name = each.name or (names[number] if number < len(names) else "")
        if name == "duration":
            continue
        if name not in names:
            what = f"the argument '{name}'" if name else "an argument without a name"
            raise not_executed(action.line, action.name, f"{what} is not executed")
        found[name] = each.value
    name, arguments = build(found, action)
    stated = tuple(DslArgument(key, value) for key, value in arguments.items())
    return DslModifier("", name, stated, action.line)


_Built = tuple[str, _Arguments]


def _need(found: _Arguments, name: str, action: DslInvocation) -> DslExpression:
    if name not in found:
        raise DslError(action.line, action.name, f"takes {name}")
    return found[name]


def _has_duration(action: DslInvocation) -> bool:
    return any(each.name == "duration" for each in action.arguments)


def _change_speed(found: _Arguments, action: DslInvocation) -> _Built:
    arguments = {"speed": _need(found, "target", action)}
    if "rate_peak" in found:
        arguments["rate"] = found["rate_peak"]
    if _has_duration(action):
        arguments["at"] = DslName("end", action.line)
    return "speed", arguments


def _assign_speed(found: _Arguments, action: DslInvocation) -> _Built:
    at = DslName("start", action.line)
    return "speed", {"speed": _need(found, "speed", action), "at": at, "at_once": _true(action)}


def _stay(found: _Arguments, action: DslInvocation) -> _Built:
    del found
    zero = DslQuantity(0.0, "mps", action.line)
    return "speed", {"speed": zero, "at_once": _true(action)}


def _true(action: DslInvocation) -> DslExpression:
    return DslLiteral(True, action.line)


def _follow_lane(found: _Arguments, action: DslInvocation) -> _Built:
    del action
    return ("lateral", {"distance": found["offset"]}) if found else ("keep_lane", {})


def _change_lane(found: _Arguments, action: DslInvocation) -> _Built:
    arguments = {"side": _need(found, "side", action)}
    if "num_of_lanes" in found:
        arguments["num_of_lanes"] = found["num_of_lanes"]
    return "change_lane", arguments


def _change_gap(found: _Arguments, action: DslInvocation) -> _Built:
    direction = found.get("direction", DslName("ahead", action.line))
    word = getattr(direction, "text", getattr(direction, "member", ""))
    if word not in ("ahead", "behind"):
        raise not_executed(action.line, action.name, "takes direction: ahead or behind")
    side = "ahead_of" if word == "ahead" else "behind"
    return "position", {
        "distance": _need(found, "target", action),
        side: _need(found, "reference", action),
        "at": DslName("end", action.line),
    }


_ACTIONS: dict[str, tuple[tuple[str, ...], Callable[[_Arguments, DslInvocation], _Built]]] = {
    "assign_speed": (("speed",), _assign_speed),
    "change_speed": (("target", "rate_peak"), _change_speed),
    "keep_speed": ((), lambda found, action: ("keep_speed", {})),
    "remain_stationary": ((), _stay),
    "follow_lane": (("offset",), _follow_lane),
    "change_lane": (("num_of_lanes", "side"), _change_lane),
    "change_space_gap": (("target", "direction", "reference"), _change_gap),
}
"""Actions: the names of their arguments in order, and how their modifier is made."""
