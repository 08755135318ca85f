"""Parsing of OpenSCENARIO DSL: indentation, expressions, behaviour and faults with their lines."""

from pathlib import Path

import pytest

from autosim.openscenario.dsl.parsing.dsl_expressions import (
    DslExpression,
    DslLiteral,
    DslName,
    DslOperation,
    DslQuantity,
    DslRange,
)
from autosim.openscenario.dsl.parsing.dsl_lexer import DslSyntaxError
from autosim.openscenario.dsl.parsing.dsl_parser import parse_dsl
from autosim.openscenario.dsl.parsing.dsl_tree import (
    DslComposition,
    DslDo,
    DslFieldDeclaration,
    DslInvocation,
    DslKeep,
    DslModifier,
    DslType,
    DslUntil,
    DslWait,
)

SUITE = Path(__file__).parents[4] / "scenario_runner"
"""The repository carla-simulator/scenario_runner, where it is present beside the project."""


def expression(text: str) -> DslExpression:
    """The default of a field with that text."""
    (declared,) = parse_dsl(f"struct s:\n    x: int = {text}\n").declarations
    assert isinstance(declared, DslType)
    (field,) = declared.members
    assert isinstance(field, DslFieldDeclaration)
    assert field.default is not None
    return field.default


def test_operators_bind_as_in_the_standard() -> None:
    found = expression("a or 1 + 2 * -b == 3")

    assert isinstance(found, DslOperation)
    assert found.operator == "or"
    relation = found.operands[1]
    assert isinstance(relation, DslOperation)
    assert relation.operator == "=="
    total = relation.operands[0]
    assert isinstance(total, DslOperation)
    assert (total.operator, total.operands[0]) == ("+", DslLiteral(1, 2))
    product = total.operands[1]
    assert isinstance(product, DslOperation)
    assert product.operands[1] == DslOperation("-", (DslName("b", 2),), 2)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[10kph..20kph]", DslRange(DslQuantity(10.0, "kph", 2), DslQuantity(20.0, "kph", 2), 2)),
        ("range(1, 10)", DslRange(DslLiteral(1, 2), DslLiteral(10, 2), 2)),
        ("1.5e1", DslLiteral(15.0, 2)),
        ("0x1F", DslLiteral(31, 2)),
        ("80|foot/s|", DslQuantity(80.0, "foot/s", 2)),
        ("'text'", DslLiteral("text", 2)),
    ],
)
def test_values_are_read(text: str, wanted: DslExpression) -> None:
    assert expression(text) == wanted


def test_behaviour_nests_by_indentation() -> None:
    content = parse_dsl("""import basic.osc   # a comment
scenario top:
    car1: car
    /* a comment
       of two lines */
    do serial:
        first: parallel(duration: 15s):
            car1.drive() with:
                speed(30kph)
                until @arrived as a \\
                    if a.speed > 3mps
        wait elapsed([1s..2s])
""")

    assert [each.name for each in content.imports] == ["basic.osc"]
    (top,) = content.declarations
    assert isinstance(top, DslType)
    do = top.members[1]
    assert isinstance(do, DslDo)
    assert isinstance(do.behavior, DslComposition)
    first, wait = do.behavior.members
    assert isinstance(first, DslComposition)
    assert (first.label, first.operator, first.line) == ("first", "parallel", 7)
    (drive,) = first.members
    assert isinstance(drive, DslInvocation)
    assert (drive.target, drive.name) == ("car1", "drive")
    speed, until = drive.conditions
    assert isinstance(speed, DslModifier)
    assert isinstance(until, DslUntil)
    assert (until.event.event, until.event.alias) == ("arrived", "a")
    assert isinstance(wait, DslWait)


def test_fields_may_have_constraints() -> None:
    (top,) = parse_dsl("""actor van inherits vehicle(kind == 1):
    a, b: list of int with:
        keep(default it.a in [1, 2])
        cover(a, expression: it.a, unit: kph)
""").declarations

    assert isinstance(top, DslType)
    assert (top.base, top.condition is None) == ("vehicle", False)
    (field,) = top.members
    assert isinstance(field, DslFieldDeclaration)
    assert (field.names, field.is_list) == (("a", "b"), True)
    keep = field.constraints[0]
    assert isinstance(keep, DslKeep)
    assert keep.qualifier == "default"


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("scenario top:\n    do serial\n", 2, "expected ':', found the end of the line"),
        ("scenario top:\n        a: int\n    b: int\n", 3, "the indentation agrees with none"),
        ("scenario top:\n\n    a: int = ;\n", 3, "unexpected character ';'"),
        ("scenario top:\n    a: int = if\n", 2, "expected a value, found 'if'"),
        ("scenario top:\n    a: int = " + "(" * 200 + "\n", 2, "is nested deeper than"),
        ("scenario top:\n", 2, "expected indented lines"),
        ("namespace a\n", 1, "expected a declaration, found 'namespace'"),
        ("scenario top:\n    keep(a == 1\n", 3, "expected ')'"),
    ],
)
def test_faults_are_named_with_their_lines(text: str, line: int, reason: str) -> None:
    with pytest.raises(DslSyntaxError) as found:
        parse_dsl(text)

    assert reason in found.value.reason
    assert found.value.line == line


@pytest.mark.skipif(not SUITE.is_dir(), reason="scenario_runner is not present")
def test_all_files_of_the_public_suite_parse() -> None:
    files = sorted(SUITE.rglob("*.osc"))

    assert files
    for each in files:
        parse_dsl(each.read_text(encoding="utf-8"))
