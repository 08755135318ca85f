"""Declarations of OpenSCENARIO DSL: imports, units, enumerations, types and their faults."""

from pathlib import Path

import pytest

from autosim.openscenario.dsl.dsl_symbols import DslSymbols, read_symbols


def symbols_of(folder: Path, text: str) -> tuple[DslSymbols, list[tuple[int, str, str]]]:
    """The declarations of a file, and (line, name, reason) of all faults."""
    path, found = folder / "scenario.osc", list[tuple[int, str, str]]()
    path.write_text(text, encoding="utf-8")

    def report(file: Path, line: int, name: str, reason: str, is_fault: bool) -> None:
        assert is_fault
        found.append((line, name, reason))

    return read_symbols(path, report), found


def test_units_are_those_of_their_types(tmp_path: Path) -> None:
    (tmp_path / "basic.osc").write_text(
        "type length is SI(m: 1)\nunit furlong of length is SI(m: 1, factor: 201.168)\n"
    )
    symbols, faults = symbols_of(
        tmp_path,
        "import basic.osc\nimport osc.standard.all\ntype length is SI(m: 1)\n",
    )

    assert not faults
    assert symbols.units["furlong"][1] == pytest.approx(201.168)
    assert symbols.units["furlong"][0] == symbols.units["km"][0] == symbols.physical["length"]
    assert symbols.units["kph"][1] == pytest.approx(0.2777777778)


def test_members_come_from_bases_and_extensions(tmp_path: Path) -> None:
    symbols, faults = symbols_of(
        tmp_path,
        "actor base:\n    a: int\nactor lorry inherits base:\n    b: int\n"
        "extend lorry:\n    c: int\nenum color: [red = 2, green]\nextend color: [blue]\n",
    )

    assert not faults
    lorry = symbols.find("lorry", "actor")
    assert lorry is not None
    names = [getattr(each, "names", ())[0] for each in symbols.members(lorry)]
    assert names == ["a", "b", "c"]
    assert symbols.enums["color"] == {"red": 2, "green": 3, "blue": 4}


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("actor a\nactor a\n", 2, "'a' is declared in line 1 already"),
        ("struct s:\n    x: int\n    x: int\n", 3, "has a member 'x' in line 2 already"),
        ("struct s:\n    x: nothing\n", 2, "is not a declared type"),
        ("enum e: [a, a]\n", 1, "'a' is stated twice"),
        ("enum e: [a = 1, b = 1]\n", 1, "has the value 1 of another member"),
        ("extend e: [a]\n", 1, "there is no enumeration 'e' to extend"),
        ("extend s:\n    x: int\n", 1, "there is no type 's' to extend"),
        ("scenario lorry.pass\n", 1, "belongs to the actor 'lorry', which is not declared"),
        ("struct s inherits t\n", 1, "inherits 't', which is not declared"),
        ("unit u of nothing is SI(m: 1)\n", 1, "a unit of 'nothing', which is not a type"),
        ("type t is SI(inch: 1)\n", 1, "'inch' is not a base unit"),
        ("import other.osc\n", 1, "there is no file 'other.osc'"),
        ("unit km of length is SI(m: 1, factor: 1000)\n" * 2, 2, "is declared in line 1 already"),
    ],
)
def test_faults_of_declarations_are_named(
    tmp_path: Path, text: str, line: int, reason: str
) -> None:
    _, faults = symbols_of(tmp_path, text)

    assert [each[0] for each in faults] == [line]
    assert reason in faults[0][2]


def test_files_may_import_each_other(tmp_path: Path) -> None:
    (tmp_path / "a.osc").write_text("import scenario.osc\nactor a\n")
    symbols, faults = symbols_of(tmp_path, "import a.osc\nactor b inherits a\n")

    assert not faults
    assert symbols.find("a", "actor") is not None
