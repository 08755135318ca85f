"""Parameters and expressions in attributes: `$name` and `${expression}`.

Source: ASAM OpenSCENARIO XML 1.3.0, section 9.1, parameters and expressions.
"""

import ast
import math
import re
from collections.abc import Callable, Mapping

_MAX_LENGTH = 500
"""Most characters of an expression: longer ones could exhaust the parser."""

_NAME = re.compile(r"\$([A-Za-z_][A-Za-z0-9_.\-]*)")
_EXPRESSION = re.compile(r"^\$\{(.*)\}$", re.DOTALL)

_CONSTANTS = {"true": True, "false": False, "PI": math.pi, "pi": math.pi, "E": math.e}

Value = float | bool


class ExpressionError(Exception):
    """An attribute that cannot be evaluated; the text states why."""


def resolve(text: str, values: Mapping[str, str]) -> str:
    """The text of an attribute after its parameters and expressions are replaced.

    Args:
        text: as in the file.
        values: of the parameters, by name without `$`.

    Raises:
        ExpressionError: a parameter is not declared, or an expression is malformed.
    """
    if "$" not in text:
        return text
    expression = _EXPRESSION.match(text.strip())
    if expression is None:
        return _NAME.sub(lambda found: _value(found.group(1), values), text)
    if len(text) > _MAX_LENGTH:
        raise ExpressionError(f"the expression has more than {_MAX_LENGTH} characters")
    names = _NAME.sub(lambda found: _in_expression(found.group(1), values), expression.group(1))
    try:
        tree = ast.parse(names.strip(), mode="eval")
        found = _evaluate(tree.body)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError, RecursionError) as error:
        raise ExpressionError(f"the expression {text} cannot be evaluated: {error}") from error
    if isinstance(found, bool):
        return "true" if found else "false"
    return repr(int(found)) if found == int(found) and abs(found) < 1e15 else repr(found)


def resolve_label(text: str, values: Mapping[str, str]) -> str:
    """The text of a name: as `resolve`, and texts joined by `+` in an expression.

    Raises:
        ExpressionError: a parameter is not declared.
    """
    expression = _EXPRESSION.match(text.strip())
    if expression is None:
        return resolve(text, values)
    parts = [each.strip() for each in expression.group(1).split("+")]
    return "".join(resolve(each, values) for each in parts)


def _value(name: str, values: Mapping[str, str]) -> str:
    known, rest = _split(name, values)
    return values[known] + rest


def _in_expression(name: str, values: Mapping[str, str]) -> str:
    known, rest = _split(name, values)
    return _as_literal(values[known]) + rest


def _split(name: str, values: Mapping[str, str]) -> tuple[str, str]:
    """The parameter at the start of a name, and the text behind it, as in `$map.xodr`."""
    if name in values:
        return name, ""
    for end in range(len(name) - 1, 0, -1):
        if name[end] in ".-" and name[:end] in values:
            return name[:end], name[end:]
    raise ExpressionError(f"the parameter ${name} is not declared")


def _as_literal(value: str) -> str:
    """The value of a parameter as a part of an expression."""
    if value in ("true", "false"):
        return value
    try:
        return f"({float(value)!r})"
    except ValueError as error:
        raise ExpressionError(f"'{value}' is not a number that an expression takes") from error


def _evaluate(node: ast.expr) -> Value:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    if isinstance(node, ast.Name) and node.id in _CONSTANTS:
        return _CONSTANTS[node.id]
    if isinstance(node, ast.BoolOp):
        values = [bool(_evaluate(each)) for each in node.values]
        return all(values) if isinstance(node.op, ast.And) else any(values)
    if isinstance(node, ast.UnaryOp):
        value = _evaluate(node.operand)
        unary: dict[type[ast.unaryop], Callable[[], Value]] = {
            ast.USub: lambda: -value,
            ast.UAdd: lambda: value,
            ast.Not: lambda: not value,
        }
        if type(node.op) in unary:
            return unary[type(node.op)]()
    if isinstance(node, ast.BinOp):
        return _binary(node)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _compare(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _call(node.func.id, [float(_evaluate(each)) for each in node.args])
    raise ExpressionError(f"'{ast.unparse(node)}' is not an expression of the standard")


def _binary(node: ast.BinOp) -> Value:
    left, right = float(_evaluate(node.left)), float(_evaluate(node.right))
    makers: dict[type[ast.operator], Callable[[], float]] = {
        ast.Add: lambda: left + right,
        ast.Sub: lambda: left - right,
        ast.Mult: lambda: left * right,
        ast.Div: lambda: left / right,
        ast.Mod: lambda: math.fmod(left, right),
    }
    if type(node.op) not in makers:
        raise ExpressionError(f"'{ast.unparse(node)}' is not an expression of the standard")
    return makers[type(node.op)]()


def _compare(node: ast.Compare) -> Value:
    left, right = float(_evaluate(node.left)), float(_evaluate(node.comparators[0]))
    results: dict[type[ast.cmpop], bool] = {
        ast.Lt: left < right,
        ast.Gt: left > right,
        ast.LtE: left <= right,
        ast.GtE: left >= right,
        ast.Eq: left == right,
        ast.NotEq: left != right,
    }
    if type(node.ops[0]) not in results:
        raise ExpressionError(f"'{ast.unparse(node)}' is not an expression of the standard")
    return results[type(node.ops[0])]


_FUNCTIONS: dict[str, tuple[int, Callable[..., float]]] = {
    "round": (1, lambda x: float(math.floor(x + 0.5))),
    "floor": (1, lambda x: float(math.floor(x))),
    "ceil": (1, lambda x: float(math.ceil(x))),
    "sqrt": (1, math.sqrt),
    "pow": (2, math.pow),
    "abs": (1, abs),
    "sign": (1, lambda x: float((x > 0) - (x < 0))),
    "min": (2, min),
    "max": (2, max),
}


def _call(name: str, arguments: list[float]) -> float:
    if name not in _FUNCTIONS or len(arguments) != _FUNCTIONS[name][0]:
        raise ExpressionError(f"'{name}' with {len(arguments)} values is not a function")
    return float(_FUNCTIONS[name][1](*arguments))


_RULES: dict[str, Callable[[float, float], bool]] = {
    "greaterThan": lambda value, limit: value > limit,
    "lessThan": lambda value, limit: value < limit,
    "greaterOrEqual": lambda value, limit: value >= limit,
    "lessOrEqual": lambda value, limit: value <= limit,
    "equalTo": lambda value, limit: value == limit,
    "notEqualTo": lambda value, limit: value != limit,
}


def satisfies(rule: str, value: str, limit: str) -> bool:
    """Whether a value obeys a rule; texts that are not numbers are equal or not."""
    try:
        return _RULES[rule](float(value), float(limit)) if rule in _RULES else False
    except ValueError:
        return (value == limit) == (rule != "notEqualTo")
