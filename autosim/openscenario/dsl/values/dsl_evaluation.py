"""Evaluates expressions before a scenario runs."""

import math
from collections.abc import Callable

from autosim.openscenario.dsl.parsing.dsl_expressions import (
    DslArgument,
    DslCall,
    DslCast,
    DslElement,
    DslEnumValue,
    DslExpression,
    DslField,
    DslList,
    DslLiteral,
    DslName,
    DslOperation,
    DslQuantity,
    DslRange,
)
from autosim.openscenario.dsl.standard_names import (
    DOMAIN_TYPES,
    NO_UNIT,
    PEOPLE,
    VEHICLES,
    Exponents,
)
from autosim.openscenario.dsl.values.dsl_scope import DslScope, FieldState
from autosim.openscenario.dsl.values.dsl_values import (
    ActorValue,
    DslError,
    DslValue,
    EnumMember,
    IntervalValue,
    PhysicalValue,
    kind_of,
    not_executed,
    number_of,
)

_SAME = 1e-9
"""Relative difference up to which two numbers are equal."""


def evaluate(expression: DslExpression, scope: DslScope) -> DslValue:
    """The value of an expression.

    Raises:
        DslError: a name is not declared or has no value, or the types do not agree.
    """
    if isinstance(expression, DslLiteral):
        return expression.value
    if isinstance(expression, DslName):
        return value_of(expression.text, scope, expression.line)
    if isinstance(expression, DslList):
        return tuple(evaluate(each, scope) for each in expression.items)
    if isinstance(expression, DslRange):
        return IntervalValue(evaluate(expression.low, scope), evaluate(expression.high, scope))
    return _EVALUATORS[type(expression)](expression, scope)


def value_of(name: str, scope: DslScope, line: int) -> DslValue:
    """The value of a field.

    Raises:
        DslError: it is not declared, has no value, or one of another type.
    """
    owner = scope.owner(name)
    if owner is None:
        raise DslError(line, name, "is not declared")
    state = owner.fields[name]
    if state.value is not None:
        return state.value
    if state.is_open:
        raise DslError(line, name, "has a value that depends on itself")
    state.is_open = True
    try:
        state.value = _first_value(name, state, owner)
    finally:
        state.is_open = False
    return state.value


def _first_value(name: str, state: FieldState, scope: DslScope) -> DslValue:
    chain = scope.type_chain(state.type)
    if not state.is_list and is_actor(scope, chain):
        return _actor(name, state, scope, chain)
    stated = constrained(name, state, scope, is_default=False)
    if stated is None and state.default is not None:
        stated = evaluate(state.default, scope)
    if stated is None:
        stated = constrained(name, state, scope, is_default=True)
    if stated is None and state.type in DOMAIN_TYPES:
        return ActorValue(name, chain)
    if stated is None:
        raise DslError(state.line, name, "has no value: give it one, or name one by --set")
    check_type(name, state, stated, scope)
    return scope.draws.one_of(stated) if not state.is_list else stated


def is_actor(scope: DslScope, chain: tuple[str, ...]) -> bool:
    """Whether a type is one of actors."""
    return (
        any(each in VEHICLES or each in PEOPLE for each in chain)
        or scope.symbols.find(chain[0], "actor") is not None
    )


def _actor(name: str, state: FieldState, scope: DslScope, chain: tuple[str, ...]) -> DslValue:
    """The actor of a field: its default, that of the same name of the caller, or its own."""
    if state.default is not None:
        found = evaluate(state.default, scope)
        if not isinstance(found, ActorValue):
            raise DslError(state.line, name, f"is an actor, not {kind_of(found)}")
        return found
    caller = scope.caller
    if caller is not None and caller.owner(name) is not None:
        found = value_of(name, caller, state.line)
        if isinstance(found, ActorValue) and chain[0] in found.types:
            return found
    return ActorValue(name, chain)


def check_type(name: str, state: FieldState, value: DslValue, scope: DslScope) -> None:
    """Checks a value against the type of its field.

    Raises:
        DslError: it has another type.
    """
    values = value if isinstance(value, tuple) and state.is_list else (value,)
    for each in values:
        parts = (each.low, each.high) if isinstance(each, IntervalValue) else (each,)
        for part in parts:
            if not _has_type(part, state.type, scope):
                raise DslError(state.line, name, f"is of type {state.type}, not {kind_of(part)}")


def _has_type(value: DslValue, type_: str, scope: DslScope) -> bool:
    symbols = scope.symbols
    if type_ in symbols.physical:
        return isinstance(value, PhysicalValue) and value.exponents == symbols.physical[type_]
    if type_ in ("int", "uint"):
        return isinstance(value, int | EnumMember) and not isinstance(value, bool)
    if type_ == "float":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if type_ in ("bool", "string"):
        return isinstance(value, bool if type_ == "bool" else str)
    if type_ in symbols.enums:
        return isinstance(value, EnumMember) and value.enum == type_
    return True


# ---- constraints


def constrained(
    name: str, state: FieldState, scope: DslScope, *, is_default: bool
) -> DslValue | None:
    """The value or the range that constraints state for a field, or None.

    Where the field has a default, only an equation replaces it; other constraints are checked.
    """
    low: DslValue | None = None
    high: DslValue | None = None
    for keep in (*state.keeps, *scope.keeps):
        if (keep.qualifier == "default") is not is_default:
            continue
        for operator, bound in _bounds(keep.value, name, keep in state.keeps):
            found = evaluate(bound, scope)
            if operator == "==" or (operator == "in" and state.default is None):
                return found
            if operator in (">", ">="):
                low = found
            elif operator in ("<", "<="):
                high = found
    if state.default is not None:
        return None
    if low is not None and high is not None:
        return IntervalValue(low, high)
    return low if low is not None else high


def _bounds(expression: DslExpression, name: str, is_own: bool) -> list[tuple[str, DslExpression]]:
    """Comparisons of a field with values: the operator, and what it is compared with."""
    if not isinstance(expression, DslOperation) or len(expression.operands) != 2:
        return []
    left, right = expression.operands
    if expression.operator == "and":
        return [*_bounds(left, name, is_own), *_bounds(right, name, is_own)]
    names = (name, "it") if is_own else (name,)
    if isinstance(left, DslName) and left.text in names:
        return [(expression.operator, right)]
    if isinstance(right, DslName) and right.text in names and expression.operator != "in":
        turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
        return [(turned.get(expression.operator, expression.operator), left)]
    return []


# ---- values


def _quantity(expression: DslQuantity, scope: DslScope) -> DslValue:
    unit = scope.symbols.units.get(expression.unit)
    if unit is None:
        raise DslError(expression.line, expression.unit, "is not a unit that is declared")
    exponents, factor, offset = unit
    return PhysicalValue(expression.value * factor + offset, exponents)


def _enum(enum: str, member: str, scope: DslScope, line: int) -> DslValue:
    known = scope.symbols.enums.get(enum)
    if known is None:
        return EnumMember(enum, member, 0)
    if member not in known:
        raise DslError(line, f"{enum}!{member}", "is not a member of the enumeration")
    return EnumMember(enum, member, known[member])


def _field(expression: DslField, scope: DslScope) -> DslValue:
    inner = _struct_scope(expression.of, scope)
    if inner is not None:
        return value_of(expression.name, inner, expression.line)
    raise not_executed(
        expression.line, expression.name, "is not known before the scenario runs, or not at all"
    )


def _struct_scope(expression: DslExpression, scope: DslScope) -> DslScope | None:
    """The scope of a field that holds a struct, or of a struct by its name; None for others."""
    if not isinstance(expression, DslName):
        return None
    owner = scope.owner(expression.text)
    if owner is None:
        declared = scope.symbols.find(expression.text, "struct")
        return None if declared is None else scope.struct(expression.text, declared)
    declared = scope.symbols.find(owner.fields[expression.text].type, "struct")
    return None if declared is None else owner.struct(expression.text, declared)


def _call(expression: DslCall, scope: DslScope) -> DslValue:
    function = expression.function
    if isinstance(function, DslField):
        inner, name = _struct_scope(function.of, scope), function.name
    else:
        inner, name = scope, function.text if isinstance(function, DslName) else "()"
    method = None if inner is None else inner.methods.get(name)
    if inner is None or method is None:
        raise not_executed(expression.line, name, "is not a method that can be evaluated here")
    if method.body is None:
        what = "external" if method.external else "undefined"
        raise not_executed(expression.line, name, f"is an {what} method, which is not called")
    local = DslScope(scope.symbols, inner.file, scope.draws, inner)
    for number, parameter in enumerate(method.parameters):
        value = _argument(expression.arguments, number, parameter.name)
        state = FieldState(parameter.type, False, parameter.default, parameter.line)
        if value is not None:
            state.value = evaluate(value, scope)
            check_type(parameter.name, state, state.value, scope)
        local.fields[parameter.name] = state
    return evaluate(method.body, local)


def _argument(arguments: tuple[DslArgument, ...], number: int, name: str) -> DslExpression | None:
    named = next((each.value for each in arguments if each.name == name), None)
    if named is not None:
        return named
    if number < len(arguments) and not arguments[number].name:
        return arguments[number].value
    return None


def _element(expression: DslElement, scope: DslScope) -> DslValue:
    items, index = evaluate(expression.of, scope), evaluate(expression.index, scope)
    if not isinstance(items, tuple) or not isinstance(index, int):
        raise DslError(expression.line, "[]", "takes a list and a whole number")
    if not 0 <= index < len(items):
        raise DslError(expression.line, "[]", f"the list has no element {index}")
    return items[index]


def _cast(expression: DslCast, scope: DslScope) -> DslValue:
    value, type_ = evaluate(expression.of, scope), expression.type
    if expression.is_test:
        if isinstance(value, ActorValue):
            return type_ in value.types
        return _has_type(value, type_, scope)
    number = value.value if isinstance(value, EnumMember) else number_of(value)
    if type_ in ("int", "uint", "float") and number is not None:
        plain = number if isinstance(number, int) else number[0]
        return float(plain) if type_ == "float" else int(plain)
    if isinstance(value, ActorValue) and type_ in value.types:
        return value
    raise not_executed(expression.line, "as", f"makes no {type_} of {kind_of(value)}")


# ---- operators


def _operation(expression: DslOperation, scope: DslScope) -> DslValue:
    operator, line = expression.operator, expression.line
    if operator == "?":
        condition, first, second = expression.operands
        return evaluate(first if _truth(condition, scope) else second, scope)
    if operator == "not":
        return not _truth(expression.operands[0], scope)
    if operator in ("and", "or", "=>"):
        left = _truth(expression.operands[0], scope)
        if left is (operator == "or"):
            return operator == "or"
        if operator == "=>" and not left:
            return True
        return _truth(expression.operands[1], scope)
    values = [evaluate(each, scope) for each in expression.operands]
    if len(values) == 1:
        number = _number(values[0], operator, line)
        return _result(-number[0], number[1], values)
    if operator in ("==", "!="):
        return is_same(values[0], values[1]) == (operator == "==")
    if operator == "in":
        return is_in(values[0], values[1], line)
    if operator in ("<", "<=", ">", ">="):
        return _compare(operator, values, line)
    return _arithmetic(operator, values, line)


def _truth(expression: DslExpression, scope: DslScope) -> bool:
    value = evaluate(expression, scope)
    if not isinstance(value, bool):
        raise DslError(expression.line, "condition", f"is {kind_of(value)}, not true or false")
    return value


def is_same(first: DslValue, second: DslValue) -> bool:
    """Whether two values are equal."""
    left, right = number_of(first), number_of(second)
    if left is not None and right is not None:
        return left[1] == right[1] and math.isclose(left[0], right[0], rel_tol=_SAME)
    return first == second


def is_in(value: DslValue, container: DslValue, line: int) -> bool:
    """Whether a range or a list has a value, or all of a list."""
    if isinstance(container, IntervalValue):
        return bool(
            _compare(">=", [value, container.low], line)
            and _compare("<=", [value, container.high], line)
        )
    if not isinstance(container, tuple):
        raise DslError(line, "in", f"takes a list or a range, not {kind_of(container)}")
    wanted = value if isinstance(value, tuple) else (value,)
    return all(any(is_same(each, other) for other in container) for each in wanted)


def _number(value: DslValue, operator: str, line: int) -> tuple[float, Exponents]:
    found = number_of(value)
    if found is None:
        raise DslError(line, operator, f"takes numbers, not {kind_of(value)}")
    return found


def _compare(operator: str, values: list[DslValue], line: int) -> bool:
    (left, unit), (right, other) = (_number(each, operator, line) for each in values)
    if unit != other:
        raise DslError(line, operator, f"compares {values[0]} with {values[1]}: different units")
    comparisons: dict[str, Callable[[float, float], bool]] = {
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
    }
    return comparisons[operator](left, right)


def _arithmetic(operator: str, values: list[DslValue], line: int) -> DslValue:
    (left, unit), (right, other) = (_number(each, operator, line) for each in values)
    if operator in ("+", "-", "%"):
        if unit != other:
            raise DslError(line, operator, f"joins {values[0]} and {values[1]}: different units")
        if operator != "%":
            return _result(left + right if operator == "+" else left - right, unit, values)
    if operator in ("/", "%") and right == 0.0:
        raise DslError(line, operator, "divides by 0")
    if operator == "%":
        return _result(left % right, unit, values)
    sign = 1 if operator == "*" else -1
    joined = tuple(a + sign * b for a, b in zip(unit, other, strict=True))
    return _result(left * right if operator == "*" else left / right, joined, values)


def _result(value: float, exponents: Exponents, values: list[DslValue]) -> DslValue:
    if exponents != NO_UNIT:
        return PhysicalValue(value, exponents)
    is_whole = all(isinstance(each, int) for each in values) and value == int(value)
    return int(value) if is_whole else value


_EVALUATORS: dict[type, Callable[..., DslValue]] = {
    DslQuantity: _quantity,
    DslEnumValue: lambda each, scope: _enum(each.enum, each.member, scope, each.line),
    DslField: _field,
    DslCall: _call,
    DslOperation: _operation,
    DslElement: _element,
    DslCast: _cast,
}
"""Evaluators of the other kinds of expressions."""
