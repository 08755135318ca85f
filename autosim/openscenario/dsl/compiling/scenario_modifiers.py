"""Modifiers of a scenario: its map, the lanes of its path, and where actors begin."""

from autosim.openscenario.dsl.compiling.event_conditions import scalar
from autosim.openscenario.dsl.compiling.story_draft import StoryDraft
from autosim.openscenario.dsl.parsing.dsl_expressions import DslExpression
from autosim.openscenario.dsl.parsing.dsl_tree import DslModifier
from autosim.openscenario.dsl.values.dsl_evaluation import evaluate
from autosim.openscenario.dsl.values.dsl_scope import DslScope
from autosim.openscenario.dsl.values.dsl_values import DslError, kind_of, not_executed
from autosim.openscenario.records.position_records import WorldPoint


def apply_scenario_modifier(modifier: DslModifier, scope: DslScope, draft: StoryDraft) -> None:
    """Adds what a modifier of a scenario states.

    Raises:
        DslError: it is faulty, or not executed.
    """
    if modifier.target and scope.owner(modifier.target) is None:
        raise DslError(modifier.line, modifier.target, "is not declared")
    if modifier.name == "set_map":
        value = evaluate(_only_argument(modifier), scope)
        if not isinstance(value, str):
            raise DslError(modifier.line, modifier.name, f"takes a text, not {kind_of(value)}")
        draft.map = value
    elif modifier.name == "path_min_driving_lanes":
        value = scope.draws.one_of(evaluate(_only_argument(modifier), scope))
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            reason = f"takes a whole number from 1, not {kind_of(value)}"
            raise DslError(modifier.line, modifier.name, reason)
        draft.lanes = max(draft.lanes, value)
    else:
        raise not_executed(modifier.line, modifier.name, "is not a modifier that is executed")


def _only_argument(modifier: DslModifier) -> DslExpression:
    if len(modifier.arguments) != 1:
        raise DslError(modifier.line, modifier.name, "takes one argument")
    return modifier.arguments[0].value


def point_of(modifier: DslModifier, scope: DslScope) -> WorldPoint:
    """The point of `set_position`, whose y counts to the right; it heads along its lane.

    Source: carla-simulator/scenario_runner, whose modifier it is.

    Raises:
        DslError: a coordinate is missing or faulty.
    """
    found = {}
    for each in modifier.arguments:
        is_angle = each.name in ("yaw", "pitch", "roll")
        type_ = "angle" if is_angle else "length"
        if each.name not in ("x", "y", "z") and not is_angle:
            reason = f"the argument '{each.name}' is not executed"
            raise not_executed(modifier.line, modifier.name, reason)
        found[each.name] = scalar(each.value, scope, type_, modifier.name)
    if "x" not in found or "y" not in found:
        raise DslError(modifier.line, modifier.name, "takes x and y")
    return WorldPoint(found["x"], -found["y"])
