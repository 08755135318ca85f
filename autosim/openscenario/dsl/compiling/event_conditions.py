"""Compiles events, and conditions on what actors do, to groups of conditions of the storyboard."""

from typing import NamedTuple

from autosim.openscenario.dsl.compiling.act_drafts import (
    Emission,
    Group,
    condition,
    has_lasted,
    with_edge,
)
from autosim.openscenario.dsl.parsing.dsl_expressions import (
    DslArgument,
    DslCall,
    DslEnumValue,
    DslExpression,
    DslField,
    DslName,
    DslOperation,
    DslRange,
)
from autosim.openscenario.dsl.parsing.dsl_tree import DslCondition, DslEventUse
from autosim.openscenario.dsl.standard_names import Exponents
from autosim.openscenario.dsl.values.dsl_evaluation import evaluate, value_of
from autosim.openscenario.dsl.values.dsl_scope import DslScope
from autosim.openscenario.dsl.values.dsl_values import (
    ActorValue,
    DslError,
    kind_of,
    not_executed,
    number_of,
)
from autosim.openscenario.records.condition_records import (
    Accelerates,
    Comparison,
    Condition,
    Distance,
    DistanceMeasure,
    EntityCondition,
    EntityTest,
    HasSpeed,
    Headway,
    TimeToCollision,
)

_RULES = {
    "<": "lessThan",
    "<=": "lessOrEqual",
    ">": "greaterThan",
    ">=": "greaterOrEqual",
    "==": "equalTo",
    "!=": "notEqualTo",
}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}

_FIELDS = {"speed": "speed", "acceleration": "acceleration"}
_METHODS = {
    "object_distance": "length",
    "space_gap": "length",
    "distance": "length",
    "time_headway": "time",
    "time_to_collision": "time",
}
"""Methods of actors in conditions: the physical type of their value."""

_MAX_GROUPS = 200
"""Number of alternatives of a condition at most: each is looked at in each step."""

_MAX_NESTED = 20
"""Number of events at most that are declared by one another."""


def scalar(expression: DslExpression, scope: DslScope, type_: str, what: str) -> float:
    """A number of a physical type in base units, drawn where a range is stated.

    Raises:
        DslError: it is of another type.
    """
    value = scope.draws.one_of(evaluate(expression, scope))
    number = number_of(value)
    wanted: Exponents = scope.symbols.physical[type_]
    if number is None or number[1] != wanted:
        raise DslError(expression.line, what, f"takes a value of {type_}, not {kind_of(value)}")
    return number[0]


class EventConditions:
    """Compiles events.

    Args:
        act: name of the act from whose start on events count.
    """

    def __init__(self, act: str) -> None:
        self._act, self._depth = act, 0

    def groups(self, use: DslEventUse, scope: DslScope) -> list[Group]:
        """The groups of conditions of which one has to hold for an event to occur.

        Raises:
            DslError: it is not declared, or uses what is not executed.
        """
        found: list[Group] = [()]
        if use.event:
            found = self._event(use.event, scope, use.line)
        if use.alias:
            raise not_executed(use.line, use.alias, "are parameters of an event, not executed")
        if use.condition is not None:
            conditions = self._condition(use.condition, scope)
            found = _combined(found, conditions, use.line)
        return found

    def _event(self, name: str, scope: DslScope, line: int) -> list[Group]:
        owner = scope.event_owner(name)
        if owner is None:
            raise DslError(line, name, "is not an event that is declared")
        declared = owner.events[name]
        if declared.event is None:
            return [(Emission((id(owner), name), self._act, line),)]
        if self._depth >= _MAX_NESTED:
            raise DslError(line, name, "depends on itself")
        self._depth += 1
        try:
            return self.groups(declared.event, owner)
        finally:
            self._depth -= 1

    def _condition(self, each: DslCondition, scope: DslScope) -> list[Group]:
        if each.kind == "elapsed":
            seconds = scalar(each.value, scope, "time", "elapsed")
            return [(has_lasted(self._act, seconds),)]
        if each.kind == "every":
            raise not_executed(each.line, "every")
        groups = self._alternatives(each.value, scope, is_negated=False)
        if each.kind == "holds":
            return groups
        if len(groups) != 1 or len(groups[0]) != 1:
            raise not_executed(each.line, each.kind, "takes one comparison")
        return [with_edge(groups[0], "rising" if each.kind == "rise" else "falling")]

    def _alternatives(
        self, expression: DslExpression, scope: DslScope, *, is_negated: bool
    ) -> list[Group]:
        """The groups of an expression: those of `or` are joined, those of `and` combined."""
        if isinstance(expression, DslOperation):
            operator, operands = expression.operator, expression.operands
            if operator == "not":
                return self._alternatives(operands[0], scope, is_negated=not is_negated)
            if operator in ("and", "or"):
                first, second = (
                    self._alternatives(each, scope, is_negated=is_negated) for each in operands
                )
                if (operator == "or") is not is_negated:
                    return [*first, *second]
                return _combined(first, second, expression.line)
            if operator in _RULES:
                return self._comparison(expression, scope, is_negated=is_negated)
            if operator == "in" and isinstance(operands[1], DslRange) and not is_negated:
                bounds = (">=", operands[1].low), ("<=", operands[1].high)
                return [tuple(_compare(operands[0], sign, end, scope) for sign, end in bounds)]
        return self._constant(expression, scope, is_negated=is_negated)

    def _constant(
        self, expression: DslExpression, scope: DslScope, *, is_negated: bool
    ) -> list[Group]:
        value = evaluate(expression, scope)
        if not isinstance(value, bool):
            raise DslError(expression.line, "condition", f"is {kind_of(value)}, not true or false")
        return [()] if value is not is_negated else []

    def _comparison(
        self, expression: DslOperation, scope: DslScope, *, is_negated: bool
    ) -> list[Group]:
        left, right = expression.operands
        operator = _NEGATED[expression.operator] if is_negated else expression.operator
        if _measured(left, scope) is not None:
            return [(_compare(left, operator, right, scope),)]
        if _measured(right, scope) is not None:
            return [(_compare(right, _TURNED[operator], left, scope),)]
        return self._constant(expression, scope, is_negated=is_negated)


def _combined(first: list[Group], second: list[Group], line: int) -> list[Group]:
    """The groups in which one of each list holds."""
    if len(first) * len(second) > _MAX_GROUPS:
        raise not_executed(line, "and", f"of more than {_MAX_GROUPS} alternatives")
    return [(*a, *b) for a in first for b in second]


def actor_of(expression: DslExpression, scope: DslScope, what: str) -> ActorValue:
    """The actor that an expression names.

    Raises:
        DslError: it names none.
    """
    found = evaluate(expression, scope)
    if not isinstance(found, ActorValue):
        raise DslError(expression.line, what, f"takes an actor, not {kind_of(found)}")
    return found


def word_of(expression: DslExpression) -> str:
    """The word of an option, with or without the name of its enumeration; "" for another one."""
    if isinstance(expression, DslName):
        return expression.text
    return expression.member if isinstance(expression, DslEnumValue) else ""


class _Measured(NamedTuple):
    """A value of an actor that changes while a scenario runs."""

    actor: str
    name: str
    arguments: tuple[DslArgument, ...]


def _measured(expression: DslExpression, scope: DslScope) -> _Measured | None:
    """The value of an actor that an expression asks for; None for others."""
    arguments: tuple[DslArgument, ...] = ()
    field = expression
    if isinstance(expression, DslCall):
        field, arguments = expression.function, expression.arguments
    if not isinstance(field, DslField) or not isinstance(field.of, DslName):
        return None
    if scope.owner(field.of.text) is None:
        return None
    actor = value_of(field.of.text, scope, field.line)
    if not isinstance(actor, ActorValue):
        return None
    known = _METHODS if isinstance(expression, DslCall) else _FIELDS
    if field.name not in known:
        raise not_executed(field.line, field.name, "is not a value of an actor that is observed")
    return _Measured(actor.name, field.name, arguments)


def _compare(
    left: DslExpression, operator: str, right: DslExpression, scope: DslScope
) -> Condition:
    """The condition that compares a value of an actor."""
    measured = _measured(left, scope)
    if measured is None:
        raise not_executed(left.line, "in", "takes a value of an actor here")
    test: EntityTest
    rule = _RULES[operator]
    if measured.name == "speed":
        other = _measured(right, scope)
        if other is None:
            limit = scalar(right, scope, "speed", "speed")
            test = HasSpeed(Comparison(rule, limit), "")
        elif other.name == "speed":
            test = HasSpeed(Comparison(rule, 0.0), "", other.actor)
        else:
            raise not_executed(right.line, other.name, "is not compared with a speed")
    elif measured.name == "acceleration":
        limit = scalar(right, scope, "acceleration", "acceleration")
        test = Accelerates(Comparison(rule, limit), "longitudinal")
    else:
        limit = scalar(right, scope, _METHODS[measured.name], measured.name)
        test = _gap(measured, Comparison(rule, limit), scope, left.line)
    name = f"{measured.actor}.{measured.name} {operator} {limit_text(test)}"
    return condition(name, EntityCondition((measured.actor,), "any", test))


def limit_text(test: EntityTest) -> str:
    """The limit of a test, for the name of its condition."""
    comparison = getattr(test, "comparison", None)
    return f"{comparison.value:g}" if isinstance(comparison, Comparison) else ""


def _gap(measured: _Measured, comparison: Comparison, scope: DslScope, line: int) -> EntityTest:
    reference, direction = "", ""
    for number, each in enumerate(measured.arguments):
        if each.name == "reference" or (not each.name and number == 0):
            reference = actor_of(each.value, scope, measured.name).name
        elif each.name == "direction" or (not each.name and number == 1):
            direction = word_of(each.value)
        else:
            raise not_executed(line, each.name or measured.name)
    if not reference:
        raise DslError(line, measured.name, "takes the actor to which it is measured")
    is_free = measured.name in ("space_gap", "time_headway")
    kind = direction or "euclidean"
    system = "entity" if kind == "euclidean" else "road"
    if kind not in ("euclidean", "longitudinal", "lateral"):
        raise not_executed(line, direction or measured.name)
    if measured.name == "time_headway":
        return Headway(reference, comparison, DistanceMeasure("road", "longitudinal", is_free))
    if measured.name == "time_to_collision":
        measure = DistanceMeasure("road", "longitudinal", True)
        return TimeToCollision(reference, None, comparison, measure)
    return Distance(reference, None, comparison, DistanceMeasure(system, kind, is_free))
