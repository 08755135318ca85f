"""Each number that the code names says its unit, or what it counts, and why it is as it is.

A constant is a number at the top of a module, or a field of a record of constants: a class of which
the module makes one instance. Its meaning stands in a docstring below it, or in a comment behind or
above it. No test can tell a good reason from a poor one; this one asks for a unit and a sentence.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

UNIT = re.compile(
    r"\[[^\]\d][^\]]*\]|\b(share|ratio|factor|number|count|weight|coefficient|probability|exponent"
    r"|sample|step|round|byte|bit|character|digit|pixel|triangle|vert(ex|ices)|row|column|line"
    r"|level|lane|file|time|attempt|degree|second|metre|percent|version|code|identifier|mode|flag"
    r"|rank|seed|tag|slot|port|word|item|message|call|thread|process(es)?|wheel|colour|group)(e?s)?\b"
    r"|\b(how (many|much|often)|rise over run|per|without unit|of the)\b",
    re.IGNORECASE,
)
"""A unit in brackets, such as [m/s], or a word for what the number counts or compares."""

FEWEST_WORDS = 4
"""Number of words of a meaning: with fewer there is a unit without a reason."""

PURE = {"radians", "float", "int", "sqrt", "cos", "sin", "tan", "array", "exp", "log", "float32"}
"""Functions that make a number of numbers: what they return is a constant, too."""

Body = list[ast.stmt]


def is_number(node: ast.expr) -> bool:
    """Whether an expression is a number, several of them, or made of numbers alone."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float) and not isinstance(node.value, bool)
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return is_number(node.left) or is_number(node.right)
    if isinstance(node, ast.Tuple | ast.List):
        return bool(node.elts) and all(is_number(each) for each in node.elts)
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        name = node.func.id if isinstance(node.func, ast.Name) else name
        return name in PURE and bool(node.args) and is_number(node.args[0])
    return False


def assigned(statement: ast.stmt) -> tuple[list[str], ast.expr] | None:
    """The names and the value of an assignment, None of another statement."""
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        return [ast.unparse(statement.target)], statement.value
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
        elements = target.elts if isinstance(target, ast.Tuple) else [target]
        return [ast.unparse(each) for each in elements], statement.value
    return None


def records(body: Body) -> set[str]:
    """The classes of which the module makes an instance without arguments, and gives it a name."""
    values = [found[1] for statement in body if (found := assigned(statement))]
    return {
        each.func.id
        for each in values
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)
        if not each.args and not each.keywords
    }


def constants(body: Body) -> Iterator[tuple[list[str], ast.stmt, ast.stmt | None]]:
    """The names of each constant, its statement, and the statement that follows."""
    known = records(body)
    for statement, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(statement, ast.ClassDef) and statement.name in known:
            yield from constants(statement.body)
        found = assigned(statement)
        if found and is_number(found[1]) and not found[0][0].startswith("__"):
            yield found[0], statement, following


def meaning(statement: ast.stmt, following: ast.stmt | None, lines: list[str]) -> str:
    """What is said of a constant: below it, behind it, and above it."""
    said = []
    if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
        said.append(str(following.value.value))
    assert statement.end_lineno is not None
    for row in range(statement.lineno - 1, statement.end_lineno):
        said += lines[row].partition("#")[2:]
    row = statement.lineno - 2
    while row >= 0 and lines[row].lstrip().startswith("#"):
        said.insert(0, lines[row].lstrip(" #"))
        row -= 1
    return " ".join(said)


def has_meaning(text: str) -> bool:
    """Whether a text names a unit and says more than that."""
    return UNIT.search(text) is not None and len(text.split()) >= FEWEST_WORDS


def undescribed(source: str) -> list[str]:
    """The constants of a module's text that lack a meaning, as `line: name`."""
    lines = source.splitlines()
    return [
        f"{statement.lineno}: {name}"
        for names, statement, following in constants(ast.parse(source).body)
        if not has_meaning(meaning(statement, following, lines))
        for name in names
    ]


def modules() -> list[Path]:
    """All modules of the package but generated ones."""
    packages = ("autosim", "autosim_testbench", "autosim_assets")
    found = sorted(path for each in packages for path in (ROOT / each).rglob("*.py"))
    return [each for each in found if not each.name.endswith(("_pb2.py", "_pb2_grpc.py"))]


def test_each_constant_says_its_unit_and_its_reason():
    found = [
        f"{path.relative_to(ROOT)}:{place}"
        for path in modules()
        for place in undescribed(path.read_text())
    ]
    assert not found, "constants without a unit and a reason:\n" + "\n".join(found)


def test_a_bare_number_is_found():
    assert undescribed("_A, B = 1.0, -2\n") == ["1: _A", "1: B"]
    assert undescribed("LIMIT = math.radians(3.0)\n'''Too steep.'''\n") == ["1: LIMIT"]
    assert undescribed("LIMIT = 3.0  # [m]\n") == ["1: LIMIT"]


def test_a_number_with_a_unit_and_a_reason_passes():
    assert not undescribed("LIMIT = 3.0\n'''Height [m] that a lorry needs.'''\n")
    assert not undescribed("# Number of rounds: three have always been enough.\nROUNDS = 9\n")
    assert not undescribed("SHARE = 0.5  # share of a lane that a car needs\n")


RECORD = """
class Limits:
    a: float = 1.0
    'Width [m] of a lane.'
    b: int = 2
LIMITS = Limits()
"""


def test_each_field_of_a_record_of_constants_counts():
    assert undescribed(RECORD) == ["5: b"]


def test_names_of_other_things_are_no_constants():
    assert not undescribed("NAMES = ('a', 'b')\nON = True\nx = find(3)\n")
